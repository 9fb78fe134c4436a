import RTCCore

/// Pings, and the silence after which a connection counts as lost (protocol sheet §6.3).
struct Liveness {
  private var interval = Duration.seconds(5)
  private var timeout = Duration.seconds(15)
  private var lastHeard: MonotonicTime?
  private var lastPing: (timestamp: Int64, sentAt: MonotonicTime)?
  private var roundTrip = Duration.zero
  private(set) var nextPing: MonotonicTime?

  /// When silence has lasted too long.
  var deadline: MonotonicTime? { nextPing == nil ? nil : lastHeard.map { $0 + timeout } }

  /// Times in seconds as `join` gives them; those that make no sense get the protocol's usual ones.
  mutating func start(interval: Int32, timeout: Int32, at now: MonotonicTime) {
    if (1...3600).contains(interval) { self.interval = .seconds(Int(interval)) }
    self.timeout = (1...3600).contains(timeout) ? .seconds(Int(timeout)) : self.interval * 3
    lastHeard = now
    nextPing = now + self.interval
  }

  mutating func heard(at now: MonotonicTime) { lastHeard = now }

  mutating func pingIfDue(at now: MonotonicTime) -> LiveKit.Ping? {
    guard let due = nextPing, now >= due else { return nil }
    nextPing = now + interval
    let timestamp = now.nanoseconds / 1_000_000
    lastPing = (timestamp, now)
    return LiveKit.Ping(timestamp: timestamp, roundTrip: roundTrip.inNanoseconds / 1_000_000)
  }

  /// The round trip that an answer to our last ping shows.
  mutating func pong(_ pong: LiveKit.Pong, at now: MonotonicTime) -> Duration? {
    guard let ping = lastPing, ping.timestamp == pong.lastPingTimestamp else { return nil }
    lastPing = nil
    roundTrip = now - ping.sentAt
    return roundTrip
  }
}
