import Conference
import Glibc
import Screen
import Synchronization

/// Log lines and failures.
enum StandardError {
  /// Writes what the program has to say, whoever's words are in it.
  static func say(_ message: String) { write("confab: \(printable(message))\n") }

  static func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// Lines that neither steer a terminal nor show a token, with words that are too long to be read cut.
  static func printable(_ message: String) -> String {
    TokenTrace.masked(String(message.prefix(8_192))).split(separator: "\n", omittingEmptySubsequences: false).map {
      line in
      line.split(separator: " ", omittingEmptySubsequences: false).map { SanitizedText(String($0)).description }
        .joined(separator: " ")
    }.joined(separator: "\n")
  }
}

/// Machine-readable lines.
enum StandardOutput {
  private static let failure = Mutex<Int32>(0)

  /// Writes one whole line at once; false when nobody reads any more, or when it cannot be written (``verdict(_:)``).
  static func writeLine(_ text: String) -> Bool {
    let reason = write(Array((text + "\n").utf8), to: STDOUT_FILENO)
    // A reader that has seen enough is no failure.
    if reason != 0, reason != EPIPE { failure.withLock { $0 = reason } }
    return reason == 0
  }

  /// The exit code when all is done: what was printed into a full disk was not printed.
  static func verdict(_ code: Int32) -> Int32 {
    // Help and versions are still in the C library's buffer.
    let flushed = fflush(nil) == 0 || errno == EPIPE ? 0 : errno
    let reason = failure.withLock { $0 == 0 ? flushed : $0 }
    guard reason != 0 else { return code }
    let explained = Failure.report(
      "Standard output cannot be written: \(String(cString: strerror(reason))). Send it where there is room.",
      code: .internalError)
    return code == 0 ? explained : code
  }

  /// Gives 0, or why not all of it could be written. Waits where the other end made the stream non-blocking.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written >= 0 {
        rest = rest.dropFirst(written)
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}

/// The first three descriptors.
enum StandardDescriptors {
  /// Fills those that were closed before the program started, or the next file or socket would take their numbers and
  /// get what is meant for them. Each is opened the wrong way round, so that its use fails.
  static func occupy() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest number that is free, which is this one.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
