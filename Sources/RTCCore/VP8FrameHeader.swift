/// The uncompressed head of a VP8 frame (RFC 6386 §9.1).
public struct VP8FrameHeader: Hashable, Sendable {
  /// Picture size in pixels, 1…16 383 each way.
  public struct Size: Hashable, Sendable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }
  }

  public var isKeyFrame: Bool
  /// Bitstream version, 0…3.
  public var version: UInt8
  /// Whether the frame is to be shown.
  public var isShown: Bool
  /// Length of the first partition in bytes.
  public var firstPartitionSize: Int
  /// Present on key frames only.
  public var size: Size?

  /// Reads the head of the frame that starts at `offset` of `bytes`.
  public init(parsing bytes: [UInt8], at offset: Int = 0) throws(WireError) {
    let span = bytes.span.bytes
    var offset = offset
    let low: UInt8 = try span.read(at: &offset)
    let middle: UInt8 = try span.read(at: &offset)
    let high: UInt8 = try span.read(at: &offset)
    let tag = UInt32(low) | UInt32(middle) << 8 | UInt32(high) << 16
    isKeyFrame = tag & 1 == 0
    version = UInt8(truncatingIfNeeded: tag >> 1) & 7
    isShown = tag & 0x10 != 0
    firstPartitionSize = Int(tag >> 5)
    guard version <= 3 else { throw .invalid("version") }
    guard isKeyFrame else { return }
    for expected: UInt8 in [0x9D, 0x01, 0x2A] {
      let byte: UInt8 = try span.read(at: &offset)
      guard byte == expected else { throw .invalid("start code") }
    }
    // Little-endian, with two bits of upscaling hint above fourteen bits of size.
    let width = Int((try span.read(UInt16.self, at: &offset)).byteSwapped & 0x3FFF)
    let height = Int((try span.read(UInt16.self, at: &offset)).byteSwapped & 0x3FFF)
    guard width > 0, height > 0 else { throw .invalid("size") }
    size = Size(width: width, height: height)
  }
}
