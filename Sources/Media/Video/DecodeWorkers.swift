import Glibc

/// Where decoding runs: ``DecodeWorkers`` in the program, a queue emptied by hand in tests.
public protocol DecodeExecutor: Sendable {
  /// Runs `job` soon, on any thread, once. Jobs may overlap each other.
  func schedule(_ job: @escaping @Sendable () -> Void)
}

/// A few threads of their own for decoding, so that neither the network nor the screen waits for a codec.
public final class DecodeWorkers: DecodeExecutor {
  /// A queue under a lock, with a condition to sleep on.
  private final class Queue: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var jobs: [@Sendable () -> Void] = []
    private var isStopped = false

    init() {
      mutex = .allocate(capacity: 1)
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
      condition = .allocate(capacity: 1)
      condition.initialize(to: pthread_cond_t())
      pthread_cond_init(condition, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      condition.deallocate()
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    func append(_ job: @escaping @Sendable () -> Void) {
      pthread_mutex_lock(mutex)
      if !isStopped { jobs.append(job) }
      pthread_mutex_unlock(mutex)
      pthread_cond_signal(condition)
    }

    func stop() {
      pthread_mutex_lock(mutex)
      isStopped = true
      jobs = []
      pthread_mutex_unlock(mutex)
      pthread_cond_broadcast(condition)
    }

    /// The next job, waited for; nil once stopped.
    func next() -> (@Sendable () -> Void)? {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      while jobs.isEmpty, !isStopped { pthread_cond_wait(condition, mutex) }
      return isStopped ? nil : jobs.removeFirst()
    }
  }

  private let queue = Queue()

  /// Starts `threads` threads, 1…16. They end when this object goes.
  public init(threads: Int = 2) {
    for _ in 0..<max(1, min(threads, 16)) { Self.start(queue) }
  }

  deinit { queue.stop() }

  /// Jobs start in the order they came. A job must not wait for another.
  public func schedule(_ job: @escaping @Sendable () -> Void) { queue.append(job) }

  /// Shows up in tools that list threads; Glibc's module has no other way to set it.
  private static func nameThread() {
    let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = write(descriptor, "decode", 6)
    close(descriptor)
  }

  private static func start(_ queue: Queue) {
    // A new thread has its maker's signal mask: signals that mean the whole program are left to the terminal's
    // thread, but those that a fault raises stay open, or a crash could not be handled.
    var signals = sigset_t()
    var previous = sigset_t()
    sigfillset(&signals)
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&signals, fault) }
    pthread_sigmask(SIG_SETMASK, &signals, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    var thread = pthread_t()
    let argument = Unmanaged.passRetained(queue)
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let queue = Unmanaged<Queue>.fromOpaque(argument).takeRetainedValue()
        DecodeWorkers.nameThread()
        while let job = queue.next() { job() }
        return nil
      }, argument.toOpaque())
    guard status == 0 else {
      argument.release()
      return
    }
    pthread_detach(thread)
  }
}
