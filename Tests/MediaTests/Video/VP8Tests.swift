import RTCCore
import Testing

@testable import Media

@Suite struct VP8Tests {
  @Test func picturesSurviveEncodingAndDecoding() throws {
    let encoder = try VP8Encoder(.init(width: 320, height: 180, bitrate: 600_000), clock: { .zero })
    let decoder = try VP8Decoder()
    for frame in 0..<20 {
      let picture = movingPicture(width: 320, height: 180, frame: frame)
      let encoded = try encoder.encode(picture, timestamp: RTPTimestamp(UInt32(frame * 3000)), capturedAt: .zero)
      #expect(encoded.isKeyFrame == (frame == 0))
      let decoded = try #require(try decoder.decode(encoded))
      #expect(decoded.width == 320 && decoded.height == 180)
      #expect(lumaPSNR(picture, decoded) > 32)
      #expect(abs(Int(decoded[.u, 80, 45]) - Int(picture[.u, 80, 45])) < 8)
    }
  }

  @Test func oddSizesSurvive() throws {
    let encoder = try VP8Encoder(.init(width: 131, height: 75, bitrate: 300_000), clock: { .zero })
    let picture = movingPicture(width: 131, height: 75, frame: 3)
    let encoded = try encoder.encode(picture, timestamp: RTPTimestamp(0), capturedAt: .zero)
    let decoded = try #require(try VP8Decoder().decode(encoded))
    #expect(decoded.width == 131 && decoded.height == 75)
    #expect(lumaPSNR(picture, decoded) > 30)
  }

  @Test func theTimestampMayWrap() throws {
    let encoder = try VP8Encoder(.init(width: 64, height: 64, bitrate: 100_000), clock: { .zero })
    var timestamp = RTPTimestamp(UInt32.max - 4000)
    for frame in 0..<6 {
      let encoded = try encoder.encode(
        movingPicture(width: 64, height: 64, frame: frame), timestamp: timestamp, capturedAt: .zero)
      #expect(encoded.timestamp == timestamp)
      timestamp = timestamp.advanced(by: 3000)
    }
  }

  @Test func aKeyFrameComesWhenAskedFor() throws {
    let frames = try encodedFrames(12, keyFramesAt: [0, 7])
    #expect(frames.map(\.isKeyFrame) == (0..<12).map { $0 == 0 || $0 == 7 })
  }

  @Test func theBitrateIsKept() throws {
    let encoder = try VP8Encoder(.init(width: 320, height: 180, bitrate: 400_000), clock: { .zero })
    func bitsASecond(from first: Int) throws -> Int {
      try (first..<(first + 90)).reduce(0) { sum, frame in
        let picture = movingPicture(width: 320, height: 180, frame: frame * 7)
        let encoded = try encoder.encode(picture, timestamp: RTPTimestamp(UInt32(frame * 3000)), capturedAt: .zero)
        return sum + encoded.payload.count * 8
      } / 3
    }
    #expect(try bitsASecond(from: 0) < 520_000)
    encoder.setBitrate(60_000)
    #expect(try bitsASecond(from: 90) < 120_000)
  }

