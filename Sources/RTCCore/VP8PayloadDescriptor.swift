/// The bytes in front of each piece of a VP8 frame in RTP (RFC 7741 §4.2).
public struct VP8PayloadDescriptor: Hashable, Sendable {
  /// A running number of frames, of 7 or 15 bits on the wire.
  public struct PictureID: Hashable, Sendable {
    public var value: UInt16
    /// Whether it is written in two bytes (15 bits) instead of one (7 bits).
    public var isLong: Bool

    public init(_ value: UInt16, isLong: Bool = true) {
      self.isLong = isLong
      self.value = value & (isLong ? 0x7FFF : 0x7F)
    }
    /// The id of the frame `steps` later, in the same number of bits.
    public func advanced(by steps: Int) -> Self {
      Self(value &+ UInt16(truncatingIfNeeded: steps), isLong: isLong)
    }
  }

  /// The place of a frame among the temporal layers.
  public struct TemporalLayer: Hashable, Sendable {
    /// 0…3; 0 is the base layer.
    public var id: UInt8
    /// Y: the frame depends on the base layer only, so a receiver may begin to take this layer here.
    public var isSync: Bool

    public init(id: UInt8, isSync: Bool = false) {
      self.id = id & 3
      self.isSync = isSync
    }
  }

  /// N: no other frame refers to this one.
  public var isNonReference: Bool
  /// S: the payload begins a partition.
  public var isPartitionStart: Bool
  /// PID, 0…7.
  public var partitionIndex: UInt8
  public var pictureID: PictureID?
  /// TL0PICIDX: running number of base-layer frames.
  public var temporalBaseIndex: UInt8?
  /// TID and Y.
  public var temporalLayer: TemporalLayer?
  /// KEYIDX, 0…31: running number of key frames.
  public var keyIndex: UInt8?

  public init(
    isNonReference: Bool = false, isPartitionStart: Bool = false, partitionIndex: UInt8 = 0,
    pictureID: PictureID? = nil, temporalBaseIndex: UInt8? = nil, temporalLayer: TemporalLayer? = nil,
    keyIndex: UInt8? = nil
  ) {
    self.isNonReference = isNonReference
    self.isPartitionStart = isPartitionStart
    self.partitionIndex = partitionIndex & 7
    self.pictureID = pictureID
    self.temporalBaseIndex = temporalBaseIndex
    self.temporalLayer = temporalLayer
    self.keyIndex = keyIndex.map { $0 & 31 }
  }

  /// Reads the descriptor at `offset` of an RTP payload and moves `offset` to the VP8 bytes behind it.
  public init(parsing payload: [UInt8], at offset: inout Int) throws(WireError) {
    let span = payload.span.bytes
    let first: UInt8 = try span.read(at: &offset)
    self.init(
      isNonReference: first & 0x20 != 0, isPartitionStart: first & 0x10 != 0, partitionIndex: first & 7)
    guard first & 0x80 != 0 else { return }
    let present: UInt8 = try span.read(at: &offset)
    if present & 0x80 != 0 {
      let high: UInt8 = try span.read(at: &offset)
      if high & 0x80 != 0 {
        let low: UInt8 = try span.read(at: &offset)
        pictureID = PictureID(UInt16(high & 0x7F) << 8 | UInt16(low), isLong: true)
      } else {
        pictureID = PictureID(UInt16(high), isLong: false)
      }
    }
    if present & 0x40 != 0 { temporalBaseIndex = try span.read(at: &offset) }
    if present & 0x30 != 0 {
      let layers: UInt8 = try span.read(at: &offset)
      if present & 0x20 != 0 { temporalLayer = TemporalLayer(id: layers >> 6, isSync: layers & 0x20 != 0) }
      if present & 0x10 != 0 { keyIndex = layers & 31 }
    }
  }

  /// The descriptor's bytes, 1…6.
  public func serialized() -> [UInt8] {
    var present: UInt8 = 0
    if pictureID != nil { present |= 0x80 }
    if temporalBaseIndex != nil { present |= 0x40 }
    if temporalLayer != nil { present |= 0x20 }
    if keyIndex != nil { present |= 0x10 }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(6)
    bytes.append(
      (present != 0 ? 0x80 : 0) | (isNonReference ? 0x20 : 0) | (isPartitionStart ? 0x10 : 0) | (partitionIndex & 7))
    guard present != 0 else { return bytes }
    bytes.append(present)
    if let pictureID {
      if pictureID.isLong { bytes.append(0x80 | UInt8(truncatingIfNeeded: pictureID.value >> 8)) }
      bytes.append(UInt8(truncatingIfNeeded: pictureID.value) & (pictureID.isLong ? 0xFF : 0x7F))
    }
    if let temporalBaseIndex { bytes.append(temporalBaseIndex) }
    if temporalLayer != nil || keyIndex != nil {
      var layers = (keyIndex ?? 0) & 31
      if let temporalLayer { layers |= (temporalLayer.id & 3) << 6 | (temporalLayer.isSync ? 0x20 : 0) }
      bytes.append(layers)
    }
    return bytes
  }

  /// Whether the packet is the first of a frame (RFC 7741 §4.2).
  public var startsFrame: Bool { isPartitionStart && partitionIndex == 0 }

  /// Whether the packet is the first of a key frame: the P bit of the compressed bytes, which begin at `offset` of its
  /// payload, is clear (RFC 7741 §4.3).
  public func startsKeyFrame(_ payload: [UInt8], at offset: Int) -> Bool {
    startsFrame && payload.indices.contains(offset) && payload[offset] & 1 == 0
  }
}
