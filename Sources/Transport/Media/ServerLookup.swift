internal import CGnome
import RTCCore

/// Finds the addresses of STUN and TURN servers, several at a time.
@NetworkActor
final class ServerLookup {
  private var pending = 1
  private let completion: () -> Void
  private let cancellable = g_cancellable_new()
  private let timeout: NetworkTimer

  /// A server that cannot be found by then is left out; candidates of our own must not wait for it longer.
  private static let longestWait: Duration = .seconds(3)

  /// - Parameter completion: called when every name is found or given up.
  init(completion: @escaping () -> Void) {
    self.completion = completion
    let cancellable = cancellable
    timeout = NetworkTimer { g_cancellable_cancel(cancellable) }
    timeout.schedule(at: NetworkActor.now + Self.longestWait)
  }

  isolated deinit { g_object_unref(cancellable) }

  /// - Parameter found: told the numeric address; not called when the name has none.
  func resolve(_ host: String, found: @escaping (String) -> Void) {
    if g_hostname_is_ip_address(host) != 0 { return found(host) }
    pending += 1
    guard let resolver = g_resolver_get_default() else { return done() }
    defer { g_object_unref(resolver) }
    let request = Request(lookup: self, found: found)
    g_resolver_lookup_by_name_async(
      resolver, host, cancellable,
      { resolver, result, data in
        guard let resolver, let data else { return }
        NetworkActor.assumeIsolated {
          let request = Unmanaged<Request>.fromOpaque(data).takeRetainedValue()
          let addresses = g_resolver_lookup_by_name_finish(
            UnsafeMutableRawPointer(resolver).assumingMemoryBound(to: GResolver.self), result, nil)
          request.complete(addresses)
        }
      }, Unmanaged.passRetained(request).toOpaque())
  }

  /// To be called once, after the last name.
  func finish() { done() }

  func cancel() {
    timeout.cancel()
    g_cancellable_cancel(cancellable)
  }

  private func done() {
    pending -= 1
    guard pending == 0 else { return }
    timeout.cancel()
    completion()
  }

  private final class Request {
    let lookup: ServerLookup
    let found: (String) -> Void

    init(lookup: ServerLookup, found: @escaping (String) -> Void) {
      self.lookup = lookup
      self.found = found
    }

    @NetworkActor
    func complete(_ addresses: UnsafeMutablePointer<GList>?) {
      if let first = addresses?.pointee.data,
        let text = g_inet_address_to_string(first.assumingMemoryBound(to: GInetAddress.self))
      {
        found(String(cString: text))
        g_free(text)
      }
      g_resolver_free_addresses(addresses)
      lookup.done()
    }
  }
}
