import Conference
import RTCCore

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

/// What a link to the terminal that cannot carry everything leaves of the pictures.
public struct LinkStatus: Hashable, Sendable {
  /// What is kept of the colours.
  public enum Colors: Hashable, Sendable {
    /// As many as the terminal has.
    case full
    /// As many, but near ones count as the same.
    case coarse
    /// This many.
    case palette(Int)
  }
  public var colors: Colors
  /// Frames a second that arrive.
  public var framesPerSecond: Int

  public init(colors: Colors, framesPerSecond: Int) {
    self.colors = colors
    self.framesPerSecond = framesPerSecond
  }
}

/// Everything that changes the screen, besides pictures.
public enum ScreenAction: Sendable {
  case room(RoomSnapshot)
  case key(Key)
  /// Cells, and the width of a cell over its height (commonly 0.5).
  case resize(columns: Int, rows: Int, cellAspect: Double)
  /// Pixels of a picture that a cell shows.
  case pixelDensity(PixelDensity)
  /// The newest figures of every received track; tracks not named have none.
  case statistics([TrackID: TileStatistics])
  /// Figures of no track: what arrived and belonged to none, and pictures that the terminal had no time for.
  case totals(unclaimed: DropCounters, picturesSkipped: Int)
  case audio(AudioStatus)
  /// How the link to the terminal copes; nil while it carries everything.
  case link(LinkStatus?)
  /// Something that the person should read, shown over the tiles for some seconds.
  case message(String)
  /// What the clock on the wall shows, in seconds since midnight, 0..<86 400; for the times of events.
  case wallClock(secondsOfDay: Int)
  /// The themes that there are, and which of them is shown.
  case themes([String], current: String)
  /// Show the theme of this name.
  case theme(String)
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
  /// Which room of a wall is heard; nil for all.
  case hear(RoomKey?)
  /// Keep the newest picture of a track, at the size that was decoded, in a file: the one that the person named, else
  /// one named after the room and `of`, whose tile it is.
  case snapshot(TrackID, of: String, file: String?)
  /// Draw in the colours of this theme from now on.
  case showTheme(String)
}
