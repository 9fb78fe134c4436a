import RTCCore

/// The running numbers of a VP8 stream (RFC 7741 §4.2) as last sent.
struct VP8PictureNumbers: Equatable, Sendable {
  /// Not wrapped; its low 15 bits go on the wire.
  var pictureID: Int?
  var temporalBaseIndex: UInt8?
  var keyIndex: UInt8?
}

/// Moves one layer's VP8 numbers so that they go on from the layer before.
struct VP8PictureMap: Equatable, Sendable {
  private var highestSource: Int?
  private var pictureOffset = 0
  private var baseOffset: UInt8 = 0
  private var keyOffset: UInt8 = 0
  /// The newest numbers given out.
  private(set) var newest: VP8PictureNumbers

  /// A map in which `first` follows `last` by one in each number; without `last` the numbers stay as they are.
  init(first: VP8PayloadDescriptor, after last: VP8PictureNumbers?) {
    newest = last ?? VP8PictureNumbers()
    if let source = first.pictureID {
      highestSource = Int(source.value)
      if let previous = last?.pictureID { pictureOffset = previous + 1 - Int(source.value) }
    }
    if let source = first.temporalBaseIndex, let previous = last?.temporalBaseIndex {
      baseOffset = previous &+ 1 &- source
    }
    if let source = first.keyIndex, let previous = last?.keyIndex { keyOffset = previous &+ 1 &- source }
  }

  /// The descriptor with its numbers moved. A picture id always takes the 15-bit form, so that its width never changes.
  mutating func map(_ descriptor: VP8PayloadDescriptor) -> VP8PayloadDescriptor {
    var result = descriptor
    result.temporalBaseIndex = descriptor.temporalBaseIndex.map { $0 &+ baseOffset }
    result.keyIndex = descriptor.keyIndex.map { ($0 &+ keyOffset) & 0x1F }
    guard let source = descriptor.pictureID else { return result }
    let picture = unwrap(source) + pictureOffset
    result.pictureID = VP8PayloadDescriptor.PictureID(UInt16(truncatingIfNeeded: picture))
    if picture >= newest.pictureID ?? Int.min {
      newest = VP8PictureNumbers(
        pictureID: picture, temporalBaseIndex: result.temporalBaseIndex ?? newest.temporalBaseIndex,
        keyIndex: result.keyIndex ?? newest.keyIndex)
    }
    return result
  }

  /// The picture id nearest to the highest so far, on a circle of 2^7 or 2^15.
  private mutating func unwrap(_ pictureID: VP8PayloadDescriptor.PictureID) -> Int {
    let source = Int(pictureID.value)
    guard let highest = highestSource else {
      highestSource = source
      return source
    }
    let size = pictureID.isLong ? 1 << 15 : 1 << 7
    var distance = (source - highest) % size
    if distance >= size / 2 { distance -= size } else if distance < -size / 2 { distance += size }
    let value = highest + distance
    if value > highest { highestSource = value }
    return value
  }
}
