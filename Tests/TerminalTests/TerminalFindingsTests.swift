import Screen
import TestKit
import Testing

@testable import Terminal

@Suite struct TerminalFindingsTests {
  func find(
    _ environment: [String: String], _ name: String, colors: Int = 8, direct: Bool = false, repeats: Bool = false,
    answers: TerminalAnswers = TerminalAnswers(), wishes: ColorWishes = ColorWishes()
  ) -> TerminalFindings {
    TerminalFindings(
      surroundings: TerminalSurroundings(environment: environment),
      terminfo: TerminalDescription(name: name, colors: colors, hasDirectColor: direct, hasRepeat: repeats),
      answers: answers, wishes: wishes)
  }

  func depth(
    _ environment: [String: String], _ name: String, colors: Int = 8, direct: Bool = false,
    answers: TerminalAnswers = TerminalAnswers(), wishes: ColorWishes = ColorWishes()
  ) -> ColorDepth {
    find(environment, name, colors: colors, direct: direct, answers: answers, wishes: wishes).colors.value
  }

  /// What a probe of a terminal with these answers brings.
  func answered(_ text: String) -> TerminalAnswers {
    var probe = TerminalProbe(questions: TerminalProbeTests.modern, at: time(0))
    probe.receive(text.utf8, at: time(3))
    probe.receive("\u{1B}[?62;22c".utf8, at: time(4))
    return probe.answers
  }

