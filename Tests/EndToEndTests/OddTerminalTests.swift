import Foundation
import TestKit
import Testing

extension EndToEnd {
  /// Terminals that are mute, late, stopped, of every size and of strange types.
  @Suite struct OddTerminalTests {
    /// Moves for a second, then stands still for longer than any test takes.
    private static func withClip(_ body: (String) async throws -> Void) async throws {
      try await Fixtures.withFolder { folder in
        let clip = folder.appendingPathComponent("clip.y4m")
        try Fixtures.writeClip(to: clip, width: 160, height: 90, frames: 900, movingFrames: 15)
        try await body(clip.path)
      }
    }

    /// The screen as it was drawn since it was last cleared.
    private static func screen(of terminal: PseudoTerminal, columns: Int, rows: Int) throws -> TerminalModel {
      let bytes = terminal.received
      let clear = Array("\u{1B}[H\u{1B}[2J".utf8)
      let start = try #require(bytes.indices.last { bytes[$0...].starts(with: clear) })
      var model = TerminalModel(columns: columns, rows: rows)
      model.execute(bytes[(start + clear.count)...])
      #expect(model.unknown.filter { $0 != "\u{1B}[3J" }.isEmpty)
      return model
    }

    /// Colours that can be compared nearly: those of a palette are far apart.
    private static let trueColor = ["COLORTERM": "truecolor"]

    /// Cells of the picture that look different; titles have clocks.
    private static func differences(_ shown: TerminalModel, _ expected: TerminalModel) -> Int {
      func looksAlike(_ one: TerminalModel.Cell, _ other: TerminalModel.Cell) -> Bool {
        guard let block = one.block, let otherBlock = other.block else { return one == other }
        func color(_ part: Int, _ block: UInt16, _ style: TerminalModel.Style) -> TerminalModel.Color {
          block >> part & 1 == 1 ? style.foreground : style.background
        }
        return (0..<12).allSatisfy {
          isNear(color($0, block, one.style), color($0, otherBlock, other.style))
        }
      }
      // The clip goes through an encoder, which goes on to better a picture that stands still.
      func isNear(_ one: TerminalModel.Color, _ other: TerminalModel.Color) -> Bool {
        guard case .rgb(let left) = one, case .rgb(let right) = other else { return one == other }
        return [0, 8, 16].allSatisfy { abs(Int(left >> $0 & 255) - Int(right >> $0 & 255)) <= 16 }
      }
      return ((2 * expected.columns)..<((expected.rows - 2) * expected.columns))
        .count { !looksAlike(shown.cells[$0], expected.cells[$0]) }
    }

