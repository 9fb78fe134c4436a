extension LiveKit {
  /// State of a participant's session.
  public enum ParticipantState: Int, ProtobufEnum {
    case joining = 0
    case joined = 1
    case active = 2
    case disconnected = 3

    public static var unrecognized: Self { .joining }
  }

  /// What kind of program a participant is.
  public enum ParticipantKind: Int, ProtobufEnum {
    case standard = 0
    case ingress = 1
    case egress = 2
    case sip = 3
    case agent = 4
    case connector = 7
    case bridge = 8

    public static var unrecognized: Self { .standard }
  }

  /// Why a session ended.
  public enum DisconnectReason: Int, ProtobufEnum {
    case unknown = 0
    case clientInitiated = 1
    case duplicateIdentity = 2
    case serverShutdown = 3
    case participantRemoved = 4
    case roomDeleted = 5
    case stateMismatch = 6
    case joinFailure = 7
    case migration = 8
    case signalClose = 9
    case roomClosed = 10
    case userUnavailable = 11
    case userRejected = 12
    case sipTrunkFailure = 13
    case connectionTimeout = 14
    case mediaFailure = 15
    case agentError = 16

    public static var unrecognized: Self { .unknown }
  }

  /// How well a participant is connected.
  public enum ConnectionQuality: Int, ProtobufEnum {
    case poor = 0
    case good = 1
    case excellent = 2
    case lost = 3

    public static var unrecognized: Self { .good }
  }

  /// A room as the server describes it.
  public struct Room: ProtobufMessage {
    public var sid = ""
    public var name = ""
    /// Seconds.
    public var emptyTimeout: UInt32 = 0
    public var maximumParticipants: UInt32 = 0
    /// Seconds since 1970.
    public var creationTime: Int64 = 0
    public var enabledCodecs: [Codec] = []
    public var metadata = ""
    public var participantCount: UInt32 = 0
    public var isRecording = false
    public var publisherCount: UInt32 = 0
    /// Seconds.
    public var departureTimeout: UInt32 = 0
    public var creationTimeMilliseconds: Int64 = 0

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: sid = try reader.string()
      case 2: name = try reader.string()
      case 3: emptyTimeout = try reader.uint32()
      case 4: maximumParticipants = try reader.uint32()
      case 5: creationTime = try reader.int64()
      case 7: enabledCodecs.append(try reader.message())
      case 8: metadata = try reader.string()
      case 9: participantCount = try reader.uint32()
      case 10: isRecording = try reader.bool()
      case 11: publisherCount = try reader.uint32()
      case 14: departureTimeout = try reader.uint32()
      case 15: creationTimeMilliseconds = try reader.int64()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, sid)
      writer.write(2, name)
      writer.write(3, emptyTimeout)
      writer.write(4, maximumParticipants)
      writer.write(5, creationTime)
      writer.write(7, enabledCodecs)
      writer.write(8, metadata)
      writer.write(9, participantCount)
      writer.write(10, isRecording)
      writer.write(11, publisherCount)
      writer.write(14, departureTimeout)
      writer.write(15, creationTimeMilliseconds)
    }
  }

  /// A codec by its MIME type, such as `video/VP8`.
  public struct Codec: ProtobufMessage {
    public var mime = ""
    public var formatParameters = ""

    public init() {}
    public init(mime: String, formatParameters: String = "") {
      self.mime = mime
      self.formatParameters = formatParameters
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: mime = try reader.string()
      case 2: formatParameters = try reader.string()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, mime)
      writer.write(2, formatParameters)
    }
  }

  /// A participant with all of its tracks.
  public struct ParticipantInfo: ProtobufMessage {
    public var sid = ""
    public var identity = ""
    public var state: ParticipantState = .joining
    public var tracks: [TrackInfo] = []
    public var metadata = ""
    /// Seconds since 1970.
    public var joinedAt: Int64 = 0
    public var name = ""
    /// Grows with every change of the same sid.
    public var version: UInt32 = 0
    public var permission: ParticipantPermission?
    public var region = ""
    public var isPublisher = false
    public var kind: ParticipantKind = .standard
    public var attributes: [String: String] = [:]
    public var disconnectReason: DisconnectReason = .unknown
    public var joinedAtMilliseconds: Int64 = 0
    public var clientProtocol: Int32 = 0

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: sid = try reader.string()
      case 2: identity = try reader.string()
      case 3: state = try reader.enumeration()
      case 4: tracks.append(try reader.message())
      case 5: metadata = try reader.string()
      case 6: joinedAt = try reader.int64()
      case 9: name = try reader.string()
      case 10: version = try reader.uint32()
      case 11: permission = try reader.message(ParticipantPermission.self)
      case 12: region = try reader.string()
      case 13: isPublisher = try reader.bool()
      case 14: kind = try reader.enumeration()
      case 15: try reader.entry(into: &attributes)
      case 16: disconnectReason = try reader.enumeration()
      case 17: joinedAtMilliseconds = try reader.int64()
      case 20: clientProtocol = try reader.int32()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, sid)
      writer.write(2, identity)
      writer.write(3, state)
      writer.write(4, tracks)
      writer.write(5, metadata)
      writer.write(6, joinedAt)
      writer.write(9, name)
      writer.write(10, version)
      writer.write(11, permission)
      writer.write(12, region)
      writer.write(13, isPublisher)
      writer.write(14, kind)
      writer.write(15, attributes)
      writer.write(16, disconnectReason)
      writer.write(17, joinedAtMilliseconds)
      writer.write(20, clientProtocol)
    }
  }

  /// What a participant may do.
  public struct ParticipantPermission: ProtobufMessage {
    public var canSubscribe = false
    public var canPublish = false
    public var canPublishData = false
    public var isHidden = false
    public var isRecorder = false
    public var canPublishSources: [TrackSource] = []
    public var canUpdateMetadata = false
    public var isAgent = false
    public var canSubscribeMetrics = false
    public var canManageAgentSession = false

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: canSubscribe = try reader.bool()
      case 2: canPublish = try reader.bool()
      case 3: canPublishData = try reader.bool()
      case 7: isHidden = try reader.bool()
      case 8: isRecorder = try reader.bool()
      case 9: try reader.appendEnumerations(to: &canPublishSources)
      case 10: canUpdateMetadata = try reader.bool()
      case 11: isAgent = try reader.bool()
      case 12: canSubscribeMetrics = try reader.bool()
      case 13: canManageAgentSession = try reader.bool()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, canSubscribe)
      writer.write(2, canPublish)
      writer.write(3, canPublishData)
      writer.write(7, isHidden)
      writer.write(8, isRecorder)
      writer.write(9, canPublishSources)
      writer.write(10, canUpdateMetadata)
      writer.write(11, isAgent)
      writer.write(12, canSubscribeMetrics)
      writer.write(13, canManageAgentSession)
    }
  }

  /// A point in time with a tie-breaker.
  public struct TimedVersion: ProtobufMessage {
    public var unixMicroseconds: Int64 = 0
    public var ticks: Int32 = 0

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: unixMicroseconds = try reader.int64()
      case 2: ticks = try reader.int32()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, unixMicroseconds)
      writer.write(2, ticks)
    }
  }

  /// A STUN or TURN server.
  public struct ICEServer: ProtobufMessage {
    public var urls: [String] = []
    public var username = ""
    public var credential = ""

    public init() {}
    public init(urls: [String], username: String = "", credential: String = "") {
      self.urls = urls
      self.username = username
      self.credential = credential
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: urls.append(try reader.string())
      case 2: username = try reader.string()
      case 3: credential = try reader.string()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, urls)
      writer.write(2, username)
      writer.write(3, credential)
    }
  }
}
