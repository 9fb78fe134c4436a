/// Why a protobuf message could not be read. Offsets count bytes from the start of the outermost message.
public enum ProtobufError: Error, Equatable, Sendable {
  /// The message ends before the field at this offset is complete.
  case truncated(at: Int)
  /// A variable-length integer of more than ten bytes, or of more than 64 bits.
  case varintTooLong(at: Int)
  /// Field number 0, or one above 2^29 − 1.
  case badFieldNumber(at: Int)
  /// A wire type that proto3 does not have (groups included).
  case badWireType(UInt8, at: Int)
  /// A known field came with another wire type than its definition has.
  case wrongWireType(field: Int)
  /// A `string` field that is not UTF-8.
  case notUTF8(field: Int)
  /// More bytes, messages or nesting than ``ProtobufReader/Limits`` allow.
  case tooLarge
}

/// Reads protobuf's wire format (protobuf.dev/programming-guides/encoding) field by field.
///
/// Call ``nextField()`` until it returns nil and read the value of each field that is known; a value left unread is
/// skipped by the next call, so unknown fields need no care.
public struct ProtobufReader: Sendable {
  /// What one message from a stranger may cost. The defaults hold any room that fits LiveKit's 2 MiB frames.
  public struct Limits: Equatable, Sendable {
    /// Bytes of the outermost message.
    public var bytes = 4 << 20
    /// Levels of messages within messages.
    public var depth = 12
    /// Nested messages in all, map entries included: an empty one takes two bytes on the wire but hundreds in memory.
    public var messages = 50_000

    public init() {}
  }

  enum WireType: UInt8 {
    case varint = 0
    case fixed64 = 1
    case delimited = 2
    case fixed32 = 5
  }

  private let bytes: [UInt8]
  private var offset = 0
  private var end: Int
  private var remainingDepth: Int
  private var remainingMessages: Int
  private var field = 0
  /// Wire type of a field whose value was not read yet.
  private var pending: WireType?

  public init(_ bytes: [UInt8], limits: Limits = Limits()) throws(ProtobufError) {
    guard bytes.count <= limits.bytes else { throw .tooLarge }
    self.bytes = bytes
    end = bytes.count
    remainingDepth = limits.depth
    remainingMessages = limits.messages
  }

  /// The number of the next field of the current message; nil at its end.
  public mutating func nextField() throws(ProtobufError) -> Int? {
    try skipPending()
    guard offset < end else { return nil }
    let start = offset
    let tag = try readVarint()
    let number = tag >> 3
    guard number >= 1, number < 1 << 29 else { throw .badFieldNumber(at: start) }
    let type = UInt8(tag & 7)
    guard let wireType = WireType(rawValue: type) else { throw .badWireType(type, at: start) }
    field = Int(number)
    pending = wireType
    return field
  }

  public mutating func uint64() throws(ProtobufError) -> UInt64 {
    try expect(.varint)
    return try readVarint()
  }
  public mutating func int64() throws(ProtobufError) -> Int64 { Int64(bitPattern: try uint64()) }
  /// Larger values lose their upper bits, as protobuf defines.
  public mutating func uint32() throws(ProtobufError) -> UInt32 { UInt32(truncatingIfNeeded: try uint64()) }
  /// Larger values lose their upper bits, as protobuf defines.
  public mutating func int32() throws(ProtobufError) -> Int32 { Int32(truncatingIfNeeded: try uint64()) }
  public mutating func bool() throws(ProtobufError) -> Bool { try uint64() != 0 }

  public mutating func float() throws(ProtobufError) -> Float {
    try expect(.fixed32)
    guard end - offset >= 4 else { throw .truncated(at: offset) }
    var bits: UInt32 = 0
    for index in 0..<4 { bits |= UInt32(bytes[offset + index]) << UInt32(index * 8) }
    offset += 4
    return Float(bitPattern: bits)
  }

  /// A value that this program has no name for becomes ``ProtobufEnum/unrecognized``.
  public mutating func enumeration<E: ProtobufEnum>(_: E.Type = E.self) throws(ProtobufError) -> E {
    E(rawValue: Int(try int32())) ?? .unrecognized
  }

