import RTCCore

/// Who somebody is within a room: unique there at any moment, chosen by whoever issued the token.
public struct ParticipantIdentity: Hashable, Sendable, CustomStringConvertible {
  public let raw: String
  /// Which of several rooms that are shown together; ``RoomKey/only`` within the room itself.
  public let room: RoomKey
  public init(_ raw: String, room: RoomKey = .only) {
    self.raw = raw
    self.room = room
  }
  public var description: String { raw }
}

/// The room's own id of a published track.
public struct TrackID: Hashable, Sendable, CustomStringConvertible {
  public let raw: String
  /// As for ``ParticipantIdentity/room``.
  public let room: RoomKey
  public init(_ raw: String, room: RoomKey = .only) {
    self.raw = raw
    self.room = room
  }
  public var description: String { raw }
}

/// Where a track's media comes from.
public enum TrackSource: String, Hashable, Sendable {
  case unknown, camera, microphone
  case screenShare = "screen_share"
  case screenShareAudio = "screen_share_audio"
}

/// A simulcast layer under one name, whatever the system calls it.
public enum LayerID: String, Hashable, Sendable, CaseIterable, Comparable {
  case low, medium, high

  var rank: Int { self == .low ? 0 : self == .medium ? 1 : 2 }
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

/// One encoding that a publisher announces.
public struct VideoLayer: Hashable, Sendable {
  public var id: LayerID
  /// Pixels; 0 when the publisher did not say.
  public var width: Int
  public var height: Int
  /// Bits a second, announced; 0 when unknown.
  public var bitrate: Int
  public var isActive: Bool

  public init(id: LayerID, width: Int, height: Int, bitrate: Int = 0, isActive: Bool = true) {
    self.id = id
    self.width = width
    self.height = height
    self.bitrate = bitrate
    self.isActive = isActive
  }
}

/// A published track as the room describes it.
public struct Track: Hashable, Sendable, Identifiable {
  public var id: TrackID
  public var kind: MediaKind
  public var source: TrackSource
  public var name: String
  public var isMuted: Bool
  /// Pixels of the largest layer; 0 for audio or when unknown.
  public var width: Int
  public var height: Int
  /// Lowest first; one entry without simulcast; empty for audio.
  public var layers: [VideoLayer]
  /// Media of this track is negotiated towards us.
  public var isSubscribed: Bool
  /// False while the room holds its media back.
  public var isActive = true
  /// The layer that the server says it forwards to us; nil where servers do not tell, and before they have.
  public var receivedLayer: LayerID?

  public init(
    id: TrackID, kind: MediaKind, source: TrackSource = .unknown, name: String = "", isMuted: Bool = false,
    width: Int = 0, height: Int = 0, layers: [VideoLayer] = [], isSubscribed: Bool = false
  ) {
    self.id = id
    self.kind = kind
    self.source = source
    self.name = name
    self.isMuted = isMuted
    self.width = width
    self.height = height
    self.layers = layers
    self.isSubscribed = isSubscribed
  }
}

/// How good the server finds somebody's connection.
public enum ConnectionQuality: String, Hashable, Sendable { case unknown, lost, poor, good, excellent }

/// Somebody in the room.
public struct Participant: Hashable, Sendable, Identifiable {
  public var id: ParticipantIdentity
  /// Display name, as it came from outside: sanitise before it reaches a terminal. Falls back to the identity.
  public var name: String
  public var isLocal: Bool
  /// In order of publication.
  public var tracks: [Track]
  public var isSpeaking: Bool
  /// 0 silent … 1 loudest.
  public var audioLevel: Double
  public var quality: ConnectionQuality
  /// False while a source of a stream is away: it sends nothing, has no tile, and may come back by itself.
  public var isActive = true

  public init(
    id: ParticipantIdentity, name: String = "", isLocal: Bool = false, tracks: [Track] = [], isSpeaking: Bool = false,
    audioLevel: Double = 0, quality: ConnectionQuality = .unknown
  ) {
    self.id = id
    self.name = name.isEmpty ? id.raw : name
    self.isLocal = isLocal
    self.tracks = tracks
    self.isSpeaking = isSpeaking
    self.audioLevel = audioLevel
    self.quality = quality
  }

  /// The track shown in the participant's tile: a camera before any other video.
  public var mainVideo: Track? {
    tracks.first { $0.kind == .video && $0.source == .camera } ?? tracks.first { $0.kind == .video }
  }
  /// The track heard as the participant's voice.
  public var mainAudio: Track? {
    tracks.first { $0.kind == .audio && $0.source == .microphone } ?? tracks.first { $0.kind == .audio }
  }
}

/// The room at one moment.
public struct RoomSnapshot: Hashable, Sendable {
  /// How far the conversation with the room is.
  public enum Connection: Hashable, Sendable { case joining, joined, reconnecting, left }