  @Test func theEncoderRefusesWhatItCannotDo() throws {
    #expect(throws: MediaError.self) {
      try VP8Encoder(.init(width: 0, height: 90, bitrate: 100_000), clock: { .zero })
    }
    let encoder = try VP8Encoder(.init(width: 160, height: 90, bitrate: 100_000), clock: { .zero })
    let error = #expect(throws: MediaError.self) {
      try encoder.encode(.filled(width: 80, height: 90, y: 0), timestamp: RTPTimestamp(0), capturedAt: .zero)
    }
    #expect(error?.code == .invalidConfiguration)
  }

  @Test func nothingIsDecodedBeforeAKeyFrame() throws {
    let frames = try encodedFrames(3)
    let decoder = try VP8Decoder()
    #expect(throws: DecodeFailure.awaitingKeyFrame) { try decoder.decode(frames[1]) }
    #expect(try decoder.decode(frames[0]) != nil)
    #expect(try decoder.decode(frames[1]) != nil)
  }

  @Test func afterADamagedFrameAKeyFrameIsNeeded() throws {
    let frames = try encodedFrames(6, keyFramesAt: [0, 4])
    let decoder = try VP8Decoder()
    _ = try decoder.decode(frames[0])
    #expect(throws: DecodeFailure.undecodable) { try decoder.decode([]) }
    #expect(throws: DecodeFailure.awaitingKeyFrame) { try decoder.decode(frames[2]) }
    #expect(try decoder.decode(frames[4]) != nil)
    #expect(try decoder.decode(frames[5]) != nil)
  }

  /// RFC 6386 §9.1 gives 14 bits to each side: 402 MB for the picture alone.
  @Test func aKeyFrameCannotAskForAllMemory() throws {
    let header: [UInt8] = [0x10, 0x02, 0x00, 0x9d, 0x01, 0x2a, 0xff, 0x3f, 0xff, 0x3f, 0, 0, 0, 0]
    #expect(throws: DecodeFailure.pictureTooLarge(width: 16383, height: 16383)) { try VP8Decoder().decode(header) }
  }

  @Test func aFrameCutAtAnyLengthDoesNoHarm() throws {
    let frames = try encodedFrames(2, width: 64, height: 48)
    let decoder = try VP8Decoder()
    for length in 0..<frames[0].payload.count {
      _ = try? decoder.decode(Array(frames[0].payload.prefix(length)))
    }
    for length in 0..<frames[1].payload.count {
      _ = try decoder.decode(frames[0])
      _ = try? decoder.decode(Array(frames[1].payload.prefix(length)))
    }
    #expect(try decoder.decode(frames[0]) != nil)
  }

  @Test(arguments: UInt64(1)...6) func flippedBytesDoNoHarm(seed: UInt64) throws {
    var state = seed &* 0x9e37_79b9_7f4a_7c15
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(truncatingIfNeeded: state >> 33) % bound
    }
    let frames = try encodedFrames(8, width: 96, height: 64, keyFramesAt: [0, 4])
    let decoder = try VP8Decoder()
    for _ in 0..<60 {
      var payload = frames[random(frames.count)].payload
      for _ in 0...random(12) { payload[random(payload.count)] = UInt8(random(256)) }
      // Sizes other than small ones would only make the test slow.
      if payload[0] & 1 == 0, payload.count > 10 { payload[7] = 0 }
      if payload[0] & 1 == 0, payload.count > 10 { payload[9] = 0 }
      _ = try? decoder.decode(payload)
      _ = try? decoder.decode((0..<random(80)).map { _ in UInt8(random(256)) })
    }
    #expect(try decoder.decode(frames[0]) != nil)
  }
}

@Suite struct SimulcastTests {
  @Test func onePictureBecomesThreeSizesLowestFirst() throws {
    let encoder = try SimulcastEncoder(layers: SimulcastEncoder.Layer.small, clock: { .zero })
    let decoders = [try VP8Decoder(), try VP8Decoder(), try VP8Decoder()]
    for frame in 0..<4 {
      let outputs = try encoder.encode(
        movingPicture(width: 640, height: 360, frame: frame), timestamp: RTPTimestamp(UInt32(frame * 6000)),
        capturedAt: .zero)
      #expect(outputs.map(\.layer) == [0, 1, 2])
      #expect(outputs.allSatisfy { $0.frame.timestamp == RTPTimestamp(UInt32(frame * 6000)) })
      for output in outputs {
        let picture = try #require(try decoders[output.layer].decode(output.frame))
        #expect(picture.width == [160, 320, 640][output.layer])
        #expect(lumaPSNR(picture, movingPicture(width: picture.width, height: picture.height, frame: 0)) > 15)
      }
    }
  }

  @Test func aSmallPictureIsScaledUp() throws {
    let encoder = try SimulcastEncoder(layers: [.init(width: 320, height: 180, bitrate: 200_000)], clock: { .zero })
    let outputs = try encoder.encode(
      movingPicture(width: 100, height: 60, frame: 0), timestamp: RTPTimestamp(0), capturedAt: .zero)
    let picture = try VP8Decoder().decode(outputs[0].frame)
    #expect(picture?.width == 320)
  }

  @Test func aLayerIsSwitchedOffAndComesBackWithAKeyFrame() throws {
    let encoder = try SimulcastEncoder(layers: SimulcastEncoder.Layer.small, clock: { .zero })
    func encode(_ frame: Int) throws -> [SimulcastEncoder.Output] {
      try encoder.encode(
        movingPicture(width: 640, height: 360, frame: frame), timestamp: RTPTimestamp(UInt32(frame * 3000)),
        capturedAt: .zero)
    }
    _ = try encode(0)
    encoder.setActive(false, layer: 1)
    #expect(try encode(1).map(\.layer) == [0, 2])
    encoder.setActive(true, layer: 1)
    #expect(try encode(2).map(\.frame.isKeyFrame) == [false, true, false])
    encoder.forceKeyFrame(layer: 0)
    #expect(try encode(3).map(\.frame.isKeyFrame) == [true, false, false])
    encoder.setActive(false, layer: 7)
    encoder.forceKeyFrame(layer: -1)
    #expect(try encode(4).count == 3)
  }

  @Test func layersMustGrow() {
    #expect(throws: MediaError.self) {
      try SimulcastEncoder(layers: SimulcastEncoder.Layer.small.reversed(), clock: { .zero })
    }
    #expect(throws: MediaError.self) { try SimulcastEncoder(layers: [], clock: { .zero }) }
  }
}