    @Test func aWindowOfEverySizeThatChangesAllTheTimeEndsWithTheRightPicture() async throws {
      try await Self.withClip { clip in
        let calm = try PseudoTerminal(["play", clip], columns: 80, rows: 24, environment: Self.trueColor)
        try await calm.waits(for: "▄")
        try await calm.settles()
        let expected = try Self.screen(of: calm, columns: 80, rows: 24)
        calm.type("q")
        #expect(try await calm.exitCode() == 0)

        let terminal = try PseudoTerminal(["play", clip], columns: 1, rows: 1, environment: Self.trueColor)
        var generator = SeededGenerator(seed: 7)
        for step in 0..<120 {
          terminal.resize(
            columns: step % 10 == 0 ? 500 : Int.random(in: 1...200, using: &generator),
            rows: step % 10 == 0 ? 200 : Int.random(in: 1...60, using: &generator))
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &generator)))
        }
        terminal.resize(columns: 80, rows: 24)
        try await terminal.settles()
        #expect(terminal.isRunning)
        let shown = try Self.screen(of: terminal, columns: 80, rows: 24)
        #expect(Self.differences(shown, expected) == 0)
        terminal.type("q")
        #expect(try await terminal.exitCode() == 0)
      }
    }

    @Test func aTerminalThatStopsReadingCostsNothingAndIsRightAgainInOneFrame() async throws {
      try await Self.withClip { clip in
        let calm = try PseudoTerminal(["play", clip], columns: 120, rows: 40, environment: Self.trueColor)
        try await calm.waits(for: "▄")
        try await calm.settles()
        let expected = try Self.screen(of: calm, columns: 120, rows: 40)
        let wholeFrame = calm.count
        calm.type("q")
        _ = try await calm.exitCode()

        let terminal = try PseudoTerminal(["play", clip], columns: 120, rows: 40, environment: Self.trueColor)
        try await terminal.waits(for: "▄")
        terminal.setReading(false)
        try await Task.sleep(for: .seconds(1))
        let before = (memory: terminal.memory, count: terminal.count)
        try await Task.sleep(for: .seconds(5))
        #expect(terminal.memory - before.memory < 4_096)
        #expect(terminal.isRunning)
        terminal.setReading(true)
        try await terminal.settles()
        // What was under way, and the picture of now: nothing was queued.
        #expect(terminal.count - before.count < 2 * wholeFrame)
        #expect(Self.differences(try Self.screen(of: terminal, columns: 120, rows: 40), expected) == 0)
        terminal.type("q")
        #expect(try await terminal.exitCode() == 0)
      }
    }

    /// Answers of a terminal to everything it is asked; each would do something if its letters were keys.
    private static let answers =
      "\u{1B}P>|quick(1)\u{1B}\\\u{1B}[>1;10;0c\u{1B}[6;20;10t\u{1B}]11;rgb:0000/0000/0000\u{1B}\\\u{1B}[?2026;2$y"
      + "\u{1B}P1$r0;38:2::1:2:3m\u{1B}\\\u{1B}P0+r524742\u{1B}\\\u{1B}[?1;0;256S\u{1B}[?2;0;800;480S\u{1B}[?62;4;22c"

    @Test(arguments: [0, 100, 400]) func answersInPiecesAndLateOnesAreNoKeys(delay: Int) async throws {
      try await Self.withClip { clip in
        let terminal = try PseudoTerminal(["play", clip], columns: 100, rows: 30)
        try await terminal.waits(for: "\u{1B}[c")
        try await Task.sleep(for: .milliseconds(delay))
        for byte in Self.answers.utf8 {
          terminal.type([byte])
          try await Task.sleep(for: .milliseconds(1))
        }
        try await terminal.waits(for: "▄")
        try await terminal.settles()
        #expect(terminal.isRunning)
        let help = "this help"
        #expect(!terminal.text.contains(help))
        terminal.type("?")
        try await terminal.waits(for: help)
        // A lone Escape closes it, after the time in which it could have begun an answer.
        terminal.type("\u{1B}")
        try await terminal.settles()
        #expect(terminal.isRunning)
        terminal.type("q")
        #expect(try await terminal.exitCode() == 0)
        if delay == 0 { #expect(terminal.text.contains("\u{1B}[?2026h")) }
      }
    }

    /// What a shell would get as typed text is echoed by the kernel once the terminal has been given back.
    @Test(arguments: [["doctor"], ["play", "--glyphs", "kitty"]])
    func lateAnswersDoNotReachTheShell(arguments: [String]) async throws {
      try await Self.withClip { clip in
        let isPlaying = arguments[0] == "play"
        let terminal = try PseudoTerminal(arguments + (isPlaying ? [clip] : []), columns: 100, rows: 30)
        try await terminal.waits(for: "\u{1B}[c")
        try await Task.sleep(for: .milliseconds(450))
        for byte in Self.answers.utf8 { terminal.type([byte]) }
        let code = try await terminal.exitCode()
        #expect(!isPlaying || code == 2)
        if isPlaying { try await terminal.waits(for: "Leave --glyphs out.") }
        for part in ["quick(1)", "62;4;22", "2026;2", "rgb:"] { #expect(!terminal.text.contains(part), "\(part)") }
      }
    }

    @Test func quittingBeforeLateAnswersLeavesThemNotToTheShell() async throws {
      try await Self.withClip { clip in
        let terminal = try PseudoTerminal(["play", clip], columns: 100, rows: 30)
        try await terminal.waits(for: "\u{1B}[c")
        try await Task.sleep(for: .milliseconds(350))
        terminal.type("q")
        try await Task.sleep(for: .milliseconds(250))
        for byte in Self.answers.utf8 { terminal.type([byte]) }
        #expect(try await terminal.exitCode() == 0)
        #expect(!terminal.text.contains("62;4;22"))
      }
    }

    @Test func aMuteTerminalCostsAQuarterOfASecond() async throws {
      try await Self.withClip { clip in
        let terminal = try PseudoTerminal(["play", clip], columns: 80, rows: 24)
        try await terminal.waits(for: "\u{1B}[c")
        let asked = ContinuousClock.now
        try await terminal.waits(for: "▄")
        // The rest is for a busy machine.
        #expect(ContinuousClock.now - asked < .seconds(3))
        terminal.type("q")
        #expect(try await terminal.exitCode() == 0)
      }
    }

    @Test func keysTypedBeforeTheScreenIsUpDoNothing() async throws {
      try await Self.withClip { clip in
        let terminal = try PseudoTerminal(["play", clip], columns: 80, rows: 24)
        terminal.type("qqq\u{1B}q")
        try await terminal.waits(for: "▄")
        try await terminal.settles()
        #expect(terminal.isRunning)
        terminal.type("q")
        #expect(try await terminal.exitCode() == 0)
      }
    }

    @Test(arguments: ["linux", "vt100", "screen"]) func terminalsThatPrintQuestionsAreNotAskedThem(term: String)
      async throws
    {
      try await Self.withClip { clip in
        let terminal = try PseudoTerminal(["play", clip], columns: 80, rows: 24, environment: ["TERM": term])
        try await terminal.settles()
        for question in ["\u{1B}P", "\u{1B}]", "\u{1B}_", "\u{1B}[>q", "$p"] {
          #expect(!terminal.text.contains(question), "\(question.debugDescription)")
        }
        #expect(terminal.text.contains("\u{1B}[c") == (term != "linux"))
        terminal.type("q")
        #expect(try await terminal.exitCode() == 0)
      }
    }

    @Test func withoutAUsableTypeTheProgramSaysWhatToDo() async throws {
      try await Self.withClip { clip in
        for term in ["", "dumb"] {
          let terminal = try PseudoTerminal(["play", clip], columns: 80, rows: 24, environment: ["TERM": term])
          #expect(try await terminal.exitCode() == 2)
          try await terminal.waits(for: "TERM")
          #expect(!terminal.text.contains("--headless"))
          let room = try PseudoTerminal(["demo"], columns: 80, rows: 24, environment: ["TERM": term])
          #expect(try await room.exitCode() == 2)
          try await room.waits(for: "--headless")
        }
        let unknown = try PseudoTerminal(
          ["play", clip], columns: 80, rows: 24, environment: ["TERM": "no-such-terminal"])
        try await unknown.waits(for: "▄")
        unknown.type("q")
        #expect(try await unknown.exitCode() == 0)
      }
    }

    @Test func clipsEndWithTheCodeOfARoomAfterCtrlC() async throws {
      try await Self.withClip { clip in
        let terminal = try PseudoTerminal(["play", clip], columns: 80, rows: 24)
        try await terminal.waits(for: "▄")
        terminal.type("\u{3}")
        #expect(try await terminal.exitCode() == 130)
      }
    }

    @Test func theDoctorHangsNowhereAndLeavesTheTerminalAsItWas() async throws {
      for term in ["xterm-256color", "linux", "vt100", "screen"] {
        let terminal = try PseudoTerminal(["doctor"], columns: 80, rows: 24, environment: ["TERM": term])
        _ = try await terminal.exitCode(within: .seconds(30))
        try await terminal.waits(for: "TERM=\(term)")
        try await terminal.waits(for: "colours")
      }
    }

    @Test func withoutUTF8EverythingIsASCIIAndThatIsSaidOnce() async throws {
      try await Self.withClip { clip in
        let terminal = try PseudoTerminal(
          ["play", clip], columns: 100, rows: 30, environment: ["LC_ALL": "C", "COLORTERM": "truecolor"])
        try await terminal.waits(for: "ASCII")
        try await terminal.settles()
        #expect(terminal.received.allSatisfy { $0 < 0x80 })
        // Pictures are there all the same: coloured spaces.
        #expect(terminal.text.contains("\u{1B}[48;2;"))
        terminal.type("q")
        #expect(try await terminal.exitCode() == 0)
      }
    }
  }
}
