extension STUNMessage {
  private enum AttributeType {
    static let username: UInt16 = 0x0006
    static let messageIntegrity: UInt16 = 0x0008
    static let errorCode: UInt16 = 0x0009
    static let unknownAttributes: UInt16 = 0x000A
    static let xorMappedAddress: UInt16 = 0x0020
    static let priority: UInt16 = 0x0024
    static let useCandidate: UInt16 = 0x0025
    static let software: UInt16 = 0x8022
    static let fingerprint: UInt16 = 0x8028
    static let iceControlled: UInt16 = 0x8029
    static let iceControlling: UInt16 = 0x802A
  }

  private static let magicCookie: UInt32 = 0x2112_A442
  private static let fingerprintMask: UInt32 = 0x5354_554E
  private static let headerLength = 20
  private static let integrityLength = 20
  /// A check is far smaller; this bounds what a hostile datagram can make us keep.
  private static let maximumAttributes = 64

  /// Reads one datagram's message: structure and FINGERPRINT, not MESSAGE-INTEGRITY, for which the user name must be
  /// looked up first. Attributes behind MESSAGE-INTEGRITY are ignored but for FINGERPRINT (RFC 8489 §14.5).
  public init(parsing bytes: [UInt8]) throws(WireError) {
    let span = bytes.span.bytes
    var offset = 0
    let type: UInt16 = try span.read(at: &offset)
    guard type & 0xC000 == 0 else { throw .invalid("message type") }
    let length = Int(try span.read(UInt16.self, at: &offset))
    guard try span.read(UInt32.self, at: &offset) == Self.magicCookie else { throw .invalid("magic cookie") }
    let transactionID = try span.readBytes(12, at: &offset)
    guard length % 4 == 0 else { throw .invalid("message length") }
    guard length <= bytes.count - offset else { throw .truncated(at: bytes.count) }
    guard length == bytes.count - offset else { throw .invalid("message length") }
    guard let messageClass = MessageClass(rawValue: (type >> 7 & 2) | (type >> 4 & 1)) else {
      throw .invalid("message type")
    }
    self.init(
      messageClass, method: (type & 0xF) | (type >> 1 & 0x70) | (type >> 2 & 0xF80), transactionID: transactionID)

    while offset < bytes.count {
      let start = offset
      let type: UInt16 = try span.read(at: &offset)
      let size = Int(try span.read(UInt16.self, at: &offset))
      let value = try span.readBytes(size, at: &offset)
      offset = (offset + 3) & ~3
      guard offset <= bytes.count else { throw .truncated(at: bytes.count) }
      if type == AttributeType.fingerprint {
        guard offset == bytes.count, value == Self.fingerprint(of: bytes[..<start]) else {
          throw .invalid("FINGERPRINT")
        }
        hasFingerprint = true
      } else if integrity != nil {
        continue
      } else if type == AttributeType.messageIntegrity {
        guard size == Self.integrityLength else { throw .invalid("MESSAGE-INTEGRITY") }
        var covered = ByteWriter(capacity: start)
        covered.write(contentsOf: bytes[..<start])
        covered.patch(UInt16(truncatingIfNeeded: offset - Self.headerLength), at: 2)
        integrity = (covered.bytes, value)
      } else {
        guard attributes.count < Self.maximumAttributes else { throw .invalid("attribute count") }
        attributes.append(try Self.attribute(type: type, value: value, transactionID: transactionID))
      }
    }
  }

  /// The message's bytes, with MESSAGE-INTEGRITY when a key is given, and FINGERPRINT, which ICE always wants.
  public func serialized(integrityKey: [UInt8]?, mac: MessageAuthentication) -> [UInt8] {
    var writer = unprotected()
    if let integrityKey {
      writer.patch(UInt16(truncatingIfNeeded: writer.count + 24 - Self.headerLength), at: 2)
      let code = mac(integrityKey, writer.bytes)
      writer.write(AttributeType.messageIntegrity)
      writer.write(UInt16(Self.integrityLength))
      writer.write(contentsOf: code)
    }
    return Self.fingerprinted(writer)
  }

  /// The message's bytes with FINGERPRINT only, as for a query to a STUN server.
  public func serialized() -> [UInt8] { Self.fingerprinted(unprotected()) }

  private static func fingerprinted(_ message: ByteWriter) -> [UInt8] {
    var writer = message
    writer.patch(UInt16(truncatingIfNeeded: writer.count + 8 - headerLength), at: 2)
    let value = fingerprint(of: writer.bytes[...])
    writer.write(AttributeType.fingerprint)
    writer.write(UInt16(4))
    writer.write(contentsOf: value)
    return writer.bytes
  }

