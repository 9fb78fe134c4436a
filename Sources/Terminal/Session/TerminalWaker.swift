internal import CLinux
internal import Glibc
internal import Synchronization

/// Wakes the terminal's loop from any thread; the loop then delivers ``TerminalEvent/wake``.
public final class TerminalWaker: Sendable {
  let descriptor: Int32
  /// The descriptor is readable.
  private let isSignalled = Atomic(false)
  private let hasNews = Atomic(false)
  private let hasPicture = Atomic(false)

  /// Throws when the process has no descriptor left.
  public init() throws(TerminalError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw .system(call: "eventfd", code: errno) }
  }

  deinit { close(descriptor) }

  /// Costs one system call at most until the loop has seen it; never blocks.
  public func wake() {
    guard !hasNews.exchange(true, ordering: .acquiringAndReleasing) else { return }
    signal()
  }

  /// A picture is there to be drawn: the loop delivers a ``TerminalEvent/tick(_:)`` within a few milliseconds, one for all
  /// that come until then. Costs one system call at most for each such tick; never blocks.
  public func wakeForPicture() {
    guard !hasPicture.exchange(true, ordering: .acquiringAndReleasing) else { return }
    signal()
  }

  private func signal() {
    guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    eventfd_write(descriptor, 1)
  }

  /// Takes the wake-ups so far, before the loop looks at what they stand for: a call that comes later than the flag
  /// falls makes a new one, and one that comes earlier is about work that the loop is still to look at.
  /// True if ``wake()`` was among them.
  func drain() -> Bool {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
    isSignalled.store(false, ordering: .sequentiallyConsistent)
    return hasNews.exchange(false, ordering: .acquiringAndReleasing)
  }

  /// Pictures wait for a tick.
  var wantsPictureTick: Bool { hasPicture.load(ordering: .acquiring) }

  /// The tick comes now, and the program looks at every picture.
  func takePictures() { hasPicture.store(false, ordering: .sequentiallyConsistent) }
}
