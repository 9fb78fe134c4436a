internal import CGnome
import RTCCore
import Synchronization

/// The network thread: everything that touches a socket runs here, one thing after another.
///
/// Its executor is one GLib main context that one thread iterates, so libnice's, libsoup's and our own callbacks are
/// in isolation already, and a packet is run from socket to socket without a hop.
@globalActor
public actor NetworkActor {
  public static let shared = NetworkActor()

  private let executor = NetworkExecutor()

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The system's monotonic clock, which all sockets and timers here go by.
  public static nonisolated var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  /// Runs `operation` at once, on the network thread. For C callbacks; traps on any other thread.
  public static nonisolated func assumeIsolated<Result>(
    _ operation: @NetworkActor () throws -> Result
  ) rethrows -> Result {
    precondition(shared.executor.isCurrent, "called outside of the network thread")
    return try withoutActuallyEscaping(operation) { escapable in
      // The isolation was checked above, and the two types differ in nothing else.
      try unsafeBitCast(escapable, to: (() throws -> Result).self)()
    }
  }

  /// The context that sources are attached to.
  static nonisolated var context: OpaquePointer { shared.executor.context }
}

/// Runs an actor's jobs between the other sources of one GLib main context.
private final class NetworkExecutor: SerialExecutor {
  // Both are written once in `init`, and GLib allows their use from any thread.
  nonisolated(unsafe) let context: OpaquePointer
  private nonisolated(unsafe) let wake: UnsafeMutablePointer<GSource>
  private let jobs = Mutex<[UnownedJob]>([])

  init() {
    context = g_main_context_new()
    // Without functions of its own, such a source is ready when its time has come.
    let functions = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
    functions.initialize(
      to: GSourceFuncs(
        prepare: nil, check: nil, dispatch: { _, callback, data in callback?(data) ?? 0 }, finalize: nil,
        closure_callback: nil, closure_marshal: nil))
    wake = g_source_new(functions, guint(MemoryLayout<GSource>.size))
    // This executor lives as long as the process, as the global actor does, so neither is ever freed.
    g_source_set_callback(
      wake,
      { data in
        guard let data else { return 0 }
        Unmanaged<NetworkExecutor>.fromOpaque(data).takeUnretainedValue().runJobs()
        return 1
      }, Unmanaged.passUnretained(self).toOpaque(), nil)
    g_source_attach(wake, context)
    let thread = g_thread_new(
      "network",
      { data in
        let context = data.map { OpaquePointer($0) }
        g_main_context_push_thread_default(context)
        g_main_loop_run(g_main_loop_new(context, 0))
        return nil
      }, UnsafeMutableRawPointer(context))
    g_thread_unref(thread)
  }

  var isCurrent: Bool { g_main_context_is_owner(context) != 0 }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = jobs.withLock { jobs in
      jobs.append(job)
      return jobs.count == 1
    }
    if isFirst { g_source_set_ready_time(wake, 0) }
  }

  private func runJobs() {
    g_source_set_ready_time(wake, -1)
    let due = jobs.withLock { jobs in
      let due = jobs
      jobs.removeAll(keepingCapacity: true)
      return due
    }
    for job in due { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  func checkIsolated() { precondition(isCurrent, "called outside of the network thread") }
  func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
