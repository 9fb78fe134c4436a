import ConferenceClient
import Screen

extension TileStatistics {
  /// What the client measured, in the words of the screen.
  init(_ track: TrackStatistics) {
    self.init(
      layer: track.layer, width: track.width, height: track.height, framesPerSecond: track.framesPerSecond,
      bitrate: track.bitrate)
    codec = track.codec
    framesDecoded = track.framesDecoded
    packetsReceived = track.received.packetsReceived
    packetsLost = track.received.packetsLost
    jitterMilliseconds = track.received.jitterMilliseconds
    roundTripMilliseconds = track.roundTripMilliseconds
    nacks = track.received.nacks
    keyFrameRequests = track.received.keyFrameRequests
    freezes = track.freezes
    freezeMilliseconds = track.freezeMilliseconds
    drops = track.drops
    waitingForKeyFrame = track.waitingForKeyFrame
    keyFrameRequestsWhileWaiting = track.keyFrameRequestsWhileWaiting
    sinceLastPacket = track.sinceLastPacket
    sinceLastPicture = track.sinceLastPicture
  }
}
