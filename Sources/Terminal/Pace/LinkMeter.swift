internal import RTCCore

/// What a link carried, and for how much of the time it was at work.
struct LinkMeter {
  /// Bytes a second while the link is at work; nil before it was for long enough to tell.
  private(set) var rate: Double?
  /// The link is done with everything sent, as far as is known.
  private(set) var freeAt: MonotonicTime = .zero
  private var bytes = 0.0
  private var seconds = 0.0
  /// The rate that was measured last, or that it has carried since without a sign of its limit.
  private var proven = 0.0
  /// Bytes that were sent without a sign of the limit.
  private var carried = 0.0
  /// Time at work since the last ``takeBusy()``.
  private var busy: Duration = .zero

  /// A sum forgets this share of itself with each frame: about the last eight count.
  private static let memory = 0.88
  /// So many times what was proven may be hoped for. More would take as long to unlearn once the link has become slow.
  private static let boldness = 4.0
  /// Work shorter than this is the machine's own.
  private static let shortest = Duration.milliseconds(2)

  /// Bytes that were sent from `begun` on, the last `frame` of them from `frameBegun` on, have left the link at `finished`.
  mutating func finished(
    _ count: Int, begunAt begun: MonotonicTime, frame: Int, frameBegunAt frameBegun: MonotonicTime,
    at finished: MonotonicTime
  ) {
    func length(since start: MonotonicTime) -> Double { max(Self.shortest, finished - max(start, freeAt)).inSeconds }
    // Between frames the link may have rested, and before the last one others may have been in the way: each is a lower
    // bound, and the greater is nearer.
    let carried = max(Double(count) / length(since: begun), Double(frame) / length(since: frameBegun))
    let work = Double(count) / carried
    freeAt = max(freeAt, finished)
    if work > Self.shortest.inSeconds { busy += .seconds(work) }
    learn(Double(count), in: work)
  }

  /// A full pseudo-terminal took `count` bytes more in `time`.
  mutating func pushed(_ count: Int, in time: Duration) { learn(Double(count), in: max(Self.shortest, time).inSeconds) }

  private mutating func learn(_ count: Double, in time: Double) {
    // Little tells little: a wake-up that comes late weighs more than the link.
    guard count >= 512 else { return }
    bytes = bytes * Self.memory + count
    seconds = seconds * Self.memory + time
    let measured = bytes / seconds
    rate = measured
    proven = measured
  }

  /// The way is full with `count` bytes at a known rate.
  mutating func filled(with count: Int, at now: MonotonicTime) {
    carried = 0
    guard let rate, rate > 0 else { return }
    freeAt = max(freeAt, now + .seconds(Double(count) / rate))
  }

  /// Bytes were sent, and nothing but the known rate tells when they will be through.
  mutating func assumed(_ count: Int, begunAt begun: MonotonicTime) {
    guard let rate, rate > 0 else { return }
    carried += Double(count)
    let start = max(begun, freeAt)
    let work = Duration.seconds(Double(count) / rate)
    freeAt = start + work
    if work > Self.shortest { busy += work }
  }

  /// Nothing has shown the link's limit for `time`: it may carry more than was thought, up to ``boldness`` times what
  /// it has shown.
  mutating func hope(after time: Duration) {
    proven = max(proven, carried / max(Self.shortest, time).inSeconds)
    carried = 0
    guard let rate, rate * 1.1 <= proven * Self.boldness else { return }
    bytes *= 1.1
    self.rate = rate * 1.1
  }

  /// How long the link was at work since the last call.
  mutating func takeBusy() -> Duration {
    defer { busy = .zero }
    return busy
  }

  /// The link had stopped; what was measured across that says nothing.
  mutating func forget(at now: MonotonicTime) {
    self = LinkMeter()
    freeAt = now
  }
}
