import RTCCore
import Testing

@testable import Terminal

@Suite struct FramePacerTests {
  @Test(arguments: UInt64(1)...4) func aFastTerminalIsLeftAlone(seed: UInt64) {
    var terminal = SlowTerminal(rate: 8_000_000, seed: seed)
    terminal.run(for: .seconds(30))
    #expect(terminal.steps.isEmpty)
    #expect(terminal.framesPerSecond(inLast: .seconds(10)) >= 29.5)
    #expect(terminal.lag(inLast: .seconds(10)) <= .milliseconds(10))
    #expect(!terminal.pacer.receipts.isOn)
  }

  struct Case: CustomTestStringConvertible {
    var rate: Double
    var isRemote = false
    var hiddenBuffer = 0
    var delay = Duration.zero
    var answers = true
    var fps: Double
    var lag: Duration
    var testDescription: String {
      "\(Int(rate / 1_000)) kB/s, \(delay) away\(hiddenBuffer > 0 ? ", behind ssh" : "")\(answers ? "" : ", mute")"
    }
  }

  static let cases = [
    Case(rate: 400_000, fps: 25, lag: .milliseconds(120)),
    Case(rate: 100_000, fps: 20, lag: .milliseconds(150)),
    Case(rate: 400_000, answers: false, fps: 25, lag: .milliseconds(150)),
    Case(rate: 100_000, answers: false, fps: 20, lag: .milliseconds(250)),
    Case(rate: 400_000, isRemote: true, hiddenBuffer: 2_000_000, fps: 25, lag: .milliseconds(120)),
    Case(rate: 100_000, isRemote: true, hiddenBuffer: 2_000_000, fps: 20, lag: .milliseconds(150)),
    Case(
      rate: 400_000, isRemote: true, hiddenBuffer: 2_000_000, delay: .milliseconds(50), fps: 25, lag: .milliseconds(200)
    ),
    Case(
      rate: 100_000, isRemote: true, hiddenBuffer: 2_000_000, delay: .milliseconds(50), fps: 20, lag: .milliseconds(250)
    ),
    Case(
      rate: 30_000, isRemote: true, hiddenBuffer: 2_000_000, delay: .milliseconds(20), fps: 6, lag: .milliseconds(250)),
    Case(
      rate: 4_000_000, isRemote: true, hiddenBuffer: 2_000_000, delay: .milliseconds(100), fps: 29,
      lag: .milliseconds(130)),
  ]

  @Test(arguments: cases, UInt64(1)...3) func aSlowLinkShowsWhatIsNew(link: Case, seed: UInt64) {
    var terminal = SlowTerminal(rate: link.rate, seed: seed, isRemote: link.isRemote)
    terminal.hiddenBuffer = link.hiddenBuffer
    terminal.delay = link.delay
    terminal.answers = link.answers
    terminal.run(for: .seconds(30))
    let settled = terminal.steps.count
    #expect(terminal.framesPerSecond(inLast: .seconds(20)) >= link.fps, "steps \(terminal.steps)")
    #expect(terminal.lag(inLast: .seconds(20)) <= link.lag, "steps \(terminal.steps)")
    // Afterwards it is calm: hardly a step more.
    terminal.run(for: .seconds(60))
    #expect(terminal.steps.count - settled <= (link.answers ? 3 : 12), "steps \(terminal.steps)")
  }

  @Test(arguments: UInt64(1)...3) func aLinkThatBecomesFasterIsUsed(seed: UInt64) {
    var terminal = SlowTerminal(rate: 100_000, seed: seed)
    terminal.run(for: .seconds(20))
    #expect(terminal.pacer.level.usesPalette)
    terminal.rate = 5_000_000
    terminal.run(for: .seconds(30))
    #expect(terminal.pacer.step == 0, "steps \(terminal.steps)")
  }

  @Test(arguments: UInt64(1)...3) func aLinkThatBecomesSlowerIsFollowedWithinTwoSeconds(seed: UInt64) {
    var terminal = SlowTerminal(rate: 5_000_000, seed: seed)
    terminal.run(for: .seconds(10))
    terminal.rate = 100_000
    terminal.run(for: .seconds(2))
    #expect(terminal.pacer.level.usesPalette, "steps \(terminal.steps)")
    terminal.run(for: .seconds(3))
    #expect(terminal.lag(inLast: .seconds(2)) <= .milliseconds(150))
  }

