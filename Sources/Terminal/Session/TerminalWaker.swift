internal import CLinux
internal import Glibc
internal import Synchronization

/// Wakes the terminal's loop from any thread; the loop then delivers ``TerminalEvent/wake``.
public final class TerminalWaker: Sendable {
  let descriptor: Int32
  private let isPending = Atomic(false)

  /// Throws when the process has no descriptor left.
  public init() throws(TerminalError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw .system(call: "eventfd", code: errno) }
  }

  deinit { close(descriptor) }

  /// Costs one system call at most until the loop has seen it; never blocks.
  public func wake() {
    guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
    eventfd_write(descriptor, 1)
  }

  /// Takes the wake-ups so far, before the loop looks at what they stand for: a call that comes later than the flag
  /// falls makes a new one, and one that comes earlier is about work that the loop is still to look at.
  func drain() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
    isPending.store(false, ordering: .sequentiallyConsistent)
  }
}
