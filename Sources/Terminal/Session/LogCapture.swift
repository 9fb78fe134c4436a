internal import CLinux
internal import Glibc

/// Keeps what is printed on standard output and error off the screen while the program draws on it.
///
/// Libraries print warnings when they like. What goes to the terminal is caught in memory instead, and its end can be
/// shown once the terminal has been given back. A stream that already goes elsewhere is left alone.
final class LogCapture {
  private let memory: Int32
  /// The streams that were diverted, and where they went before.
  private var saved: [(stream: Int32, copy: Int32)] = []
  /// Beyond this the beginning is thrown away.
  private static let limit = 256 * 1024
  /// What is kept then, and the most that is ever shown.
  static let tailLimit = 16 * 1024

  init() throws(TerminalError) {
    memory = memfd_create("confab-log", UInt32(bitPattern: Int32(0x1)))  // MFD_CLOEXEC
    guard memory >= 0 else { throw .system(call: "memfd_create", code: errno) }
    _ = fcntl(memory, F_SETFL, O_APPEND | O_RDWR)
  }

  deinit {
    end()
    close(memory)
  }

  /// Where standard error went before, for the crash handler; nil when it is not diverted.
  var errorCopy: Int32? { saved.first { $0.stream == 2 }?.copy }
  /// The file that gathers, for the crash handler.
  var descriptor: Int32 { memory }

  func begin() {
    guard saved.isEmpty else { return }
    for stream: Int32 in 1...2 where isatty(stream) == 1 {
      let copy = fcntl(stream, F_DUPFD_CLOEXEC, 3)
      guard copy >= 0 else { continue }
      dup2(memory, stream)
      saved.append((stream, copy))
    }
  }

  /// The streams go to the terminal again.
  func end() {
    for (stream, copy) in saved {
      dup2(copy, stream)
      close(copy)
    }
    saved = []
  }

  /// Call now and then: throws the beginning away when there is too much.
  func trim() {
    guard size > Self.limit else { return }
    let kept = tail()
    ftruncate(memory, 0)
    kept.withUnsafeBytes { _ = write(memory, $0.baseAddress, $0.count) }
  }

  /// The last lines, at most ``tailLimit`` bytes, begun at a line.
  func tail() -> [UInt8] {
    let size = size
    let start = max(0, size - Self.tailLimit)
    var bytes = [UInt8](unsafeUninitializedCapacity: size - start) { buffer, count in
      count = max(0, pread(memory, buffer.baseAddress, size - start, off_t(start)))
    }
    if start > 0, let lineEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) { bytes.removeFirst(lineEnd + 1) }
    return bytes
  }

  /// Makes control characters harmless: a log may quote what came from the network.
  static func printable(_ bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      text.append(isControl && scalar != "\n" && scalar != "\t" ? "\u{FFFD}" : scalar)
    }
    return String(text)
  }

  private var size: Int { Int(lseek(memory, 0, SEEK_END)) }
}
