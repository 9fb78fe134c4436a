import Conference
import Foundation
import RTCCore
import Testing

@testable import Screen

@Suite struct CommandTests {
  @Test(arguments: [
    ("layer low all", [ScreenEffect]()), ("layer high", [.requestLayer(Fixture.video(0), .layer(.high))]),
    ("layer HIGH farida", [.requestLayer(Fixture.video(5), .layer(.high))]),
    ("layer m Chidi", [.requestLayer(Fixture.video(2), .layer(.medium))]),
    ("mute", [.setMuted(Fixture.identity(0), true)]), ("mute Björn", [.setMuted(Fixture.identity(1), true)]),
    ("mute p3", [.setMuted(Fixture.identity(3), true)]), ("mute all", [.setAllMuted(true)]),
    ("unmute all", [.setAllMuted(false)]), ("volume 40", [.setVolume(Fixture.identity(0), 40)]),
    ("volume 40 Chidi", [.setVolume(Fixture.identity(2), 40)]), ("volume 0 all", [.setMasterVolume(0)]),
    ("snapshot", [.snapshot(Fixture.video(0), of: "Ada", file: nil)]),
    ("snapshot my picture.png", [.snapshot(Fixture.video(0), of: "Ada", file: "my picture.png")]),
    ("  quit  ", [.leave]),
  ]) func aCommandDoesIt(line: String, effects: [ScreenEffect]) {
    var state = Fixture.state(6)
    #expect(state.command(line) == effects)
    #expect(state.overlay == nil)
  }

