extension RTCPPacket {
  /// RTCP packet types (RFC 3550 §12.1, RFC 4585 §6.1).
  enum PayloadType {
    static let senderReport: UInt8 = 200
    static let receiverReport: UInt8 = 201
    static let sourceDescription: UInt8 = 202
    static let goodbye: UInt8 = 203
    static let transportFeedback: UInt8 = 205
    static let payloadFeedback: UInt8 = 206
  }

  /// The most arrivals that all transport-wide feedback of one compound may list together. Run-length chunks say
  /// thousands in two bytes, so the datagram's size alone does not bound the memory.
  static let maximumArrivals = 65_536

  /// Reads every packet of a compound, or of a reduced-size one (RFC 5506). One malformed packet makes the whole
  /// compound malformed; kinds that are not known become ``RTCPPacket/other(payloadType:format:)``.
  public static func parseCompound(_ bytes: [UInt8]) throws(WireError) -> [RTCPPacket] {
    guard !bytes.isEmpty else { throw .truncated(at: 0) }
    let span = bytes.span.bytes
    var packets: [RTCPPacket] = []
    var offset = 0
    var arrivals = 0
    while offset < bytes.count {
      let start = offset
      let first: UInt8 = try span.read(at: &offset)
      guard first >> 6 == 2 else { throw .badVersion(first >> 6) }
      let payloadType: UInt8 = try span.read(at: &offset)
      let words: UInt16 = try span.read(at: &offset)
      let next = start + (Int(words) + 1) * 4
      guard next <= bytes.count else { throw .truncated(at: bytes.count) }
      var end = next
      // RFC 3550 §6.4.1 allows padding on the last packet only, yet widespread senders pad each transport-wide
      // feedback wherever it stands.
      if first & 0x20 != 0 {
        let padding = bytes[next - 1]
        guard padding > 0, Int(padding) <= end - offset else { throw .invalid("padding") }
        end -= Int(padding)
      }
      let body = span.extracting(offset..<end)
      let packet = try parse(payloadType: payloadType, format: first & 0x1F, body: body)
      if case .transportFeedback(let feedback) = packet {
        arrivals += feedback.arrivals.count
        guard arrivals <= maximumArrivals else { throw .invalid("packet status count") }
      }
      packets.append(packet)
      offset = next
    }
    return packets
  }

  private static func parse(
    payloadType: UInt8, format: UInt8, body: RawSpan
  ) throws(WireError) -> RTCPPacket {
    switch (payloadType, format) {
    case (PayloadType.senderReport, _): .senderReport(try SenderReport(body: body, count: format))
    case (PayloadType.receiverReport, _): .receiverReport(try ReceiverReport(body: body, count: format))
    case (PayloadType.sourceDescription, _): .sourceDescription(try SourceDescription(body: body, count: format))
    case (PayloadType.goodbye, _): .goodbye(try Goodbye(body: body, count: format))
    case (PayloadType.transportFeedback, 1): .nack(try GenericNACK(body: body))
    case (PayloadType.transportFeedback, 15): .transportFeedback(try TransportFeedback(body: body))
    case (PayloadType.payloadFeedback, 1): .pictureLossIndication(try PictureLossIndication(body: body))
    case (PayloadType.payloadFeedback, 4): .fullIntraRequest(try FullIntraRequest(body: body))
    case (PayloadType.payloadFeedback, 15) where BitrateEstimate.isMarked(body):
      .bitrateEstimate(try BitrateEstimate(body: body))
    default: .other(payloadType: payloadType, format: format)
    }
  }
}

extension ReportBlock {
  fileprivate init(_ body: RawSpan, at offset: inout Int) throws(WireError) {
    let ssrc = SSRC(try body.read(at: &offset))
    let loss: UInt32 = try body.read(at: &offset)
    self.init(
      ssrc: ssrc, fractionLost: UInt8(loss >> 24), cumulativeLost: Int32(bitPattern: loss << 8) >> 8,
      extendedHighestSequence: try body.read(at: &offset), jitter: try body.read(at: &offset),
      lastSenderReport: try body.read(at: &offset), delaySinceLastSenderReport: try body.read(at: &offset))
  }

  fileprivate static func list(_ count: UInt8, _ body: RawSpan, at offset: inout Int) throws(WireError) -> [ReportBlock]
  {
    var reports: [ReportBlock] = []
    for _ in 0..<count { reports.append(try ReportBlock(body, at: &offset)) }
    return reports
  }
}

