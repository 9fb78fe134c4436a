/// One packet of an RTCP compound (RFC 3550 §6, RFC 4585, RFC 5104, transport-wide feedback and REMB drafts).
public enum RTCPPacket: Equatable, Sendable {
  case senderReport(SenderReport)
  case receiverReport(ReceiverReport)
  case sourceDescription(SourceDescription)
  case goodbye(Goodbye)
  case nack(GenericNACK)
  case pictureLossIndication(PictureLossIndication)
  case fullIntraRequest(FullIntraRequest)
  case transportFeedback(TransportFeedback)
  case bitrateEstimate(BitrateEstimate)
  /// A well-formed packet of a kind that this program does not use: payload type and count / format field.
  case other(payloadType: UInt8, format: UInt8)
}

/// NTP time in 32.32 fixed point since 1900 (RFC 3550 §4).
public struct NTPTime: Hashable, Sendable {
  public let raw: UInt64
  public init(raw: UInt64) { self.raw = raw }
  /// The middle 32 bits, used in LSR and DLSR fields.
  public var middle: UInt32 { UInt32(truncatingIfNeeded: raw >> 16) }
}

/// RFC 3550 §6.4.1, the block of a report about one source.
public struct ReportBlock: Equatable, Sendable {
  public var ssrc: SSRC
  /// Loss since the last report in units of 1/256.
  public var fractionLost: UInt8
  /// Packets lost since the start, −2^23 … 2^23 − 1.
  public var cumulativeLost: Int32
  /// Cycles in the high 16 bits, highest sequence number in the low 16.
  public var extendedHighestSequence: UInt32
  /// Interarrival jitter in timestamp ticks.
  public var jitter: UInt32
  /// Middle 32 bits of the last sender report's NTP time; 0 when there was none.
  public var lastSenderReport: UInt32
  /// Time since that report arrived, in 1/65536 s.
  public var delaySinceLastSenderReport: UInt32

  public init(
    ssrc: SSRC, fractionLost: UInt8, cumulativeLost: Int32, extendedHighestSequence: UInt32, jitter: UInt32,
    lastSenderReport: UInt32, delaySinceLastSenderReport: UInt32
  ) {
    self.ssrc = ssrc
    self.fractionLost = fractionLost
    self.cumulativeLost = cumulativeLost
    self.extendedHighestSequence = extendedHighestSequence
    self.jitter = jitter
    self.lastSenderReport = lastSenderReport
    self.delaySinceLastSenderReport = delaySinceLastSenderReport
  }
}

/// RFC 3550 §6.4.1.
public struct SenderReport: Equatable, Sendable {
  public var ssrc: SSRC
  public var ntpTime: NTPTime
  public var rtpTimestamp: RTPTimestamp
  public var packetCount: UInt32
  public var octetCount: UInt32
  public var reports: [ReportBlock]

  public init(
    ssrc: SSRC, ntpTime: NTPTime, rtpTimestamp: RTPTimestamp, packetCount: UInt32, octetCount: UInt32,
    reports: [ReportBlock] = []
  ) {
    self.ssrc = ssrc
    self.ntpTime = ntpTime
    self.rtpTimestamp = rtpTimestamp
    self.packetCount = packetCount
    self.octetCount = octetCount
    self.reports = reports
  }
}

/// RFC 3550 §6.4.2.
public struct ReceiverReport: Equatable, Sendable {
  public var ssrc: SSRC
  public var reports: [ReportBlock]

  public init(ssrc: SSRC, reports: [ReportBlock]) {
    self.ssrc = ssrc
    self.reports = reports
  }
}

/// RFC 3550 §6.5: item type 1 is CNAME.
public struct SourceDescription: Equatable, Sendable {
  public struct Chunk: Equatable, Sendable {
    public var ssrc: SSRC
    public var items: [(type: UInt8, text: String)]

    public init(ssrc: SSRC, items: [(type: UInt8, text: String)]) {
      self.ssrc = ssrc
      self.items = items
    }
    public static func == (left: Self, right: Self) -> Bool {
      left.ssrc == right.ssrc && left.items.elementsEqual(right.items) { $0 == $1 }
    }
  }
  public var chunks: [Chunk]

  public init(chunks: [Chunk]) { self.chunks = chunks }
}

/// RFC 3550 §6.6.
public struct Goodbye: Equatable, Sendable {
  public var sources: [SSRC]
  public var reason: String?

  public init(sources: [SSRC], reason: String? = nil) {
    self.sources = sources
    self.reason = reason
  }
}

/// RFC 4585 §6.2.1: sequence numbers that did not arrive.
public struct GenericNACK: Equatable, Sendable {
  public var sender: SSRC
  public var media: SSRC
  public var lost: [SequenceNumber]

  public init(sender: SSRC, media: SSRC, lost: [SequenceNumber]) {
    self.sender = sender
    self.media = media
    self.lost = lost
  }
}

/// RFC 4585 §6.3.1.
public struct PictureLossIndication: Equatable, Sendable {
  public var sender: SSRC
  public var media: SSRC

  public init(sender: SSRC, media: SSRC) {
    self.sender = sender
    self.media = media
  }
}

/// RFC 5104 §4.3.1.
public struct FullIntraRequest: Equatable, Sendable {
  public struct Entry: Equatable, Sendable {
    public var ssrc: SSRC
    public var sequence: UInt8

    public init(ssrc: SSRC, sequence: UInt8) {
      self.ssrc = ssrc
      self.sequence = sequence
    }
  }
  public var sender: SSRC
  public var entries: [Entry]

  public init(sender: SSRC, entries: [Entry]) {
    self.sender = sender
    self.entries = entries
  }
}

/// draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1.
public struct TransportFeedback: Equatable, Sendable {
  public struct Arrival: Equatable, Sendable {
    public var sequence: UInt16
    /// Ticks of 250 µs since the feedback's reference time; nil when the packet did not arrive.
    public var offset: Int?

    public init(sequence: UInt16, offset: Int?) {
      self.sequence = sequence
      self.offset = offset
    }
  }
  public var sender: SSRC
  public var media: SSRC
  /// Signed 24-bit count of 64 ms.
  public var referenceTime: Int32
  public var feedbackCount: UInt8
  /// Consecutive transport-wide sequence numbers from the base on.
  public var arrivals: [Arrival]

  public init(sender: SSRC, media: SSRC, referenceTime: Int32, feedbackCount: UInt8, arrivals: [Arrival]) {
    self.sender = sender
    self.media = media
    self.referenceTime = referenceTime
    self.feedbackCount = feedbackCount
    self.arrivals = arrivals
  }
}

/// draft-alvestrand-rmcat-remb-03 §2.2.
public struct BitrateEstimate: Equatable, Sendable {
  public var sender: SSRC
  /// Bits a second.
  public var bitrate: UInt64
  public var sources: [SSRC]

  public init(sender: SSRC, bitrate: UInt64, sources: [SSRC]) {
    self.sender = sender
    self.bitrate = bitrate
    self.sources = sources
  }
}
