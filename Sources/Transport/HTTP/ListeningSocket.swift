internal import CGnome
import RTCCore

/// Takes TCP connections on a port. libsoup's own listener ends for good at the first connection that cannot be taken,
/// for example when all file descriptors are in use; this one waits a moment and goes on.
@NetworkActor
final class ListeningSocket {
  typealias Connection = (
    UnsafeMutablePointer<GIOStream>, UnsafeMutablePointer<GSocketAddress>?, UnsafeMutablePointer<GSocketAddress>?
  )
  /// A new connection and its addresses, borrowed for the call.
  var onConnection: (@NetworkActor (Connection) -> Void)?
  let port: UInt16

  private let socket: UnsafeMutablePointer<GSocket>
  private var source: UnsafeMutablePointer<GSource>?
  private var retry: NetworkTimer?

  /// Connections that may wait to be taken: a crowd that arrives at once.
  private static let backlog: gint = 256
  /// Seconds of silence after which a connection is cut. A WebSocket answers a ping in every ten.
  private static let silence: guint = 40

  init(_ address: UnsafeMutablePointer<GSocketAddress>) throws(TransportError) {
    PacedConnection.install
    var error: UnsafeMutablePointer<GError>?
    guard
      let socket = g_socket_new(
        g_socket_address_get_family(address), G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &error)
    else { throw TransportError(taking: error) }
    g_socket_set_listen_backlog(socket, Self.backlog)
    g_socket_set_blocking(socket, 0)
    guard g_socket_bind(socket, address, 1, &error) != 0, g_socket_listen(socket, &error) != 0,
      let local = g_socket_get_local_address(socket, &error)
    else {
      g_object_unref(socket)
      // GLib has no code of its own for an address that no interface has.
      let isForeign = error?.pointee.code == Int32(G_IO_ERROR_FAILED.rawValue)
      let reason = TransportError(taking: error)
      throw isForeign ? .addressNotLocal : reason
    }
    let inet = UnsafeMutableRawPointer(local).assumingMemoryBound(to: GInetSocketAddress.self)
    port = g_inet_socket_address_get_port(inet)
    g_object_unref(local)
    self.socket = socket
    retry = NetworkTimer { [weak self] in
      guard let self else { return }
      watch()
    }
    watch()
  }

  isolated deinit {
    stopWatching()
    g_socket_close(socket, nil)
    g_object_unref(socket)
  }

  private func watch() {
    guard source == nil, let source = g_socket_create_source(socket, G_IO_IN, nil) else { return }
    let ready: @convention(c) (gpointer?, GIOCondition, gpointer?) -> gboolean = { _, _, data in
      NetworkActor.assumeIsolated { CallbackContext<ListeningSocket>.object(data)?.takeOne() }
      return 1
    }
    g_source_set_callback(
      source, unsafeBitCast(ready, to: GSourceFunc.self), CallbackContext(self).retained(), AnyCallbackContext.release)
    g_source_attach(source, NetworkActor.context)
    self.source = source
  }

  private func takeOne() {
    var error: UnsafeMutablePointer<GError>?
    guard let accepted = g_socket_accept(socket, nil, &error) else {
      // Whatever is short now, trying again at once would only burn the processor.
      g_clear_error(&error)
      stopWatching()
      retry?.schedule(at: NetworkActor.now + .milliseconds(100))
      return
    }
    defer { g_object_unref(accepted) }
    g_socket_set_timeout(accepted, Self.silence)
    guard let connection = g_socket_connection_factory_create_connection(accepted) else { return }
    let local = g_socket_get_local_address(accepted, nil)
    let remote = g_socket_get_remote_address(accepted, nil)
    UnsafeMutableRawPointer(connection).withMemoryRebound(to: GIOStream.self, capacity: 1) { stream in
      onConnection?((stream, local, remote))
    }
    g_object_unref(connection)
    if let local { g_object_unref(local) }
    if let remote { g_object_unref(remote) }
  }

  private func stopWatching() {
    guard let source else { return }
    self.source = nil
    g_source_destroy(source)
    g_source_unref(source)
  }
}
