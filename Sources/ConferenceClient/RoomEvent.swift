import Conference
import RTCCore

/// What a joined room tells the program, in order.
public enum RoomEvent: Sendable {
  /// The room's description changed; the differences to the one before, leavers first.
  case changed(RoomSnapshot, [RoomChange])
  /// The first picture of a track was decoded: pixels, and time since the join was asked for.
  case firstFrame(ParticipantIdentity, TrackID, width: Int, height: Int, sinceJoin: Duration)
  /// The size of the decoded picture changed, and with it the layer that it belongs to.
  case layerChanged(ParticipantIdentity, TrackID, LayerID, width: Int, height: Int)
  /// A track that we publish got its id.
  case published(localID: String, TrackID)
  /// A track that we wanted to publish was not taken; the room's reason, as it came from outside.
  case publishFailed(localID: String, message: String)
  /// A track that was wanted cannot be received, with a sentence for a person; the others go on.
  case subscriptionFailed(ParticipantIdentity, TrackID, message: String)
  /// The conference is over; nothing follows.
  case left(LeaveReason)
}

/// What was measured about one received track.
public struct TrackStatistics: Sendable {
  /// Who sends it.
  public var participant: ParticipantIdentity
  /// The room's id of it.
  public var track: TrackID
  public var kind: MediaKind
  /// `vp8` or `opus`.
  public var codec: String
  /// The layer that the decoded size belongs to; nil for audio and before the first picture.
  public var layer: LayerID?
  /// Pixels of the decoded picture; 0 for audio and before the first picture.
  public var width = 0
  public var height = 0
  /// Decoded pictures in the last second.
  public var framesPerSecond = 0.0
  /// Bits in the last second, RTP payload and header.
  public var bitrate = 0
  /// What was counted on the way from the network to the decoder.
  public var received = ReceiveStatistics()
  /// Round trip to the server in milliseconds, as its signalling answers; nil while unknown.
  public var roundTripMilliseconds: Double?
  /// Pictures decoded since the track was subscribed.
  public var framesDecoded = 0
  /// Frames that arrived whole and were not decoded or not shown, because newer ones were there.
  public var framesDropped = 0
  /// Pauses in the picture that a person notices (W3C webrtc-stats, `freezeCount`).
  public var freezes = 0
  /// Time spent in those pauses.
  public var freezeMilliseconds = 0.0
  /// How long decoding has been waiting for a key frame; nil when it is not.
  public var waitingForKeyFrame: Duration?
  /// Requests for a key frame that were sent meanwhile.
  public var keyFrameRequestsWhileWaiting = 0
  /// Time since the last packet, or since the track was wanted again if that is shorter; nil while it is muted, held back
  /// or not asked for, and nothing is to be expected.
  public var sinceLastPacket: Duration?
  /// Time since the last picture was decoded, counted in the same way; nil also for audio.
  public var sinceLastPicture: Duration?
  /// Time from capture to decoding, where the picture carries a stamp (synthetic people do).
  public var latencyMilliseconds: Double?
  /// Everything that arrived and was not used, by reason.
  public var drops = DropCounters()

  public init(participant: ParticipantIdentity, track: TrackID, kind: MediaKind, codec: String) {
    self.participant = participant
    self.track = track
    self.kind = kind
    self.codec = codec
  }
}
