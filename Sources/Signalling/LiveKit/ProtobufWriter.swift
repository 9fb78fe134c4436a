/// Writes protobuf's wire format. The plain `write` forms leave zero values out, as proto3 does; ``writePresent(_:_:)``
/// keeps them, which members of a oneof need.
public struct ProtobufWriter: Sendable {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public mutating func write(_ field: Int, _ value: UInt32) {
    if value != 0 { writePresent(field, UInt64(value)) }
  }
  public mutating func write(_ field: Int, _ value: UInt64) {
    if value != 0 { writePresent(field, value) }
  }
  /// Negative values take ten bytes, as protobuf defines.
  public mutating func write(_ field: Int, _ value: Int32) {
    if value != 0 { writePresent(field, UInt64(bitPattern: Int64(value))) }
  }
  public mutating func write(_ field: Int, _ value: Int64) {
    if value != 0 { writePresent(field, UInt64(bitPattern: value)) }
  }
  public mutating func write(_ field: Int, _ value: Bool) {
    if value { writePresent(field, 1) }
  }
  public mutating func write(_ field: Int, _ value: Float) {
    guard value.bitPattern != 0 else { return }
    writeTag(field, .fixed32)
    for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> UInt32(index * 8))) }
  }
  public mutating func write<E: ProtobufEnum>(_ field: Int, _ value: E) { write(field, Int32(value.rawValue)) }
  /// Packed, as proto3 writes repeated scalars.
  public mutating func write<E: ProtobufEnum>(_ field: Int, _ values: [E]) {
    guard !values.isEmpty else { return }
    var packed = ProtobufWriter()
    for value in values { packed.writeVarint(UInt64(bitPattern: Int64(value.rawValue))) }
    writePresent(field, packed.bytes)
  }
  public mutating func write(_ field: Int, _ value: String) {
    if !value.isEmpty { writePresent(field, Array(value.utf8)) }
  }
  public mutating func write(_ field: Int, _ values: [String]) {
    for value in values { writePresent(field, Array(value.utf8)) }
  }
  public mutating func write(_ field: Int, _ value: [UInt8]) {
    if !value.isEmpty { writePresent(field, value) }
  }
  public mutating func write(_ field: Int, _ value: (some ProtobufMessage)?) {
    if let value { writePresent(field, value.serialized()) }
  }
  public mutating func write(_ field: Int, _ values: [some ProtobufMessage]) {
    for value in values { writePresent(field, value.serialized()) }
  }
  /// In the order of the keys, so that equal messages have equal bytes.
  public mutating func write(_ field: Int, _ map: [String: String]) {
    for (key, value) in map.sorted(by: { $0.key < $1.key }) {
      writePresent(field, ProtobufMapEntry(key: key, value: value).serialized())
    }
  }

  public mutating func writePresent(_ field: Int, _ value: UInt64) {
    writeTag(field, .varint)
    writeVarint(value)
  }
  public mutating func writePresent(_ field: Int, _ value: [UInt8]) {
    writeTag(field, .delimited)
    writeVarint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  private mutating func writeTag(_ field: Int, _ type: ProtobufReader.WireType) {
    writeVarint(UInt64(field) << 3 | UInt64(type.rawValue))
  }
  private mutating func writeVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}
