import RTCCore
import TestKit
import Testing

@testable import Terminal

@Suite struct AnswerFilterTests {
  /// Answers of real terminals, and what they say.
  static let answers: [(text: String, meaning: TerminalAnswer)] = [
    ("\u{1B}P>|tmux 3.3a\u{1B}\\", .name("tmux 3.3a")),
    ("\u{1B}P>|XTerm(379)\u{1B}\\", .name("XTerm(379)")),
    ("\u{1B}[?64;1;2;6;9;15;16;17;18;21;22;28c", .primaryAttributes([64, 1, 2, 6, 9, 15, 16, 17, 18, 21, 22, 28])),
    ("\u{1B}[?62;4;22c", .primaryAttributes([62, 4, 22])),
    ("\u{1B}[>83;40900;0c", .secondaryAttributes([83, 40900, 0])),
    ("\u{1B}[?2026;2$y", .mode(2026, setting: 2)),
    ("\u{1B}P1$r0;38:2::1:2:3m\u{1B}\\", .foreground(0x010203)),
    ("\u{1B}P1$r0;38;2;1;2;3m\u{1B}\\", .foreground(0x010203)),
    ("\u{1B}P1$r38:2:1:2:3m\u{1B}\\", .foreground(0x010203)),
    ("\u{1B}P1$r0;38;5;16m\u{1B}\\", .foreground(nil)),
    ("\u{1B}P1$r0m\u{1B}\\", .foreground(nil)),
    ("\u{1B}P1+r524742=38\u{1B}\\", .capability("RGB", isKnown: true)),
    ("\u{1B}P0+r524742\u{1B}\\", .capability("RGB", isKnown: false)),
    ("\u{1B}[6;18;9t", .cellPixels(width: 9, height: 18)),
    ("\u{1B}]11;rgb:1e1e/1E1E/ffff\u{1B}\\", .background(0x1E1EFF)),
    ("\u{1B}]11;rgb:1e/1e/ff\u{7}", .background(0x1E1EFF)),
    ("\u{1B}]11;#1e1eff\u{7}", .background(0x1E1EFF)),
    ("\u{1B}_Gi=31;OK\u{1B}\\", .kittyGraphics(isTaken: true)),
    ("\u{1B}_Gi=31;ENOTSUPPORTED:no\u{1B}\\", .kittyGraphics(isTaken: false)),
    ("\u{1B}[?1;0;1024S", .sixelLimit(item: 1, values: [1024])),
    ("\u{1B}[?2;0;1600;900S", .sixelLimit(item: 2, values: [1600, 900])),
    ("\u{1B}[?2;3S", .unknown),
    ("\u{1B}[0n", .ready),
    ("\u{1B}[?1u", .unknown),
    ("\u{1B}P!|7E565445\u{1B}\\", .unknown),
  ]

  @Test(arguments: answers.indices)
  func answersAreUnderstoodWhereverTheyAreCut(index: Int) {
    let bytes = Array(Self.answers[index].text.utf8)
    for first in 1...bytes.count {
      for second in first...bytes.count {
        var filter = AnswerFilter()
        // The pieces come 40 ms apart: less than a lone Escape is waited for.
        let yields = [
          filter.feed(bytes[..<first], at: time(0)), filter.feed(bytes[first..<second], at: time(40)),
          filter.feed(bytes[second...], at: time(80)), filter.feed("x".utf8, at: time(120)),
          filter.advance(to: time(5000)),
        ]
        #expect(yields.flatMap(\.answers) == [Self.answers[index].meaning], "cut at \(first) and \(second)")
        #expect(yields.flatMap(\.keys) == [UInt8(ascii: "x")], "cut at \(first) and \(second)")
      }
    }
  }

  @Test(arguments: answers.indices)
  func whileAnswersAreDueEvenLongPausesMakeNoKeys(index: Int) {
    let bytes = Array(Self.answers[index].text.utf8)
    for cut in 1..<bytes.count {
      var filter = AnswerFilter()
      filter.expectAnswers(until: time(5000))
      var keys = filter.feed(bytes[..<cut], at: time(0)).keys
      keys += filter.advance(to: time(250)).keys
      let rest = filter.feed(bytes[cut...], at: time(290))
      #expect(keys.isEmpty && rest.keys.isEmpty, "cut at \(cut)")
      #expect(rest.answers == [Self.answers[index].meaning])
    }
  }

