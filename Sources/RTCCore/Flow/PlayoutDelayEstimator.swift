/// How long packets must be held so that nearly all have arrived by their turn: a quantile of how much later than the
/// fastest ones they come, over a histogram that forgets.
struct PlayoutDelayEstimator: Sendable {
  private static let bucketMilliseconds = 5.0
  private static let bucketCount = 60
  /// Share of packets that should be in time. Concealment hides the rest.
  private static let quantile = 0.97
  /// Weight of a new packet once enough are known: half is forgotten after about 140 packets, 3 s of speech.
  private static let minimumWeight = 1.0 / 200
  /// A pause after which the fastest packet is measured anew, since timestamps need not go on through a mute.
  private static let restartPause: Duration = .milliseconds(500)
  /// Lateness in milliseconds that only a jump of the timestamps explains.
  private static let timestampJump = 2_000.0

  private var histogram = [Double](repeating: 0, count: PlayoutDelayEstimator.bucketCount)
  private var packets = 0
  private var fastest = WindowedMinimum(span: .seconds(8))
  private var lastArrival: MonotonicTime?

  init() {}

  /// - Parameter mediaTime: the packet's timestamp as time.
  mutating func packetArrived(mediaTime: Duration, at now: MonotonicTime) {
    if let lastArrival, now - lastArrival > Self.restartPause { fastest.reset() }
    lastArrival = now
    let transit = now.nanoseconds &- mediaTime.inNanoseconds
    var lateness = Double(transit &- fastest.add(transit, at: now)) / 1e6
    if lateness > Self.timestampJump {
      fastest.reset()
      lateness = Double(transit &- fastest.add(transit, at: now)) / 1e6
    }
    packets += 1
    let weight = max(1 / Double(packets), Self.minimumWeight)
    for index in histogram.indices { histogram[index] *= 1 - weight }
    let bucket = min(Double(Self.bucketCount - 1), max(0, lateness / Self.bucketMilliseconds))
    histogram[Int(bucket)] += weight
  }

  /// The lateness that the quantile of packets stays within.
  var delay: Duration {
    var sum = 0.0
    for (index, share) in histogram.enumerated() {
      sum += share
      if sum >= Self.quantile { return .nanoseconds(Int64(Double(index + 1) * Self.bucketMilliseconds * 1e6)) }
    }
    return .nanoseconds(Int64(packets == 0 ? 0 : Double(Self.bucketCount) * Self.bucketMilliseconds * 1e6))
  }
}
