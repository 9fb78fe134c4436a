import Conference
import RTCCore

/// Everything that the screen shows, apart from pictures. Changed only by ``reduce(_:_:)``.
public struct ScreenState: Sendable {
  public internal(set) var room = RoomSnapshot()
  public internal(set) var columns: Int
  public internal(set) var rows: Int
  /// Width of a cell over its height.
  public internal(set) var cellAspect: Double
  /// Pixels of a picture that a cell shows.
  public internal(set) var pixelDensity: PixelDensity
  public let subject: Subject

  /// How the person wants to see the tiles.
  public internal(set) var view: ViewOptions
  /// Every tile that the person wants to see, in order.
  public internal(set) var tiles: [TileID] = []
  public internal(set) var selected: TileID?
  /// Nobody has chosen whom to select, and not all rooms have let us in.
  var selectsFirst = true
  /// Shows the selected tile alone.
  public internal(set) var isZoomed = false
  /// In the order of pinning, also of people who left and may come back.
  public internal(set) var pinned: [TileID] = []
  /// Names of those who are to be pinned when they come.
  var expectedPins: [String]
  /// Tiles that the person does not want to see.
  public internal(set) var hiddenCount = 0
  /// Keys act on all tiles instead of the selected one.
  public internal(set) var targetsAll = false
  public internal(set) var overlay: Overlay?
  /// The person has asked to leave.
  public internal(set) var isLeaving = false
  public internal(set) var layout: ScreenLayout
  /// Where tiles are seen, in the order of drawing: as in ``layout``, or on their way there.
  public internal(set) var shown: [TilePlacement] = []

  public internal(set) var statistics: [TrackID: TileStatistics] = [:]
  /// The last minute of every received track.
  var histories: [TrackID: TrackHistory] = [:]
  /// What arrived and belonged to no track.
  public internal(set) var unclaimedDrops = DropCounters()
  /// Pictures that the terminal, or the link to it, had no time for.
  public internal(set) var picturesSkipped = 0
  public internal(set) var audio: AudioStatus = .starting
  /// nil while the link to the terminal carries everything.
  public internal(set) var link: LinkStatus?
  /// 0…100.
  public internal(set) var masterVolume = 100
  public internal(set) var isAllMuted = false
  /// Every room of a wall is heard, not only the one that the selected tile belongs to.
  public internal(set) var hearsAllRooms = false
  /// The room that is heard as it was last told; nil for all.
  var heardRoom: RoomKey? = .only
  /// What the person set otherwise than it was, also of those who left and may come back.
  public internal(set) var voices: [ParticipantIdentity: VoiceSettings] = [:]
  /// Newest last.
  public internal(set) var events: [EventNote] = []
  /// Lines that were typed as commands, newest last.
  var commandHistory: [String] = []
  public internal(set) var toast: Toast?
  /// The names of the themes that can be chosen, in the order in which the key goes through them.
  public internal(set) var themes: [String] = []
  /// The one that is shown.
  public internal(set) var theme = ""
  public internal(set) var now: MonotonicTime = .zero
  public internal(set) var joinedAt: MonotonicTime?
  /// When the day began by the clock on the wall; nil while that is not known.
  public internal(set) var midnight: MonotonicTime?

  /// The size to which the pictures of every shown track are to be scaled.
  public internal(set) var videoTargets: [TrackID: PixelSize] = [:]
  /// Since when each of them has been shown without a break.
  var shownSince: [TrackID: MonotonicTime] = [:]
  /// What was last asked for, of every subscribed track.
  public internal(set) var requested: [TrackID: LayerRequest] = [:]
  /// Grows whenever something other than a picture may look different.
  public internal(set) var revision: UInt64 = 0

  /// The page, row or line of the strip that is in sight.
  var position = 0
  var transition: LayoutTransition?
  var speakers = SpeakerTurns()
  /// Whose tile is the large one.
  var spotlight = SpeakerFocus()
  /// Who speaks from another page and has a place on this one.
  var guest = SpeakerFocus()
  var defaults: TileSettings
  var settings: [TileID: TileSettings.Override] = [:]
  var names: [ParticipantIdentity: SanitizedText] = [:]