  @Test func theRestOfAnAnswerWhoseEscapeWasTakenForTheKeyIsSwallowed() {
    for (text, meaning) in Self.answers where !text.contains("!|") {
      var filter = AnswerFilter()
      let bytes = Array(text.utf8)
      _ = filter.feed(bytes[..<1], at: time(0))
      #expect(filter.advance(to: time(60)).keys == [0x1B])
      let rest = filter.feed(bytes[1...], at: time(400))
      #expect(rest == AnswerFilter.Yield(answers: [meaning]), "\(text.debugDescription)")
    }
  }

  @Test func anEscapeAloneIsTheKeyAfterFiftyMilliseconds() {
    var filter = AnswerFilter()
    #expect(filter.feed([0x1B], at: time(0)) == AnswerFilter.Yield())
    #expect(filter.deadline == time(50))
    #expect(filter.advance(to: time(49)) == AnswerFilter.Yield())
    #expect(filter.advance(to: time(50)).keys == [0x1B])
    #expect(filter.deadline == nil)
    #expect(filter.feed("q".utf8, at: time(51)).keys == Array("q".utf8))
  }

  @Test(arguments: [
    "q", "é漢", "\u{1B}[A", "\u{1B}OB", "\u{1B}[1;5D", "\u{1B}[15~", "\u{1B}[<0;10;5M", "\u{1B}[M !!", "\u{1B}[200~",
    "\u{1B}[[A", "\u{1B}[7$", "\u{1B}x", "\u{1B}[I",
  ])
  func sequencesOfKeysPassWholeWhereverTheyAreCut(sequence: String) {
    let bytes = Array(sequence.utf8)
    for cut in 0...bytes.count {
      var filter = AnswerFilter()
      let first = filter.feed(bytes[..<cut], at: time(0))
      let second = filter.feed(bytes[cut...], at: time(40))
      #expect(first.keys + second.keys == bytes)
      #expect((first.answers + second.answers).isEmpty)
      // ncurses gets a sequence at once or not at all.
      #expect(bytes[0] != 0x1B || first.keys.isEmpty || second.keys.isEmpty)
    }
  }

  @Test func keysWithAltAreNotTakenForTheBeginningOfAnAnswer() {
    var filter = AnswerFilter()
    #expect(filter.feed("\u{1B}Pq".utf8, at: time(0)).keys == Array("\u{1B}Pq".utf8))
    #expect(filter.feed("\u{1B}]q".utf8, at: time(10)).keys == Array("\u{1B}]q".utf8))
    #expect(filter.feed("\u{1B}_q".utf8, at: time(20)).keys == Array("\u{1B}_q".utf8))
    #expect(filter.feed("\u{1B}\u{1B}[A".utf8, at: time(30)).keys == Array("\u{1B}\u{1B}[A".utf8))
  }

  @Test func whatNeverEndsIsDroppedAndKeysComeThroughAgain() {
    for beginning in ["\u{1B}[?62", "\u{1B}P>|name", "\u{1B}]11;rgb", "\u{1B}_Gi=1", "\u{1B}P1$r\u{1B}"] {
      var filter = AnswerFilter()
      #expect(filter.feed(beginning.utf8, at: time(0)) == AnswerFilter.Yield())
      #expect(filter.advance(to: time(1000)) == AnswerFilter.Yield())
      #expect(filter.feed("q".utf8, at: time(1001)).keys == Array("q".utf8))
    }
  }

  @Test func anEndlessAnswerIsNotKept() {
    var filter = AnswerFilter()
    var yield = filter.feed("\u{1B}P>|".utf8, at: time(0))
    for _ in 0..<100 { yield = filter.feed(String(repeating: "a", count: 10_000).utf8, at: time(1)) }
    #expect(yield == AnswerFilter.Yield())
    #expect(filter.feed("\u{1B}\\q".utf8, at: time(2)) == AnswerFilter.Yield(keys: [113], answers: [.unknown]))
  }

  @Test(arguments: UInt64(1)...50) func noBytesTrapOrStick(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let alphabet = Array("\u{1B}[]P_O?>;:0123$+r|Gmct~\\\u{7}q".utf8) + [0x80, 0xFF, 0]
    var filter = AnswerFilter()
    var now = 0
    for _ in 0..<300 {
      let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        alphabet[Int.random(in: alphabet.indices, using: &generator)]
      }
      now += Int.random(in: 0...120, using: &generator)
      _ = filter.feed(bytes, at: time(now))
    }
    _ = filter.advance(to: time(now + 1000))
    #expect(filter.deadline == nil)
    #expect(filter.feed("q".utf8, at: time(now + 5000)).keys == Array("q".utf8))
  }
}
