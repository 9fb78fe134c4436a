internal import CLinux
internal import Glibc

/// A timer whose descriptor becomes readable at every frame.
final class FrameClock {
  let descriptor: Int32

  /// `framesPerSecond` is brought into 1…120.
  init(framesPerSecond: Int) throws(TerminalError) {
    descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    guard descriptor >= 0 else { throw .system(call: "timerfd_create", code: errno) }
    let period = 1_000_000_000 / min(max(1, framesPerSecond), 120)
    let interval = timespec(tv_sec: period / 1_000_000_000, tv_nsec: period % 1_000_000_000)
    var setting = itimerspec(it_interval: interval, it_value: interval)
    timerfd_settime(descriptor, 0, &setting, nil)
  }

  deinit { close(descriptor) }

  /// Takes the ticks that are due; late ones count as one.
  func drain() {
    var count: UInt64 = 0
    read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}
