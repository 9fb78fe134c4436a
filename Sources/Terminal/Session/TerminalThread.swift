internal import CLinux
internal import Glibc

/// A thread for the terminal's loop.
enum TerminalThread {
  private final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread named "terminal", or on this one should the system refuse a thread.
  static func start(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Start(body)).toOpaque()
    let result = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        pthread_setname_np(pthread_self(), "terminal")
        Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, argument)
    if result == 0 {
      pthread_detach(thread)
    } else {
      Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
    }
  }
}
