import Conference
import RTCCore
import Screen
import Testing

@Suite struct EventsTests {
  /// A room in which a good deal has happened since 12:04:58.
  private static func state(columns: Int, rows: Int) -> ScreenState {
    var state = Fixture.state(3, columns: columns, rows: rows)
    _ = reduce(&state, .wallClock(secondsOfDay: 12 * 3600 + 5 * 60))
    var room = Fixture.room(0..<4)
    room.participants[1].tracks[1].isMuted = true
    _ = reduce(&state, .room(room))
    _ = reduce(&state, .tick(.zero + .seconds(75)))
    room.participants.remove(at: 2)
    _ = reduce(&state, .room(room))
    room.connection = .reconnecting
    _ = reduce(&state, .room(room))
    _ = reduce(&state, .tick(.zero + .seconds(79)))
    room.connection = .joined
    _ = reduce(&state, .room(room))
    return state
  }

  @Test(arguments: [(80, 24), (120, 40)]) func theHistoryStandsBesideTheTiles(size: (Int, Int)) throws {
    var state = Self.state(columns: size.0, rows: size.1)
    state.type(.character("e"))
    let panel = try #require(state.layout.panel)
    for tile in state.layout.tiles { #expect(tile.frame.intersection(panel).isEmpty) }
    try expectGolden(Fixture.drawn(state).text, "events-\(size.0)x\(size.1)")
    state.type(.character("e"))
    #expect(state.layout.panel == nil)
    #expect(!Fixture.drawn(state).text.contains("12:05"))
  }

  @Test func eventsAreTimedByTheClockOrElseSinceTheStart() {
    var state = Fixture.state(2)
    _ = reduce(&state, .tick(.zero + .seconds(71)))
    _ = reduce(&state, .room(Fixture.room(0..<3)))
    state.type(.character("e"))
    #expect(Fixture.drawn(state).text.contains("1:02      Chidi joined"))
    // Two minutes before midnight, and on into the next day.
    _ = reduce(&state, .wallClock(secondsOfDay: 86_280))
    _ = reduce(&state, .tick(.zero + .seconds(200)))
    _ = reduce(&state, .room(Fixture.room(0..<4)))
    let text = Fixture.drawn(state).text
    #expect(text.contains("23:58:00  Chidi joined"))
    #expect(text.contains("00:00:09  Dolores joined"))
  }

  @Test func whatRepeatsIsCounted() {
    var state = Fixture.state(1)
    let before = state.events.count
    for _ in 0..<3 { _ = reduce(&state, .message("The camera is busy.")) }
    #expect(state.events.count == before + 1)
    #expect(Fixture.drawn(state).text.contains("The camera is busy. (3 times)"))
  }

  @Test func olderEventsAreScrolledToAndStayPutWhileNewOnesCome() {
    var state = Fixture.state(1)
    for number in 0..<60 { _ = reduce(&state, .message("number \(number).")) }
    _ = reduce(&state, .tick(.zero + .seconds(60)))
    state.type(.character("e"))
    #expect(Fixture.drawn(state).text.contains("number 59."))
    state.type(.pageUp)
    func numbers() -> [Substring] {
      Fixture.drawn(state).text.split(separator: "\n").filter { $0.contains("│ ") && $0.contains("number") }
    }
    let scrolled = numbers()
    #expect(!scrolled.isEmpty && !scrolled.contains { $0.contains("number 59.") })
    _ = reduce(&state, .message("one more"))
    _ = reduce(&state, .tick(.zero + .seconds(120)))
    #expect(numbers() == scrolled)
    state.type(.home)
    #expect(Fixture.drawn(state).text.contains("You joined demo"))
    state.type(.mouse(MouseEvent(button: .wheelDown, column: 10, row: 20)))
    #expect(!Fixture.drawn(state).text.contains("│ 0:00      You joined demo"))
    state.type(.end)
    #expect(Fixture.drawn(state).text.contains("one more"))
    state.type(.escape)
    #expect(state.overlay == nil)
  }

  @Test func aLongEntryIsWhole() {
    var state = Fixture.state(1, columns: 80, rows: 24)
    let words = (0..<30).map { "word\($0)" }
    _ = reduce(&state, .message(words.joined(separator: " ")))
    _ = reduce(&state, .tick(.zero + .seconds(60)))
    state.type(.character("e"))
    let text = Fixture.drawn(state).text
    #expect(words.allSatisfy { text.contains($0) }, "\(text)")
  }

  @Test func hostileTextStaysInThePanel() {
    var state = Fixture.state(1)
    for _ in 0..<3 { _ = reduce(&state, .message("\u{1B}[2J\u{202E}" + String(repeating: "山", count: 300))) }
    _ = reduce(&state, .message(String(repeating: "x", count: 500)))
    state.type(.character("e"))
    let grid = Fixture.drawn(state)
    for row in 0..<grid.rows {
      #expect((0..<grid.columns).reduce(0) { $0 + Int(grid[$1, row].width) } == grid.columns)
    }
    #expect(!grid.text.contains("\u{1B}"))
  }

  @Test func tracksAndConnectionsAreInTheHistoryAndLossesInTheEventLine() {
    var state = Fixture.state(2)
    var room = Fixture.room(0..<2)
    let video = room.participants[1].tracks.removeFirst()
    room.participants[2].quality = .poor
    _ = reduce(&state, .room(room))
    room.participants[1].tracks.insert(video, at: 0)
    room.participants[2].quality = .lost
    _ = reduce(&state, .room(room))
    room.participants[1].tracks[0].isActive = false
    room.participants[2].quality = .excellent
    _ = reduce(&state, .room(room))
    #expect(
      state.events.dropFirst().map(\.text.description) == [
        "Ada sends no video any more", "Björn has a weak connection", "Ada sends video and sound",
        "Björn has lost the connection",
        "Ada: the server paused the video", "Björn is connected again",
      ])
    #expect(
      state.events.filter { !$0.isQuiet }.map(\.text.description) == [
        "You joined demo", "Björn has lost the connection", "Björn is connected again",
      ])
  }
  @Test func aSourceThatIsAwayHasNoTileUntilItIsBack() {
    var state = Fixture.state(3)
    let tiles = state.tiles
    var room = Fixture.room(0..<3)
    room.participants[2].isActive = false
    _ = reduce(&state, .room(room))
    for index in room.participants[2].tracks.indices { room.participants[2].tracks[index].isActive = false }
    _ = reduce(&state, .room(room))
    #expect(state.tiles == [tiles[0], tiles[2]])
    for index in room.participants[2].tracks.indices { room.participants[2].tracks[index].isActive = true }
    _ = reduce(&state, .room(room))
    room.participants[2].isActive = true
    _ = reduce(&state, .room(room))
    #expect(state.tiles == tiles)
    #expect(state.events.dropFirst().map(\.text.description) == ["Björn is away", "Björn is back"])
  }
}