  @Test func afterHoursWithoutASignOfItsLimitALinkIsStillMetered() throws {
    var terminal = SlowTerminal(rate: 100_000, seed: 1)
    terminal.answers = false
    terminal.run(for: .seconds(20))
    let measured = try #require(terminal.pacer.bytesPerSecond)
    // Nobody moves, but a clock that is drawn once a second.
    var pacer = terminal.pacer
    var now = terminal.now
    for _ in 0..<(6 * 3_600) {
      now = now + .seconds(1)
      _ = pacer.advance(to: now)
      pacer.began(bytes: 60, plan: pacer.plan(at: now), at: now)
      pacer.left(at: now)
    }
    #expect(try #require(pacer.bytesPerSecond) <= 5 * measured)
    // What it has carried all the time it is trusted with.
    for _ in 0..<600 {
      now = now + .seconds(1)
      _ = pacer.advance(to: now)
      pacer.began(bytes: 800_000, plan: pacer.plan(at: now), at: now)
      pacer.left(at: now)
    }
    let hoped = try #require(pacer.bytesPerSecond)
    #expect((800_000...4_000_000).contains(hoped))
  }

  @Test func aStillPictureBecomesExactOnASlowLink() {
    var terminal = SlowTerminal(rate: 100_000, seed: 1)
    terminal.run(for: .seconds(10))
    terminal.isMoving = false
    terminal.run(for: .seconds(60))
    #expect(terminal.pacer.step == 0, "steps \(terminal.steps)")
  }

  @Test func aTerminalThatStopsForHalfAMinuteGetsOneWholeFrameAfterwards() {
    var terminal = SlowTerminal(rate: 400_000, seed: 1)
    terminal.run(for: .seconds(10))
    #expect(terminal.pacer.plan(at: terminal.now).byteBudget != nil)
    let before = terminal.shown.count
    terminal.rate = 0
    terminal.run(for: .seconds(30))
    #expect(terminal.shown.count - before <= 2)
    #expect(terminal.longestQueue <= 60_000)
    terminal.rate = 400_000
    let resumed = terminal.now
    while terminal.pacer.plan(at: terminal.now).byteBudget != nil, terminal.now - resumed < .seconds(2) {
      terminal.run(for: .milliseconds(1))
    }
    #expect(terminal.now - resumed < .milliseconds(100), "the next frame may be as large as it needs to be")
    terminal.run(for: .seconds(3))
    #expect(terminal.framesPerSecond(inLast: .seconds(2)) >= 25)
    #expect(terminal.lag(inLast: .seconds(2)) <= .milliseconds(150))
  }

  @Test func theAnswerToAKeyWaitsForNoReceiptOnlyForTheFrameThatIsLeaving() {
    var pacer = FramePacer(levels: PaceLevel.ladder(from: 4, hasTrueColor: true), isRemote: true, at: .zero)
    let plan = pacer.plan(at: .zero)
    #expect(plan.measures && plan.asksForReceipt)
    pacer.began(bytes: 10_000, plan: plan, at: .zero)
    #expect(!pacer.mayBegin(at: .zero, isUrgent: true))
    pacer.left(at: .zero + .milliseconds(1))
    #expect(!pacer.mayBegin(at: .zero + .milliseconds(2)))
    #expect(pacer.mayBegin(at: .zero + .milliseconds(2), isUrgent: true))
  }

  @Test func aStandstillWhoseRestLeavesInPiecesIsNotTakenForASlowLink() {
    func at(_ milliseconds: Int) -> MonotonicTime { .zero + .milliseconds(milliseconds) }
    var pacer = FramePacer(levels: PaceLevel.ladder(from: 4, hasTrueColor: true), isRemote: false, at: .zero)
    pacer.began(bytes: 70_000, plan: pacer.plan(at: .zero), at: .zero)
    pacer.blocked(taken: 42_000, at: at(5))
    for piece in 0..<6 { pacer.blocked(taken: 42_000 + piece * 4_000, at: at(6_000 + piece)) }
    pacer.left(at: at(6_007))
    #expect(pacer.bytesPerSecond == nil)
    #expect(pacer.mayBegin(at: at(6_008)))
    #expect(pacer.plan(at: at(6_008)).byteBudget == nil)
  }
}
