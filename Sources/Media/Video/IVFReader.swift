import RTCCore

/// Reads VP8 frames from IVF, libvpx' container: a 32-byte header, then frames of 12 bytes of header each, all little
/// endian (libvpx `ivfdec.c`). Frames are given as they are.
public final class IVFReader: VideoSource {
  public let format: VideoFormat
  private let input: ByteInput
  private let loops: Bool
  /// Seconds of one tick of the frames' time stamps.
  private let tick: Double
  private let firstFrameOffset: Int
  private var frames = 0
  /// Ticks that this round through the file adds, and those of its first frame.
  private var base: Int64 = 0
  private var firstTicks: Int64?
  private var lastTicks: Int64 = -1
  private var intervalTicks: Int64 = 1

  /// No frame of a conference comes near; a damaged length is caught before memory is taken for it.
  private static let frameLimit = 16 << 20

  init(_ input: ByteInput, loops: Bool) throws(MediaError) {
    let header = try input.read(32)
    guard header.count == 32 else {
      throw MediaError(.truncatedFile, "\(input.name) ends within its header. Copy or make it again.")
    }
    guard header.starts(with: Array("DKIF".utf8)) else {
      throw MediaError(.unsupportedFormat, "\(input.name) does not begin with DKIF. It is not an IVF file.")
    }
    guard Array(header[8..<12]) == Array("VP80".utf8) else {
      throw MediaError(
        .unsupportedFormat,
        "\(input.name) holds another codec than VP8. Convert it with: ffmpeg -i INPUT -c:v libvpx OUTPUT.ivf")
    }
    let headerLength = Int(littleEndian16(header, 6))
    let width = Int(littleEndian16(header, 12))
    let height = Int(littleEndian16(header, 14))
    let rate = littleEndian32(header, 16)
    let scale = littleEndian32(header, 20)
    guard headerLength >= 32, I420Layout.sides.contains(width), I420Layout.sides.contains(height), rate > 0, scale > 0,
      scale / rate < 60
    else {
      throw MediaError(.unsupportedFormat, "\(input.name) has a damaged IVF header. Copy or make it again.")
    }
    _ = try input.read(headerLength - 32)
    tick = Double(scale) / Double(rate)
    // Files made by a camera or a browser count milliseconds; 30 a second is a guess that only a loop's seam shows.
    let interval = tick >= 0.005 ? tick : 1.0 / 30
    format = VideoFormat(width: width, height: height, frameInterval: .nanoseconds(Int64(min(interval, 60) * 1e9)))
    intervalTicks = max(1, Int64((interval / tick).rounded()))
    firstFrameOffset = headerLength
    self.input = input
    self.loops = loops
  }

  /// Throws ``MediaError/Code/truncatedFile`` when the file ends inside a frame. Frames before the first key frame are
  /// left out.
  public func nextFrame() throws(MediaError) -> SourceFrame? {
    while true {
      let header = try input.read(12)
      if header.isEmpty {
        guard frames > 0 else {
          throw MediaError(.truncatedFile, "\(input.name) holds no key frame. Make it again.")
        }
        // A round without a frame would turn for ever.
        guard loops, firstTicks != nil else { return nil }
        try input.rewind(to: firstFrameOffset)
        base = lastTicks &+ intervalTicks
        firstTicks = nil
        continue
      }
      guard header.count == 12 else { throw truncated() }
      let size = Int(littleEndian32(header, 0))
      guard size <= Self.frameLimit else {
        throw MediaError(
          .unsupportedFormat, "\(input.name) is damaged after frame \(frames): a frame of \(size) bytes. Make it again."
        )
      }
      let payload = try input.read(size)
      guard payload.count == size else { throw truncated() }
      let ticks = Int64(truncatingIfNeeded: UInt64(littleEndian32(header, 4)) | UInt64(littleEndian32(header, 8)) << 32)
      guard let first = payload.first else { continue }
      let isKeyFrame = first & 1 == 0
      if firstTicks == nil {
        guard isKeyFrame else { continue }
        firstTicks = ticks
      }
      let wanted = base &+ ticks &- (firstTicks ?? ticks)
      // Believed while it moves on, by less than an hour; else one step.
      let limit = Int64(min(3600 / tick, 1e15))
      let isPlausible = wanted > lastTicks && wanted &- lastTicks <= limit
      lastTicks = isPlausible ? wanted : lastTicks &+ (frames == 0 ? 1 : intervalTicks)
      frames += 1
      return SourceFrame(
        content: .encoded(payload: payload, isKeyFrame: isKeyFrame),
        offset: .nanoseconds(Int64(min(Double(lastTicks) * tick * 1e9, 9e18))))
    }
  }

  private func truncated() -> MediaError {
    MediaError(.truncatedFile, "\(input.name) ends in the middle of frame \(frames + 1). Copy or make it again.")
  }
}

private func littleEndian16(_ bytes: [UInt8], _ offset: Int) -> UInt16 {
  UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
}

private func littleEndian32(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
  UInt32(littleEndian16(bytes, offset)) | UInt32(littleEndian16(bytes, offset + 2)) << 16
}
