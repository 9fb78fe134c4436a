/// Sends one encoding: numbers its packets, keeps them for retransmission, and reports about them.
public struct SendStream: Sendable {
  public struct Configuration: Sendable {
    public var ssrc: SSRC
    public var payloadType: UInt8
    /// Timestamp ticks a second.
    public var clockRate: Int
    /// Source and payload type of retransmissions; without them a packet is sent again as it was.
    public var rtxSSRC: SSRC?
    public var rtxPayloadType: UInt8?
    /// Header extensions of retransmissions by RTX.
    public var rtxExtensions: [RTPPacket.Extension] = []
    /// Number of the first packet, random in use (RFC 3550 §5.1); below 2^15 as SRTP's rollover guess prefers.
    public var firstSequence: SequenceNumber
    /// Packets kept for retransmission. Default 512.
    public var historyPackets = 512
    /// Age at which they are no longer sent. Default 1 s.
    public var historyAge: Duration = .seconds(1)

    public init(
      ssrc: SSRC, payloadType: UInt8, clockRate: Int, rtxSSRC: SSRC? = nil, rtxPayloadType: UInt8? = nil,
      firstSequence: SequenceNumber
    ) {
      self.ssrc = ssrc
      self.payloadType = payloadType
      self.clockRate = clockRate
      self.rtxSSRC = rtxSSRC
      self.rtxPayloadType = rtxPayloadType
      self.firstSequence = firstSequence
    }
  }

  public let configuration: Configuration
  private var nextSequence: SequenceNumber
  private var cache: ResendCache
  private var rtx: RTXStream?
  /// A timestamp and the time at which its media was captured.
  private var anchor: (timestamp: RTPTimestamp, capturedAt: MonotonicTime)?

  /// Media packets sent, retransmissions not counted.
  public private(set) var packetsSent = 0
  /// Their payload octets without padding.
  public private(set) var bytesSent = 0
  public private(set) var retransmissionsSent = 0
  /// NACKed numbers that could not be sent again.
  public private(set) var retransmissionsRefused = 0

  public init(_ configuration: Configuration) {
    self.configuration = configuration
    nextSequence = configuration.firstSequence
    cache = ResendCache(capacity: configuration.historyPackets, maximumAge: configuration.historyAge)
    if let ssrc = configuration.rtxSSRC, let payloadType = configuration.rtxPayloadType {
      rtx = RTXStream(
        ssrc: ssrc, payloadType: payloadType, extensions: configuration.rtxExtensions,
        firstSequence: SequenceNumber((configuration.firstSequence.raw ^ 0x2A5B) & 0x7FFF))
    }
  }

  /// The packets of one frame, in order.
  ///
  /// - Parameters:
  ///   - payloads: one for each packet.
  ///   - timestamp: of the frame, in ticks of the stream's clock.
  ///   - extensions: put on each packet.
  ///   - markerOnLast: true at the end of a video frame (RFC 7741 §4.1); false within audio.
  ///   - capturedAt: when the media was captured, for the sender reports; `now` when nil.
  ///   - now: when it is sent.
  public mutating func send(
    payloads: [[UInt8]], timestamp: RTPTimestamp, extensions: [RTPPacket.Extension] = [], markerOnLast: Bool,
    capturedAt: MonotonicTime? = nil, at now: MonotonicTime
  ) -> [RTPPacket] {
    anchor = (timestamp, capturedAt ?? now)
    var packets: [RTPPacket] = []
    packets.reserveCapacity(payloads.count)
    for (index, payload) in payloads.enumerated() {
      let packet = RTPPacket(
        payloadType: configuration.payloadType, marker: markerOnLast && index == payloads.count - 1,
        sequenceNumber: nextSequence, timestamp: timestamp, ssrc: configuration.ssrc, extensions: extensions,
        payload: payload)
      nextSequence = nextSequence.next
      packetsSent += 1
      bytesSent += payload.count
      cache.insert(packet, at: now)
      packets.append(packet)
    }
    return packets
  }

  /// What to send in answer to a NACK about this stream; a packet at most once a round trip.
  public mutating func retransmit(_ nack: GenericNACK, at now: MonotonicTime) -> [RTPPacket] {
    guard nack.media == configuration.ssrc else { return [] }
    var packets: [RTPPacket] = []
    for sequence in nack.lost {
      guard let packet = cache.take(sequence, at: now) else {
        retransmissionsRefused += 1
        continue
      }
      retransmissionsSent += 1
      packets.append(rtx?.wrap(packet) ?? packet)
    }
    return packets
  }

  public mutating func setRoundTrip(_ roundTrip: Duration) { cache.setRoundTrip(roundTrip) }

  /// A sender report for `now`, or nil before the first packet. The timestamp in it is that of media captured now.
  public func senderReport(at now: MonotonicTime, wallClock: WallClock) -> SenderReport? {
    guard let anchor else { return nil }
    let (seconds, nanoseconds) = (now - anchor.capturedAt).inNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let clockRate = Int64(configuration.clockRate)
    let ticks = Int(seconds &* clockRate &+ nanoseconds * clockRate / 1_000_000_000)
    return SenderReport(
      ssrc: configuration.ssrc, ntpTime: wallClock.ntpTime(at: now), rtpTimestamp: anchor.timestamp.advanced(by: ticks),
      packetCount: UInt32(truncatingIfNeeded: packetsSent), octetCount: UInt32(truncatingIfNeeded: bytesSent))
  }
}