extension SenderReport {
  fileprivate init(body: RawSpan, count: UInt8) throws(WireError) {
    var offset = 0
    self.init(
      ssrc: SSRC(try body.read(at: &offset)), ntpTime: NTPTime(raw: try body.read(at: &offset)),
      rtpTimestamp: RTPTimestamp(try body.read(at: &offset)), packetCount: try body.read(at: &offset),
      octetCount: try body.read(at: &offset), reports: try ReportBlock.list(count, body, at: &offset))
  }
}

extension ReceiverReport {
  fileprivate init(body: RawSpan, count: UInt8) throws(WireError) {
    var offset = 0
    self.init(ssrc: SSRC(try body.read(at: &offset)), reports: try ReportBlock.list(count, body, at: &offset))
  }
}

extension SourceDescription {
  fileprivate init(body: RawSpan, count: UInt8) throws(WireError) {
    var offset = 0
    var chunks: [Chunk] = []
    for _ in 0..<count {
      var chunk = Chunk(ssrc: SSRC(try body.read(at: &offset)), items: [])
      while true {
        let type: UInt8 = try body.read(at: &offset)
        if type == 0 { break }
        let length: UInt8 = try body.read(at: &offset)
        let text = try body.readBytes(Int(length), at: &offset)
        chunk.items.append((type, String(decoding: text, as: UTF8.self)))
      }
      // The list ends with one to four zero bytes, up to the next 32-bit boundary.
      offset = (offset + 3) & ~3
      guard offset <= body.byteCount else { throw .truncated(at: body.byteCount) }
      chunks.append(chunk)
    }
    self.init(chunks: chunks)
  }
}

extension Goodbye {
  fileprivate init(body: RawSpan, count: UInt8) throws(WireError) {
    var offset = 0
    var sources: [SSRC] = []
    for _ in 0..<count { sources.append(SSRC(try body.read(at: &offset))) }
    var reason: String?
    if offset < body.byteCount {
      let length: UInt8 = try body.read(at: &offset)
      reason = String(decoding: try body.readBytes(Int(length), at: &offset), as: UTF8.self)
    }
    self.init(sources: sources, reason: reason)
  }
}

extension GenericNACK {
  fileprivate init(body: RawSpan) throws(WireError) {
    var offset = 0
    self.init(sender: SSRC(try body.read(at: &offset)), media: SSRC(try body.read(at: &offset)), lost: [])
    guard offset < body.byteCount else { throw .truncated(at: offset) }
    while offset < body.byteCount {
      let first = SequenceNumber(try body.read(at: &offset))
      let following: UInt16 = try body.read(at: &offset)
      lost.append(first)
      for bit in 0..<16 where following >> bit & 1 != 0 { lost.append(first.advanced(by: bit + 1)) }
    }
  }
}

extension PictureLossIndication {
  fileprivate init(body: RawSpan) throws(WireError) {
    var offset = 0
    self.init(sender: SSRC(try body.read(at: &offset)), media: SSRC(try body.read(at: &offset)))
  }
}

extension FullIntraRequest {
  fileprivate init(body: RawSpan) throws(WireError) {
    var offset = 0
    self.init(sender: SSRC(try body.read(at: &offset)), entries: [])
    // The header's media SSRC means nothing here; each entry names its own.
    let _: UInt32 = try body.read(at: &offset)
    guard offset < body.byteCount else { throw .truncated(at: offset) }
    while offset < body.byteCount {
      let ssrc = SSRC(try body.read(at: &offset))
      let rest: UInt32 = try body.read(at: &offset)
      entries.append(Entry(ssrc: ssrc, sequence: UInt8(rest >> 24)))
    }
  }
}

extension BitrateEstimate {
  /// "REMB" after the two SSRCs; application-layer feedback without it is somebody else's.
  static let mark: UInt32 = 0x5245_4D42

  fileprivate static func isMarked(_ body: RawSpan) -> Bool {
    var offset = 8
    return (try? body.read(UInt32.self, at: &offset)) == mark
  }

  fileprivate init(body: RawSpan) throws(WireError) {
    var offset = 0
    let sender = SSRC(try body.read(at: &offset))
    offset = 12
    let packed: UInt32 = try body.read(at: &offset)
    let mantissa = UInt64(packed & 0x3_FFFF)
    let exponent = UInt64(packed >> 18 & 0x3F)
    let bitrate = mantissa << exponent
    guard bitrate >> exponent == mantissa else { throw .invalid("BR Exp") }
    var sources: [SSRC] = []
    for _ in 0..<(packed >> 24) { sources.append(SSRC(try body.read(at: &offset))) }
    self.init(sender: sender, bitrate: bitrate, sources: sources)
  }
}
