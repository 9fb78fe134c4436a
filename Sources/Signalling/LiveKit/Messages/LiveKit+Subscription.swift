extension LiveKit {
  /// Whether the server sends a subscribed track.
  public enum StreamState: Int, ProtobufEnum {
    case active = 0
    case paused = 1

    public static var unrecognized: Self { .active }
  }

  /// Why a subscription failed.
  public enum SubscriptionError: Int, ProtobufEnum {
    case unknown = 0
    case codecUnsupported = 1
    case trackNotFound = 2

    public static var unrecognized: Self { .unknown }
  }

  /// Which tracks a client wants to receive.
  public struct UpdateSubscription: ProtobufMessage {
    public var trackSIDs: [String] = []
    public var subscribe = false
    /// May repeat what `trackSIDs` holds.
    public var participantTracks: [ParticipantTracks] = []

    public init() {}
    public init(trackSIDs: [String], subscribe: Bool = false, participantTracks: [ParticipantTracks] = []) {
      self.trackSIDs = trackSIDs
      self.subscribe = subscribe
      self.participantTracks = participantTracks
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: trackSIDs.append(try reader.string())
      case 2: subscribe = try reader.bool()
      case 3: participantTracks.append(try reader.message())
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, trackSIDs)
      writer.write(2, subscribe)
      writer.write(3, participantTracks)
    }
  }

  /// Tracks of one participant.
  public struct ParticipantTracks: ProtobufMessage {
    public var participantSID = ""
    public var trackSIDs: [String] = []

    public init() {}
    public init(participantSID: String, trackSIDs: [String] = []) {
      self.participantSID = participantSID
      self.trackSIDs = trackSIDs
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: participantSID = try reader.string()
      case 2: trackSIDs.append(try reader.string())
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, participantSID)
      writer.write(2, trackSIDs)
    }
  }

  /// Which layer of its tracks a client wants.
  public struct UpdateTrackSettings: ProtobufMessage {
    public var trackSIDs: [String] = []
    public var isDisabled = false
    /// Used when `width` is 0.
    public var quality: VideoQuality = .low
    public var width: UInt32 = 0
    public var height: UInt32 = 0
    public var framesPerSecond: UInt32 = 0
    /// 1 is the highest.
    public var priority: UInt32 = 0

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: trackSIDs.append(try reader.string())
      case 3: isDisabled = try reader.bool()
      case 4: quality = try reader.enumeration()
      case 5: width = try reader.uint32()
      case 6: height = try reader.uint32()
      case 7: framesPerSecond = try reader.uint32()
      case 8: priority = try reader.uint32()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, trackSIDs)
      writer.write(3, isDisabled)
      writer.write(4, quality)
      writer.write(5, width)
      writer.write(6, height)
      writer.write(7, framesPerSecond)
      writer.write(8, priority)
    }
  }

  /// A subscription failed.
  public struct SubscriptionResponse: ProtobufMessage {
    public var trackSID = ""
    public var error: SubscriptionError = .unknown

    public init() {}
    public init(trackSID: String, error: SubscriptionError = .unknown) {
      self.trackSID = trackSID
      self.error = error
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: trackSID = try reader.string()
      case 2: error = try reader.enumeration()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, trackSID)
      writer.write(2, error)
    }
  }

  /// Tracks that the server pauses or resumes.
  public struct StreamStateUpdate: ProtobufMessage {
    public var streamStates: [StreamStateInfo] = []

    public init() {}
    public init(streamStates: [StreamStateInfo]) {
      self.streamStates = streamStates
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: streamStates.append(try reader.message())
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, streamStates)
    }
  }

  /// The state of one track.
  public struct StreamStateInfo: ProtobufMessage {
    public var participantSID = ""
    public var trackSID = ""
    public var state: StreamState = .active

    public init() {}
    public init(participantSID: String, trackSID: String = "", state: StreamState = .active) {
      self.participantSID = participantSID
      self.trackSID = trackSID
      self.state = state
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: participantSID = try reader.string()
      case 2: trackSID = try reader.string()
      case 3: state = try reader.enumeration()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, participantSID)
      writer.write(2, trackSID)
      writer.write(3, state)
    }
  }

  /// Speakers whose state changed; those who are not named keep theirs.
  public struct SpeakersChanged: ProtobufMessage {
    public var speakers: [SpeakerInfo] = []

    public init() {}
    public init(speakers: [SpeakerInfo]) {
      self.speakers = speakers
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: speakers.append(try reader.message())
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, speakers)
    }
  }

  /// How loudly a participant speaks.
  public struct SpeakerInfo: ProtobufMessage {
    /// Of the participant.
    public var sid = ""
    /// 0 silent … 1 loudest.
    public var level: Float = 0
    public var isActive = false

    public init() {}
    public init(sid: String, level: Float = 0, isActive: Bool = false) {
      self.sid = sid
      self.level = level
      self.isActive = isActive
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: sid = try reader.string()
      case 2: level = try reader.float()
      case 3: isActive = try reader.bool()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, sid)
      writer.write(2, level)
      writer.write(3, isActive)
    }
  }

  /// Participants whose connection changed.
  public struct ConnectionQualityUpdate: ProtobufMessage {
    public var updates: [ConnectionQualityInfo] = []

    public init() {}
    public init(updates: [ConnectionQualityInfo]) {
      self.updates = updates
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: updates.append(try reader.message())
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, updates)
    }
  }

  /// How well a participant is connected.
  public struct ConnectionQualityInfo: ProtobufMessage {
    public var participantSID = ""
    public var quality: ConnectionQuality = .poor
    /// Mean opinion score 1 … 4.5.
    public var score: Float = 0

    public init() {}
    public init(participantSID: String, quality: ConnectionQuality = .poor, score: Float = 0) {
      self.participantSID = participantSID
      self.quality = quality
      self.score = score
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: participantSID = try reader.string()
      case 2: quality = try reader.enumeration()
      case 3: score = try reader.float()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, participantSID)
      writer.write(2, quality)
      writer.write(3, score)
    }
  }
}
