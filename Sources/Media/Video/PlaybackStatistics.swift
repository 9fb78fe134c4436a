import RTCCore

/// What a ``VideoPlayback`` has done since it began.
public struct PlaybackStatistics: Equatable, Sendable {
  public var framesDecoded = 0
  public var keyFramesDecoded = 0
  /// Frames that were never shown, by reason.
  public var drops = DropCounters()
  /// Times the picture stood still: a gap of at least max(3 x mean, mean + 150 ms) between two frames, the mean
  /// taken over the last 30 (W3C webrtc-stats, freezeCount). Gaps beyond 5 s are pauses.
  public var freezes = 0
  public var freezeMilliseconds = 0.0
  public var pauses = 0
  /// Frames decoded during the second before the question.
  public var framesPerSecond = 0
  /// Size of the newest picture, 0 before the first.
  public var width = 0
  public var height = 0
  /// Mean time to decode one frame.
  public var decodeMilliseconds = 0.0
  /// Mean time to scale one picture and turn it into RGB.
  public var scaleMilliseconds = 0.0

  public init() {}
}

/// Tells freezes and the frame rate from the times at which frames were decoded.
struct FrameTiming {
  private static let meanCount = 30
  private static let pause = Duration.seconds(5)

  private(set) var freezes = 0
  private(set) var freezeMilliseconds = 0.0
  private(set) var pauses = 0
  private var last: MonotonicTime?
  private var intervals: [Double] = []
  /// Decode times of the last second, oldest first.
  private var recent: [MonotonicTime] = []

  mutating func frame(at now: MonotonicTime) {
    recent.removeAll { now - $0 >= .seconds(1) }
    recent.append(now)
    defer { last = now }
    guard let last else { return }
    let gap = now - last
    guard gap < Self.pause else {
      pauses += 1
      intervals = []
      return
    }
    let milliseconds = gap.inMilliseconds
    if intervals.count >= 4 {
      let mean = intervals.reduce(0, +) / Double(intervals.count)
      if milliseconds >= max(3 * mean, mean + 150) {
        freezes += 1
        freezeMilliseconds += milliseconds
      }
    }
    if intervals.count == Self.meanCount { intervals.removeFirst() }
    intervals.append(milliseconds)
  }

  /// The stream was stopped on purpose: the gap that follows is nobody's fault.
  mutating func interrupt() {
    last = nil
    intervals = []
  }

  func framesPerSecond(at now: MonotonicTime) -> Int {
    recent.count { now - $0 < .seconds(1) }
  }
}
