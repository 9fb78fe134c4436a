import RTCCore
import Testing

@testable import Media

@Suite struct VideoSourceTests {
  private func y4m(_ header: String, frames: Int, width: Int = 6, height: Int = 4) -> [UInt8] {
    let size = width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2)
    return Array((header + "\n").utf8)
      + (0..<frames).flatMap { Array("FRAME\n".utf8) + Array(repeating: UInt8($0 + 1), count: size) }
  }

  private func code(_ bytes: [UInt8], loops: Bool = false) throws -> MediaError.Code? {
    let file = try TemporaryFile(bytes)
    do {
      let source = try VideoFile.open(file.path, loops: loops)
      while try source.nextFrame() != nil {}
      return nil
    } catch {
      #expect(error.message.hasSuffix(".") || error.message.contains("ffmpeg"))
      return error.code
    }
  }

  @Test func y4mIsReadToItsEnd() throws {
    let file = try TemporaryFile(y4m("YUV4MPEG2 W6 H4 F30000:1001 Ip A1:1 C420jpeg", frames: 3))
    let source = try VideoFile.open(file.path)
    #expect(source.format.width == 6 && source.format.height == 4 && source.format.framesPerSecond == 30)
    for index in 0..<3 {
      let frame = try #require(try source.nextFrame())
      guard case .picture(let picture) = frame.content else { throw MediaError(.codecFailed, "not a picture") }
      #expect(picture[.y, 5, 3] == UInt8(index + 1) && picture[.v, 2, 1] == UInt8(index + 1))
      #expect(frame.offset == source.format.frameInterval * index)
    }
    #expect(try source.nextFrame() == nil)
  }

  @Test(arguments: ["", " C420", " C420mpeg2", " C420paldv", " C420jpeg Xsome=thing"])
  func variantsOf420AreRead(_ tag: String) throws {
    #expect(try code(y4m("YUV4MPEG2 W5 H3 F25:1" + tag, frames: 2, width: 5, height: 3)) == nil)
  }

  @Test func aLoopedFileGoesOn() throws {
    let file = try TemporaryFile(y4m("YUV4MPEG2 W6 H4 F10:1", frames: 2))
    let source = try VideoFile.open(file.path, loops: true)
    let offsets = try (0..<5).map { _ in try source.nextFrame()?.offset }
    #expect(offsets == (0..<5).map { .milliseconds(100 * $0) })
  }

  @Test func brokenY4MIsToldApart() throws {
    #expect(try code(y4m("YUV4MPEG2 W6 H4 C422", frames: 1)) == .unsupportedFormat)
    #expect(try code(y4m("YUV4MPEG2 W6 H4 C420p10", frames: 1)) == .unsupportedFormat)
    #expect(try code(y4m("YUV4MPEG2 W6 H4 It", frames: 1)) == .unsupportedFormat)
    #expect(try code(y4m("YUV4MPEG2 W0 H4", frames: 1)) == .unsupportedFormat)
    #expect(try code(y4m("YUV4MPEG2 W1 H4", frames: 1, width: 1, height: 4)) == .unsupportedFormat)
    #expect(try code(y4m("YUV4MPEG2 W99999 H99999", frames: 0)) == .unsupportedFormat)
    #expect(try code(y4m("YUV4MPEG2 W-5 H4", frames: 0)) == .unsupportedFormat)
    #expect(try code(y4m("YUV4MPEG2 W6 H4", frames: 0)) == .truncatedFile)
    #expect(try code(y4m("YUV4MPEG2 W6 H4", frames: 2).dropLast(1)) == .truncatedFile)
    #expect(try code(y4m("YUV4MPEG2 W6 H4", frames: 1) + Array("FRIEND\n".utf8)) == .unsupportedFormat)
    #expect(try code(Array("YUV4MPEG2 W6".utf8)) == .truncatedFile)
    #expect(try code(Array("YUV4MPEG2 ".utf8) + Array(repeating: 0x41, count: 5000)) == .unsupportedFormat)
    #expect(try code([]) == .truncatedFile)
    #expect(try code(Array("RIFF....WAVE".utf8)) == .unsupportedFormat)
  }

  @Test func missingFilesAndFoldersAreToldApart() {
    let missing = #expect(throws: MediaError.self) { try VideoFile.open("/nowhere/film.y4m") }
    #expect(missing?.code == .missingFile && missing?.message.contains("/nowhere/film.y4m") == true)
    let folder = #expect(throws: MediaError.self) { try VideoFile.open("/tmp") }
    #expect(folder?.code == .unreadableFile)
  }

  @Test func aPipeCannotLoop() {
    let error = #expect(throws: MediaError.self) { try VideoFile.open("/dev/null", loops: true) }
    #expect(error?.code == .invalidConfiguration)
  }

  private func ivf(_ frames: [EncodedFrame], firstAt: Int = 0) throws -> (TemporaryFile, [UInt8]) {
    let file = try TemporaryFile([])
    do {
      let writer = try IVFWriter(path: file.path, width: 160, height: 90)
      for (index, frame) in frames.enumerated() {
        try writer.write(frame.payload, offset: .milliseconds(firstAt + 40 * index))
      }
    }
    let input = try ByteInput(path: file.path)
    return (file, try input.read(1 << 24))
  }

  @Test func ivfGivesTheFramesAsTheyWere() throws {
    let frames = try encodedFrames(5)
    let (file, bytes) = try ivf(frames)
    #expect(bytes[24] == 5)
    let source = try VideoFile.open(file.path)
    #expect(source.format.width == 160 && source.format.height == 90)
    for (index, expected) in frames.enumerated() {
      let frame = try #require(try source.nextFrame())
      guard case .encoded(let payload, let isKeyFrame) = frame.content else {
        throw MediaError(.codecFailed, "not a frame")
      }
      #expect(payload == expected.payload && isKeyFrame == expected.isKeyFrame)
      #expect(frame.offset == .milliseconds(40 * index))
    }
    #expect(try source.nextFrame() == nil)
  }

  @Test func aLoopedIVFBeginsOnAKeyFrameAndTimeGrows() throws {
    // One frame before the first key frame, as in a recording begun late.
    let frames = Array(try encodedFrames(7, keyFramesAt: [0, 2])[1...])
    let (file, _) = try ivf(Array(frames), firstAt: 1000)
    let source = try VideoFile.open(file.path, loops: true)
    var last = Duration.milliseconds(-1)
    for round in 0..<3 {
      for index in 0..<5 {
        let frame = try #require(try source.nextFrame())
        guard case .encoded(_, let isKeyFrame) = frame.content else { throw MediaError(.codecFailed, "not a frame") }
        #expect(isKeyFrame == (index == 0), "round \(round)")
        #expect(frame.offset > last)
        last = frame.offset
      }
    }
    #expect(last < .milliseconds(700))
  }

  @Test func brokenIVFIsToldApart() throws {
    let (_, bytes) = try ivf(try encodedFrames(3))
    for length in 4..<bytes.count {
      let result = try code(Array(bytes.prefix(length)))
      // Ends between frames are ends like any other.
      #expect(result == .truncatedFile || (result == nil && length > 44))
    }
    var other = bytes
    other.replaceSubrange(8..<12, with: Array("VP90".utf8))
    #expect(try code(other) == .unsupportedFormat)
    var huge = bytes
    huge.replaceSubrange(32..<36, with: [0xff, 0xff, 0xff, 0x7f])
    #expect(try code(huge) == .unsupportedFormat)
    var rate = bytes
    rate.replaceSubrange(16..<20, with: [0, 0, 0, 0])
    #expect(try code(rate) == .unsupportedFormat)
    #expect(try code(Array(bytes.prefix(32)), loops: true) == .truncatedFile)
  }

  @Test(arguments: UInt64(1)...20) func randomBytesAfterAGoodBeginningDoNoHarm(seed: UInt64) throws {
    var state = seed
    let noise = (0..<400).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    _ = try code(Array("DKIF".utf8) + noise)
    _ = try code(Array("DKIF".utf8) + [0, 0, 32, 0] + Array("VP80".utf8) + noise)
    _ = try code(Array("YUV4MPEG2 W6 H4\nFRAME\n".utf8) + noise)
    _ = try code(Array("YUV4MPEG2 ".utf8) + noise)
  }
}
