internal import RTCCore

/// Decides when a frame may begin, how large it may be, and how exact its colours are, so that a slow link shows what is
/// new instead of what has waited.
///
/// It is told of every frame and every answer of the terminal, and of the time; it writes and reads nothing itself.
struct FramePacer {
  /// How a frame that begins now is to be made.
  struct Plan: Equatable {
    /// Bytes of video that it should have at most; nil for no limit.
    var byteBudget: Int?
    /// A request of its own goes before it, to measure the path's delay.
    var measures = false
    /// It ends with ``FrameReceipts/request``.
    var asksForReceipt = false
  }

  /// A frame between its first byte and its last.
  private struct Leaving {
    var begunAt: MonotonicTime
    var bytes: Int
    /// When the terminal first took no more, and how much of the frame it had by then.
    var blockedAt: MonotonicTime?
    var bytesAtBlock = 0
    /// The link stood still while it left: its time says nothing of the link's rate.
    var hasStalled = false
  }

  private var ladder: PaceLadder
  private(set) var receipts: FrameReceipts
  private var meter = LinkMeter()
  /// The frame that is leaving the process.
  private var leaving: Leaving?
  private var progressAt: MonotonicTime
  /// The link stood still: its next frame makes everything right at once.
  private var hasStalled = false
  private var window: (startedAt: MonotonicTime, frames: Int, leftOut: Double, shown: Int, missed: Int)
  /// A whole screen is under way.
  private var isWhole = false
  private var hopedAt: MonotonicTime
  private var pace = FrameRate()
  private(set) var lag: Duration?

  /// Queue on the link, beyond its own delay, up to which a frame may begin. A key's answer waits for it, and for the frame
  /// that is on its way.
  private static let queue = Duration.milliseconds(35)
  /// Time that one frame may take on a limited link.
  private static let frameTime = Duration.milliseconds(35)
  private static let shortestWindow = Duration.milliseconds(400)
  private static let longestWindow = Duration.seconds(1)
  private static let framesToJudge = 4
  /// A frame that needs longer to leave says that the terminal, or what is behind it, is not keeping up.
  private static let pressure = Duration.milliseconds(30)
  /// No byte for so long is not slowness but a stop.
  private static let stall = Duration.seconds(1)
  /// Nobody waits longer for the shell to come back.
  private static let longestAnswer = Duration.milliseconds(600)
  /// Without a sign of the limit for so long, the link may have become faster.
  private static let patience = Duration.seconds(5)
  /// Bytes that Linux holds for a pseudo-terminal before a write has to wait.
  private static let pseudoTerminal = 13_800
  private static let leastBudget = 1_500
  /// Before anything is known of a remote link.
  private static let firstBudget = 24_000

  /// - Parameter isRemote: the terminal is behind a network; receipts are asked for from the start.
  init(levels: [PaceLevel], isRemote: Bool, at now: MonotonicTime) {
    ladder = PaceLadder(levels: levels, at: now)
    receipts = FrameReceipts(isOn: isRemote)
    progressAt = now
    hopedAt = now
    window = (now, 0, 0, 0, 0)
  }

  var level: PaceLevel { ladder.level }
  var step: Int { ladder.step }
  /// Bytes a second that the link carries when it is at work; nil while it never was for long.
  var bytesPerSecond: Int? { meter.rate.map { Int(min($0, 1e12)) } }
  func framesPerSecond(at now: MonotonicTime) -> Double { pace.value(at: now) }

  /// How long the answers under way may reasonably take; nil when there are none.
  var answerTime: Duration? {
    guard receipts.count > 0 else { return nil }
    let transfer = meter.rate.map { Duration.seconds(Double(receipts.bytesUnderway) / max(1, $0)) } ?? .zero
    return min(Self.longestAnswer, (receipts.roundTrip ?? .zero) * 2 + transfer + Self.queue)
  }

  // MARK: When

  /// A frame may begin: the one before has left, and the link is not behind. `isUrgent` for the answer to a key, which
  /// waits for no receipt.
  func mayBegin(at now: MonotonicTime, isUrgent: Bool = false) -> Bool {
    guard leaving == nil else { return false }
    if isUrgent { return true }
    guard isReceipted else {
      return !receipts.awaitsFirst(at: now) && (meter.rate == nil || meter.freeAt - now <= Self.queue)
    }
    guard let oldest = receipts.oldest else { return true }
    if receipts.needsMeasurement(at: now) { return false }
    guard let roundTrip = receipts.roundTrip, let rate = meter.rate else { return false }
    let allowance = roundTrip + Self.queue
    return now - oldest <= allowance && Double(receipts.bytesUnderway) <= rate * allowance.inSeconds
  }

  /// The terminal tells what has arrived; otherwise only the pseudo-terminal's own queue is seen.
  private var isReceipted: Bool { receipts.isOn && receipts.hasAnswered }

  /// When ``mayBegin(at:isUrgent:)`` is to be asked again if nothing happens until then; nil when only an event opens it.
  var reopensAt: MonotonicTime? {
    guard leaving == nil else { return nil }
    guard isReceipted else {
      return max(
        meter.freeAt - Self.queue, receipts.awaitsFirst(at: progressAt) ? progressAt + .milliseconds(500) : .zero)
    }
    return receipts.deadline
  }

  // MARK: What

