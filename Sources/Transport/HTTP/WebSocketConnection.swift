internal import CGnome
import RTCCore

/// One end of an open WebSocket (RFC 6455). It stays open until it is closed by either end or released.
@NetworkActor
public final class WebSocketConnection {
  /// A whole message, binary or text. What came before this was set is given then, in order.
  public var onMessage: (@NetworkActor ([UInt8]) -> Void)? {
    didSet { if onMessage != nil { deliverEarly() } }
  }
  /// The connection is closed; called once. The code is the peer's, 1005 when it gave none, 1006 when it vanished
  /// (RFC 6455 §7.1.5).
  public var onClose: (@NetworkActor (_ code: Int, _ reason: String) -> Void)? {
    didSet { if onClose != nil { deliverEarly() } }
  }
  public private(set) var isOpen = true
  /// Whether messages go out as text, which must then be UTF-8, or as binary (RFC 6455 §5.6).
  public var sendsText = false

  private let connection: OpaquePointer
  /// Looks for messages without end.
  private var watch: NetworkTimer?
  /// Bytes that the connection had brought when the latest message was whole.
  private var receivedBefore = 0
  private var early: [[UInt8]] = []
  private var earlySize = 0
  private var closure: (code: Int, reason: String)?
  private var isDelivering = false
  /// Bytes given to libsoup since its queue was last seen empty.
  private var unsent = 0
  private var drained: UnsafeMutablePointer<GSource>?
  /// Ourselves, while the closing handshake runs, which releasing would cut off.
  private var lingering: WebSocketConnection?

  /// Bytes of one message, in either direction. Signalling messages are a thousandth of it.
  public nonisolated static let maximumMessage = 2 << 20
  /// Bytes that may wait for a peer that does not read; after that the connection is closed.
  public static let maximumUnsent = 8 << 20
  /// Bytes that may come without a message among them: libsoup puts fragments together, and answers pings, without end.
  static let maximumUnfinished = 2 * maximumMessage
  private static let watchInterval = Duration.seconds(1)
  /// Seconds between pings, which keep translators and proxies from forgetting the connection.
  private static let pingInterval: guint = 10

