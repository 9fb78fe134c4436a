import RTCCore
import Testing

@testable import Terminal

@Suite struct TerminalProbeTests {
  static let modern = TerminalQuestion.safe(environment: ["TERM": "xterm-256color"])

  /// What an xterm answers to all of it, one element a question.
  static let xterm = [
    "\u{1B}P>|XTerm(379)\u{1B}\\", "\u{1B}[>41;379;0c", "\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\", "\u{1B}[?2026;0$y",
    "\u{1B}P1$r0;38:2::1:2:3m\u{1B}\\", "\u{1B}[?1;3S", "\u{1B}[?2;3S", "\u{1B}[?64;1;2;6;9c",
  ].joined()

  @Test func theDeviceAttributesAreAskedLastAndEndIt() {
    var probe = TerminalProbe(questions: Self.modern, at: time(0))
    let sent = probe.takeOutput()
    #expect(sent == Self.modern.flatMap(\.bytes))
    #expect(sent.suffix(3) == Array("\u{1B}[c".utf8)[...])
    #expect(probe.takeOutput().isEmpty)
    #expect(!probe.isFinished(at: time(0)))
    probe.receive(Self.xterm.utf8, at: time(7))
    #expect(probe.isFinished(at: time(7)))
    #expect(probe.answers.duration == .milliseconds(7))
    #expect(probe.answers.name == "XTerm(379)")
    #expect(probe.answers.keepsDirectColor == true)
    #expect(probe.answers.synchronizedUpdates == 0)
    #expect(probe.answers.background == 0xFFFFFF)
    #expect(probe.answers.sixelColors == nil)
  }

  @Test func aMuteTerminalCostsAQuarterOfASecond() {
    let probe = TerminalProbe(questions: Self.modern, at: time(1000))
    #expect(!probe.isFinished(at: time(1249)))
    #expect(probe.isFinished(at: time(1250)))
    #expect(TerminalProbe(questions: [], at: time(0)).isFinished(at: time(0)))
  }

  @Test func answersByteForByteAreThoseInOnePiece() {
    var whole = TerminalProbe(questions: Self.modern, at: time(0))
    whole.receive(Self.xterm.utf8, at: time(200))
    var pieces = TerminalProbe(questions: Self.modern, at: time(0))
    for byte in Self.xterm.utf8 { pieces.receive([byte], at: time(200)) }
    #expect(whole.answers == pieces.answers)
  }

  @Test(arguments: Array(1..<xterm.utf8.count))
  func whatIsLateForTheProbeIsNoKeyForTheSession(cut: Int) {
    var probe = TerminalProbe(questions: Self.modern, at: time(0))
    let bytes = Array(Self.xterm.utf8)
    probe.receive(bytes[..<cut], at: time(240))
    #expect(probe.isFinished(at: time(250)))
    var filter = probe.filter
    var keys = filter.advance(to: time(400)).keys
    keys += filter.feed(bytes[cut...] + Array("q".utf8), at: time(480)).keys
    #expect(keys == Array("q".utf8))
  }

  @Test func kittysGraphicsAreAskedForOnlyWhereTheTerminalSaysWhoItIs() {
    func askedOf(_ name: String?) -> Bool {
      var probe = TerminalProbe(questions: Self.modern, at: time(0))
      _ = probe.takeOutput()
      if let name { probe.receive("\u{1B}P>|\(name)\u{1B}\\".utf8, at: time(1)) }
      probe.receive("\u{1B}[?62;22c".utf8, at: time(2))
      let more = probe.takeOutput()
      #expect(more.isEmpty == probe.isFinished(at: time(2)))
      return more.starts(with: "\u{1B}_G".utf8)
    }
    #expect(askedOf("kitty(0.35.2)"))
    #expect(askedOf("WezTerm 20240203"))
    #expect(!askedOf("tmux 3.3a"))
    #expect(!askedOf("XTerm(379)"))
    #expect(!askedOf(nil))
  }

  @Test func theSecondTalkEndsWithItsOwnAttributes() {
    var probe = TerminalProbe(questions: Self.modern, at: time(0))
    probe.receive("\u{1B}P>|kitty(0.35.2)\u{1B}\\\u{1B}[?62;c".utf8, at: time(1))
    #expect(!probe.isFinished(at: time(1)))
    probe.receive("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c".utf8, at: time(2))
    #expect(probe.isFinished(at: time(2)))
    #expect(probe.answers.hasKittyGraphics == true)
    #expect(probe.answers.duration == .milliseconds(2))
  }

  @Test func terminalsAreAskedOnlyWhatTheyBear() {
    func asked(_ term: String, _ environment: [String: String] = [:]) -> Set<TerminalQuestion> {
      let questions = TerminalQuestion.safe(environment: environment.merging(["TERM": term]) { $1 })
      #expect(questions.isEmpty || questions.last == .primaryAttributes)
      #expect(!questions.contains(.kittyGraphics))
      return Set(questions)
    }
    for mute in ["linux", "dumb", "", "cons25", "unknown"] { #expect(asked(mute).isEmpty) }
    let strings: Set<TerminalQuestion> = [.directColor, .colorCapability]
    #expect(asked("screen", ["STY": "1.x"]) == [.secondaryAttributes, .primaryAttributes])
    #expect(asked("screen.xterm-256color") == [.secondaryAttributes, .primaryAttributes])
    #expect(asked("xterm-256color", ["STY": "1.x"]) == [.secondaryAttributes, .primaryAttributes])
    #expect(asked("screen", ["STY": "1.x", "TMUX": "/x"]) == [.secondaryAttributes, .primaryAttributes])
    #expect(asked("vt220") == [.secondaryAttributes, .primaryAttributes])
    #expect(asked("tmux-256color", ["TMUX": "/x"]).isDisjoint(with: strings))
    #expect(asked("screen-256color", ["TMUX": "/x"]).contains(.name))
    #expect(
      asked("xterm-256color", ["TERM_PROGRAM": "Apple_Terminal"]).isDisjoint(
        with: strings.union([.synchronizedUpdates])))
    #expect(asked("xterm").isSuperset(of: strings))
    #expect(asked("xterm-kitty").isSuperset(of: strings))
    #expect(asked("never-heard-of").isSuperset(of: strings))
  }

  @Test func hostileAnswersStayHarmless() {
    var probe = TerminalProbe(questions: Self.modern, at: time(0))
    probe.receive("\u{1B}P>|\u{7F}evil\u{202E}name\(String(repeating: "x", count: 500))\u{1B}\\".utf8, at: time(1))
    let name = probe.answers.name ?? ""
    #expect(name.hasPrefix("^?evil"))
    #expect(name.count < 80 && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
    probe.receive(
      "\u{1B}[?2;0;99999999999999999999;-5S\u{1B}[6;99999999999;1t\u{1B}[?999999999999999999;1c".utf8, at: time(2))
    #expect(probe.answers.primaryAttributes == [0, 1])
    #expect(probe.answers.cellPixels == nil)
  }
}
