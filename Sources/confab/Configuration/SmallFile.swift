import Glibc

/// Whole files of limited size.
enum SmallFile {
  enum Failure: Error, CustomStringConvertible {
    case system(Int32)
    case notAFile
    case tooLarge(limit: Int)

    var description: String {
      switch self {
      case .system(let code): String(cString: strerror(code))
      case .notAFile: "it is not a file"
      case .tooLarge(let limit): "it has more than \(limit / 1_024) KiB"
      }
    }
  }

  /// The bytes of a file of at most `limit` bytes; nil when there is none. Pipes and devices, which may never end, are
  /// refused.
  static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .system(errno)
    }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw .system(errno) }
    guard information.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count <= limit {
      let got = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + count }, limit + 1 - count)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .system(errno) }
      if got == 0 { break }
      count += got
    }
    guard count <= limit else { throw .tooLarge(limit: limit) }
    return Array(bytes[..<count])
  }
}
