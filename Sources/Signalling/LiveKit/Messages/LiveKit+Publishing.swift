extension LiveKit {
  /// How a request ended.
  public enum RequestReason: Int, ProtobufEnum {
    case ok = 0
    case notFound = 1
    case notAllowed = 2
    case limitExceeded = 3
    case queued = 4
    case unsupportedType = 5
    case unclassifiedError = 6
    case invalidHandle = 7
    case invalidName = 8
    case duplicateHandle = 9
    case duplicateName = 10
    case invalidRequest = 11

    public static var unrecognized: Self { .unclassifiedError }
  }

  /// A client announces a track before it offers it.
  public struct AddTrackRequest: ProtobufMessage {
    /// The track id in the msid of the offer.
    public var cid = ""
    public var name = ""
    public var type: TrackType = .audio
    public var width: UInt32 = 0
    public var height: UInt32 = 0
    public var isMuted = false
    public var disablesDTX = false
    public var source: TrackSource = .unknown
    public var layers: [VideoLayer] = []
    public var simulcastCodecs: [SimulcastCodec] = []
    public var sid = ""
    public var isStereo = false
    public var disablesRED = false
    public var encryption: Encryption = .none
    public var stream = ""

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: cid = try reader.string()
      case 2: name = try reader.string()
      case 3: type = try reader.enumeration()
      case 4: width = try reader.uint32()
      case 5: height = try reader.uint32()
      case 6: isMuted = try reader.bool()
      case 7: disablesDTX = try reader.bool()
      case 8: source = try reader.enumeration()
      case 9: layers.append(try reader.message())
      case 10: simulcastCodecs.append(try reader.message())
      case 11: sid = try reader.string()
      case 12: isStereo = try reader.bool()
      case 13: disablesRED = try reader.bool()
      case 14: encryption = try reader.enumeration()
      case 15: stream = try reader.string()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, cid)
      writer.write(2, name)
      writer.write(3, type)
      writer.write(4, width)
      writer.write(5, height)
      writer.write(6, isMuted)
      writer.write(7, disablesDTX)
      writer.write(8, source)
      writer.write(9, layers)
      writer.write(10, simulcastCodecs)
      writer.write(11, sid)
      writer.write(12, isStereo)
      writer.write(13, disablesRED)
      writer.write(14, encryption)
      writer.write(15, stream)
    }
  }

  /// A codec that a client wants to publish with.
  public struct SimulcastCodec: ProtobufMessage {
    /// Such as `vp8`.
    public var codec = ""
    public var cid = ""
    public var layers: [VideoLayer] = []
    public var layerMode: VideoLayerMode = .unused

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: codec = try reader.string()
      case 2: cid = try reader.string()
      case 4: layers.append(try reader.message())
      case 5: layerMode = try reader.enumeration()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, codec)
      writer.write(2, cid)
      writer.write(4, layers)
      writer.write(5, layerMode)
    }
  }

  /// The answer to an AddTrackRequest.
  public struct TrackPublishedResponse: ProtobufMessage {
    public var cid = ""
    public var track: TrackInfo?

    public init() {}
    public init(cid: String, track: TrackInfo? = nil) {
      self.cid = cid
      self.track = track
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: cid = try reader.string()
      case 2: track = try reader.message(TrackInfo.self)
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, cid)
      writer.write(2, track)
    }
  }

  /// The server removed a track of ours.
  public struct TrackUnpublishedResponse: ProtobufMessage {
    public var trackSID = ""

    public init() {}
    public init(trackSID: String) {
      self.trackSID = trackSID
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: trackSID = try reader.string()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, trackSID)
    }
  }

  /// A track is to be muted or unmuted.
  public struct MuteTrackRequest: ProtobufMessage {
    public var sid = ""
    public var isMuted = false

    public init() {}
    public init(sid: String, isMuted: Bool = false) {
      self.sid = sid
      self.isMuted = isMuted
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: sid = try reader.string()
      case 2: isMuted = try reader.bool()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, sid)
      writer.write(2, isMuted)
    }
  }

  /// How a request of the client ended; the request comes back with it.
  public struct RequestResponse: ProtobufMessage {
    public var requestID: UInt32 = 0
    public var reason: RequestReason = .ok
    public var message = ""
    public var trickle: TrickleRequest?
    public var addTrack: AddTrackRequest?
    public var mute: MuteTrackRequest?
    public var updateMetadata: UpdateParticipantMetadata?

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: requestID = try reader.uint32()
      case 2: reason = try reader.enumeration()
      case 3: message = try reader.string()
      case 4: trickle = try reader.message(TrickleRequest.self)
      case 5: addTrack = try reader.message(AddTrackRequest.self)
      case 6: mute = try reader.message(MuteTrackRequest.self)
      case 7: updateMetadata = try reader.message(UpdateParticipantMetadata.self)
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, requestID)
      writer.write(2, reason)
      writer.write(3, message)
      writer.write(4, trickle)
      writer.write(5, addTrack)
      writer.write(6, mute)
      writer.write(7, updateMetadata)
    }
  }

  /// Which layers of our track anybody wants.
  public struct SubscribedQualityUpdate: ProtobufMessage {
    public var trackSID = ""
    /// Of the first codec.
    public var qualities: [SubscribedQuality] = []
    public var codecs: [SubscribedCodec] = []

    public init() {}
    public init(trackSID: String, qualities: [SubscribedQuality] = [], codecs: [SubscribedCodec] = []) {
      self.trackSID = trackSID
      self.qualities = qualities
      self.codecs = codecs
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: trackSID = try reader.string()
      case 2: qualities.append(try reader.message())
      case 3: codecs.append(try reader.message())
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, trackSID)
      writer.write(2, qualities)
      writer.write(3, codecs)
    }
  }

  /// Wanted layers of one codec.
  public struct SubscribedCodec: ProtobufMessage {
    /// Such as `vp8`.
    public var codec = ""
    public var qualities: [SubscribedQuality] = []

    public init() {}
    public init(codec: String, qualities: [SubscribedQuality] = []) {
      self.codec = codec
      self.qualities = qualities
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: codec = try reader.string()
      case 2: qualities.append(try reader.message())
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, codec)
      writer.write(2, qualities)
    }
  }

  /// Whether a layer is wanted.
  public struct SubscribedQuality: ProtobufMessage {
    public var quality: VideoQuality = .low
    public var isEnabled = false

    public init() {}
    public init(quality: VideoQuality, isEnabled: Bool = false) {
      self.quality = quality
      self.isEnabled = isEnabled
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: quality = try reader.enumeration()
      case 2: isEnabled = try reader.bool()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, quality)
      writer.write(2, isEnabled)
    }
  }

  /// The first subscriber of our track came.
  public struct TrackSubscribed: ProtobufMessage {
    public var trackSID = ""

    public init() {}
    public init(trackSID: String) {
      self.trackSID = trackSID
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: trackSID = try reader.string()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, trackSID)
    }
  }
}
