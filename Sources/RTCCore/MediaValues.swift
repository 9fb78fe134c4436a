/// One compressed picture, whole, as a decoder takes it.
public struct EncodedFrame: Equatable, Sendable {
  public var codec: VideoCodec
  public var isKeyFrame: Bool
  public var timestamp: RTPTimestamp
  public var payload: [UInt8]
  /// When its first packet arrived (receiving) or when it was captured (sending).
  public var startedAt: MonotonicTime
  /// When its last packet arrived, or when encoding ended.
  public var completedAt: MonotonicTime

  public init(
    codec: VideoCodec = .vp8, isKeyFrame: Bool, timestamp: RTPTimestamp, payload: [UInt8], startedAt: MonotonicTime,
    completedAt: MonotonicTime
  ) {
    self.codec = codec
    self.isKeyFrame = isKeyFrame
    self.timestamp = timestamp
    self.payload = payload
    self.startedAt = startedAt
    self.completedAt = completedAt
  }
}

/// A picture ready to be drawn: `width` x `height` pixels, row by row from the top left, each 0x00RRGGBB.
public struct RGBPicture: Equatable, Sendable {
  public var width: Int
  public var height: Int
  public var pixels: [UInt32]

  /// A picture of one colour.
  public init(width: Int, height: Int, fill: UInt32 = 0) {
    self.width = width
    self.height = height
    pixels = Array(repeating: fill, count: width * height)
  }
  public init(width: Int, height: Int, pixels: [UInt32]) {
    precondition(pixels.count == width * height)
    self.width = width
    self.height = height
    self.pixels = pixels
  }
}

/// What a receiver counted about one RTP stream since it began.
public struct ReceiveStatistics: Equatable, Sendable {
  public var packetsReceived = 0
  /// RFC 3550 §6.4.1 cumulative number of packets lost.
  public var packetsLost = 0
  public var bytesReceived = 0
  /// RFC 3550 §A.8 interarrival jitter in milliseconds.
  public var jitterMilliseconds = 0.0
  /// Sequence numbers asked for again.
  public var nacks = 0
  /// Key frames asked for.
  public var keyFrameRequests = 0
  public var retransmissionsReceived = 0
  /// Frames completed and handed on.
  public var framesReceived = 0
  public var keyFramesReceived = 0
  public var drops = DropCounters()

  public init() {}
  /// Adds what was counted of a stream that came after this one, whose jitter is the one that counts.
  public mutating func add(_ later: ReceiveStatistics) {
    packetsReceived += later.packetsReceived
    packetsLost += later.packetsLost
    bytesReceived += later.bytesReceived
    jitterMilliseconds = later.jitterMilliseconds
    nacks += later.nacks
    keyFrameRequests += later.keyFrameRequests
    retransmissionsReceived += later.retransmissionsReceived
    framesReceived += later.framesReceived
    keyFramesReceived += later.keyFramesReceived
    drops.merge(later.drops)
  }
}
