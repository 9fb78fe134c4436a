/// A JSON value (RFC 8259) as signalling carries it. Whole numbers stay whole, because ids have up to 53 bits.
public enum JSONValue: Equatable, Sendable {
  case null
  case truth(Bool)
  case integer(Int64)
  /// A number with a fraction or an exponent, or beyond 64 bits.
  case decimal(Double)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  /// The member of an object; null where there is none or this is no object.
  public subscript(name: String) -> JSONValue {
    guard case .object(let members) = self else { return .null }
    return members[name] ?? .null
  }

  public var isNull: Bool { self == .null }
  public var textValue: String? { if case .text(let value) = self { value } else { nil } }
  public var truthValue: Bool? { if case .truth(let value) = self { value } else { nil } }
  public var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }
  /// The elements of a list; nothing where this is none.
  public var elements: [JSONValue] { if case .list(let values) = self { values } else { [] } }

  /// A whole number within `range`; nil for everything else.
  public func integer(in range: ClosedRange<Int>) -> Int? {
    guard let value = integerValue, let number = Int(exactly: value), range.contains(number) else { return nil }
    return number
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .text(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(booleanLiteral value: Bool) { self = .truth(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .list(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}

extension JSONValue {
  /// The value's text in UTF-8, without white space, members in the order of their names.
  public func serialized() -> [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .truth(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    // JSON has no word for what is not a number.
    case .decimal(let value): bytes += (value.isFinite ? String(value) : "null").utf8
    case .text(let value): Self.write(value, to: &bytes)
    case .list(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
