extension LiveKit {
  /// The peer connection that a candidate belongs to.
  public enum SignalTarget: Int, ProtobufEnum {
    case publisher = 0
    case subscriber = 1

    public static var unrecognized: Self { .publisher }
  }

  /// An SDP offer or answer.
  public struct SessionDescription: ProtobufMessage {
    /// `offer` or `answer`.
    public var type = ""
    public var sdp = ""
    /// An answer carries the id of its offer.
    public var id: UInt32 = 0
    public var midToTrackID: [String: String] = [:]

    public init() {}
    public init(type: String, sdp: String = "", id: UInt32 = 0, midToTrackID: [String: String] = [:]) {
      self.type = type
      self.sdp = sdp
      self.id = id
      self.midToTrackID = midToTrackID
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: type = try reader.string()
      case 2: sdp = try reader.string()
      case 3: id = try reader.uint32()
      case 4: try reader.entry(into: &midToTrackID)
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, type)
      writer.write(2, sdp)
      writer.write(3, id)
      writer.write(4, midToTrackID)
    }
  }

  /// One ICE candidate.
  public struct TrickleRequest: ProtobufMessage {
    /// JSON of an RTCIceCandidateInit.
    public var candidateInit = ""
    public var target: SignalTarget = .publisher
    public var isFinal = false

    public init() {}
    public init(candidateInit: String, target: SignalTarget = .publisher, isFinal: Bool = false) {
      self.candidateInit = candidateInit
      self.target = target
      self.isFinal = isFinal
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: candidateInit = try reader.string()
      case 2: target = try reader.enumeration()
      case 3: isFinal = try reader.bool()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, candidateInit)
      writer.write(2, target)
      writer.write(3, isFinal)
    }
  }

  /// A data channel that the client opened.
  public struct DataChannelInfo: ProtobufMessage {
    public var label = ""
    public var id: UInt32 = 0
    public var target: SignalTarget = .publisher

    public init() {}
    public init(label: String, id: UInt32 = 0, target: SignalTarget = .publisher) {
      self.label = label
      self.id = id
      self.target = target
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: label = try reader.string()
      case 2: id = try reader.uint32()
      case 3: target = try reader.enumeration()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, label)
      writer.write(2, id)
      writer.write(3, target)
    }
  }

  /// What a resuming client believes.
  public struct SyncState: ProtobufMessage {
    public var answer: SessionDescription?
    public var subscription: UpdateSubscription?
    public var publishedTracks: [TrackPublishedResponse] = []
    public var dataChannels: [DataChannelInfo] = []
    public var offer: SessionDescription?
    public var disabledTrackSIDs: [String] = []

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: answer = try reader.message(SessionDescription.self)
      case 2: subscription = try reader.message(UpdateSubscription.self)
      case 3: publishedTracks.append(try reader.message())
      case 4: dataChannels.append(try reader.message())
      case 5: offer = try reader.message(SessionDescription.self)
      case 6: disabledTrackSIDs.append(try reader.string())
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, answer)
      writer.write(2, subscription)
      writer.write(3, publishedTracks)
      writer.write(4, dataChannels)
      writer.write(5, offer)
      writer.write(6, disabledTrackSIDs)
    }
  }
}