  private static func fingerprint(of bytes: ArraySlice<UInt8>) -> [UInt8] {
    let value = CRC32.checksum(bytes) ^ fingerprintMask
    return (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) }
  }

  private func unprotected() -> ByteWriter {
    var writer = ByteWriter(capacity: 128)
    let method = (self.method & 0xF) | (self.method & 0x70) << 1 | (self.method & 0xF80) << 2
    writer.write(method | (messageClass.rawValue & 2) << 7 | (messageClass.rawValue & 1) << 4)
    writer.write(UInt16(0))
    writer.write(Self.magicCookie)
    writer.write(contentsOf: transactionID)
    for attribute in attributes { write(attribute, to: &writer) }
    writer.patch(UInt16(truncatingIfNeeded: writer.count - Self.headerLength), at: 2)
    return writer
  }

  private func write(_ attribute: Attribute, to writer: inout ByteWriter) {
    func write(_ type: UInt16, _ value: some Collection<UInt8>) {
      writer.write(type)
      writer.write(UInt16(truncatingIfNeeded: value.count))
      writer.write(contentsOf: value)
      while writer.count % 4 != 0 { writer.write(UInt8(0)) }
    }
    func bytes<T: FixedWidthInteger>(_ number: T) -> [UInt8] {
      var writer = ByteWriter(capacity: 8)
      writer.write(number)
      return writer.bytes
    }
    switch attribute {
    case .username(let name): write(AttributeType.username, name.utf8.prefix(508))
    case .priority(let value): write(AttributeType.priority, bytes(value))
    case .useCandidate: write(AttributeType.useCandidate, [])
    case .iceControlled(let tieBreaker): write(AttributeType.iceControlled, bytes(tieBreaker))
    case .iceControlling(let tieBreaker): write(AttributeType.iceControlling, bytes(tieBreaker))
    case .mappedAddress(let endpoint):
      let address = zip(endpoint.address.bytes, Self.addressMask(transactionID)).map { $0 ^ $1 }
      let port = endpoint.port ^ UInt16(Self.magicCookie >> 16)
      write(AttributeType.xorMappedAddress, [0, address.count == 4 ? 1 : 2] + bytes(port) + address)
    case .errorCode(let code, let reason):
      let number = min(max(code, 300), 699)
      let head: [UInt8] = [0, 0, UInt8(number / 100), UInt8(number % 100)]
      write(AttributeType.errorCode, head + Array(reason.utf8.prefix(508)))
    case .unknownAttributes(let types): write(AttributeType.unknownAttributes, types.flatMap { bytes($0) })
    case .software(let text): write(AttributeType.software, text.utf8.prefix(508))
    case .other(let type, let value): write(type, value.prefix(0xFFFC))
    }
  }

  private static func attribute(
    type: UInt16, value: [UInt8], transactionID: [UInt8]
  ) throws(WireError) -> Attribute {
    let span = value.span.bytes
    var offset = 0
    func text(_ bytes: some Collection<UInt8>, _ name: String) throws(WireError) -> String {
      guard bytes.count <= 763, let text = String(validating: bytes, as: UTF8.self) else { throw .invalid(name) }
      return text
    }
    switch type {
    case AttributeType.username: return .username(try text(value, "USERNAME"))
    case AttributeType.software: return .software(try text(value, "SOFTWARE"))
    case AttributeType.priority where value.count == 4: return .priority(try span.read(at: &offset))
    case AttributeType.useCandidate where value.isEmpty: return .useCandidate
    case AttributeType.iceControlled where value.count == 8:
      return .iceControlled(tieBreaker: try span.read(at: &offset))
    case AttributeType.iceControlling where value.count == 8:
      return .iceControlling(tieBreaker: try span.read(at: &offset))
    case AttributeType.priority: throw .invalid("PRIORITY")
    case AttributeType.useCandidate: throw .invalid("USE-CANDIDATE")
    case AttributeType.iceControlled, AttributeType.iceControlling: throw .invalid("ICE role")
    case AttributeType.xorMappedAddress:
      let family: UInt16 = try span.read(at: &offset)
      let port: UInt16 = try span.read(at: &offset)
      let masked = zip(value.dropFirst(4), addressMask(transactionID)).map { $0 ^ $1 }
      guard value.count == (family & 0xFF == 1 ? 8 : family & 0xFF == 2 ? 20 : 0),
        let address = IPAddress(bytes: masked)
      else { throw .invalid("XOR-MAPPED-ADDRESS") }
      return .mappedAddress(IPEndpoint(address: address, port: port ^ UInt16(magicCookie >> 16)))
    case AttributeType.errorCode:
      let head: UInt32 = try span.read(at: &offset)
      let (hundreds, units) = (UInt16(head >> 8 & 7), UInt16(head & 0xFF))
      guard (3...6).contains(hundreds), units < 100 else { throw .invalid("ERROR-CODE") }
      return .errorCode(hundreds * 100 + units, reason: try text(value.dropFirst(4), "ERROR-CODE"))
    case AttributeType.unknownAttributes:
      guard value.count % 2 == 0 else { throw .invalid("UNKNOWN-ATTRIBUTES") }
      var types: [UInt16] = []
      while offset < value.count { types.append(try span.read(at: &offset)) }
      return .unknownAttributes(types)
    default: return .other(type: type, value: value)
    }
  }

  /// What an address is combined with: the magic cookie, then the transaction id (RFC 8489 §14.2).
  private static func addressMask(_ transactionID: [UInt8]) -> [UInt8] { [0x21, 0x12, 0xA4, 0x42] + transactionID }
}