  /// - Parameters:
  ///   - cellAspect: width of a cell over its height.
  ///   - pixelDensity: pixels of a picture that a cell shows.
  ///   - layer: what every tile asks for until told otherwise.
  public init(
    columns: Int = 80, rows: Int = 24, cellAspect: Double = 0.5, pixelDensity: PixelDensity = .halves,
    layer: LayerChoice = .auto, view: ViewOptions = ViewOptions(), subject: Subject = .room
  ) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    self.cellAspect = Self.plausible(cellAspect)
    self.pixelDensity = pixelDensity
    self.view = view
    self.subject = subject
    expectedPins = view.pins.map { SanitizedText(name: $0).description.lowercased() }
    defaults = TileSettings(layer: layer)
    layout = ScreenLayout(
      columns: self.columns, rows: self.rows, cellAspect: self.cellAspect, wish: LayoutWish(tiles: []))
  }

  /// Terminals that report nonsense get the common shape.
  static func plausible(_ cellAspect: Double) -> Double { (0.2...2).contains(cellAspect) ? cellAspect : 0.5 }
}

/// What stands behind the tiles.
public enum Subject: Hashable, Sendable {
  case room
  /// Several rooms that are shown together.
  case wall
  /// Files that are played; nobody joins, and there is no connection.
  case files
}

/// What a person set for the sound of one participant.
public struct VoiceSettings: Hashable, Sendable {
  /// 0…100.
  public var volume = 100
  public var isMuted = false
}

/// What a person set for a tile.
struct TileSettings: Hashable, Sendable {
  var layer: LayerChoice = .auto
  var isVideoOff = false

  /// What differs from the settings of all.
  struct Override: Hashable, Sendable {
    var layer: LayerChoice?
    var isVideoOff: Bool?
  }
}

/// A message over the tiles.
public struct Toast: Hashable, Sendable {
  public var text: SanitizedText
  public var until: MonotonicTime

  /// Long enough to read a sentence.
  static let duration: Duration = .seconds(5)
}

extension ScreenState {
  public func participant(of tile: TileID) -> Participant? { room[tile.participant] }

  /// The video track that a tile shows, if it is published.
  public func track(of tile: TileID) -> Track? {
    guard let participant = participant(of: tile) else { return nil }
    guard let extra = tile.extraTrack else { return participant.mainVideo }
    return participant.tracks.first { $0.id == extra }
  }

  /// The participant's name as it may be shown.
  public func name(of identity: ParticipantIdentity) -> SanitizedText {
    names[identity] ?? SanitizedText(name: identity.raw)
  }

  /// The room of the wall that somebody is in; nil where only one is shown.
  public func section(of identity: ParticipantIdentity) -> RoomSection? {
    room.sections.first { $0.id == identity.room }
  }

  public func layerChoice(of tile: TileID) -> LayerChoice { settings[tile]?.layer ?? defaults.layer }
  public func isVideoOff(_ tile: TileID) -> Bool { settings[tile]?.isVideoOff ?? defaults.isVideoOff }
  public func voice(of identity: ParticipantIdentity) -> VoiceSettings { voices[identity] ?? VoiceSettings() }

  /// The layer that arrives for a track, as told or by its size.
  public func receivedLayer(of track: Track) -> LayerID? {
    guard let statistics = statistics[track.id], statistics.width > 0 else { return nil }
    if let layer = statistics.layer { return layer }
    // Encoders crop to whole macroblocks now and then, so the height is compared and not the exact size.
    return track.layers.first { $0.height > 0 && abs($0.height - statistics.height) <= 8 }?.id
  }

  /// Width over height of what a track sends; 16:9 until known.
  func aspect(of track: Track) -> Double {
    let received = statistics[track.id]
    let sizes =
      [(received?.width ?? 0, received?.height ?? 0), (track.width, track.height)]
      + track.layers.reversed().map { ($0.width, $0.height) }
    guard let size = sizes.first(where: { $0.0 > 0 && $0.1 > 0 }) else { return 16.0 / 9 }
    // Beyond this a picture would be a line.
    return max(0.25, min(4, Double(size.0) / Double(size.1)))
  }
}
