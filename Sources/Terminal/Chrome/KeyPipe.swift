internal import Glibc

/// Where ncurses reads keys: what is left of the terminal's input after its answers have been taken out.
///
/// ncurses reads from a descriptor and from nothing else. It finds whole sequences here, so it has no reason to wait
/// for the rest of one.
final class KeyPipe {
  /// For ncurses.
  let readEnd: Int32
  private let writeEnd: Int32
  /// Bytes that always have room in an empty pipe (pipe(7): at least a page).
  static let capacity = 4096

  init() throws(TerminalError) {
    let pipe = try Pipe()
    (readEnd, writeEnd) = (pipe.readEnd, pipe.writeEnd)
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Hands bytes on; only when ncurses has read what was there, and at most ``capacity`` of them.
  func put(_ keys: [UInt8]) {
    guard !keys.isEmpty else { return }
    _ = keys.withUnsafeBytes { write(writeEnd, $0.baseAddress, min($0.count, Self.capacity)) }
  }
}
