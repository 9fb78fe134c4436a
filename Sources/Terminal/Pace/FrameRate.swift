internal import RTCCore

/// Counts frames of the last second.
struct FrameRate {
  private var times: [MonotonicTime] = []

  mutating func add(_ now: MonotonicTime) {
    times.removeFirst(times.prefix { now - $0 > .seconds(1) }.count)
    times.append(now)
  }

  /// Frames a second.
  func value(at now: MonotonicTime) -> Double {
    Double(times.count { now - $0 <= .seconds(1) })
  }
}
