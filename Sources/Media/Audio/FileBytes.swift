import Foundation

/// Reads whole files, with the errors of this module.
enum FileBytes {
  static func read(_ path: String) throws(MediaError) -> [UInt8] {
    var information = stat()
    guard stat(path, &information) == 0 else {
      let reason = errno
      if reason == ENOENT || reason == ENOTDIR {
        throw MediaError(.missingFile, "There is no file “\(path)”. Check the name and the folder.")
      }
      throw unreadable(path, reason)
    }
    switch information.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw MediaError(.unreadableFile, "\(path) is a folder. Give a file inside it.")
    // A pipe or a device may never end.
    default: throw MediaError(.unreadableFile, "\(path) is not a regular file. Copy what it gives into one first.")
    }
    do {
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
      throw unreadable(path, underlying.map { Int32(truncatingIfNeeded: $0.code) } ?? EACCES)
    }
  }

  private static func unreadable(_ path: String, _ reason: Int32) -> MediaError {
    MediaError(
      .unreadableFile, "\(path) cannot be read: \(String(cString: strerror(reason))). Check its permissions.")
  }
}