  public var name: String
  /// What people call the system that the room is on; empty for none.
  public var system: String
  public var connection: Connection
  /// In order of arrival, the local participant included (first, once joined); on a wall room by room.
  public var participants: [Participant]
  /// The rooms of a wall of several; empty where there is one.
  public var sections: [RoomSection] = []
  /// How many view the stream, ourselves included; nil where the system does not tell.
  public var viewers: Int?

  public init(
    name: String = "", system: String = "", connection: Connection = .joining, participants: [Participant] = []
  ) {
    self.name = name
    self.system = system
    self.connection = connection
    self.participants = participants
  }

  public subscript(id: ParticipantIdentity) -> Participant? { participants.first { $0.id == id } }
}

/// Which layer a subscriber asks for.
public enum LayerRequest: Hashable, Sendable {
  /// A fixed layer.
  case layer(LayerID)
  /// The smallest layer that covers this many pixels.
  case size(width: Int, height: Int)
  /// The server's own choice, by what the path carries.
  case automatic
  /// Nothing at all: the tile is hidden or switched off.
  case off
}

/// Why a conference ended.
public enum LeaveReason: String, Hashable, Sendable {
  case requested
  case duplicateIdentity = "duplicate_identity"
  case removed
  case roomClosed = "room_closed"
  case serverShutdown = "server_shutdown"
  case connectionLost = "connection_lost"
  case protocolBroken = "protocol_broken"
  case mediaFailed = "media_failed"
  /// Coming back after a lost connection was refused.
  case refused
  case unknown
}

/// Something that a signalling adapter learned about the room.
public enum ConferenceEvent: Equatable, Sendable {
  /// We are in; everybody already there, the local participant first.
  case joined(room: String, participants: [Participant])
  /// Joined, or changed in name or tracks. `tracks[].isSubscribed`, speaking state and quality are kept from before.
  case participantUpdated(Participant)
  case participantLeft(ParticipantIdentity)
  case subscribed(ParticipantIdentity, TrackID)
  case unsubscribed(ParticipantIdentity, TrackID)
  /// A track that was wanted cannot be received, with a sentence for a person; the others go on.
  case subscriptionFailed(ParticipantIdentity, TrackID, message: String)
  /// How many view the stream now.
  case viewersChanged(Int)
  /// Changes only: those who are not named keep their state.
  case speakersChanged([(identity: ParticipantIdentity, level: Double, isSpeaking: Bool)])
  case qualityChanged(ParticipantIdentity, ConnectionQuality)
  /// Media of this track is paused (false) or flows again (true).
  case activityChanged(TrackID, isActive: Bool)
  /// The layer of this track that the server forwards to us now.
  case layerReceived(TrackID, LayerID)
  /// The connection is lost and another one is looked for; ``joined(room:participants:)`` follows, or the end.
  case reconnecting
  /// The server does not let us in, with a sentence for a person; the end follows.
  case refused(ConferenceError.Code, String)
  /// A track that we asked to publish got its id.
  case published(localID: String, TrackID)
  case publishFailed(localID: String, message: String)
  case tokenRefreshed(String)
  /// Round trip of the signalling connection.
  case roundTrip(Duration)
  case left(LeaveReason)

  public static func == (left: Self, right: Self) -> Bool { String(describing: left) == String(describing: right) }
}

/// Something that a person or program wants of the room.
public enum ConferenceCommand: Equatable, Sendable {
  case requestLayer(TrackID, LayerRequest)
  case setSubscribed(TrackID, Bool)
  /// Announces a local track; `localID` comes back in ``ConferenceEvent/published(localID:_:)``.
  case publish(LocalTrack)
  case unpublish(localID: String)
  case setMuted(localID: String, Bool)
  case leave
}

/// A track that we send.
public struct LocalTrack: Equatable, Sendable {
  public var localID: String
  public var kind: MediaKind
  public var source: TrackSource
  public var name: String
  /// Lowest first; one entry without simulcast; empty for audio.
  public var layers: [VideoLayer]
  public var isMuted: Bool

  public init(
    localID: String, kind: MediaKind, source: TrackSource, name: String, layers: [VideoLayer] = [],
    isMuted: Bool = false
  ) {
    self.localID = localID
    self.kind = kind
    self.source = source
    self.name = name
    self.layers = layers
    self.isMuted = isMuted
  }
}
