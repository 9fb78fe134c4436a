import Conference
import RTCCore

/// What a tile tells about the video that it receives.
public struct TileStatistics: Hashable, Sendable {
  /// The layer that arrives; nil to find it by its size.
  public var layer: LayerID?
  /// Pixels of the last decoded picture; 0 before the first.
  public var width: Int
  public var height: Int
  /// Pictures decoded in the last second.
  public var framesPerSecond: Double
  /// Bits received in the last second.
  public var bitrate: Int
  /// Share of packets lost lately, 0…1.
  public var loss: Double

  public init(
    layer: LayerID? = nil, width: Int = 0, height: Int = 0, framesPerSecond: Double = 0, bitrate: Int = 0,
    loss: Double = 0
  ) {
    self.layer = layer
    self.width = width
    self.height = height
    self.framesPerSecond = framesPerSecond
    self.bitrate = bitrate
    self.loss = loss
  }
}

/// Where the room's sound goes.
public enum AudioStatus: Hashable, Sendable {
  case starting
  /// Plays on the device of this name.
  case playing(device: String)
  /// There is no device, or it went away: pictures go on without sound.
  case silent(reason: String)
  /// The person asked for none.
  case off
}

/// Everything that changes the screen, besides pictures.
public enum ScreenAction: Sendable {
  case room(RoomSnapshot)
  case key(Key)
  /// Cells, and the width of a cell over its height (commonly 0.5).
  case resize(columns: Int, rows: Int, cellAspect: Double)
  /// Pixels of a picture that a cell shows.
  case pixelDensity(PixelDensity)
  /// The newest figures of every received video track; tracks not named have none.
  case statistics([TrackID: TileStatistics])
  case audio(AudioStatus)
  /// Something that the person should read, shown over the tiles for some seconds.
  case message(String)
  /// The time now; send it about four times a second.
  case tick(MonotonicTime)
}

/// Everything that the screen wants done.
public enum ScreenEffect: Hashable, Sendable {
  /// The person wants out.
  case leave
  case requestLayer(TrackID, LayerRequest)
  /// Scale the pictures of a track to this size from now on; nil while none of them is shown.
  case setVideoTarget(TrackID, PixelSize?)
  /// 0 silent … 100 as sent.
  case setVolume(ParticipantIdentity, Int)
  case setMuted(ParticipantIdentity, Bool)
  /// Of everything that is heard, on top of each participant's own: 0…100.
  case setMasterVolume(Int)
  case setAllMuted(Bool)
}
