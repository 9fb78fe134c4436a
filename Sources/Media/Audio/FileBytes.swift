import Foundation

/// Reads whole files, with the errors of this module.
enum FileBytes {
  static func read(_ path: String) throws(MediaError) -> [UInt8] {
    guard FileManager.default.fileExists(atPath: path) else {
      throw MediaError(.missingFile, "There is no file \(path).")
    }
    do {
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw MediaError(.unreadableFile, "\(path) cannot be read: \(error.localizedDescription)")
    }
  }
}
