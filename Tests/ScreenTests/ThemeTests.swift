import Foundation
import TestKit
import Testing

@testable import Screen

@Suite struct ThemeTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Themes")

  @Test func everyThemeOfTheFolderIsBundledAsItIs() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
    #expect(files == BundledThemes.files.map { $0.name + ".theme" }.sorted())
    for (name, bytes) in BundledThemes.files {
      #expect(try Array(Data(contentsOf: Self.folder.appending(path: name + ".theme"))) == bytes, "\(name)")
    }
  }

  @Test(arguments: ThemeLibrary.bundled.names) func everyBundledThemeIsSound(name: String) {
    #expect(ThemeLibrary.bundled.problems(of: name) == [])
    #expect(!ThemeLibrary.bundled.summary(of: name).isEmpty)
    for level in ThemeSheet.Level.allCases {
      #expect(ThemeLibrary.bundled.theme(name, colors: level.rawValue)?.name == name)
    }
  }

  /// A role that is new here and in no theme would look like the screen's text everywhere.
  @Test func everyKindOfRoleHasALineInTheThemeThatAllInherit() throws {
    let night = try #require(BundledThemes.files.first { $0.name == "night" })
    let lines = ThemeSheet(name: night.name, bytes: night.bytes).layers[.any]?.roles ?? [:]
    for role in ThemeRole.allCases where role != .tile {
      var ancestors = [role]
      while let next = ancestors.last?.parent, next != .screen { ancestors.append(next) }
      #expect(ancestors.contains { lines[$0] != nil }, "\(role.rawValue) has no line in Themes/night.theme")
    }
  }

  @Test func aRoleIsWrittenAsInTheThemes() {
    for role in ThemeRole.allCases {
      if let parent = role.parent, parent != .screen { #expect(role.rawValue.hasPrefix(parent.rawValue + ".")) }
    }
  }

  /// Without colours, what must be told apart is told apart by attributes.
  @Test(arguments: ThemeLibrary.bundled.names) func attributesDoWhereThereAreNoColours(name: String) throws {
    let theme = try #require(ThemeLibrary.bundled.theme(name, colors: 0))
    for role in ThemeRole.allCases {
      #expect(theme[role].foreground == .terminalDefault && theme[role].background == .terminalDefault)
    }
    #expect(theme[.tileNameSelected] != theme[.tileName])
    #expect(theme[.tileNameSpeaking] != theme[.tileName])
    #expect(theme[.tileNameSpeaking] != theme[.tileNameSelected])
    #expect(theme[.tileBorderSelected] != theme[.tileBorder])
    #expect(theme[.tileWarning] != theme[.tileDetail])
    #expect(theme[.titleWarning] != theme[.titleGood])
    #expect(theme[.toast] != theme[.screen])
  }

  @Test(arguments: ThemeLibrary.bundled.names) func selectedAndSpeakingAreToldApartAtEveryDepth(name: String) throws {
    for level in ThemeSheet.Level.allCases where level != .none {
      let theme = try #require(ThemeLibrary.bundled.theme(name, colors: level.rawValue))
      #expect(theme[.tileNameSelected] != theme[.tileNameSpeaking], "\(level)")
      #expect(theme[.tileBorderSelected] != theme[.tileBorder], "\(level)")
      #expect(theme[.tileBorderSpeaking] != theme[.tileBorder], "\(level)")
      #expect(theme[.connectFieldActive] != theme[.connectField], "\(level)")
      #expect(theme[.connectRoomSelected] != theme[.connectRoom], "\(level)")
      #expect(theme[.connectButtonActive] != theme[.connectButton], "\(level)")
    }
  }

  @Test func aRoleWithoutColoursTakesThoseBeforeItsLastDot() {
    let red = CellStyle(foreground: CellColor(0xFF0000))
    let theme = Theme(name: "bare", placeholderGrounds: [], letterbox: 0x123456, styles: [.tile: red])
    #expect(theme[.tileBorderSpeaking] == red)
    #expect(theme[.title] == CellStyle())
    #expect(theme.placeholderGrounds == [CellColor(0x123456)])
  }

  @Test func aLightTerminalGetsALightTheme() {
    #expect(Theme.defaultName(background: nil) == "night")
    #expect(Theme.defaultName(background: 0x1E1E2E) == "night")
    #expect(Theme.defaultName(background: 0xFDF6E3) == "day")
    #expect(ThemeLibrary.bundled.names.contains("day"))
  }

  @Test func contrastIsThatOfTheGuidelines() {
    #expect(abs(Contrast.ratio(0x000000, 0xFFFFFF) - 21) < 0.001)
    #expect(Contrast.ratio(0x123456, 0x123456) == 1)
    // The greys that just pass and just fail on white.
    #expect(Contrast.ratio(0x767676, 0xFFFFFF) >= 4.5)
    #expect(Contrast.ratio(0x777777, 0xFFFFFF) < 4.5)
    for value in stride(from: UInt32(0), through: 255, by: 5) {
      let exact =
        Double(value) / 255 <= 0.04045 ? Double(value) / 255 / 12.92 : pow((Double(value) / 255 + 0.055) / 1.055, 2.4)
      #expect(abs(Contrast.luminance(value << 16 | value << 8 | value) - exact) < 1e-9)
    }
  }
}

