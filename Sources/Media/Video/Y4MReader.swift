import RTCCore

/// Reads YUV4MPEG2 (mjpegtools' yuv4mpeg(5)): a text header, then raw pictures. 4:2:0 with 8 bits, progressive.
public final class Y4MReader: VideoSource {
  public let format: VideoFormat
  private let input: ByteInput
  private let loops: Bool
  private let pool = I420Pool(capacity: 4)
  private let firstFrameOffset: Int
  private var frames = 0
  private var framesThisRound = 0

  /// Lines longer than this are not Y4M.
  private static let lineLimit = 1024

  init(_ input: ByteInput, loops: Bool) throws(MediaError) {
    guard let line = try input.readLine(limit: Self.lineLimit) else {
      throw MediaError(.truncatedFile, "\(input.name) is empty. A Y4M file is needed.")
    }
    format = try Self.parse(line, name: input.name)
    self.input = input
    self.loops = loops
    firstFrameOffset = line.count + 1
  }

  /// Throws ``MediaError/Code/truncatedFile`` when the file ends inside a picture.
  public func nextFrame() throws(MediaError) -> SourceFrame? {
    var header = try input.readLine(limit: Self.lineLimit)
    if header == nil {
      guard frames > 0 else {
        throw MediaError(.truncatedFile, "\(input.name) holds no picture. Make it again.")
      }
      guard loops, framesThisRound > 0 else { return nil }
      try input.rewind(to: firstFrameOffset)
      framesThisRound = 0
      header = try input.readLine(limit: Self.lineLimit)
    }
    guard let header, header.starts(with: Array("FRAME".utf8)) else {
      throw MediaError(
        .unsupportedFormat, "\(input.name) is damaged after picture \(frames): no FRAME follows. Make it again.")
    }
    let picture = MutableI420(width: format.width, height: format.height, pool: pool)
    for plane in I420Buffer.Plane.allCases {
      let width = plane == .y ? picture.layout.width : picture.layout.chromaWidth
      let height = plane == .y ? picture.layout.height : picture.layout.chromaHeight
      for row in 0..<height {
        let target = picture.pointer(to: plane) + row * picture.stride(of: plane)
        guard try input.read(into: target, count: width) == width else {
          throw MediaError(
            .truncatedFile, "\(input.name) ends in the middle of picture \(frames + 1). Copy or make it again.")
        }
      }
    }
    let offset = format.frameInterval * frames
    frames += 1
    framesThisRound += 1
    return SourceFrame(content: .picture(picture.finish()), offset: offset)
  }

  private static func parse(_ line: [UInt8], name: String) throws(MediaError) -> VideoFormat {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.first == "YUV4MPEG2" else {
      throw MediaError(.unsupportedFormat, "\(name) does not begin with YUV4MPEG2. It is not a Y4M file.")
    }
    var width = 0
    var height = 0
    // As players do when the header does not say.
    var interval = Duration.milliseconds(40)
    for word in words.dropFirst() {
      let value = word.dropFirst()
      switch word.first {
      case "W": width = Int(value) ?? 0
      case "H": height = Int(value) ?? 0
      case "F": interval = parseRate(value) ?? interval
      case "C" where !["420", "420jpeg", "420mpeg2", "420paldv"].contains(value):
        throw MediaError(
          .unsupportedFormat,
          "\(name) holds pictures in C\(printable(value)); only 4:2:0 with 8 bits is read. "
            + "Convert it with: ffmpeg -i INPUT -pix_fmt yuv420p OUTPUT.y4m")
      case "I" where !["p", "?"].contains(value):
        throw MediaError(
          .unsupportedFormat,
          "\(name) is interlaced. Convert it with: ffmpeg -i INPUT -vf yadif -pix_fmt yuv420p OUTPUT.y4m")
      default: break
      }
    }
    // One pixel has no whole pixel of colour, and cannot be halved.
    guard width > 1, height > 1, I420Layout.sides.contains(width), I420Layout.sides.contains(height),
      width * height <= VP8Decoder.maximumPixels
    else {
      throw MediaError(
        .unsupportedFormat,
        "\(name) says its pictures are \(width)x\(height); 2x2 up to 4096x2304 is read. Check how it was made.")
    }
    return VideoFormat(width: width, height: height, frameInterval: interval)
  }

  /// "30000:1001" is pictures a second as a fraction; 1 a minute to 1000 a second are believed.
  private static func parseRate(_ text: Substring) -> Duration? {
    let parts = text.split(separator: ":").compactMap { Int64($0) }
    guard parts.count == 2, (1...1_000_000_000).contains(parts[0]), (1...1_000_000_000).contains(parts[1]) else {
      return nil
    }
    let nanoseconds = Double(parts[1]) * 1e9 / Double(parts[0])
    guard (1e6...60e9).contains(nanoseconds) else { return nil }
    return .nanoseconds(Int64(nanoseconds.rounded()))
  }

  private static func printable(_ text: Substring) -> String {
    String(
      text.unicodeScalars.prefix(12).filter { $0.isASCII && $0.value > 0x20 && $0.value < 0x7f }.map(Character.init))
  }
}
