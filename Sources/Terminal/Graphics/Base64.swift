/// Base64 (RFC 4648 §4), straight into the bytes on their way out.
enum Base64 {
  /// Writes the four characters of three bytes, given as a number of 24 bits.
  static func encode(_ bits: UInt32, into bytes: UnsafeMutablePointer<UInt8>) {
    bytes[0] = character(bits >> 18)
    bytes[1] = character(bits >> 12)
    bytes[2] = character(bits >> 6)
    bytes[3] = character(bits)
  }

  /// Appends any number of bytes, padded at their end.
  static func append(_ source: ArraySlice<UInt8>, to buffer: inout ByteBuffer) {
    source.withUnsafeBufferPointer { source in
      buffer.append(count: (source.count + 2) / 3 * 4) { bytes in
        for group in 0..<((source.count + 2) / 3) {
          let first = group * 3
          var bits = UInt32(source[first]) << 16
          if first + 1 < source.count { bits |= UInt32(source[first + 1]) << 8 }
          if first + 2 < source.count { bits |= UInt32(source[first + 2]) }
          encode(bits, into: bytes + group * 4)
          if first + 2 >= source.count { bytes[group * 4 + 3] = UInt8(ascii: "=") }
          if first + 1 >= source.count { bytes[group * 4 + 2] = UInt8(ascii: "=") }
        }
      }
    }
  }

  /// Arithmetic instead of a table: it needs no bounds and the compiler makes it parallel.
  private static func character(_ bits: UInt32) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: bits & 63)
    return switch value {
    case ..<26: value &+ UInt8(ascii: "A")
    case ..<52: value &- 26 &+ UInt8(ascii: "a")
    case ..<62: value &- 52 &+ UInt8(ascii: "0")
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }
}
