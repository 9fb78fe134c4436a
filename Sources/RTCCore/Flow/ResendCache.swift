/// The packets sent last on one RTP stream, kept for answers to NACKs. Bounded by count and by age.
public struct ResendCache: Sendable {
  private struct Entry: Sendable {
    var packet: RTPPacket
    var sentAt: MonotonicTime
    var resentAt: MonotonicTime?
  }

  private var entries: [Entry?]
  private let mask: UInt16
  private let maximumAge: Duration
  private var roundTrip: Duration = .milliseconds(50)

  /// - Parameters:
  ///   - capacity: packets to keep, rounded up to a power of two, 32 768 at most. Default 512, about two seconds of one
  ///     megabit a second.
  ///   - maximumAge: older packets are of no use to a live receiver and are not given. Default 1 s.
  public init(capacity: Int = 512, maximumAge: Duration = .seconds(1)) {
    var size = 1
    while size < min(capacity, 32_768) { size *= 2 }
    entries = Array(repeating: nil, count: size)
    mask = UInt16(size - 1)
    self.maximumAge = maximumAge
  }

  /// The same packet is not given twice within a round trip. Before it is told, 50 ms is assumed.
  public mutating func setRoundTrip(_ roundTrip: Duration) { self.roundTrip = roundTrip }

  public mutating func insert(_ packet: RTPPacket, at now: MonotonicTime) {
    entries[Int(packet.sequenceNumber.raw & mask)] = Entry(packet: packet, sentAt: now, resentAt: nil)
  }

  /// The packet with this number, to be sent again now; nil when it is no longer kept, too old, or was given less than a
  /// round trip ago.
  public mutating func take(_ sequence: SequenceNumber, at now: MonotonicTime) -> RTPPacket? {
    let index = Int(sequence.raw & mask)
    guard let entry = entries[index], entry.packet.sequenceNumber == sequence, now - entry.sentAt <= maximumAge else {
      return nil
    }
    if let last = entry.resentAt, now - last < roundTrip { return nil }
    entries[index]?.resentAt = now
    return entry.packet
  }

  public mutating func removeAll() {
    for index in entries.indices { entries[index] = nil }
  }
}

/// The stream of retransmissions beside a media stream (RFC 4588 §4, session-multiplexed by SSRC).
public struct RTXStream: Sendable {
  public let ssrc: SSRC
  public let payloadType: UInt8
  /// Header extensions of each retransmission in place of the original's, such as mid and repaired rid.
  public var extensions: [RTPPacket.Extension]
  private var next: SequenceNumber

  public init(
    ssrc: SSRC, payloadType: UInt8, extensions: [RTPPacket.Extension] = [], firstSequence: SequenceNumber
  ) {
    self.ssrc = ssrc
    self.payloadType = payloadType
    self.extensions = extensions
    next = firstSequence
  }

  /// The retransmission of `packet`: its payload behind its number, with a number of this stream.
  public mutating func wrap(_ packet: RTPPacket) -> RTPPacket {
    var payload: [UInt8] = []
    payload.reserveCapacity(packet.payload.count + 2)
    payload.append(UInt8(packet.sequenceNumber.raw >> 8))
    payload.append(UInt8(truncatingIfNeeded: packet.sequenceNumber.raw))
    payload.append(contentsOf: packet.payload)
    defer { next = next.next }
    return RTPPacket(
      payloadType: payloadType, marker: packet.marker, sequenceNumber: next, timestamp: packet.timestamp, ssrc: ssrc,
      extensions: extensions, payload: payload)
  }
}
