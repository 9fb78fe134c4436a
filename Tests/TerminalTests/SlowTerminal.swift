import RTCCore
import TestKit

@testable import Terminal

/// A pseudo-terminal behind which a link of limited rate carries what was written, on virtual time, with a program in front
/// of it that has a new picture thirty times a second.
struct SlowTerminal {
  /// Bytes a second that reach the terminal.
  var rate: Double
  /// Each way.
  var delay: Duration = .zero
  /// Bytes that are taken from the pseudo-terminal before the link has carried them (ssh, TCP).
  var hiddenBuffer = 0
  var answers = true
  /// Bytes of a frame in exact colours.
  var exactBytes = 29_400.0
  /// The picture changes.
  var isMoving = true

  /// What the terminal showed.
  struct Shown {
    var at: MonotonicTime
    /// Since the picture was there.
    var lag: Duration
  }

  private(set) var shown: [Shown] = []
  /// Every change of the pacer's step.
  private(set) var steps: [(at: MonotonicTime, step: Int)] = []
  private(set) var longestQueue = 0
  private(set) var now = MonotonicTime.zero
  private(set) var pacer: FramePacer
  private var generator: SeededGenerator

  private enum Mark { case request, end(picture: MonotonicTime) }
  /// As Linux has it.
  private static let pseudoTerminal = 13_800
  private var unwritten = 0
  private var written = 0
  private var carried = 0.0
  /// Things at positions of the byte stream that the terminal meets in order.
  private var marks: [(position: Int, mark: Mark)] = []
  private var answersDue: [MonotonicTime] = []
  private var picture: MonotonicTime?
  private var nextPicture = MonotonicTime.zero
  private var missed = 0
  private var isFirst = true

  init(rate: Double, seed: UInt64, isRemote: Bool = false, hasTrueColor: Bool = true) {
    self.rate = rate
    generator = SeededGenerator(seed: seed)
    pacer = FramePacer(
      levels: PaceLevel.ladder(from: 4, hasTrueColor: hasTrueColor), isRemote: isRemote, at: .zero)
  }

  mutating func run(for duration: Duration) {
    let end = now + duration
    while now < end {
      now = now + .milliseconds(1)
      carry()
      answer()
      write()
      offer()
      if pacer.advance(to: now) { steps.append((now, pacer.step)) }
      draw()
    }
  }

  /// Pictures that were new on the terminal in the last `duration`, a second.
  func framesPerSecond(inLast duration: Duration) -> Double {
    Double(shown.count { now - $0.at <= duration }) / duration.inSeconds
  }

  /// The lag that 95 of 100 pictures of the last `duration` stayed under.
  func lag(inLast duration: Duration) -> Duration {
    let lags = shown.filter { now - $0.at <= duration }.map(\.lag).sorted()
    return lags.isEmpty ? .zero : lags[min(lags.count - 1, lags.count * 95 / 100)]
  }

  private mutating func carry() {
    carried = min(Double(written), carried + rate / 1_000)
    while let first = marks.first, Double(first.position) <= carried {
      marks.removeFirst()
      switch first.mark {
      case .request: if answers { answersDue.append(now + delay * 2) }
      case .end(let picture): shown.append(Shown(at: now + delay, lag: now + delay - picture))
      }
    }
    longestQueue = max(longestQueue, written - Int(carried))
  }

  private mutating func answer() {
    while let due = answersDue.first, due <= now {
      answersDue.removeFirst()
      pacer.answered(at: now)
    }
  }

  private mutating func write() {
    guard unwritten > 0 else { return }
    let room = Self.pseudoTerminal + hiddenBuffer - (written - Int(carried))
    let count = min(max(0, room), unwritten)
    written += count
    unwritten -= count
    if unwritten == 0 {
      pacer.left(at: now)
    } else if count > 0 {
      pacer.blocked(taken: frameBytes - unwritten, at: now)
    }
  }

  private var frameBytes = 0

  private mutating func offer() {
    guard now >= nextPicture else { return }
    nextPicture = nextPicture + .nanoseconds(33_333_333)
    guard isMoving else { return }
    if picture != nil { missed += 1 }
    picture = now
  }

  private mutating func draw() {
    guard let newest = picture, pacer.mayBegin(at: now) else { return }
    picture = nil
    let plan = pacer.plan(at: now)
    let noise = Double.random(in: 0.85...1.15, using: &generator)
    var wanted = Int(exactBytes * pacer.level.cost * noise)
    // The first frame is the whole screen.
    let isWhole = isFirst
    if isFirst { wanted = 50_000 }
    isFirst = false
    let bytes = min(wanted, plan.byteBudget ?? wanted)
    pacer.count(shown: 1, missed: missed)
    missed = 0
    let start = written
    if plan.measures { marks.append((start, .request)) }
    marks.append((start + bytes, .end(picture: newest)))
    if plan.asksForReceipt { marks.append((start + bytes, .request)) }
    frameBytes = bytes
    unwritten = bytes
    pacer.began(bytes: bytes, plan: plan, part: Double(bytes) / Double(max(1, wanted)), isWhole: isWhole, at: now)
    write()
  }
}
