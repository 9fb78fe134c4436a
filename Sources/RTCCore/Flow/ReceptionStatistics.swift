/// What RFC 3550 lets a receiver say about one RTP stream: losses, jitter, and the block of its report.
public struct ReceptionStatistics: Sendable {
  /// A jump forward by more than this is taken for a restart (RFC 3550 §A.1, MAX_DROPOUT).
  private static let maximumDropout = 3_000
  /// A packet older than this is taken for a restart (RFC 3550 §A.1, MAX_MISORDER).
  private static let maximumMisorder = 100

  private let ssrc: SSRC
  private let clockRate: Int

  private var started = false
  private var baseSequence: UInt32 = 0
  private var highestExtended: UInt32 = 0
  /// The number that would confirm a restart, when the last packet looked like one.
  private var restartCandidate: SequenceNumber?
  private var receivedSinceBase: Int = 0
  private var expectedPrior: Int = 0
  private var receivedPrior: Int = 0
  /// Losses from before restarts.
  private var lostBefore = 0

  private var lastTransit: Int64?
  /// Jitter in ticks times 16 (RFC 3550 §A.8).
  private var scaledJitter: Int64 = 0

  private var lastSenderReport: UInt32 = 0
  private var lastSenderReportAt: MonotonicTime?

  public private(set) var packetsReceived = 0
  /// Payload octets without headers and padding (RFC 3550 §6.4.1).
  public private(set) var bytesReceived = 0

  /// - Parameters:
  ///   - ssrc: the source that is counted.
  ///   - clockRate: timestamp ticks a second, at least 1.
  public init(ssrc: SSRC, clockRate: Int) {
    self.ssrc = ssrc
    self.clockRate = max(1, clockRate)
  }

  /// Takes note of a packet of this stream; retransmissions on an RTX stream do not belong here (RFC 4588 §6.3).
  public mutating func received(_ packet: RTPPacket, at now: MonotonicTime) {
    received(
      sequence: packet.sequenceNumber, timestamp: packet.timestamp, payloadBytes: packet.payload.count, at: now)
  }

  /// The same without a packet value.
  public mutating func received(
    sequence: SequenceNumber, timestamp: RTPTimestamp, payloadBytes: Int, at now: MonotonicTime
  ) {
    packetsReceived += 1
    bytesReceived += payloadBytes
    guard update(sequence) else { return }
    receivedSinceBase += 1
    updateJitter(timestamp, at: now)
  }

  /// Remembers when the sender's report arrived, for LSR and DLSR.
  public mutating func received(_ report: SenderReport, at now: MonotonicTime) {
    guard report.ssrc == ssrc else { return }
    lastSenderReport = report.ntpTime.middle
    lastSenderReportAt = now
  }

  /// Packets expected minus packets received since the start; negative when duplicates outweigh losses.
  public var packetsLost: Int { lostBefore + expected - receivedSinceBase }

  /// Smoothed deviation of the arrival spacing from the timestamp spacing, in ticks (RFC 3550 §A.8).
  public var jitterTicks: UInt32 { UInt32(clamping: scaledJitter >> 4) }
  public var jitterMilliseconds: Double { Double(scaledJitter) / 16 * 1_000 / Double(clockRate) }

  /// The block for the next report, or nil before the first packet. Each call begins a new interval for the loss fraction.
  public mutating func makeReportBlock(at now: MonotonicTime) -> ReportBlock? {
    guard started else { return nil }
    let expectedInterval = expected - expectedPrior
    let lostInterval = expectedInterval - (receivedSinceBase - receivedPrior)
    expectedPrior = expected
    receivedPrior = receivedSinceBase
    let fraction =
      expectedInterval <= 0 || lostInterval <= 0 ? 0 : min(255, (lostInterval << 8) / expectedInterval)
    var delay: UInt32 = 0
    if let lastSenderReportAt {
      delay = UInt32(clamping: ((now - lastSenderReportAt).inNanoseconds / 1_000) * 65_536 / 1_000_000)
    }
    return ReportBlock(
      ssrc: ssrc, fractionLost: UInt8(fraction), cumulativeLost: Int32(max(-0x80_0000, min(0x7F_FFFF, packetsLost))),
      extendedHighestSequence: highestExtended, jitter: jitterTicks, lastSenderReport: lastSenderReport,
      delaySinceLastSenderReport: delay)
  }

  private var expected: Int { started ? Int(highestExtended &- baseSequence) + 1 : 0 }

  /// RFC 3550 §A.1 without the probation of new sources, whose SSRCs signalling has announced here.
  private mutating func update(_ sequence: SequenceNumber) -> Bool {
    guard started else {
      restart(at: sequence)
      return true
    }
    let distance = sequence.distance(from: SequenceNumber(UInt16(truncatingIfNeeded: highestExtended)))
    if distance > -Self.maximumMisorder, distance < Self.maximumDropout {
      restartCandidate = nil
      if distance > 0 { highestExtended = highestExtended &+ UInt32(distance) }
      return true
    }
    if sequence == restartCandidate {
      lostBefore += expected - receivedSinceBase
      restart(at: sequence)
      return true
    }
    restartCandidate = sequence.next
    return false
  }

  private mutating func restart(at sequence: SequenceNumber) {
    started = true
    baseSequence = UInt32(sequence.raw)
    highestExtended = UInt32(sequence.raw)
    restartCandidate = nil
    receivedSinceBase = 0
    expectedPrior = 0
    receivedPrior = 0
    lastTransit = nil
  }

  private mutating func updateJitter(_ timestamp: RTPTimestamp, at now: MonotonicTime) {
    let (seconds, rest) = now.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let arrival = seconds &* Int64(clockRate) &+ rest * Int64(clockRate) / 1_000_000_000
    let transit = arrival &- Int64(timestamp.raw)
    defer { lastTransit = transit }
    guard let lastTransit else { return }
    // 32-bit difference, so that a timestamp wrap between two packets does not look like jitter.
    let difference = abs(Int64(Int32(truncatingIfNeeded: transit &- lastTransit)))
    // A timestamp that jumps (mute, source switch) says nothing about the network.
    guard difference < Int64(clockRate) * 2 else { return }
    scaledJitter += difference - ((scaledJitter + 8) >> 4)
  }
}

/// Round-trip time from the report blocks that come back to a sender (RFC 3550 §6.4.1, LSR and DLSR).
public enum RoundTripTime {
  /// The time since the sender report that `block` refers to, less the time the receiver held it; nil when the block
  /// refers to none or the clocks make no sense of it.
  ///
  /// - Parameters:
  ///   - block: what the receiver reported.
  ///   - now: NTP time at which the block arrived, on the clock of the sender reports.
  public static func measure(_ block: ReportBlock, arrivedAt now: NTPTime) -> Duration? {
    guard block.lastSenderReport != 0 else { return nil }
    let units = Int32(bitPattern: now.middle &- block.lastSenderReport &- block.delaySinceLastSenderReport)
    // Rounding of both ends can make a tiny round trip slightly negative.
    guard units > -66 else { return nil }
    return .nanoseconds(Int64(max(0, units)) * 1_000_000_000 / 65_536)
  }
}
