/// Cuts VP8 frames into RTP payloads (RFC 7741 §4), with a 15-bit picture id and TL0PICIDX, one temporal layer.
public struct VP8Packetizer: Sendable {
  /// Bytes of the payload descriptor in front of each piece.
  public static let descriptorLength = 6

  /// The most bytes that one payload may have, descriptor included.
  public let maximumPayloadSize: Int
  private var pictureID: VP8PayloadDescriptor.PictureID
  private var temporalBaseIndex: UInt8

  /// - Parameters:
  ///   - maximumPayloadSize: more than ``descriptorLength``.
  ///   - pictureID: the first frame's picture id; its low 15 bits are used.
  ///   - temporalBaseIndex: the first frame's TL0PICIDX.
  public init(maximumPayloadSize: Int, pictureID: UInt16 = 0, temporalBaseIndex: UInt8 = 0) {
    precondition(maximumPayloadSize > Self.descriptorLength)
    self.maximumPayloadSize = maximumPayloadSize
    self.pictureID = VP8PayloadDescriptor.PictureID(pictureID)
    self.temporalBaseIndex = temporalBaseIndex
  }

  /// The payloads of one frame in order; their sizes differ by one byte at most, because one short last packet would
  /// cost as much as a full one. The RTP marker belongs on the last. A frame without bytes gives none.
  public mutating func packetize(_ frame: [UInt8]) -> [[UInt8]] {
    guard !frame.isEmpty else { return [] }
    var descriptor = VP8PayloadDescriptor(
      isPartitionStart: true, pictureID: pictureID, temporalBaseIndex: temporalBaseIndex,
      temporalLayer: VP8PayloadDescriptor.TemporalLayer(id: 0))
    pictureID = pictureID.advanced(by: 1)
    temporalBaseIndex &+= 1

    let room = maximumPayloadSize - Self.descriptorLength
    let count = (frame.count + room - 1) / room
    let (size, larger) = frame.count.quotientAndRemainder(dividingBy: count)
    var payloads: [[UInt8]] = []
    payloads.reserveCapacity(count)
    var start = 0
    for index in 0..<count {
      let end = start + size + (index < larger ? 1 : 0)
      var payload = descriptor.serialized()
      payload.reserveCapacity(Self.descriptorLength + end - start)
      payload.append(contentsOf: frame[start..<end])
      payloads.append(payload)
      descriptor.isPartitionStart = false
      start = end
    }
    return payloads
  }
}
