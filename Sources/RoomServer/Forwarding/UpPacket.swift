import RTCCore

/// A packet of a published track, read once for all its subscribers.
struct UpPacket: Sendable {
  /// Index of the layer, 0 lowest.
  var layer: Int
  var packet: RTPPacket
  /// Sequence number that never wraps.
  var sequence: Int64
  var isPaddingOnly: Bool
  /// Descriptor at the start of a VP8 payload, and its length in bytes.
  var vp8: VP8PayloadDescriptor?
  var vp8Length = 0
  /// First packet of a key frame.
  var startsKeyFrame = false
  /// Loudness as the publisher measured it (RFC 6464).
  var audioLevel: AudioLevel?
  /// The layer's last sender report.
  var clock: SenderClock?
}
