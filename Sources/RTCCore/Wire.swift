/// Why bytes from outside could not be read. Offsets count bytes from the start of the message.
public enum WireError: Error, Equatable, Sendable {
  /// The message ends before the field at this offset is complete.
  case truncated(at: Int)
  /// The version field has a value that this program does not speak.
  case badVersion(UInt8)
  /// A field holds a value that its specification forbids; the name is the specification's.
  case invalid(String)
}

extension RawSpan {
  /// Big-endian integer at `offset`, which then moves past it.
  @inlinable
  public func read<T: FixedWidthInteger & BitwiseCopyable>(
    _: T.Type = T.self, at offset: inout Int
  ) throws(WireError) -> T {
    guard offset >= 0, byteCount - offset >= MemoryLayout<T>.size else { throw .truncated(at: offset) }
    let value = T(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: T.self))
    offset += MemoryLayout<T>.size
    return value
  }

  /// The next `count` bytes as an array; `offset` then moves past them.
  public func readBytes(_ count: Int, at offset: inout Int) throws(WireError) -> [UInt8] {
    guard offset >= 0, count >= 0, byteCount - offset >= count else { throw .truncated(at: offset) }
    let bytes = extracting(offset..<(offset + count)).withUnsafeBytes { Array($0) }
    offset += count
    return bytes
  }
}

/// Builds a message in network byte order.
public struct ByteWriter: Sendable {
  public private(set) var bytes: [UInt8]

  public init(capacity: Int = 64) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  public var count: Int { bytes.count }

  public mutating func write<T: FixedWidthInteger>(_ value: T) {
    var rest = MemoryLayout<T>.size
    while rest > 0 {
      rest -= 1
      bytes.append(UInt8(truncatingIfNeeded: value >> T(rest * 8)))
    }
  }

  /// Writes the low 24 bits of `value`.
  public mutating func write24(_ value: UInt32) {
    bytes.append(UInt8(truncatingIfNeeded: value >> 16))
    write(UInt16(truncatingIfNeeded: value))
  }

  public mutating func write(contentsOf other: some Sequence<UInt8>) { bytes.append(contentsOf: other) }

  /// Overwrites two bytes already written; `offset + 2` must not pass the end.
  public mutating func patch(_ value: UInt16, at offset: Int) {
    bytes[offset] = UInt8(value >> 8)
    bytes[offset + 1] = UInt8(truncatingIfNeeded: value)
  }
}
