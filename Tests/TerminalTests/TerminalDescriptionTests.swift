import TestKit
import Testing

@testable import Terminal

extension NcursesTests {
  @Suite struct TerminalDescriptionTests {
    @Test func anUnknownTerminalIsTakenForXtermAndAnUnusableOneIsRefused() throws {
      let unknown = try TerminalDescription.load(term: "no-such-terminal-256color")
      #expect(unknown.name == "xterm-256color")
      #expect(!unknown.enterScreen.isEmpty)
      #expect(throws: TerminalError.unusable(term: "dumb")) { try TerminalDescription.load(term: "dumb") }
      #expect(throws: TerminalError.unusable(term: "")) { try TerminalDescription.load(term: "") }
      // Not every command has that flag.
      for error in [TerminalError.notInteractive, .unusable(term: ""), .unusable(term: "dumb")] {
        #expect(!error.description.contains("--headless"))
      }
    }

    @Test func pausesForHardwareTerminalsAreCutOut() {
      func cut(_ text: String) -> String {
        String(decoding: TerminalDescription.withoutPadding(Array(text.utf8)), as: UTF8.self)
      }
      #expect(cut("\u{1B}[H\u{1B}[J$<50>x$<2/>") == "\u{1B}[H\u{1B}[Jx")
      #expect(cut("$<5") == "$<5")
      #expect(cut("cost $5") == "cost $5")
      #expect(cut("") == "")
    }

    @Test func realEntriesRestoreAModelTerminalWhole() throws {
      for name in ["xterm-256color", "tmux-256color", "screen-256color", "linux", "vt100"] {
        let terminfo = try TerminalDescription.load(term: name)
        var model = TerminalModel(columns: 20, rows: 5)
        model.execute("prompt".utf8)
        model.execute(TerminalDevice.takeBytes(terminfo, mouse: true))
        model.execute("\u{1B}[31;1mpicture\u{1B}[2;2H".utf8)
        model.execute(
          TerminalDevice.giveBackBytes(
            terminfo, isSynchronized: true, mouse: true))
        #expect(model.style == TerminalModel.Style(), "\(name)")
        #expect(model.isCursorVisible && !model.isAlternate, "\(name)")
        #expect(model.modes.isDisjoint(with: [1000, 1006, 1049, 2004, 2026, 1]), "\(name)")
      }
    }
  }
}
