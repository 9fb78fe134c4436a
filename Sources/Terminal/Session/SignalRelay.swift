internal import Glibc

/// Brings signals into the terminal's loop.
///
/// A handler writes the number of the signal into a pipe that the loop polls. Unlike signalfd this does not depend on
/// every thread of the process having the signals blocked, among them threads that libraries started earlier, and
/// child processes inherit nothing.
final class SignalRelay {
  /// Becomes readable when signals came.
  let descriptor: Int32
  private var previous: [(signal: Int32, action: sigaction)] = []
  private static let signals = [SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]

  /// The end of the pipe that the handler writes to; −1 when there is none. A pointer, as a handler may not run into
  /// the checks of a Swift variable.
  private static let writeEnd: SharedDescriptor = SharedDescriptor()

  init() throws(TerminalError) {
    let pipe = try Pipe()
    descriptor = pipe.readEnd
    Self.writeEnd.pointer.pointee = pipe.writeEnd
    for signal in Self.signals { install(signal) }
  }

  deinit {
    for (signal, action) in previous {
      var action = action
      sigaction(signal, &action, nil)
    }
    let end = Self.writeEnd.pointer.pointee
    Self.writeEnd.pointer.pointee = -1
    close(end)
    close(descriptor)
  }

  private func install(_ signal: Int32) {
    var old = sigaction()
    var new = Self.action
    sigaction(signal, &new, &old)
    previous.append((signal, old))
  }

  private static var action: sigaction {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { signal in
      let code = errno
      var number = UInt8(truncatingIfNeeded: signal)
      write(SignalRelay.writeEnd.pointer.pointee, &number, 1)
      errno = code
    }
    action.sa_flags = SA_RESTART
    return action
  }

  /// The signals since the last call, in order.
  func take() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).map(Int32.init)
  }

  /// Stops the process as Ctrl-Z does, and returns when it has been continued.
  func stopProcess() {
    var stopping = sigaction()
    stopping.__sigaction_handler.sa_handler = SIG_DFL
    sigaction(SIGTSTP, &stopping, nil)
    // Threads that a dispatch queue started have signals blocked, and a blocked stop would only stay pending.
    var stop = sigset_t()
    var previous = sigset_t()
    sigemptyset(&stop)
    sigaddset(&stop, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stop, &previous)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &previous, nil)
    var relaying = Self.action
    sigaction(SIGTSTP, &relaying, nil)
  }
}

/// A descriptor at a fixed address, for signal handlers.
private struct SharedDescriptor: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<Int32>
  init() {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: -1)
  }
}