  /// Appends the value or values of a repeated enum, packed or not.
  public mutating func appendEnumerations<E: ProtobufEnum>(to list: inout [E]) throws(ProtobufError) {
    guard pending == .delimited else {
      list.append(try enumeration())
      return
    }
    let range = try delimited()
    let outerEnd = end
    end = range.upperBound
    while offset < end {
      list.append(E(rawValue: Int(Int32(truncatingIfNeeded: try readVarint()))) ?? .unrecognized)
    }
    end = outerEnd
  }

  public mutating func string() throws(ProtobufError) -> String {
    let number = field
    let range = try delimited()
    offset = range.upperBound
    guard let text = String(validating: bytes[range], as: UTF8.self) else { throw .notUTF8(field: number) }
    return text
  }

  public mutating func data() throws(ProtobufError) -> [UInt8] {
    let range = try delimited()
    offset = range.upperBound
    return Array(bytes[range])
  }

  public mutating func message<M: ProtobufMessage>(_: M.Type = M.self) throws(ProtobufError) -> M {
    let range = try delimited()
    let outerEnd = end
    end = range.upperBound
    remainingDepth -= 1
    remainingMessages -= 1
    guard remainingDepth >= 0, remainingMessages >= 0 else { throw .tooLarge }
    var message = M()
    while let field = try nextField() { try message.read(field: field, from: &self) }
    end = outerEnd
    remainingDepth += 1
    return message
  }

  /// One entry of a `map<string, string>`.
  public mutating func entry(into map: inout [String: String]) throws(ProtobufError) {
    let entry = try message(ProtobufMapEntry.self)
    map[entry.key] = entry.value
  }

  private mutating func expect(_ type: WireType) throws(ProtobufError) {
    guard pending == type else { throw .wrongWireType(field: field) }
    pending = nil
  }

  /// The bytes of a length-delimited value; `offset` is left at their start.
  private mutating func delimited() throws(ProtobufError) -> Range<Int> {
    try expect(.delimited)
    return try readLength()
  }

  private mutating func readLength() throws(ProtobufError) -> Range<Int> {
    let length = try readVarint()
    guard length <= UInt64(end - offset) else { throw .truncated(at: offset) }
    return offset..<(offset + Int(length))
  }

  private mutating func readVarint() throws(ProtobufError) -> UInt64 {
    let start = offset
    var value: UInt64 = 0
    for index in 0..<10 {
      guard offset < end else { throw .truncated(at: offset) }
      let byte = bytes[offset]
      offset += 1
      // The tenth byte holds only the top bit of 64.
      guard index < 9 || byte <= 1 else { throw .varintTooLong(at: start) }
      value |= UInt64(byte & 0x7F) << UInt64(index * 7)
      if byte & 0x80 == 0 { return value }
    }
    throw .varintTooLong(at: start)
  }

  private mutating func skipPending() throws(ProtobufError) {
    guard let type = pending else { return }
    pending = nil
    switch type {
    case .varint: _ = try readVarint()
    case .delimited: offset = try readLength().upperBound
    case .fixed32, .fixed64:
      let size = type == .fixed32 ? 4 : 8
      guard end - offset >= size else { throw .truncated(at: offset) }
      offset += size
    }
  }
}

/// An enum of a protobuf schema.
public protocol ProtobufEnum: RawRepresentable<Int>, Hashable, Sendable {
  /// Stands for values that a newer schema may have.
  static var unrecognized: Self { get }
}

/// A message of a protobuf schema. Zero values are left out on the wire and unknown fields are skipped (proto3).
public protocol ProtobufMessage: Equatable, Sendable {
  init()
  /// Reads the value of one field, or leaves it if unknown.
  mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError)
  func write(to writer: inout ProtobufWriter)
}

extension ProtobufMessage {
  public init(parsing bytes: [UInt8], limits: ProtobufReader.Limits = .init()) throws(ProtobufError) {
    self.init()
    var reader = try ProtobufReader(bytes, limits: limits)
    while let field = try reader.nextField() { try read(field: field, from: &reader) }
  }

  public func serialized() -> [UInt8] {
    var writer = ProtobufWriter()
    write(to: &writer)
    return writer.bytes
  }
}

struct ProtobufMapEntry: ProtobufMessage {
  var key = ""
  var value = ""

  mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
    switch field {
    case 1: key = try reader.string()
    case 2: value = try reader.string()
    default: break
    }
  }
  func write(to writer: inout ProtobufWriter) {
    writer.write(1, key)
    writer.write(2, value)
  }
}
