extension RTPPacket {
  /// Reads one packet in clear (RFC 3550 §5.1). One-byte and two-byte header extensions are taken apart (RFC 8285);
  /// a header extension of another profile is skipped.
  public init(parsing bytes: [UInt8]) throws(WireError) {
    let span = bytes.span.bytes
    var offset = 0
    let first: UInt8 = try span.read(at: &offset)
    guard first >> 6 == 2 else { throw .badVersion(first >> 6) }
    let second: UInt8 = try span.read(at: &offset)
    let sequence: UInt16 = try span.read(at: &offset)
    let timestamp: UInt32 = try span.read(at: &offset)
    let ssrc: UInt32 = try span.read(at: &offset)

    var contributing: [SSRC] = []
    for _ in 0..<(first & 0x0F) { contributing.append(SSRC(try span.read(at: &offset))) }

    var extensions: [Extension] = []
    if first & 0x10 != 0 {
      let profile: UInt16 = try span.read(at: &offset)
      let words: UInt16 = try span.read(at: &offset)
      let end = offset + Int(words) * 4
      guard end <= bytes.count else { throw .truncated(at: bytes.count) }
      if profile == Self.oneByteProfile {
        extensions = try Self.readOneByteExtensions(span, from: offset, to: end)
      } else if profile & 0xFFF0 == Self.twoByteProfile {
        extensions = try Self.readTwoByteExtensions(span, from: offset, to: end)
      }
      offset = end
    }

    var end = bytes.count
    var padding: UInt8 = 0
    if first & 0x20 != 0 {
      guard offset < end, let last = bytes.last else { throw .truncated(at: end) }
      guard last > 0, Int(last) <= end - offset else { throw .invalid("padding") }
      padding = last
      end -= Int(last)
    }
    self.init(
      payloadType: second & 0x7F, marker: second & 0x80 != 0, sequenceNumber: SequenceNumber(sequence),
      timestamp: RTPTimestamp(timestamp), ssrc: SSRC(ssrc), contributingSources: contributing, extensions: extensions,
      payload: try span.readBytes(end - offset, at: &offset), paddingLength: padding)
  }

  /// The packet's bytes. Header extensions take the one-byte form where all of them fit it (ids 1…14, 1…16 bytes) and
  /// the two-byte form otherwise, which a peer understands only after `extmap-allow-mixed`. Elements with id 0 or more
  /// than 255 bytes have no form and are left out, as are contributing sources after the fifteenth.
  public func serialized() -> [UInt8] {
    let elements = extensions.filter { $0.id > 0 && $0.data.count <= 255 }
    let sources = contributingSources.prefix(15)
    var writer = ByteWriter(capacity: 12 + sources.count * 4 + 32 + payload.count + Int(paddingLength))
    let flags: UInt8 = (paddingLength > 0 ? 0x20 : 0) | (elements.isEmpty ? 0 : 0x10)
    writer.write(0x80 | flags | UInt8(sources.count))
    writer.write((marker ? 0x80 : 0) | (payloadType & 0x7F))
    writer.write(sequenceNumber.raw)
    writer.write(timestamp.raw)
    writer.write(ssrc.raw)
    for source in sources { writer.write(source.raw) }
    if !elements.isEmpty { Self.write(elements, to: &writer) }
    writer.write(contentsOf: payload)
    if paddingLength > 0 {
      writer.write(contentsOf: repeatElement(0, count: Int(paddingLength) - 1))
      writer.write(paddingLength)
    }
    return writer.bytes
  }

  private static let oneByteProfile: UInt16 = 0xBEDE
  /// The low four bits are free for the application.
  private static let twoByteProfile: UInt16 = 0x1000

  private static func readOneByteExtensions(
    _ span: RawSpan, from start: Int, to end: Int
  ) throws(WireError) -> [Extension] {
    var found: [Extension] = []
    var offset = start
    while offset < end {
      let head: UInt8 = try span.read(at: &offset)
      if head == 0 { continue }
      // RFC 8285 §4.2: id 15 ends the list, and so does an id 0 that claims a length.
      let id = head >> 4
      if id == 15 || id == 0 { break }
      let length = Int(head & 0x0F) + 1
      guard length <= end - offset else { throw .truncated(at: end) }
      found.append(Extension(id: id, data: try span.readBytes(length, at: &offset)))
    }
    return found
  }

  private static func readTwoByteExtensions(
    _ span: RawSpan, from start: Int, to end: Int
  ) throws(WireError) -> [Extension] {
    var found: [Extension] = []
    var offset = start
    while offset < end {
      let id: UInt8 = try span.read(at: &offset)
      if id == 0 { continue }
      guard offset < end else { throw .truncated(at: end) }
      let length: UInt8 = try span.read(at: &offset)
      guard Int(length) <= end - offset else { throw .truncated(at: end) }
      found.append(Extension(id: id, data: try span.readBytes(Int(length), at: &offset)))
    }
    return found
  }

  private static func write(_ elements: [Extension], to writer: inout ByteWriter) {
    let oneByte = elements.allSatisfy { $0.id <= 14 && (1...16).contains($0.data.count) }
    writer.write(oneByte ? oneByteProfile : twoByteProfile)
    let lengthOffset = writer.count
    writer.write(UInt16(0))
    for element in elements {
      if oneByte {
        writer.write(element.id << 4 | UInt8(element.data.count - 1))
      } else {
        writer.write(element.id)
        writer.write(UInt8(element.data.count))
      }
      writer.write(contentsOf: element.data)
    }
    while (writer.count - lengthOffset - 2) % 4 != 0 { writer.write(UInt8(0)) }
    writer.patch(UInt16(truncatingIfNeeded: (writer.count - lengthOffset - 2) / 4), at: lengthOffset)
  }
}
