import TestKit
import Testing

@testable import Terminal

extension NcursesTests {
  @Suite struct TerminalCapabilitiesTests {
    func depth(_ environment: [String: String], _ name: String, colors: Int = 8, direct: Bool = false) -> ColorDepth {
      TerminalCapabilities.detect(
        environment: environment, terminfo: TerminalDescription(name: name, colors: colors, hasDirectColor: direct)
      ).colorDepth
    }

    @Test func theOrderOfTrustIsFlagEnvironmentTerminfoName() {
      #expect(depth(["COLORTERM": "truecolor"], "xterm") == .trueColor)
      #expect(depth(["COLORTERM": "24bit", "TMUX": "/tmp/x"], "tmux-256color", colors: 256) == .trueColor)
      #expect(depth(["COLORTERM": "yes"], "xterm-256color", colors: 256) == .indexed256)
      #expect(depth([:], "xterm-direct", colors: 1 << 24, direct: true) == .trueColor)
      #expect(depth([:], "tmux-256color", colors: 256) == .indexed256)
      #expect(depth([:], "xterm") == .indexed8)
      #expect(depth([:], "vt100", colors: 0) == .indexed8)
      let forced = TerminalCapabilities.detect(
        environment: ["COLORTERM": "truecolor"], terminfo: TerminalDescription(name: "xterm"), depth: .indexed256)
      #expect(forced.colorDepth == .indexed256)
    }

    @Test func synchronisedUpdatesOnlyWhereKnownGoodAndNotThroughAMultiplexer() {
      func synchronizes(_ environment: [String: String], _ name: String) -> Bool {
        TerminalCapabilities.detect(environment: environment, terminfo: TerminalDescription(name: name))
          .hasSynchronizedUpdates
      }
      #expect(synchronizes([:], "xterm-kitty"))
      #expect(synchronizes(["TERM_PROGRAM": "WezTerm"], "xterm-256color"))
      #expect(!synchronizes([:], "xterm-256color"))
      #expect(!synchronizes(["TERM_PROGRAM": "WezTerm", "TMUX": "/tmp/x"], "tmux-256color"))
    }

    @Test func repeatsOnlyWhereTheTerminalIsWhatItCallsItself() {
      func repeats(_ environment: [String: String], _ name: String, entry: Bool = true) -> Bool {
        TerminalCapabilities.detect(
          environment: environment, terminfo: TerminalDescription(name: name, hasRepeat: entry)
        ).hasRepeat
      }
      #expect(repeats([:], "alacritty"))
      #expect(repeats(["XTERM_VERSION": "XTerm(379)"], "xterm-256color"))
      #expect(repeats(["VTE_VERSION": "7006"], "xterm-256color"))
      #expect(!repeats([:], "xterm-256color"))
      #expect(!repeats([:], "xterm"))
      #expect(!repeats(["VTE_VERSION": "7006", "TMUX": "/tmp/x"], "xterm-256color"))
      #expect(!repeats([:], "alacritty", entry: false))
    }

    @Test func anUnknownTerminalIsTakenForXtermAndAnUnusableOneIsRefused() throws {
      let unknown = try TerminalDescription.load(term: "no-such-terminal-256color")
      #expect(unknown.name == "xterm-256color")
      #expect(!unknown.enterScreen.isEmpty)
      #expect(throws: TerminalError.unusable(term: "dumb")) { try TerminalDescription.load(term: "dumb") }
      #expect(throws: TerminalError.unusable(term: "")) { try TerminalDescription.load(term: "") }
      #expect(TerminalError.notInteractive.description.contains("--headless"))
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
            terminfo, capabilities: TerminalCapabilities(colorDepth: .trueColor), mouse: true))
        #expect(model.style == TerminalModel.Style(), "\(name)")
        #expect(model.isCursorVisible && !model.isAlternate, "\(name)")
        #expect(model.modes.isDisjoint(with: [1000, 1006, 1049, 2026, 1]), "\(name)")
      }
    }
  }
}
