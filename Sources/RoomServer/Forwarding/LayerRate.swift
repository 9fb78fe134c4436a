import RTCCore

/// How much of a layer arrives.
struct LayerRate: Sendable {
  /// Bits in the last whole second.
  private(set) var bitrate = 0
  private var bytes = 0
  private var since: MonotonicTime?

  init() {}

  mutating func add(_ count: Int, at now: MonotonicTime) {
    let start = since ?? now
    since = start
    let passed = now - start
    if passed >= .seconds(1) {
      bitrate = Int(Double(bytes * 8) / passed.inSeconds)
      bytes = 0
      since = now
    }
    bytes += count
  }
}
