internal import Glibc
internal import Synchronization

/// Gives the terminal back when the process ends without having done so: a crash on any thread, or `exit()`.
///
/// Everything the handler needs is prepared while all is well; the handler itself only writes, sets modes and copies
/// the end of the log, so that the message of a Swift trap can be read on the ordinary screen. Then it lets the signal
/// kill the process as it would have, and the exit status tells the truth. A thread that has overflowed its stack
/// cannot run it.
enum CrashGuard {
  /// What is given back, and how.
  struct Restoration {
    /// Must not block.
    var terminal: Int32
    var modes: termios
    var bytes: [UInt8]
    /// Where standard error goes after a crash; −1 when it was not diverted.
    var errorCopy: Int32
    /// The caught log.
    var log: Int32
  }

  private struct State {
    var process: pid_t = 0
    /// The one that everything is drawn through, and another of the same device for the handler alone.
    var terminal: Int32 = -1
    var copy: Int32 = -1
    /// Swallows what another thread goes on to draw.
    var sink: Int32 = -1
    var modes = termios()
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    var errorCopy: Int32 = -1
    var log: Int32 = -1
    var scratch: UnsafeMutablePointer<UInt8>
  }

  /// At a fixed address and never freed, as handlers may run until the very end.
  private struct Shared: @unchecked Sendable {
    let state: UnsafeMutablePointer<State>
    init() {
      state = .allocate(capacity: 1)
      state.initialize(to: State(scratch: .allocate(capacity: LogCapture.tailLimit)))
    }
  }

  private static let shared = Shared()
  private static let isArmed = Atomic(false)
  private static let isRestoring = Atomic(false)
  private static let crashes = [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSYS]
  /// These mean nothing here, and so they end a process as a crash does.
  private static let fatal =
    [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGIO, SIGPWR, SIGSTKFLT] + Array(34...64)

  /// From now on the terminal is given back by whatever ends the process.
  static func arm(_ restoration: Restoration) {
    disarm()
    let state = shared.state
    state.pointee.process = getpid()
    if state.pointee.sink < 0 { state.pointee.sink = open("/dev/null", O_RDWR | O_CLOEXEC) }
    if state.pointee.copy >= 0 { close(state.pointee.copy) }
    state.pointee.copy = fcntl(restoration.terminal, F_DUPFD_CLOEXEC, 3)
    state.pointee.terminal = restoration.terminal
    state.pointee.modes = restoration.modes
    state.pointee.bytes?.deallocate()
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, restoration.bytes.count))
    for (index, byte) in restoration.bytes.enumerated() { bytes[index] = byte }
    state.pointee.bytes = bytes
    state.pointee.count = restoration.bytes.count
    state.pointee.errorCopy = restoration.errorCopy
    state.pointee.log = restoration.log
    _ = handlersInstalled
    isArmed.store(true, ordering: .releasing)
  }

  /// The terminal has been given back, or is about to be by someone else. False when it was already.
  @discardableResult static func disarm() -> Bool { isArmed.exchange(false, ordering: .acquiringAndReleasing) }

  /// Once a process; the handlers do nothing special while nothing is armed.
  private static let handlersInstalled: Void = {
    for signal in crashes + fatal {
      var old = sigaction()
      // Who started us may have had some of them ignored, and a library may want one for itself.
      guard
        crashes.contains(signal)
          || sigaction(signal, nil, &old) == 0 && unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self) == 0
      else { continue }
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { signal in CrashGuard.crashed(signal) }
      action.sa_flags = SA_ONSTACK
      sigaction(signal, &action, nil)
    }
    atexit { CrashGuard.restore(afterCrash: false) }
  }()

  private static func crashed(_ signal: Int32) {
    restore(afterCrash: true)
    // A second thread that crashes meanwhile waits for the first, up to a second.
    for _ in 0..<100 where isRestoring.load(ordering: .acquiring) { usleep(10_000) }
    var action = sigaction()
    action.__sigaction_handler.sa_handler = SIG_DFL
    sigaction(signal, &action, nil)
    // Held back until this handler returns, and then fatal.
    raise(signal)
  }

  private static func restore(afterCrash: Bool) {
    let state = shared.state
    guard state.pointee.process == getpid(), disarm(), let bytes = state.pointee.bytes else { return }
    isRestoring.store(true, ordering: .releasing)
    defer { isRestoring.store(false, ordering: .releasing) }
    // A process in the background may not touch the terminal's modes; it must not stop here either.
    signal(SIGTTOU, SIG_IGN)
    var terminal = state.pointee.terminal
    if state.pointee.copy >= 0, state.pointee.sink >= 0, dup2(state.pointee.sink, terminal) >= 0 {
      // The thread that draws may be in the middle of a frame, whose rest would come after what is written here.
      terminal = state.pointee.copy
    }
    writeAll(bytes, state.pointee.count, to: terminal)
    tcsetattr(terminal, TCSANOW, &state.pointee.modes)
    guard afterCrash, state.pointee.errorCopy >= 0 else { return }
    let size = lseek(state.pointee.log, 0, SEEK_END)
    let start = max(0, size - off_t(LogCapture.tailLimit))
    let count = pread(state.pointee.log, state.pointee.scratch, LogCapture.tailLimit, start)
    guard count > 0 else { return }
    for index in 0..<count where !isPrintable(state.pointee.scratch[index]) {
      state.pointee.scratch[index] = UInt8(ascii: "?")
    }
    writeAll(state.pointee.scratch, count, to: state.pointee.errorCopy)
  }

  private static func isPrintable(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
  }

  /// Writes all of it, but waits for a terminal that does not read for 300 ms at most.
  static func writeAll(_ bytes: UnsafePointer<UInt8>, _ count: Int, to descriptor: Int32) {
    var sent = 0
    while sent < count {
      let written = write(descriptor, bytes + sent, count - sent)
      if written > 0 {
        sent += written
      } else if written < 0 && errno == EINTR {
        continue
      } else {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard written < 0, errno == EAGAIN, poll(&waiting, 1, 300) > 0, waiting.revents & Int16(POLLERR | POLLHUP) == 0
        else { return }
      }
    }
  }
}
