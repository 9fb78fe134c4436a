/// How many bits a second a path carries, from feedback about what was sent: additive-multiplicative control on losses and
/// on growing delay, after draft-ietf-rmcat-gcc-02 §5 and §6 in a small form.
///
/// Losses above 10 % shrink the estimate by half the loss, below 2 % it grows by 5 % a step. A queue that is long and grows
/// shrinks it to 85 % of what arrives. Growth stops at one and a half times what arrives, since more was never tried.
public struct BandwidthEstimator: Sendable {
  /// Time between two changes, so that each change can show its effect first.
  private static let step: Duration = .milliseconds(200)
  /// Queueing delay that is not yet a sign of overuse.
  private static let toleratedDelay: Duration = .milliseconds(25)
  /// Growth of delay, in milliseconds a second, that counts as a growing queue.
  private static let overuseTrend = 10.0

  private let limits: ClosedRange<Int>
  private var lastChange: MonotonicTime?
  private var acknowledged = 0
  private var lost = 0
  /// A bound told by the receiver (REMB), nil without.
  private var receiverBound: Int?
  private var bitrate: Int

  /// Bits a second to be sent at most.
  public var estimate: Int { min(bitrate, max(limits.lowerBound, receiverBound ?? .max)) }

  /// - Parameters: bits a second; the estimate begins at `start` and stays within `limits`.
  public init(start: Int = 300_000, limits: ClosedRange<Int> = 50_000...20_000_000) {
    self.limits = limits
    bitrate = min(max(start, limits.lowerBound), limits.upperBound)
  }

  /// Takes in transport-wide feedback.
  public mutating func observe(_ observation: PathObservation, at now: MonotonicTime) {
    acknowledged += observation.acknowledged
    lost = max(0, lost + observation.lost)
    if observation.queueingDelay > Self.toleratedDelay, observation.delayTrend > Self.overuseTrend, mayChange(at: now) {
      let arriving = observation.acknowledgedBitrate ?? bitrate
      change(to: min(bitrate, arriving * 85 / 100), at: now)
      return
    }
    // A share of few packets is noise.
    guard acknowledged + lost >= 20, mayChange(at: now) else { return }
    let ratio = Double(lost) / Double(acknowledged + lost)
    let ceiling = observation.acknowledgedBitrate.map { $0 * 3 / 2 + 10_000 } ?? Int.max
    applyLoss(ratio, ceiling: ceiling, mayGrow: observation.queueingDelay <= Self.toleratedDelay, at: now)
  }

  /// Takes in the loss fraction of a receiver report, for peers without transport-wide feedback.
  public mutating func observe(_ block: ReportBlock, at now: MonotonicTime) {
    guard mayChange(at: now) else { return }
    applyLoss(Double(block.fractionLost) / 256, ceiling: .max, mayGrow: true, at: now)
  }

  /// Takes in the receiver's own estimate (REMB).
  public mutating func observe(_ remote: BitrateEstimate) { receiverBound = Int(clamping: remote.bitrate) }

  private func mayChange(at now: MonotonicTime) -> Bool {
    guard let lastChange else { return true }
    return now - lastChange >= Self.step
  }

  private mutating func applyLoss(_ ratio: Double, ceiling: Int, mayGrow: Bool, at now: MonotonicTime) {
    if ratio > 0.1 {
      change(to: Int(Double(bitrate) * (1 - ratio / 2)), at: now)
    } else if ratio < 0.02, mayGrow {
      change(to: max(bitrate, min(bitrate * 105 / 100 + 1_000, ceiling)), at: now)
    } else {
      change(to: bitrate, at: now)
    }
  }

  private mutating func change(to value: Int, at now: MonotonicTime) {
    bitrate = min(max(value, limits.lowerBound), limits.upperBound)
    lastChange = now
    acknowledged = 0
    lost = 0
  }
}
