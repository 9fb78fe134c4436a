extension LiveKit {
  /// What a client says: one message of the signalling connection.
  /// `unknown` stands for a member of the oneof that this program does not know, or for none.
  public enum SignalRequest: ProtobufMessage {
    case offer(SessionDescription)
    case answer(SessionDescription)
    case trickle(TrickleRequest)
    case addTrack(AddTrackRequest)
    case mute(MuteTrackRequest)
    case subscription(UpdateSubscription)
    case trackSetting(UpdateTrackSettings)
    case leave(LeaveRequest)
    case syncState(SyncState)
    /// Milliseconds; the older form of `pingRequest`.
    case ping(Int64)
    case updateMetadata(UpdateParticipantMetadata)
    case pingRequest(Ping)
    case unknown

    public init() { self = .unknown }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: self = .offer(try reader.message())
      case 2: self = .answer(try reader.message())
      case 3: self = .trickle(try reader.message())
      case 4: self = .addTrack(try reader.message())
      case 5: self = .mute(try reader.message())
      case 6: self = .subscription(try reader.message())
      case 7: self = .trackSetting(try reader.message())
      case 8: self = .leave(try reader.message())
      case 12: self = .syncState(try reader.message())
      case 14: self = .ping(try reader.int64())
      case 15: self = .updateMetadata(try reader.message())
      case 16: self = .pingRequest(try reader.message())
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      switch self {
      case .offer(let value): writer.write(1, value)
      case .answer(let value): writer.write(2, value)
      case .trickle(let value): writer.write(3, value)
      case .addTrack(let value): writer.write(4, value)
      case .mute(let value): writer.write(5, value)
      case .subscription(let value): writer.write(6, value)
      case .trackSetting(let value): writer.write(7, value)
      case .leave(let value): writer.write(8, value)
      case .syncState(let value): writer.write(12, value)
      case .ping(let value): writer.writePresent(14, UInt64(bitPattern: value))
      case .updateMetadata(let value): writer.write(15, value)
      case .pingRequest(let value): writer.write(16, value)
      case .unknown: break
      }
    }
  }

  /// What a server says: one message of the signalling connection.
  /// `unknown` stands for a member of the oneof that this program does not know, or for none.
  public enum SignalResponse: ProtobufMessage {
    case join(JoinResponse)
    case answer(SessionDescription)
    case offer(SessionDescription)
    case trickle(TrickleRequest)
    case update(ParticipantUpdate)
    case trackPublished(TrackPublishedResponse)
    case leave(LeaveRequest)
    case mute(MuteTrackRequest)
    case speakersChanged(SpeakersChanged)
    case roomUpdate(RoomUpdate)
    case connectionQuality(ConnectionQualityUpdate)
    case streamStateUpdate(StreamStateUpdate)
    case subscribedQualityUpdate(SubscribedQualityUpdate)
    case refreshToken(String)
    case trackUnpublished(TrackUnpublishedResponse)
    /// Milliseconds; the answer to the older `ping`.
    case pong(Int64)
    case reconnect(ReconnectResponse)
    case pongResponse(Pong)
    case subscriptionResponse(SubscriptionResponse)
    case requestResponse(RequestResponse)
    case trackSubscribed(TrackSubscribed)
    case unknown

    public init() { self = .unknown }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: self = .join(try reader.message())
      case 2: self = .answer(try reader.message())
      case 3: self = .offer(try reader.message())
      case 4: self = .trickle(try reader.message())
      case 5: self = .update(try reader.message())
      case 6: self = .trackPublished(try reader.message())
      case 8: self = .leave(try reader.message())
      case 9: self = .mute(try reader.message())
      case 10: self = .speakersChanged(try reader.message())
      case 11: self = .roomUpdate(try reader.message())
      case 12: self = .connectionQuality(try reader.message())
      case 13: self = .streamStateUpdate(try reader.message())
      case 14: self = .subscribedQualityUpdate(try reader.message())
      case 16: self = .refreshToken(try reader.string())
      case 17: self = .trackUnpublished(try reader.message())
      case 18: self = .pong(try reader.int64())
      case 19: self = .reconnect(try reader.message())
      case 20: self = .pongResponse(try reader.message())
      case 21: self = .subscriptionResponse(try reader.message())
      case 22: self = .requestResponse(try reader.message())
      case 23: self = .trackSubscribed(try reader.message())
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      switch self {
      case .join(let value): writer.write(1, value)
      case .answer(let value): writer.write(2, value)
      case .offer(let value): writer.write(3, value)
      case .trickle(let value): writer.write(4, value)
      case .update(let value): writer.write(5, value)
      case .trackPublished(let value): writer.write(6, value)
      case .leave(let value): writer.write(8, value)
      case .mute(let value): writer.write(9, value)
      case .speakersChanged(let value): writer.write(10, value)
      case .roomUpdate(let value): writer.write(11, value)
      case .connectionQuality(let value): writer.write(12, value)
      case .streamStateUpdate(let value): writer.write(13, value)
      case .subscribedQualityUpdate(let value): writer.write(14, value)
      case .refreshToken(let value): writer.writePresent(16, Array(value.utf8))
      case .trackUnpublished(let value): writer.write(17, value)
      case .pong(let value): writer.writePresent(18, UInt64(bitPattern: value))
      case .reconnect(let value): writer.write(19, value)
      case .pongResponse(let value): writer.write(20, value)
      case .subscriptionResponse(let value): writer.write(21, value)
      case .requestResponse(let value): writer.write(22, value)
      case .trackSubscribed(let value): writer.write(23, value)
      case .unknown: break
      }
    }
  }
}
