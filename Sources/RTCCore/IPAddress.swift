/// An IPv4 or IPv6 address, as bits in network order.
public enum IPAddress: Hashable, Sendable {
  case v4(UInt32)
  case v6(high: UInt64, low: UInt64)
}

/// An address with a port: where a datagram came from or goes to.
public struct IPEndpoint: Hashable, Sendable, CustomStringConvertible {
  public var address: IPAddress
  public var port: UInt16

  public init(address: IPAddress, port: UInt16) {
    self.address = address
    self.port = port
  }
  public var description: String {
    switch address {
    case .v4: "\(address):\(port)"
    case .v6: "[\(address)]:\(port)"
    }
  }
}

extension IPAddress: CustomStringConvertible {
  /// The address of 4 or 16 bytes in network order; nil for another number of bytes.
  public init?(bytes: some Collection<UInt8>) {
    func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    switch bytes.count {
    case 4: self = .v4(UInt32(number(bytes)))
    case 16: self = .v6(high: number(bytes.prefix(8)), low: number(bytes.dropFirst(8)))
    default: return nil
    }
  }

  /// 4 or 16 bytes in network order.
  public var bytes: [UInt8] {
    var writer = ByteWriter(capacity: 16)
    switch self {
    case .v4(let bits): writer.write(bits)
    case .v6(let high, let low):
      writer.write(high)
      writer.write(low)
    }
    return writer.bytes
  }

  /// Reads dotted decimal or RFC 4291 §2.2 text without a zone; nil for anything else, host names included.
  public init?(_ text: some StringProtocol) {
    let utf8 = Array(text.utf8.prefix(46))
    if utf8.contains(UInt8(ascii: ":")) {
      guard let groups = Self.groups(utf8[...]) else { return nil }
      let high = groups[..<4].reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
      self = .v6(high: high, low: groups[4...].reduce(UInt64(0)) { $0 << 16 | UInt64($1) })
    } else {
      guard let bits = Self.dotted(utf8[...]) else { return nil }
      self = .v4(bits)
    }
  }

  /// Dotted decimal, or RFC 5952 text for IPv6.
  public var description: String {
    switch self {
    case .v4(let bits):
      return "\(bits >> 24).\(bits >> 16 & 0xFF).\(bits >> 8 & 0xFF).\(bits & 0xFF)"
    case .v6(let high, let low):
      let groups = [high, low].flatMap { half in (0..<4).map { UInt16(truncatingIfNeeded: half >> (48 - $0 * 16)) } }
      var zeros = 0..<0
      var start = 0
      for index in 0...8 where index == 8 || groups[index] != 0 {
        if index - start > max(zeros.count, 1) { zeros = start..<index }
        start = index + 1
      }
      func text(_ part: ArraySlice<UInt16>) -> String {
        part.map { String($0, radix: 16) }.joined(separator: ":")
      }
      if zeros.isEmpty { return text(groups[...]) }
      return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
    }
  }

  private static func dotted(_ text: ArraySlice<UInt8>) -> UInt32? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }),
        let value = UInt8(String(decoding: part, as: UTF8.self))
      else { return nil }
      bits = bits << 8 | UInt32(value)
    }
    return bits
  }

  private static func groups(_ text: ArraySlice<UInt8>) -> [UInt16]? {
    let colon = UInt8(ascii: ":")
    // "::" splits the address into a head and a tail with zeros between.
    var gap: Int?
    for index in text.indices.dropLast() where text[index] == colon && text[index + 1] == colon {
      guard gap == nil else { return nil }
      gap = index
    }
    func list(_ part: ArraySlice<UInt8>) -> [UInt16]? {
      if part.isEmpty { return [] }
      var values: [UInt16] = []
      let fields = part.split(separator: colon, omittingEmptySubsequences: false)
      for (index, field) in fields.enumerated() {
        if index == fields.count - 1, let bits = dotted(field) {
          values += [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
          continue
        }
        guard (1...4).contains(field.count), field.first != UInt8(ascii: "+"),
          let value = UInt16(String(decoding: field, as: UTF8.self), radix: 16)
        else { return nil }
        values.append(value)
      }
      return values
    }
    guard let gap else { return list(text).flatMap { $0.count == 8 ? $0 : nil } }
    guard let head = list(text[..<gap]), let tail = list(text[(gap + 2)...]), head.count + tail.count < 8
    else { return nil }
    return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
  }
}
