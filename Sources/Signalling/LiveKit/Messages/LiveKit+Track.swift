extension LiveKit {
  /// What a track carries.
  public enum TrackType: Int, ProtobufEnum {
    case audio = 0
    case video = 1
    case data = 2

    public static var unrecognized: Self { .data }
  }

  /// Where a track comes from.
  public enum TrackSource: Int, ProtobufEnum {
    case unknown = 0
    case camera = 1
    case microphone = 2
    case screenShare = 3
    case screenShareAudio = 4

    public static var unrecognized: Self { .unknown }
  }

  /// A simulcast layer. Zero means LOW, so a request must always name it or a size.
  public enum VideoQuality: Int, ProtobufEnum {
    case low = 0
    case medium = 1
    case high = 2
    case off = 3

    public static var unrecognized: Self { .high }
  }

  /// How layers map to RTP streams.
  public enum VideoLayerMode: Int, ProtobufEnum {
    case unused = 0
    case oneSpatialLayerPerStream = 1
    case multipleSpatialLayersPerStream = 2
    case oneSpatialLayerPerStreamIncompleteSenderReports = 3

    public static var unrecognized: Self { .unused }
  }

  /// End-to-end encryption of a track.
  public enum Encryption: Int, ProtobufEnum {
    case none = 0
    case gcm = 1
    case custom = 2

    public static var unrecognized: Self { .custom }
  }

  /// A published track.
  public struct TrackInfo: ProtobufMessage {
    public var sid = ""
    public var type: TrackType = .audio
    public var name = ""
    public var isMuted = false
    public var width: UInt32 = 0
    public var height: UInt32 = 0
    public var isSimulcast = false
    public var disablesDTX = false
    public var source: TrackSource = .unknown
    public var layers: [VideoLayer] = []
    public var mimeType = ""
    public var mid = ""
    public var codecs: [SimulcastCodecInfo] = []
    public var isStereo = false
    public var disablesRED = false
    public var encryption: Encryption = .none
    public var stream = ""
    public var version: TimedVersion?

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: sid = try reader.string()
      case 2: type = try reader.enumeration()
      case 3: name = try reader.string()
      case 4: isMuted = try reader.bool()
      case 5: width = try reader.uint32()
      case 6: height = try reader.uint32()
      case 7: isSimulcast = try reader.bool()
      case 8: disablesDTX = try reader.bool()
      case 9: source = try reader.enumeration()
      case 10: layers.append(try reader.message())
      case 11: mimeType = try reader.string()
      case 12: mid = try reader.string()
      case 13: codecs.append(try reader.message())
      case 14: isStereo = try reader.bool()
      case 15: disablesRED = try reader.bool()
      case 16: encryption = try reader.enumeration()
      case 17: stream = try reader.string()
      case 18: version = try reader.message(TimedVersion.self)
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, sid)
      writer.write(2, type)
      writer.write(3, name)
      writer.write(4, isMuted)
      writer.write(5, width)
      writer.write(6, height)
      writer.write(7, isSimulcast)
      writer.write(8, disablesDTX)
      writer.write(9, source)
      writer.write(10, layers)
      writer.write(11, mimeType)
      writer.write(12, mid)
      writer.write(13, codecs)
      writer.write(14, isStereo)
      writer.write(15, disablesRED)
      writer.write(16, encryption)
      writer.write(17, stream)
      writer.write(18, version)
    }
  }

  /// One codec of a published track and its layers.
  public struct SimulcastCodecInfo: ProtobufMessage {
    public var mimeType = ""
    public var mid = ""
    public var cid = ""
    public var layers: [VideoLayer] = []
    public var layerMode: VideoLayerMode = .unused
    /// Only where it differs from the cid.
    public var sdpCID = ""

    public init() {}
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: mimeType = try reader.string()
      case 2: mid = try reader.string()
      case 3: cid = try reader.string()
      case 4: layers.append(try reader.message())
      case 5: layerMode = try reader.enumeration()
      case 6: sdpCID = try reader.string()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, mimeType)
      writer.write(2, mid)
      writer.write(3, cid)
      writer.write(4, layers)
      writer.write(5, layerMode)
      writer.write(6, sdpCID)
    }
  }

  /// One simulcast layer.
  public struct VideoLayer: ProtobufMessage {
    public var quality: VideoQuality = .low
    public var width: UInt32 = 0
    public var height: UInt32 = 0
    /// Bits a second.
    public var bitrate: UInt32 = 0
    public var ssrc: UInt32 = 0
    public var spatialLayer: Int32 = 0
    public var rid = ""
    public var repairSSRC: UInt32 = 0

    public init() {}
    public init(
      quality: VideoQuality, width: UInt32 = 0, height: UInt32 = 0, bitrate: UInt32 = 0, ssrc: UInt32 = 0,
      spatialLayer: Int32 = 0, rid: String = "", repairSSRC: UInt32 = 0
    ) {
      self.quality = quality
      self.width = width
      self.height = height
      self.bitrate = bitrate
      self.ssrc = ssrc
      self.spatialLayer = spatialLayer
      self.rid = rid
      self.repairSSRC = repairSSRC
    }
    public mutating func read(field: Int, from reader: inout ProtobufReader) throws(ProtobufError) {
      switch field {
      case 1: quality = try reader.enumeration()
      case 2: width = try reader.uint32()
      case 3: height = try reader.uint32()
      case 4: bitrate = try reader.uint32()
      case 5: ssrc = try reader.uint32()
      case 6: spatialLayer = try reader.int32()
      case 7: rid = try reader.string()
      case 8: repairSSRC = try reader.uint32()
      default: break
      }
    }
    public func write(to writer: inout ProtobufWriter) {
      writer.write(1, quality)
      writer.write(2, width)
      writer.write(3, height)
      writer.write(4, bitrate)
      writer.write(5, ssrc)
      writer.write(6, spatialLayer)
      writer.write(7, rid)
      writer.write(8, repairSSRC)
    }
  }
}