  @Test func theOrderOfTrustIsFlagConfigurationProbeEnvironmentTerminfoName() {
    let proof = answered("\u{1B}P1$r0;38:2::1:2:3m\u{1B}\\")
    let flag = ColorWishes(.indexed8)
    #expect(depth(["COLORTERM": "truecolor"], "xterm", answers: proof, wishes: flag) == .indexed8)
    #expect(
      depth(["NO_COLOR": "1"], "xterm", answers: proof, wishes: ColorWishes(.indexed256, from: "CONFAB_COLORS"))
        == .indexed256)
    #expect(depth(["NO_COLOR": "1", "COLORTERM": "truecolor"], "xterm", answers: proof) == .none)
    #expect(depth(["NO_COLOR": ""], "xterm", answers: proof) == .trueColor)
    #expect(depth([:], "xterm", answers: proof) == .trueColor)
    let refusal = answered("\u{1B}P1$r0;38;5;16m\u{1B}\\")
    #expect(depth(["COLORTERM": "truecolor"], "xterm-256color", colors: 256, answers: refusal) == .indexed256)
    #expect(depth(["COLORTERM": "truecolor"], "xterm") == .trueColor)
    #expect(depth(["COLORTERM": "24bit", "TMUX": "/tmp/x"], "tmux-256color", colors: 256) == .trueColor)
    #expect(depth(["COLORTERM": "yes"], "xterm-256color", colors: 256) == .indexed256)
    #expect(depth([:], "xterm-direct", colors: 1 << 24, direct: true) == .trueColor)
    #expect(depth([:], "xterm-kitty", colors: 256) == .trueColor)
    // An entry that this machine does not have.
    #expect(depth(["TERM": "xterm-ghostty"], "xterm-256color", colors: 256) == .trueColor)
    #expect(
      find(["TERM": "xterm-ghostty"], "xterm-256color").terminal.value == "TERM=xterm-ghostty, taken for xterm-256color"
    )
    #expect(depth([:], "tmux-256color", colors: 256) == .indexed256)
    #expect(depth([:], "xterm-16color", colors: 16) == .indexed16)
    #expect(depth([:], "xterm") == .indexed8)
    #expect(depth([:], "vt100", colors: 0) == .none)
  }

  @Test func aTerminalThatSaysItsNameIsBelieved() {
    #expect(depth([:], "xterm", answers: answered("\u{1B}P>|VTE(7006)\u{1B}\\")) == .trueColor)
    #expect(depth([:], "xterm", answers: answered("\u{1B}P>|unheard-of 1\u{1B}\\")) == .indexed8)
    #expect(depth([:], "xterm", answers: answered("\u{1B}P1+r524742=38\u{1B}\\")) == .trueColor)
    // Not to know RGB says nothing: xterm does not, and has it.
    #expect(depth(["COLORTERM": "truecolor"], "xterm", answers: answered("\u{1B}P0+r524742\u{1B}\\")) == .trueColor)
  }

  @Test func screenGetsNoMoreThan256ColoursWhateverItInherited() {
    let screen = answered("\u{1B}[>83;40900;0c")
    let found = find(["COLORTERM": "truecolor", "STY": "1.x", "TMUX": "/x"], "screen", answers: screen)
    #expect(found.colors.value == .indexed256)
    #expect(found.multiplexer.value == .screen("4.9.0"))
    #expect(depth(["COLORTERM": "truecolor", "STY": "1.x"], "screen") == .indexed256)
    #expect(
      depth(["COLORTERM": "truecolor", "STY": "1.x"], "screen", wishes: ColorWishes(.trueColor)) == .trueColor)
  }

  @Test func tmuxIsToldByItsAnswerItsTypeOrItsVariable() {
    let tmux = answered("\u{1B}P>|tmux 3.3a\u{1B}\\")
    #expect(find([:], "xterm", answers: tmux).multiplexer.value == .tmux("3.3a"))
    #expect(depth([:], "xterm", answers: tmux) == .indexed256)
    #expect(find([:], "screen", answers: answered("\u{1B}[>84;0;0c")).multiplexer.value == .tmux(nil))
    #expect(find(["TMUX": "/x"], "screen").multiplexer.value == .tmux(nil))
    #expect(find([:], "tmux-256color").multiplexer.value == .tmux(nil))
    #expect(find([:], "screen").multiplexer.value == .screen(nil))
    // A window that was opened from inside of tmux is none.
    #expect(find(["TMUX": "/x"], "xterm", answers: answered("\u{1B}P>|XTerm(379)\u{1B}\\")).multiplexer.value == nil)
    #expect(find([:], "xterm").multiplexer.value == nil)
  }

  @Test func synchronisedUpdatesByTheTerminalsAnswerAndElseWhereKnownGood() {
    func synchronizes(_ environment: [String: String], _ name: String, _ answers: TerminalAnswers = TerminalAnswers())
      -> Bool
    {
      find(environment, name, answers: answers).capabilities.hasSynchronizedUpdates
    }
    #expect(synchronizes([:], "xterm", answered("\u{1B}[?2026;2$y")))
    #expect(synchronizes([:], "tmux-256color", answered("\u{1B}P>|tmux 3.7\u{1B}\\\u{1B}[?2026;2$y")))
    #expect(!synchronizes([:], "xterm-kitty", answered("\u{1B}[?2026;0$y")))
    #expect(!synchronizes([:], "xterm-kitty", answered("")))
    #expect(synchronizes([:], "xterm-kitty"))
    #expect(synchronizes(["TERM_PROGRAM": "WezTerm"], "xterm-256color"))
    #expect(!synchronizes([:], "xterm-256color"))
    #expect(!synchronizes(["TERM_PROGRAM": "WezTerm", "TMUX": "/tmp/x"], "tmux-256color"))
  }

  @Test func repeatsOnlyWhereTheTerminalIsWhatItCallsItself() {
    func repeats(
      _ environment: [String: String], _ name: String, entry: Bool = true,
      _ answers: TerminalAnswers = TerminalAnswers()
    ) -> Bool {
      find(environment, name, repeats: entry, answers: answers).capabilities.hasRepeat
    }
    #expect(repeats([:], "alacritty"))
    #expect(repeats(["XTERM_VERSION": "XTerm(379)"], "xterm-256color"))
    #expect(repeats(["VTE_VERSION": "7006"], "xterm-256color"))
    #expect(!repeats([:], "xterm-256color"))
    #expect(!repeats([:], "xterm"))
    #expect(repeats([:], "xterm", entry: false, answered("\u{1B}P>|XTerm(379)\u{1B}\\")))
    #expect(!repeats(["VTE_VERSION": "7006"], "xterm-256color", answered("\u{1B}P>|tmux 3.3a\u{1B}\\")))
    #expect(!repeats(["VTE_VERSION": "7006", "TMUX": "/tmp/x"], "xterm-256color"))
    #expect(!repeats([:], "alacritty", entry: false))
    #expect(!repeats(["TERM": "never-heard-of"], "xterm-256color"))
  }

  @Test func graphicsCellsAndBackgroundComeFromTheTerminal() {
    var probe = TerminalProbe(questions: TerminalProbeTests.modern, at: time(0))
    probe.receive(
      "\u{1B}P>|foot(1.16)\u{1B}\\\u{1B}[6;20;10t\u{1B}]11;rgb:00/11/22\u{7}\u{1B}[?1;0;1024S\u{1B}[?2;0;800;600S\u{1B}[?62;4;22c"
        .utf8,
      at: time(1))
    probe.receive("\u{1B}[?62;4;22c".utf8, at: time(2))
    let found = find([:], "foot", answers: probe.answers)
    #expect(found.sixel.value == SixelGraphics(colors: 1024, size: PixelSize(width: 800, height: 600)))
    #expect(found.kittyGraphics == TerminalFindings.Finding(false, "no answer"))
    #expect(found.cellPixels.value == PixelSize(width: 10, height: 20))
    #expect(found.cellAspect == 0.5)
    #expect(found.background.value == 0x001122)
    #expect(found.terminal.value == "foot(1.16), TERM=foot")
    #expect(found.terminal.reason == "answers within 2 ms")
    // Level 4 alone is a level, not sixel.
    var plain = TerminalAnswers()
    plain.primaryAttributes = [4]
    #expect(find([:], "xterm", answers: plain).sixel.value == nil)
  }

  @Test func theLinkIsToldByVariablesAndByMoshAbove() {
    #expect(find([:], "xterm").remote.value == nil)
    #expect(find(["SSH_CONNECTION": "::1 1 ::1 22"], "xterm").remote.value == .ssh)
    #expect(find(["SSH_TTY": "/dev/pts/1"], "xterm").remote.value == .ssh)
    let mosh = TerminalSurroundings(environment: ["SSH_CONNECTION": "x"], isUnderMosh: true)
    #expect(
      TerminalFindings(surroundings: mosh, terminfo: TerminalDescription(name: "xterm")).remote.value == .mosh)
  }
}