  @Test func theReadmeNamesEveryCommandAndKey() throws {
    let folders = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(
      contentsOf: folders.deletingLastPathComponent().appending(path: "README.md"), encoding: .utf8)
    for command in ScreenCommand.all { #expect(readme.contains("`\(command.name)`"), "\(command.name)") }
    let typed = KeyBinding.all.flatMap { $0.keys.prefix(1) }
    for case .character(let key) in typed { #expect(readme.contains("`\(key)`"), "\(key)") }
  }

  @Test func commandsThatChangeOnlyTheScreen() {
    var state = Fixture.state(6)
    state.command("select chi")
    #expect(state.selected == Fixture.tile(2))
    state.command("select next")
    #expect(state.selected == Fixture.tile(3))
    state.command("select last")
    #expect(state.selected == Fixture.tile(5))
    state.command("zoom Ada")
    #expect(state.isZoomed && state.selected == Fixture.tile(0))
    state.command("zoom out")
    #expect(!state.isZoomed)
    state.command("pin Farida")
    #expect(state.pinned == [Fixture.tile(5)] && state.tiles.first == Fixture.tile(5))
    state.command("pin Farida")
    #expect(state.pinned == [Fixture.tile(5)])
    state.command("unpin farida")
    #expect(state.pinned.isEmpty)
    state.command("video off Chidi")
    #expect(state.isVideoOff(Fixture.tile(2)) && !state.isVideoOff(Fixture.tile(1)))
    state.command("video on all")
    #expect(!state.isVideoOff(Fixture.tile(2)))
    state.command("keys all")
    #expect(state.targetsAll)
    state.command("inspect")
    #expect(state.overlay == .inspector(offset: 0))
    state.command("events")
    #expect(state.overlay == .events(offset: 0))
    state.command("help")
    #expect(state.overlay == .help(offset: 0))
  }

  @Test func aPictureIsKeptOnlyWhereThereIsOne() {
    var nobody = Fixture.state(0)
    #expect(nobody.type(.character("s")).isEmpty)
    #expect(nobody.toast?.text.description == "Nobody is selected.")
    var state = Fixture.state(2)
    #expect(state.type(.character("s")) == [.snapshot(Fixture.video(0), of: "Ada", file: nil)])
    var room = Fixture.room(0..<2)
    room.participants[1].tracks[0].isMuted = true
    _ = reduce(&state, .room(room))
    #expect(state.type(.character("s")).isEmpty)
    #expect(state.toast?.text.description == "There is no picture of Ada now.")
    room.participants[1].tracks.removeAll()
    _ = reduce(&state, .room(room))
    #expect(state.command("snapshot").isEmpty)
    #expect(state.toast?.text.description == "Ada sends no video.")
  }

  @Test func pagesAreTurnedToByNumber() {
    var state = Fixture.state(12, columns: 40, rows: 12)
    let pages = state.layout.positions
    #expect(pages > 2)
    state.command("page \(pages)")
    #expect(state.layout.position == pages - 1)
    state.command("page 1")
    #expect(state.layout.position == 0)
    state.command("page next")
    #expect(state.layout.position == 1)
    state.command("page 99")
    #expect(state.problem?.contains("There is no page 99") == true)
  }

  @Test(arguments: [
    ("lyaer low", "There is no command lyaer; did you mean layer?"),
    ("frobnicate", "There is no command frobnicate. Tab"),
    ("layer", "Something is missing: layer low|medium|high|auto [NAME|all]"),
    ("layer hihg", "layer does not know hihg; did you mean high?"),
    ("layer purple", "layer does not know purple: layer low|medium|high|auto"),
    ("mute Nobody", "Nobody here is called Nobody."),
    ("mute Bjorn", "Nobody here is called Bjorn; did you mean Björn?"),
    ("volume loud", "The volume is a number from 0 to 100, not loud."), ("volume 101", "The volume is a number"),
    ("select i", "i could be Chidi, Émile, Farida."), ("quit now", "quit takes nothing more."),
    ("\u{1B}[2J", "There is no command ^[[2J"),
  ]) func whatCannotBeDoneIsSaidAndStaysToBeMended(line: String, sentence: String) {
    var state = Fixture.state(6)
    #expect(state.command(line).isEmpty)
    #expect(state.problem?.hasPrefix(sentence) == true, "\(state.problem ?? "")")
    let text = Fixture.drawn(state).text
    #expect(text.contains(String(sentence.prefix(60))))
    #expect(!text.contains("\u{1B}"))
    // The next key takes the sentence away.
    state.type(.left)
    #expect(state.problem == nil)
  }

  @Test(arguments: [
    ("layer low all", "layer is not for clips."), ("mute all", "mute is not for clips."),
    ("unmute", "unmute is not for clips."), ("volume 40", "volume is not for clips."),
    ("hear rooms", "hear is not for clips."), ("self hidden", "self is not for clips."),
    ("without-video last", "without-video is not for clips."),
  ]) func whatClipsDoNotHaveIsNeitherOfferedNorDone(line: String, sentence: String) {
    var state = ScreenState(columns: 200, rows: 24, subject: .files)
    _ = reduce(&state, .room(Fixture.room(0..<2)))
    #expect(state.command(line).isEmpty)
    #expect(state.problem == sentence)
    state.type(.control("u"))
    let name = String(line.prefix { $0 != " " })
    let offered = Fixture.drawn(state).text.split(whereSeparator: \.isWhitespace)
    #expect(offered.contains("zoom") && !offered.contains(Substring(name)))
    state.typeText(name)
    state.type(.tab)
    #expect(state.typed == name)
    state.typeText(" ")
    #expect(Fixture.drawn(state).text.contains(sentence))
  }

  @Test func oneRoomOfSeveralIsHeardOnlyWhereThereAreSeveral() {
    var room = Fixture.state(2)
    room.command("hear rooms")
    #expect(room.problem == "There is one room only.")
    room.type(.control("u"), .character("h"), .character("e"), .tab)
    #expect(room.typed == "help ")
    var wall = ScreenState(columns: 80, rows: 24, subject: .wall)
    wall.command("hear rooms")
    #expect(wall.hearsAllRooms && wall.overlay == nil)
  }

  @Test func theLineIsEdited() {
    var state = Fixture.state(2)
    state.type(.character(":"))
    state.typeText("mute ada xyz")
    #expect(state.typed == "mute ada xyz")
    state.type(.control("w"))
    #expect(state.typed == "mute ada ")
    state.type(.backspace, .left, .left, .delete, .character("D"))
    #expect(state.typed == "mute aDa")
    state.type(.home, .delete, .character("M"), .end, .character("!"))
    #expect(state.typed == "Mute aDa!")
    state.type(.control("a"), .right, .control("k"))
    #expect(state.typed == "M")
    state.type(.control("u"))
    #expect(state.typed == "")
    state.type(.backspace)
    #expect(state.overlay == nil)
    state.type(.character(":"), .character("q"), .escape)
    #expect(state.overlay == nil && !state.isLeaving)
    state.type(.character(":"), .control("g"))
    #expect(state.overlay == nil && !state.isLeaving)
  }

  @Test func upAndDownRecallWhatWasTyped() {
    var state = Fixture.state(2)
    for line in ["mute all", "unmute all", "unmute all"] { state.command(line) }
    state.type(.character(":"), .character("x"), .up)
    #expect(state.typed == "unmute all")
    state.type(.up, .up, .up)
    #expect(state.typed == "mute all")
    state.type(.down, .down, .down)
    #expect(state.typed == "x")
  }

  @Test func tabCompletesCommandsWordsAndNames() {
    var state = Fixture.state(6)
    state.type(.character(":"))
    state.typeText("la")
    state.type(.tab)
    // A command of the same beginning may be added; then as much as they share.
    #expect(state.typed?.hasPrefix("lay") == true)
    state.type(.control("u"))
    state.typeText("layer h")
    state.type(.tab)
    #expect(state.typed == "layer high ")
    state.typeText("chi")
    state.type(.tab)
    #expect(state.typed == "layer high Chidi ")
    #expect(state.type(.enter) == [.requestLayer(Fixture.video(2), .layer(.high))])
    state.type(.character(":"))
    state.typeText("volu")
    state.type(.tab)
    #expect(state.typed == "volume ")
    state.typeText("zzz")
    state.type(.tab)
    #expect(state.typed == "volume zzz")
  }

  @Test(arguments: [(80, 24), (120, 40)]) func theLineAndWhatCouldBeTyped(size: (Int, Int)) throws {
    var state = Fixture.state(6, columns: size.0, rows: size.1)
    state.type(.character(":"))
    try expectGolden(Fixture.drawn(state).text, "command-empty-\(size.0)x\(size.1)")
    state.typeText("layer high ")
    try expectGolden(Fixture.drawn(state).text, "command-\(size.0)x\(size.1)")
  }

  @Test func aLongLineKeepsItsCursorInSight() {
    var state = Fixture.state(1, columns: 40, rows: 12)
    state.type(.character(":"))
    state.typeText(String(repeating: "山x", count: 150))
    state.typeText("END")
    #expect(state.typed?.count == 200)
    for _ in 0..<10 { state.type(.backspace) }
    state.typeText("END")
    #expect(Fixture.drawn(state).text.contains("END"))
    state.type(.home)
    #expect(Fixture.drawn(state).text.contains(":山x山x"))
  }

  @Test func everyCommandIsDocumentedOnceAndDoesNotCrashOnNobody() {
    var state = Fixture.state(0)
    for command in ScreenCommand.all {
      #expect(!command.help.isEmpty)
      for rest in ["", " x", " all", " 50", " \u{1B}"] {
        state.command(command.name + rest)
        state.type(.escape)
        _ = Fixture.drawn(state)
      }
    }
    #expect(Set(ScreenCommand.all.map(\.name)).count == ScreenCommand.all.count)
  }
}

extension ScreenState {
  /// Opens the command line, types a line and Enter.
  @discardableResult
  mutating func command(_ line: String) -> [ScreenEffect] {
    type(.escape, .character(":"), .control("u"))
    typeText(line)
    return type(.enter)
  }

  mutating func typeText(_ text: String) { for character in text { type(.character(character)) } }

  /// What stands in the command line; nil while it is closed.
  var typed: String? {
    if case .command(let prompt) = overlay { prompt.text } else { nil }
  }

  var problem: String? {
    if case .command(let prompt) = overlay { prompt.problem?.description } else { nil }
  }
}
