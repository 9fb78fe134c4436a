internal import CGnome
import RTCCore

/// One timer of the network thread, set as often as wanted; it fires once for each setting.
///
/// Setting it is cheap: one source is kept and only its time moves. It fires up to a millisecond late on an idle
/// thread. It stops when it is released.
@NetworkActor
public final class NetworkTimer {
  private let handler: @NetworkActor () -> Void
  // Freed in `deinit`; GLib allows that from any thread.
  private nonisolated(unsafe) let source: UnsafeMutablePointer<GSource>

  // Compared by GLib, so it must stay where it is.
  private nonisolated(unsafe) static let functions: UnsafeMutablePointer<GSourceFuncs> = {
    let functions = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
    functions.initialize(
      to: GSourceFuncs(
        prepare: nil, check: nil, dispatch: { _, callback, data in callback?(data) ?? 0 }, finalize: nil,
        closure_callback: nil, closure_marshal: nil))
    return functions
  }()

  /// - Parameter handler: called on the network thread. The timer keeps it, so an owner is captured weakly.
  public init(_ handler: @escaping @NetworkActor () -> Void) {
    self.handler = handler
    source = g_source_new(Self.functions, guint(MemoryLayout<GSource>.size))
    g_source_set_callback(
      source,
      { data in
        NetworkActor.assumeIsolated { CallbackContext<NetworkTimer>.object(data)?.fire() }
        return 1
      }, CallbackContext(self).retained(), AnyCallbackContext.release)
    g_source_attach(source, NetworkActor.context)
  }

  deinit {
    g_source_destroy(source)
    g_source_unref(source)
  }

  /// Fires at `time`, at once when that has passed, and no more at the time set before.
  public func schedule(at time: MonotonicTime) {
    // GLib counts the same clock in microseconds; rounded up, so that it is never early.
    g_source_set_ready_time(source, Int(max(0, (time.nanoseconds &+ 999) / 1000)))
  }

  public func cancel() { g_source_set_ready_time(source, -1) }

  private func fire() {
    g_source_set_ready_time(source, -1)
    handler()
  }
}
