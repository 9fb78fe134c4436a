extension LiveKit {
  /// What a client does when told to leave.
  public enum LeaveAction: Int, ProtobufEnum {
    case disconnect = 0
    case resume = 1
    case reconnect = 2

    public static var unrecognized: Self { .disconnect }
  }

  /// Who runs the server.
  public enum ServerEdition: Int, ProtobufEnum {
    case standard = 0
    case cloud = 1

    public static var unrecognized: Self { .standard }
  }

  /// The first message of a session.
  public struct JoinResponse: ProtobufMessage {
    public var room: Room?
    public var participant: ParticipantInfo?
    public var otherParticipants: [ParticipantInfo] = []
    public var serverVersion = ""
    public var iceServers: [ICEServer] = []
    public var subscriberPrimary = false
    public var alternativeURL = ""
    public var serverRegion = ""
    /// Seconds, at least 1.
    public var pingTimeout: Int32 = 0
    /// Seconds, at least 1.
    public var pingInterval: Int32 = 0
    public var serverInfo: ServerInfo?
    public var serverInjectedFrameTrailer: [UInt8] = []
    public var enabledPublishCodecs: [Codec] = []
    public var fastPublish = false

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: room = try reader.message(Room.self)
      case 2: participant = try reader.message(ParticipantInfo.self)
      case 3: otherParticipants.append(try reader.message())
      case 4: serverVersion = try reader.string()
      case 5: iceServers.append(try reader.message())
      case 6: subscriberPrimary = try reader.bool()
      case 7: alternativeURL = try reader.string()
      case 9: serverRegion = try reader.string()
      case 10: pingTimeout = try reader.int32()
      case 11: pingInterval = try reader.int32()
      case 12: serverInfo = try reader.message(ServerInfo.self)
      case 13: serverInjectedFrameTrailer = try reader.data()
      case 14: enabledPublishCodecs.append(try reader.message())
      case 15: fastPublish = try reader.bool()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, room)
      writer.write(2, participant)
      writer.write(3, otherParticipants)
      writer.write(4, serverVersion)
      writer.write(5, iceServers)
      writer.write(6, subscriberPrimary)
      writer.write(7, alternativeURL)
      writer.write(9, serverRegion)
      writer.write(10, pingTimeout)
      writer.write(11, pingInterval)
      writer.write(12, serverInfo)
      writer.write(13, serverInjectedFrameTrailer)
      writer.write(14, enabledPublishCodecs)
      writer.write(15, fastPublish)
    }
  }

  /// The first message of a resumed session.
  public struct ReconnectResponse: ProtobufMessage {
    public var iceServers: [ICEServer] = []
    public var serverInfo: ServerInfo?
    public var lastMessageSequence: UInt32 = 0

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: iceServers.append(try reader.message())
      case 3: serverInfo = try reader.message(ServerInfo.self)
      case 4: lastMessageSequence = try reader.uint32()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, iceServers)
      writer.write(3, serverInfo)
      writer.write(4, lastMessageSequence)
    }
  }

  /// The server's software.
  public struct ServerInfo: ProtobufMessage {
    public var edition: ServerEdition = .standard
    public var version = ""
    public var protocolVersion: Int32 = 0
    public var region = ""
    public var nodeID = ""
    public var debugInfo = ""
    public var agentProtocol: Int32 = 0

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: edition = try reader.enumeration()
      case 2: version = try reader.string()
      case 3: protocolVersion = try reader.int32()
      case 4: region = try reader.string()
      case 5: nodeID = try reader.string()
      case 6: debugInfo = try reader.string()
      case 7: agentProtocol = try reader.int32()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, edition)
      writer.write(2, version)
      writer.write(3, protocolVersion)
      writer.write(4, region)
      writer.write(5, nodeID)
      writer.write(6, debugInfo)
      writer.write(7, agentProtocol)
    }
  }

  /// Participants that joined, changed or left. Each carries its full list of tracks.
  public struct ParticipantUpdate: ProtobufMessage {
    public var participants: [ParticipantInfo] = []

    public init() {}
    public init(participants: [ParticipantInfo]) {
      self.participants = participants
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: participants.append(try reader.message())
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, participants)
    }
  }

  /// The room changed.
  public struct RoomUpdate: ProtobufMessage {
    public var room: Room?

    public init() {}
    public init(room: Room?) {
      self.room = room
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: room = try reader.message(Room.self)
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, room)
    }
  }

  /// The end of a session, from either side.
  public struct LeaveRequest: ProtobufMessage {
    /// Read by clients before protocol 13.
    public var canReconnect = false
    public var reason: DisconnectReason = .unknown
    public var action: LeaveAction = .disconnect

    public init() {}
    public init(canReconnect: Bool, reason: DisconnectReason = .unknown, action: LeaveAction = .disconnect) {
      self.canReconnect = canReconnect
      self.reason = reason
      self.action = action
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: canReconnect = try reader.bool()
      case 2: reason = try reader.enumeration()
      case 3: action = try reader.enumeration()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, canReconnect)
      writer.write(2, reason)
      writer.write(3, action)
    }
  }

  /// Liveness probe of the client.
  public struct Ping: ProtobufMessage {
    /// Milliseconds.
    public var timestamp: Int64 = 0
    /// Milliseconds.
    public var roundTrip: Int64 = 0

    public init() {}
    public init(timestamp: Int64, roundTrip: Int64 = 0) {
      self.timestamp = timestamp
      self.roundTrip = roundTrip
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: timestamp = try reader.int64()
      case 2: roundTrip = try reader.int64()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, timestamp)
      writer.write(2, roundTrip)
    }
  }

  /// Answer to a ping.
  public struct Pong: ProtobufMessage {
    /// Milliseconds, echoed.
    public var lastPingTimestamp: Int64 = 0
    /// Milliseconds.
    public var timestamp: Int64 = 0

    public init() {}
    public init(lastPingTimestamp: Int64, timestamp: Int64 = 0) {
      self.lastPingTimestamp = lastPingTimestamp
      self.timestamp = timestamp
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: lastPingTimestamp = try reader.int64()
      case 2: timestamp = try reader.int64()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, lastPingTimestamp)
      writer.write(2, timestamp)
    }
  }

  /// A participant changes what is said about itself.
  public struct UpdateParticipantMetadata: ProtobufMessage {
    public var metadata = ""
    public var name = ""
    public var attributes: [String: String] = [:]
    public var requestID: UInt32 = 0

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: metadata = try reader.string()
      case 2: name = try reader.string()
      case 3: try reader.entry(into: &attributes)
      case 4: requestID = try reader.uint32()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, metadata)
      writer.write(2, name)
      writer.write(3, attributes)
      writer.write(4, requestID)
    }
  }
}
