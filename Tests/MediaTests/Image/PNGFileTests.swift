import CPNG
import Foundation
import Media
import RTCCore
import Testing

@Suite struct PNGFileTests {
  /// A picture in which every pixel differs from its neighbours.
  private static func picture(width: Int, height: Int) -> RGBPicture {
    let pixels = (0..<UInt32(width * height)).map { ($0 &* 2_654_435_761) & 0xFF_FFFF }
    return RGBPicture(width: width, height: height, pixels: pixels)
  }

  private static func read(_ bytes: [UInt8]) throws -> RGBPicture {
    var image = png_image()
    image.version = png_uint_32(PNG_IMAGE_VERSION)
    try #require(png_image_begin_read_from_memory(&image, bytes, bytes.count) != 0)
    image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR)
    let (width, height) = (Int(image.width), Int(image.height))
    var samples = [UInt8](repeating: 0, count: width * height * 3)
    try #require(png_image_finish_read(&image, nil, &samples, png_int_32(width * 3), nil) != 0)
    var pixels: [UInt32] = []
    for start in stride(from: 0, to: samples.count, by: 3) {
      pixels.append(samples[start..<(start + 3)].reduce(0) { $0 << 8 | UInt32($1) })
    }
    return RGBPicture(width: width, height: height, pixels: pixels)
  }

  private static func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("png-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  @Test(arguments: [(1, 1), (7, 3), (160, 90), (641, 361)]) func whatIsWrittenReadsTheSame(size: (Int, Int)) throws {
    let picture = Self.picture(width: size.0, height: size.1)
    #expect(try Self.read(PNGFile.encode(picture)) == picture)
  }

  @Test func aFileIsWrittenOnceAndNeverOver() throws {
    try Self.withFolder { folder in
      let path = folder + "/a.png"
      let picture = Self.picture(width: 20, height: 10)
      try PNGFile.write(picture, to: path)
      #expect(try Self.read(Array(Data(contentsOf: URL(fileURLWithPath: path)))) == picture)
      let error = #expect(throws: MediaError.self) {
        try PNGFile.write(Self.picture(width: 2, height: 2), to: path)
      }
      #expect(error?.code == .fileExists)
      #expect(try Self.read(Array(Data(contentsOf: URL(fileURLWithPath: path)))) == picture)
    }
  }

  @Test func whatCannotBeWrittenIsSaid() {
    let missing = #expect(throws: MediaError.self) {
      try PNGFile.write(Self.picture(width: 2, height: 2), to: "/nonexistent/a.png")
    }
    #expect(missing?.code == .unwritableFile)
    #expect(missing?.message.contains("/nonexistent/a.png") == true)
    #expect(throws: MediaError.self) { try PNGFile.encode(RGBPicture(width: 0, height: 5)) }
  }
}
