import Foundation
import Glibc

/// Files with secrets, which only their owner may read.
public enum PrivateFile {
  public enum Failure: Error, Equatable, Sendable {
    /// The reason is half a sentence.
    case unreadable(reason: String)
    /// Others than the owner may read or write it.
    case tooOpen(mode: UInt16)
  }

  /// Bytes of a file; secrets have a few dozen, and a list of keys some thousands.
  private static let limit = 65_536

  /// The bytes of a file or pipe, which must have mode 0600 or stricter.
  public static func read(_ path: String) throws(Failure) -> [UInt8] {
    var information = stat()
    guard stat(path, &information) == 0 else { throw .unreadable(reason: String(cString: strerror(errno))) }
    switch information.st_mode & S_IFMT {
    case S_IFREG, S_IFIFO: break
    case S_IFDIR: throw .unreadable(reason: "it is a folder")
    default: throw .unreadable(reason: "it is not a file")
    }
    let mode = UInt16(information.st_mode & 0o777)
    guard mode & 0o077 == 0 else { throw .tooOpen(mode: mode) }
    guard access(path, R_OK) == 0 else { throw .unreadable(reason: String(cString: strerror(errno))) }
    guard let file = FileHandle(forReadingAtPath: path) else { throw .unreadable(reason: "it cannot be opened") }
    let bytes: Data?
    do { bytes = try file.read(upToCount: limit + 1) } catch { throw .unreadable(reason: "reading fails") }
    guard let bytes else { return [] }
    guard bytes.count <= limit else { throw .unreadable(reason: "it has more than \(limit / 1_024) KiB") }
    return Array(bytes)
  }
}