/// Text becomes a theme, or a list of what is wrong with it.
@Suite struct ThemeSheetTests {
  private func library(_ text: String, _ name: String = "mine") -> ThemeLibrary {
    var library = ThemeLibrary.bundled
    library.add(ThemeSheet(name: name, bytes: Array(text.utf8)))
    return library
  }

  @Test func aThemeIsWhatItSaysOnTopOfWhatItInherits() throws {
    let mine = library(
      """
      [theme]
      inherits = night
      [palette]
      accent = rose
      rose = #FF00AA
      [roles]
      tile.border.speaking = on #101010 underline
      status = default on terminal.bright-blue
      [roles.16]
      toast = terminal.red
      """)
    #expect(mine.problems(of: "mine") == [])
    let theme = try #require(mine.theme("mine"))
    let night = Theme.night
    #expect(theme[.tileBorderSelected].foreground == CellColor(0xFF00AA))
    #expect(theme[.tileBorderSelected].attributes == .bold)
    // What a line leaves out comes from the role before the dot.
    #expect(
      theme[.tileBorderSpeaking]
        == CellStyle(
          foreground: night[.tileBorder].foreground, background: CellColor(0x101010), attributes: .underline))
    #expect(theme[.status] == CellStyle(background: .terminal(12)))
    #expect(theme[.statusState].background == .terminal(12))
    #expect(theme[.toast] == night[.toast])
    let few = try #require(mine.theme("mine", colors: 8))
    #expect(few[.toast].foreground == .terminal(1))
    // Of fewer colours the parent has chosen already.
    #expect(few[.tileBorderSelected].foreground == .terminal(6))
  }

  @Test func aThemeOfOnesOwnReplacesTheBundledOneAndMayBuildOnIt() throws {
    let mine = library("inherits = night\n[palette]\naccent = #FF00AA", "night")
    #expect(mine.problems(of: "night") == [])
    #expect(mine.theme("night")?[.tileBorderSelected].foreground == CellColor(0xFF00AA))
    #expect(mine.names == ThemeLibrary.bundled.names)
    // Others build on the replacement.
    #expect(mine.theme("fjord") != nil)
  }

  @Test(arguments: [
    ("[roles]\ntile.boder = text on ground", SettingsProblem.Code.unknownRole, 2, "did you mean tile.border?"),
    ("\n[palete]", .unknownGroup, 2, "did you mean palette?"), ("name = x", .unknownKey, 1, ""),
    ("inherits = nigth", .unknownParent, 1, "did you mean night?"),
    ("inherits = mine", .unknownParent, 1, ""),
    ("[roles]\nscreen = txt on #FFFFFF", .unknownColor, 2, "no “txt”"),
    ("inherits = night\n[roles]\nscreen = txt", .unknownColor, 3, "did you mean text?"),
    ("[roles]\nscreen = #12345", .unknownColor, 2, "#RRGGBB"), ("[roles]\nscreen = #+12345", .unknownColor, 2, ""),
    ("[roles]\nscreen = terminal.bleu", .unknownColor, 2, "did you mean terminal.blue?"),
    ("[roles]\nscreen = default blod", .badAttribute, 2, "did you mean bold?"),
    ("[roles]\nscreen = default on", .badStyle, 2, "ground is missing"),
    ("[roles]\nscreen = default on default on default", .badAttribute, 2, ""),
    ("[roles]\nscreen =", .badStyle, 2, ""), ("[palette]\nBlue = #0000FF", .unknownKey, 2, "small letters"),
    ("[palette]\nbold = #0000FF", .unknownKey, 2, ""),
    ("[palette]\na = b\nb = a", .loop, 2, "circle"), ("[grounds]\nletterbx = #000000", .unknownKey, 2, "letterbox"),
    ("[grounds]\nplaceholders =", .badValue, 2, ""), ("[palette.17]\na = #000000", .unknownGroup, 1, "palette.16"),
    ("[roles.none]\nscreen = nothing", .unknownColor, 2, ""),
  ]) func everyMistakeIsNamedWithItsLine(text: String, code: SettingsProblem.Code, line: Int, words: String) {
    let mine = library(text)
    let problems = mine.problems(of: "mine")
    #expect(problems.first?.code == code)
    #expect(problems.first?.line == line)
    #expect(problems.first?.message.contains(words) ?? words.isEmpty || words.isEmpty, "\(problems)")
    #expect(mine.theme("mine", colors: 0) == nil)
  }

  @Test func wordsThatNoThemeHasAreNamedThoughTheParentIsUnknown() {
    let mine = library(
      "inherits = nigth\n[palette]\nmine = #FF00AA\n[roles]\ntitle = nonsense bold\nstatus = text on mine\n")
    let problems = mine.problems(of: "mine")
    #expect(problems.map(\.code) == [.unknownParent, .unknownColor], "\(problems)")
    #expect(problems.map(\.line) == [1, 5])
  }

  @Test func parentsThatGoRoundInACircleAreNamed() {
    var circle = ThemeLibrary()
    circle.add(ThemeSheet(name: "one", bytes: Array("# first\ninherits = two".utf8)))
    circle.add(ThemeSheet(name: "two", bytes: Array("inherits = three".utf8)))
    circle.add(ThemeSheet(name: "three", bytes: Array("inherits = one".utf8)))
    #expect(circle.problems(of: "one").map(\.code) == [.loop])
    #expect(circle.problems(of: "one").map(\.line) == [2])
    #expect(circle.theme("one") == nil)
  }

  @Test func parentsBeyondCountAndParentsWithMistakesAreNamed() {
    var tower = ThemeLibrary()
    tower.add(ThemeSheet(name: "0", bytes: []))
    for floor in 1...20 { tower.add(ThemeSheet(name: "\(floor)", bytes: Array("inherits = \(floor - 1)".utf8))) }
    #expect(tower.problems(of: "5") == [])
    #expect(tower.problems(of: "20").map(\.code) == [.loop])
    tower.add(ThemeSheet(name: "bad", bytes: Array("[roles]\nx = y".utf8)))
    tower.add(ThemeSheet(name: "child", bytes: Array("\ninherits = bad".utf8)))
    #expect(tower.problems(of: "child").map(\.code) == [.unknownParent])
    #expect(tower.problems(of: "child").map(\.line) == [2])
  }

  /// Lines with a number in the place of each `#`.
  private static func lines(_ count: Int, of pattern: String) -> String {
    (0..<count).map { pattern.split(separator: "#", omittingEmptySubsequences: false).joined(separator: "\($0)") }
      .joined(separator: "\n") + "\n"
  }

  /// Files as long as they may be, with as many mistakes as fit.
  static let hostile = [
    lines(5_000, of: "[g#]"), "[palette]\n" + lines(4_000, of: "a# = b#"),
    "[palette]\n" + lines(500, of: "a# = b#") + "[roles]\n" + lines(2_500, of: "tile.b# = text"),
    "[palette]\n" + lines(500, of: "some-long-name-of-colour-# = some-long-name-for-colour-#"),
    "[palette]\n" + lines(500, of: "a# = a#1"), "[roles]\n" + lines(4_000, of: "r# = bl#"),
  ]

  @Test(arguments: hostile.indices)
  func aHostileThemeTakesNoTime(index: Int) {
    #expect(Self.hostile[index].utf8.count <= SettingsText.sizeLimit)
    let start = ContinuousClock.now
    let mine = library(Self.hostile[index])
    let problems = mine.problems(of: "mine")
    #expect((1...(2 * SettingsText.problemLimit)).contains(problems.count))
    #expect(mine.theme("mine") == nil)
    // A busy machine may be slow; it was minutes.
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test(arguments: UInt64(1)...60) func noBytesTrapTheReaderOfThemes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let words = [
      "[roles]", "[palette]", "[grounds]", "[roles.16]", "[theme]", "inherits", "=", "night", "mine", "tile.border",
      "on",
      "#12", "#ABCDEF", "bold", "default", "terminal.red", "\n", "\n", "a", "b", "placeholders", "\u{1B}[2J", "é", "\0",
    ]
    for _ in 0..<40 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0...60, using: &generator) {
        if Int.random(in: 0..<8, using: &generator) == 0 {
          bytes.append(.random(in: 0...255, using: &generator))
        } else {
          bytes += Array((words.randomElement(using: &generator) ?? "").utf8) + [0x20]
        }
      }
      var library = ThemeLibrary.bundled
      library.add(ThemeSheet(name: "mine", bytes: bytes))
      let problems = library.problems(of: "mine")
      for level in ThemeSheet.Level.allCases {
        #expect((library.theme("mine", colors: level.rawValue) == nil) == !problems.isEmpty)
      }
    }
  }
}
