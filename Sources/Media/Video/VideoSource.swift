import RTCCore

/// Size and rate of a source's pictures.
public struct VideoFormat: Hashable, Sendable {
  public var width: Int
  public var height: Int
  /// Time from one picture to the next.
  public var frameInterval: Duration

  public init(width: Int, height: Int, frameInterval: Duration) {
    self.width = width
    self.height = height
    self.frameInterval = frameInterval
  }

  /// Pictures a second, rounded, at least 1.
  public var framesPerSecond: Int { max(1, Int((1 / frameInterval.inSeconds).rounded())) }
}

/// What a source gives at a time.
public struct SourceFrame: Sendable {
  public enum Content: Sendable {
    /// To be encoded.
    case picture(I420Buffer)
    /// To be sent as it is; VP8.
    case encoded(payload: [UInt8], isKeyFrame: Bool)
  }

  public var content: Content
  /// When it is to be shown, counted from the first frame; grows always, over loops too.
  public var offset: Duration

  public init(content: Content, offset: Duration) {
    self.content = content
    self.offset = offset
  }
}

/// Gives pictures or frames one after another, as fast as asked. One owner, one thread at a time; may wait for a pipe.
public protocol VideoSource: AnyObject {
  var format: VideoFormat { get }
  /// The next frame, nil at the end.
  func nextFrame() throws(MediaError) -> SourceFrame?
}

/// Opens video files by what they hold, whatever their name.
public enum VideoFile {
  /// A Y4M or IVF (VP8) file; `-` reads a stream from standard input.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - loops: begins again at the end, for ever. Standard input cannot.
  public static func open(_ path: String, loops: Bool = false) throws(MediaError) -> any VideoSource {
    let input = try ByteInput(path: path)
    if loops, !input.canRewind {
      throw MediaError(
        .invalidConfiguration, "\(input.name) cannot be played in a loop, as it cannot be rewound. Give a file.")
    }
    let magic = try input.peek(4)
    if magic.starts(with: Array("DKIF".utf8)) { return try IVFReader(input, loops: loops) }
    if magic.starts(with: Array("YUV4".utf8)) { return try Y4MReader(input, loops: loops) }
    guard !magic.isEmpty else {
      throw MediaError(.truncatedFile, "\(input.name) is empty. A Y4M or an IVF (VP8) file is needed.")
    }
    throw MediaError(
      .unsupportedFormat,
      "\(input.name) is neither Y4M nor IVF. Convert it with: ffmpeg -i INPUT -pix_fmt yuv420p OUTPUT.y4m")
  }
}
