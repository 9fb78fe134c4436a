import RTCCore

/// Bounds how often a publisher is asked for a key frame of one layer: each costs many times a normal frame, and many
/// subscribers may want one at once.
struct KeyFrameThrottle: Equatable, Sendable {
  /// Shortest time between two requests.
  let interval: Duration
  private var last: MonotonicTime?

  init(interval: Duration) { self.interval = interval }

  /// 500 ms for the lowest of several layers, which is what newcomers start with and cheap; 1 s for all others.
  static func forLayer(_ index: Int) -> KeyFrameThrottle {
    KeyFrameThrottle(interval: index == 0 ? .milliseconds(500) : .seconds(1))
  }

  /// Whether a request may be sent now; it then counts as sent.
  mutating func permits(at now: MonotonicTime) -> Bool {
    if let last, now - last < interval { return false }
    last = now
    return true
  }
}
