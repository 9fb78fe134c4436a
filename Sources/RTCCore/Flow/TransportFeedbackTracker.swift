/// What one feedback packet told about the path.
public struct PathObservation: Equatable, Sendable {
  /// Packets newly known to have arrived.
  public var acknowledged = 0
  /// Packets newly believed lost.
  public var lost = 0
  /// Bits a second that arrived over the last second of arrivals; nil until 200 ms of arrivals are known.
  public var acknowledgedBitrate: Int?
  /// How much longer than the fastest packet of the last seconds these took on average.
  public var queueingDelay: Duration = .zero
  /// Growth of the queueing delay in milliseconds a second over about the last second; positive means a queue builds up.
  public var delayTrend = 0.0

  public init() {}
}

/// Sender's side of transport-wide congestion control: numbers packets, remembers when each was sent, and reads the
/// receiver's feedback.
public struct TransportFeedbackTracker: Sendable {
  /// Packets remembered, a ring of this size.
  private static let capacity = 2_048
  /// Points of the delay trend; at a feedback each 50 ms this is one second.
  private static let trendPoints = 20

  private enum Fate { case inFlight, acknowledged, lost }
  private struct Sent {
    var number: Int64
    var bytes: Int
    var at: MonotonicTime
    var fate: Fate
  }

  private var sent: [Sent]
  private var next: Int64 = 65_536
  private var lastReference: Int64?
  private var rate = RateWindow()
  private var firstArrival: MonotonicTime?
  private var lastArrival: MonotonicTime?
  private var fastest = WindowedMinimum(span: .seconds(5))
  private var trend: [(at: Double, delay: Double)] = []

  public init() {
    sent = Array(
      repeating: Sent(number: -1, bytes: 0, at: .zero, fate: .acknowledged), count: Self.capacity)
  }

  /// Remembers a packet about to be sent, and gives the number to write into it.
  public mutating func send(bytes: Int, at now: MonotonicTime) -> UInt16 {
    sent[Self.index(next)] = Sent(number: next, bytes: bytes, at: now, fate: .inFlight)
    defer { next += 1 }
    return UInt16(truncatingIfNeeded: next)
  }

  /// Reads feedback; nil when it tells nothing about packets remembered.
  public mutating func receive(_ feedback: TransportFeedback, at now: MonotonicTime) -> PathObservation? {
    guard let first = feedback.arrivals.first else { return nil }
    let reference = unwrapReference(feedback.referenceTime)
    let last = SequenceNumber(UInt16(truncatingIfNeeded: next - 1))
    var number = next - 1 + Int64(SequenceNumber(first.sequence).distance(from: last))
    var observation = PathObservation()
    var delaySum = 0.0
    for arrival in feedback.arrivals {
      defer { number += 1 }
      guard number >= 0, number < next, sent[Self.index(number)].number == number else { continue }
      let packet = sent[Self.index(number)]
      guard let offset = arrival.offset else {
        guard packet.fate == .inFlight else { continue }
        sent[Self.index(number)].fate = .lost
        observation.lost += 1
        continue
      }
      guard packet.fate != .acknowledged else { continue }
      sent[Self.index(number)].fate = .acknowledged
      observation.acknowledged += 1
      if packet.fate == .lost { observation.lost -= 1 }
      let arrivedAt = MonotonicTime(nanoseconds: reference &* 64_000_000 &+ Int64(offset) &* 250_000)
      delaySum += note(packet, arrivedAt: arrivedAt, now)
    }
    guard observation.acknowledged > 0 || observation.lost != 0 else { return nil }
    if observation.acknowledged > 0 {
      addTrendPoint(at: now, delay: delaySum / Double(observation.acknowledged))
    }
    observation.queueingDelay = .nanoseconds(Int64((trend.last?.delay ?? 0) * 1e6))
    observation.delayTrend = slope
    observation.acknowledgedBitrate = acknowledgedBitrate
    return observation
  }

  private static func index(_ number: Int64) -> Int { Int(number % Int64(capacity)) }

  /// The queueing delay of a packet in milliseconds.
  private mutating func note(_ packet: Sent, arrivedAt: MonotonicTime, _ now: MonotonicTime) -> Double {
    rate.add(bytes: packet.bytes, at: arrivedAt)
    if firstArrival == nil { firstArrival = arrivedAt }
    lastArrival = lastArrival.map { max($0, arrivedAt) } ?? arrivedAt
    // The clocks of both ends differ by an unknown constant, which the fastest packet carries too.
    let transit = (arrivedAt - packet.at).inNanoseconds
    return Double(transit &- fastest.add(transit, at: now)) / 1e6
  }

  private mutating func addTrendPoint(at now: MonotonicTime, delay: Double) {
    if trend.count == Self.trendPoints { trend.removeFirst() }
    trend.append((Double(now.nanoseconds) / 1e9, delay))
  }

  /// Least-squares slope of the trend points.
  private var slope: Double {
    guard trend.count >= 4 else { return 0 }
    let count = Double(trend.count)
    let meanTime = trend.reduce(0) { $0 + $1.at } / count
    let meanDelay = trend.reduce(0) { $0 + $1.delay } / count
    var numerator = 0.0
    var denominator = 0.0
    for point in trend {
      numerator += (point.at - meanTime) * (point.delay - meanDelay)
      denominator += (point.at - meanTime) * (point.at - meanTime)
    }
    return denominator > 0 ? numerator / denominator : 0
  }

  private var acknowledgedBitrate: Int? {
    mutating get {
      guard let firstArrival, let lastArrival else { return nil }
      let known = min(1, (lastArrival - firstArrival).inSeconds)
      guard known >= 0.2 else { return nil }
      return Int(Double(rate.bitsPerSecond(at: lastArrival)) / known)
    }
  }

  /// The reference time wraps at 24 bits, which is 12 days.
  private mutating func unwrapReference(_ raw: Int32) -> Int64 {
    let value: Int64
    if let lastReference {
      value = lastReference &+ Int64(((raw &- Int32(truncatingIfNeeded: lastReference)) << 8) >> 8)
    } else {
      value = Int64(raw)
    }
    lastReference = value
    return value
  }
}

/// The smallest value of about the last `span`, kept in two halves.
struct WindowedMinimum: Sendable {
  let span: Duration
  private var current: Int64?
  private var previous: Int64?
  private var currentSince: MonotonicTime?

  init(span: Duration) { self.span = span }

  /// Adds a value and gives the smallest.
  mutating func add(_ value: Int64, at now: MonotonicTime) -> Int64 {
    if let since = currentSince, now - since < span / 2 {
      current = min(current ?? value, value)
    } else {
      previous = current
      current = value
      currentSince = now
    }
    return min(current ?? value, previous ?? value)
  }

  mutating func reset() {
    current = nil
    previous = nil
    currentSince = nil
  }
}