  /// For a frame that begins now; `isUrgent` as for ``mayBegin(at:isUrgent:)``.
  func plan(at now: MonotonicTime, isUrgent: Bool = false) -> Plan {
    Plan(
      byteBudget: budget(isUrgent: isUrgent),
      measures: receipts.needsMeasurement(at: now) && receipts.isClear,
      asksForReceipt: receipts.wantsRequest(at: now))
  }

  private func budget(isUrgent: Bool) -> Int? {
    guard !hasStalled else { return nil }
    guard let rate = meter.rate else { return receipts.isOn && receipts.roundTrip == nil ? Self.firstBudget : nil }
    let time = isUrgent ? Self.frameTime / 3 : Self.frameTime
    return max(Self.leastBudget, Int(min(1e9, rate * time.inSeconds)))
  }

  // MARK: What happened

  /// New pictures are in the frame that begins, and others were replaced since the one before without having been in any.
  mutating func count(shown: Int, missed: Int) {
    window.shown += shown
    window.missed += missed
  }

  /// A frame of `bytes`, the plan's requests among them, is handed to the terminal. `part` is what it has
  /// of the picture's rows, 0…1, where its budget did not suffice for all; `isWhole` when it painted everything, which says
  /// nothing of the frames to come.
  mutating func began(bytes: Int, plan: Plan, part: Double = 1, isWhole: Bool = false, at now: MonotonicTime) {
    leaving = Leaving(begunAt: now, bytes: bytes)
    progressAt = now
    window.frames += 1
    window.leftOut += 1 - part
    if isWhole { self.isWhole = true }
    if plan.measures { receipts.sentBareRequest(at: now) }
    receipts.sent(bytes - (plan.measures ? FrameReceipts.request.count : 0), asks: plan.asksForReceipt, at: now)
  }

  /// The terminal takes no more for now; it has `taken` bytes of the frame.
  mutating func blocked(taken: Int, at now: MonotonicTime) {
    guard var frame = leaving else { return }
    if frame.blockedAt == nil {
      frame.blockedAt = now
      frame.bytesAtBlock = taken
    }
    if noteProgress(at: now) { frame.hasStalled = true }
    leaving = frame
  }

  /// The frame has left the process.
  mutating func left(at now: MonotonicTime) {
    guard let frame = leaving else { return }
    leaving = nil
    if noteProgress(at: now) || frame.hasStalled { return }
    hasStalled = false
    pace.add(now)
    if now - frame.begunAt >= Self.pressure { receipts.turnOn() }
    guard !isReceipted else { return }
    if let blockedAt = frame.blockedAt { meter.pushed(frame.bytes - frame.bytesAtBlock, in: now - blockedAt) }
    meter.assumed(frame.bytes, begunAt: frame.begunAt)
    if frame.blockedAt != nil {
      meter.filled(with: Self.pseudoTerminal, at: now)
      hopedAt = now
    }
    lag = now - frame.begunAt
    settleWhole()
  }

  /// A status report came from the terminal.
  mutating func answered(at now: MonotonicTime) {
    guard let receipt = receipts.answered(at: now) else { return }
    if noteProgress(at: now) { return }
    lag = now - receipt.frameBegunAt
    meter.finished(
      receipt.bytes, begunAt: receipt.begunAt, frame: receipt.frameBytes, frameBegunAt: receipt.frameBegunAt,
      at: now - (receipts.roundTrip ?? .zero))
    if !receipt.isBare { settleWhole() }
  }

  private mutating func settleWhole() {
    guard isWhole else { return }
    isWhole = false
    restartWindow(at: progressAt)
  }

  /// True when the link had stood still: what was measured across that is forgotten.
  private mutating func noteProgress(at now: MonotonicTime) -> Bool {
    defer { progressAt = now }
    guard now - progressAt >= Self.stall else { return false }
    meter.forget(at: now)
    hasStalled = true
    isWhole = false
    restartWindow(at: now)
    return true
  }

  /// To be called now and then, and after anything above; true when the level changed.
  mutating func advance(to now: MonotonicTime) -> Bool {
    let wasReceipted = isReceipted
    if receipts.expire(at: now), wasReceipted { _ = noteProgress(at: now) }
    if !isReceipted, meter.rate != nil, now - hopedAt >= Self.patience {
      meter.hope(after: now - hopedAt)
      hopedAt = now
    }
    let length = now - window.startedAt
    guard !isWhole || length >= Self.stall, length >= Self.shortestWindow,
      window.frames >= Self.framesToJudge || length >= Self.longestWindow
    else {
      return false
    }
    let result = PaceLadder.Window(
      busy: min(1, (meter.takeBusy() + unfinished(at: now)).inSeconds / length.inSeconds), frames: window.frames,
      leftOut: window.leftOut, shown: window.shown, missed: window.missed)
    restartWindow(at: now)
    return ladder.judge(result, at: now)
  }

  /// Work of frames that are still under way.
  private func unfinished(at now: MonotonicTime) -> Duration {
    guard let begun = isReceipted ? receipts.oldest : leaving?.begunAt else { return .zero }
    return max(.zero, now - max(begun, meter.freeAt))
  }

  private mutating func restartWindow(at now: MonotonicTime) {
    window = (now, 0, 0, 0, 0)
    _ = meter.takeBusy()
  }

  /// The terminal was given back, or is taken again: nothing is under way any more.
  mutating func forget(at now: MonotonicTime) {
    leaving = nil
    progressAt = now
    receipts.forget()
    meter.forget(at: now)
    hasStalled = true
    restartWindow(at: now)
  }
}