  /// - Parameter connection: borrowed; an own reference is taken.
  init(_ connection: OpaquePointer) {
    self.connection = connection
    g_object_ref(UnsafeMutableRawPointer(connection))
    soup_websocket_connection_set_max_incoming_payload_size(connection, guint64(Self.maximumMessage))
    soup_websocket_connection_set_keepalive_interval(connection, Self.pingInterval)
    let message: @convention(c) (gpointer?, gint, OpaquePointer?, gpointer?) -> Void = { _, _, bytes, data in
      NetworkActor.assumeIsolated { CallbackContext<WebSocketConnection>.object(data)?.received(bytes) }
    }
    let closed: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
      NetworkActor.assumeIsolated { CallbackContext<WebSocketConnection>.object(data)?.closed() }
    }
    connectSignal(UnsafeMutableRawPointer(connection), "message", to: self, signalHandler(message))
    connectSignal(UnsafeMutableRawPointer(connection), "closed", to: self, signalHandler(closed))
    receivedBefore = received
    watch = NetworkTimer { [weak self] in self?.watchForEnd() }
    watch?.schedule(at: NetworkActor.now + Self.watchInterval)
  }

  isolated deinit {
    stopWatching()
    g_object_unref(UnsafeMutableRawPointer(connection))
  }

  /// Sends a message. A connection that is closing ignores it; a peer that does not read for too long is cut off.
  public func send(_ message: [UInt8]) {
    guard isOpen, soup_websocket_connection_get_state(connection) == SOUP_WEBSOCKET_STATE_OPEN else { return }
    unsent += message.count
    if unsent > Self.maximumUnsent, !isWritable { return abort() }
    let bytes = g_bytes_new(message, gsize(message.count))
    soup_websocket_connection_send_message(
      connection, sendsText ? SOUP_WEBSOCKET_DATA_TEXT : SOUP_WEBSOCKET_DATA_BINARY, bytes)
    g_bytes_unref(bytes)
    watchForDrain()
  }

  /// Starts the closing handshake; ``onClose`` follows.
  /// - Parameters:
  ///   - code: 1000 for a normal end (RFC 6455 §7.4.1).
  ///   - reason: at most 123 bytes go out.
  public func close(code: Int, reason: String) {
    guard isOpen, soup_websocket_connection_get_state(connection) == SOUP_WEBSOCKET_STATE_OPEN else { return }
    lingering = self
    var text = reason
    while text.utf8.count > 123 { text.removeLast() }
    soup_websocket_connection_close(connection, UInt16(clamping: code), text)
  }

  // MARK: Receiving

  private func received(_ bytes: OpaquePointer?) {
    var size: gsize = 0
    guard isOpen, let bytes else { return }
    receivedBefore = received
    let message: [UInt8]
    if let data = g_bytes_get_data(bytes, &size) {
      message = Array(UnsafeRawBufferPointer(start: data, count: Int(size)))
    } else {
      message = []
    }
    if let onMessage, early.isEmpty { return onMessage(message) }
    earlySize += message.count
    guard earlySize <= Self.maximumUnsent else { return abort() }
    early.append(message)
  }

  private func closed() {
    guard isOpen else { return }
    isOpen = false
    watch?.cancel()
    stopWatching()
    let code = Int(soup_websocket_connection_get_close_code(connection))
    let reason = soup_websocket_connection_get_close_data(connection).map { String(cString: $0) } ?? ""
    closure = (code == 0 ? 1006 : code, reason)
    deliverEarly()
    lingering = nil
  }

  /// Gives what waited to the callbacks that are set, messages before the closure.
  private func deliverEarly() {
    // A callback may set a callback.
    guard !isDelivering else { return }
    isDelivering = true
    defer { isDelivering = false }
    while let onMessage, !early.isEmpty { onMessage(early.removeFirst()) }
    if early.isEmpty { earlySize = 0 }
    if let closure, let onClose {
      self.closure = nil
      onClose(closure.code, closure.reason)
    }
  }

  // MARK: The bounds on what libsoup keeps

  /// Bytes that the connection has brought.
  private var received: Int {
    confab_socket_connection_below(soup_websocket_connection_get_io_stream(connection))
      .flatMap(PacedConnection.received) ?? 0
  }

  private func watchForEnd() {
    guard received - receivedBefore <= Self.maximumUnfinished else { return abort() }
    watch?.schedule(at: NetworkActor.now + Self.watchInterval)
  }

  private func abort() {
    lingering = self
    // No room for a closing handshake in a pipe that does not move.
    g_io_stream_close(soup_websocket_connection_get_io_stream(connection), nil, nil)
    closed()
  }

  private var output: OpaquePointer? {
    let stream = g_io_stream_get_output_stream(soup_websocket_connection_get_io_stream(connection))
    guard let stream, confab_is_pollable(stream) != 0 else { return nil }
    return OpaquePointer(stream)
  }

  private var isWritable: Bool { output.map { g_pollable_output_stream_is_writable($0) != 0 } ?? true }

  /// libsoup does not tell how much it holds back. It writes from a source of normal priority whenever the stream takes
  /// something; so when one of lower priority finds the stream writable, nothing is held back any more.
  private func watchForDrain() {
    guard drained == nil, let output, let source = g_pollable_output_stream_create_source(output, nil) else { return }
    let writable: @convention(c) (gpointer?, gpointer?) -> gboolean = { _, data in
      NetworkActor.assumeIsolated { CallbackContext<WebSocketConnection>.object(data)?.hasDrained() }
      return 0
    }
    g_source_set_priority(source, G_PRIORITY_DEFAULT + 1)
    g_source_set_callback(
      source, unsafeBitCast(writable, to: GSourceFunc.self), CallbackContext(self).retained(),
      AnyCallbackContext.release)
    g_source_attach(source, NetworkActor.context)
    drained = source
  }

  private func hasDrained() {
    unsent = 0
    stopWatching()
  }

  private func stopWatching() {
    guard let source = drained else { return }
    drained = nil
    g_source_destroy(source)
    g_source_unref(source)
  }
}
