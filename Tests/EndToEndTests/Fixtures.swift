import Foundation
import Testing

/// Files and tokens that the end-to-end tests share.
enum Fixtures {
  /// A folder that is removed at the end of `body`.
  static func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "confab-test-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }

  /// A Y4M clip of a diagonal pattern that moves, 15 pictures a second, and stands still after `movingFrames`.
  static func writeClip(to url: URL, width: Int, height: Int, frames: Int, movingFrames: Int = .max) throws {
    var data = Data("YUV4MPEG2 W\(width) H\(height) F15:1 Ip A1:1 C420jpeg\n".utf8)
    for frame in 0..<frames {
      data.append(contentsOf: "FRAME\n".utf8)
      var luma = [UInt8](repeating: 0, count: width * height)
      for y in 0..<height {
        for x in 0..<width {
          luma[y * width + x] = UInt8(truncatingIfNeeded: (x + y + min(frame, movingFrames) * 4) / 2)
        }
      }
      data.append(contentsOf: luma)
      data.append(contentsOf: [UInt8](repeating: 110, count: width * height / 4))
      data.append(contentsOf: [UInt8](repeating: 150, count: width * height / 4))
    }
    try data.write(to: url)
  }

  /// A token of the development key, made by the program.
  static func token(room: String, identity: String, _ more: [String] = []) async throws -> String {
    let child = try Subprocess(Repository.program, ["token", "--room", room, "--identity", identity] + more)
    #expect(try await child.exitCode() == 0, "\(child.transcript)")
    return child.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
