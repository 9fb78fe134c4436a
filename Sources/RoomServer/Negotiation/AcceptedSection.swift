import RTCCore

/// What a subscriber takes on one section: the numbers that our packets to it carry.
struct AcceptedSection: Equatable, Sendable {
  var mid: String
  var payloadType: UInt8
  var rtxPayloadType: UInt8?
  var audioLevelID: UInt8?
  /// Where it was negotiated, every packet says which section it belongs to (RFC 9143 §15).
  var midID: UInt8?
}

/// How a subscriber knows the stream that carries a track.
struct OutgoingStream: Equatable, Sendable {
  var ssrc: SSRC
  /// Nil for audio.
  var rtxSSRC: SSRC?
  /// RFC 3550 §6.5.1.
  var cname: String
}
