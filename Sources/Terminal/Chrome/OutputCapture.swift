internal import CLinux
internal import Glibc

/// A descriptor that ncurses takes for its terminal, while its bytes are gathered in memory.
///
/// ncurses writes to a descriptor, never through its `FILE`, and writes when it likes. To put its bytes into the same
/// write as the video, the descriptor it was given is pointed at memory, and at the terminal only while modes are set.
final class OutputCapture {
  /// What ncurses is given; always the same number.
  let descriptor: Int32
  private let memory: Int32
  private let terminal: Int32?

  /// `terminal` is the real one, nil where there is none (ncurses then keeps no modes).
  init(terminal: Int32?) throws(TerminalError) {
    memory = memfd_create("confab-terminal-output", UInt32(bitPattern: Int32(0x1)))  // MFD_CLOEXEC
    guard memory >= 0 else { throw .system(call: "memfd_create", code: errno) }
    descriptor = fcntl(memory, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else {
      let code = errno
      close(memory)
      throw .system(call: "dup", code: code)
    }
    self.terminal = terminal
  }

  deinit { close(memory) }

  /// Runs `body` with the descriptor on the real terminal, for calls that read or set its modes.
  func onTerminal<Result>(_ body: () -> Result) -> Result {
    if let terminal { dup2(terminal, descriptor) }
    defer { dup2(memory, descriptor) }
    return body()
  }

  /// Takes what was written since the last call.
  func take() -> [UInt8] {
    let size = Int(lseek(memory, 0, SEEK_CUR))
    guard size > 0 else { return [] }
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = max(0, pread(memory, buffer.baseAddress, size, 0))
    }
    lseek(memory, 0, SEEK_SET)
    return bytes
  }
}
