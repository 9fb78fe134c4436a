/// Counts freezes as W3C webrtc-stats does (`freezeCount`, `totalFreezesDuration`): an interval between frames longer than
/// three average intervals and than the average plus 150 ms.
struct FreezeMonitor: Sendable {
  private(set) var freezes = 0
  private(set) var frozenTime: Duration = .zero
  private var lastFrame: MonotonicTime?
  /// Average interval in nanoseconds over about the last 30 frames.
  private var average: Double?

  init() {}

  mutating func frameArrived(at now: MonotonicTime) {
    defer { lastFrame = now }
    guard let lastFrame else { return }
    let interval = now - lastFrame
    guard let average else {
      self.average = Double(interval.inNanoseconds)
      return
    }
    if interval > threshold(average) {
      freezes += 1
      frozenTime += interval
    } else {
      self.average = average + (Double(interval.inNanoseconds) - average) / 30
    }
  }

  /// The last frame's time, when the next one is overdue by the threshold.
  func frozenSince(at now: MonotonicTime) -> MonotonicTime? {
    guard let lastFrame, let average, now - lastFrame > threshold(average) else { return nil }
    return lastFrame
  }

  /// The sender stops on purpose: the coming pause is not a freeze.
  mutating func pause() { lastFrame = nil }

  private func threshold(_ average: Double) -> Duration {
    .nanoseconds(Int64(max(3 * average, average + 150e6)))
  }
}
