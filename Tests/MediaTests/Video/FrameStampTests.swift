import RTCCore
import Testing

@testable import Media

@Suite struct FrameStampTests {
  @Test(arguments: [(640, 360), (320, 180), (160, 90), (1280, 720), (144, 66), (427, 241)])
  func aStampIsReadFromAPictureOfAnySize(width: Int, height: Int) {
    for (frame, time) in [(0, 0), (1, 4_194_303), (16_383, 0x2aaaaa), (5461, 123_456)] {
      let stamp = FrameStamp(frame: frame, milliseconds: time)
      let picture = movingPicture(width: width, height: height, frame: frame % 50, stamp: stamp)
      #expect(FrameStamp.read(from: picture) == stamp)
    }
  }

  /// 150, 80 and 40 kbit/s at 360p, 180p and 90p, far below what a publisher sends; 250 at 720p.
  @Test(arguments: [([(160, 90, 40_000), (320, 180, 80_000), (640, 360, 150_000)]), [(1280, 720, 250_000)]])
  func aStampSurvivesScalingAndCoding(sizes: [(width: Int, height: Int, bitrate: Int)]) throws {
    let layers = sizes.map { SimulcastEncoder.Layer(width: $0.width, height: $0.height, bitrate: $0.bitrate) }
    let largest = try #require(layers.last)
    let encoder = try SimulcastEncoder(layers: layers, framesPerSecond: 15, clock: { .zero })
    let decoders = try layers.map { _ in try VP8Decoder() }
    for frame in 0..<45 {
      let stamp = FrameStamp(frame: 16_370 + frame, milliseconds: 4_193_000 + frame * 67)
      let picture = movingPicture(width: largest.width, height: largest.height, frame: frame * 5, stamp: stamp)
      let outputs = try encoder.encode(picture, timestamp: RTPTimestamp(UInt32(frame * 6000)), capturedAt: .zero)
      for output in outputs {
        let decoded = try #require(try decoders[output.layer].decode(output.frame))
        #expect(FrameStamp.read(from: decoded) == stamp, "layer \(output.layer), frame \(frame)")
      }
    }
  }

  @Test func picturesWithoutAStampGiveNone() {
    for frame in 0..<30 { #expect(FrameStamp.read(from: movingPicture(width: 320, height: 180, frame: frame)) == nil) }
    #expect(FrameStamp.read(from: .filled(width: 320, height: 180, y: 16)) == nil)
    #expect(FrameStamp.read(from: .filled(width: 8, height: 8, y: 16)) == nil)
  }

  @Test func anyOneWrongCellIsNoticed() {
    for cell in 0..<FrameStamp.cells {
      let picture = MutableI420(width: 480, height: 220)
      let stamp = FrameStamp(frame: 4711, milliseconds: 1_234_567)
      stamp.write(into: picture)
      let x = cell * 10
      for y in 200..<220 {
        for offset in 0..<10 {
          let isWhite = stamp.isWhite(cell: cell)
          picture.set(.y, x: x + offset, y: y, to: isWhite ? FrameStamp.black : FrameStamp.white)
        }
      }
      #expect(FrameStamp.read(from: picture.finish()) == nil, "cell \(cell)")
    }
  }

  @Test func agesAndCountsWrap() {
    let stamp = FrameStamp(frame: 16_380, milliseconds: FrameStamp.millisecondModulus - 10)
    #expect(stamp.age(atMilliseconds: FrameStamp.millisecondModulus + 25) == 35)
    #expect(FrameStamp(frame: 16_390, milliseconds: 0).frames(since: stamp) == 10)
  }
}
