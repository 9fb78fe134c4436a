internal import CGnome
import RTCCore

/// An HTTP/1.1 server whose requests may become WebSockets.
@NetworkActor
public final class HTTPServer {
  /// Answers a request; the default answers 404.
  public var onRequest: @NetworkActor (HTTPRequest, _ body: [UInt8]) -> HTTPResponse = { _, _ in
    HTTPResponse(status: 404)
  }
  /// Decides about a request for an answer without end; nil, the default, leaves it to ``onRequest``.
  public var onStream: @NetworkActor (HTTPRequest) -> StreamDecision? = { _ in nil }
  /// Decides about a request to become a WebSocket; the default refuses with 404.
  public var onUpgrade: @NetworkActor (HTTPRequest) -> UpgradeDecision = { _ in .refuse(HTTPResponse(status: 404)) }
  /// The port listened on; 0 before ``listen(bind:port:)``.
  public private(set) var port: UInt16 = 0

  private let server: OpaquePointer
  private let certificate: UnsafeMutablePointer<GTlsCertificate>?
  private var listener: ListeningSocket?
  private var isClosed = false
  /// What is to be done when the handshake of an accepted upgrade is written.
  private var accepted: [OpaquePointer: @NetworkActor (WebSocketConnection) -> Void] = [:]

  /// Bytes of a request's body; more is answered with 413. Offers and answers are the largest, a tenth of it.
  public static let maximumBody = 256 << 10

  /// A server without TLS, for loopback or behind a proxy.
  public convenience init() { self.init(certificate: nil) }

  /// A server with TLS.
  /// - Parameters:
  ///   - certificateFile: PEM, with intermediate certificates if any.
  ///   - privateKeyFile: PEM.
  public convenience init(certificateFile: String, privateKeyFile: String) throws(TransportError) {
    var error: UnsafeMutablePointer<GError>?
    guard let certificate = g_tls_certificate_new_from_files(certificateFile, privateKeyFile, &error) else {
      throw TransportError(taking: error)
    }
    defer { g_object_unref(certificate) }
    self.init(certificate: certificate)
  }

  private init(certificate: UnsafeMutablePointer<GTlsCertificate>?) {
    // Only fails when libsoup's type cannot be registered.
    guard let server = confab_soup_server_new() else { fatalError("libsoup cannot start") }
    self.server = OpaquePointer(server)
    self.certificate = certificate
    if let certificate { g_object_ref(certificate) }
    // A small compressed message could grow without bound.
    soup_server_remove_websocket_extension(server, confab_websocket_deflate_type())
    soup_server_add_early_handler(
      server, nil,
      { _, message, _, _, data in
        guard let message else { return }
        NetworkActor.assumeIsolated { CallbackContext<HTTPServer>.object(data)?.receivedHeaders(of: message) }
      }, CallbackContext(self).retained(), AnyCallbackContext.release)
    soup_server_add_handler(
      server, nil,
      { _, message, _, _, data in
        guard let message else { return }
        NetworkActor.assumeIsolated { CallbackContext<HTTPServer>.object(data)?.received(message) }
      }, CallbackContext(self).retained(), AnyCallbackContext.release)
    soup_server_add_websocket_handler(
      server, nil, nil, nil,
      { _, message, _, connection, data in
        guard let message, let connection else { return }
        NetworkActor.assumeIsolated { CallbackContext<HTTPServer>.object(data)?.upgraded(message, connection) }
      }, CallbackContext(self).retained(), AnyCallbackContext.release)
  }

  isolated deinit {
    close()
    g_object_unref(UnsafeMutableRawPointer(server))
    if let certificate { g_object_unref(certificate) }
  }

  private var soupServer: UnsafeMutablePointer<SoupServer> {
    UnsafeMutableRawPointer(server).assumingMemoryBound(to: SoupServer.self)
  }

  /// - Parameters:
  ///   - bind: a numeric address or `localhost`; `0.0.0.0` and `::` are every interface.
  ///   - port: 0 takes any.
  public func listen(bind: String, port: UInt16) throws(TransportError) {
    guard let address = g_inet_socket_address_new_from_string(numericAddress(bind), guint(port)) else {
      throw .addressNotLocal
    }
    defer { g_object_unref(address) }
    let listener = try ListeningSocket(address)
    listener.onConnection = { [weak self] connection in
      guard let self else { return }
      accept(connection.0, connection.1, connection.2)
    }
    self.port = listener.port
    self.listener = listener
  }

  private func accept(
    _ connection: UnsafeMutablePointer<GIOStream>, _ local: UnsafeMutablePointer<GSocketAddress>?,
    _ remote: UnsafeMutablePointer<GSocketAddress>?
  ) {
    guard let certificate else {
      soup_server_accept_iostream(soupServer, connection, local, remote, nil)
      return
    }
    guard let secured = g_tls_server_connection_new(connection, certificate, nil) else { return }
    soup_server_accept_iostream(soupServer, secured, local, remote, nil)
    g_object_unref(secured)
  }

  /// Stops listening and cuts requests off; open WebSockets are their owners' to close.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    accepted = [:]
    listener = nil
    soup_server_disconnect(soupServer)
  }

  // MARK: Requests

  /// Refuses what would be too large before it is read. What comes all the same is read and not kept.
  private func receivedHeaders(of message: OpaquePointer) {
    let headers = soup_server_message_get_request_headers(message)
    let isChunked = soup_message_headers_get_encoding(headers) == SOUP_ENCODING_CHUNKED
    guard isChunked || soup_message_headers_get_content_length(headers) > Self.maximumBody else { return }
    soup_message_body_set_accumulate(soup_server_message_get_request_body(message), 0)
    soup_message_headers_replace(soup_server_message_get_response_headers(message), "Connection", "close")
    respond(to: message, HTTPResponse(status: 413))
  }

  private func received(_ message: OpaquePointer) {
    // Already refused.
    guard soup_server_message_get_status(message) == 0 else { return }
    let request = HTTPRequest(soup: message)
    guard Self.isUpgrade(request) else {
      if request.method == "GET", let decision = onStream(request) { return respond(to: message, decision) }
      return respond(to: message, onRequest(request, Self.body(of: message)))
    }
    switch onUpgrade(request) {
    case .refuse(let response): respond(to: message, response)
    case .accept(let onOpen):
      // Without a status libsoup goes on with the handshake, and refuses one that is malformed by itself.
      accepted[message] = onOpen
      let finished: @convention(c) (OpaquePointer?, gpointer?) -> Void = { message, data in
        guard let message else { return }
        NetworkActor.assumeIsolated {
          _ = CallbackContext<HTTPServer>.object(data)?.accepted.removeValue(forKey: message)
        }
      }
      connectSignal(UnsafeMutableRawPointer(message), "finished", to: self, signalHandler(finished))
    }
  }

  private func respond(to message: OpaquePointer, _ decision: StreamDecision) {
    switch decision {
    case .refuse(let response): respond(to: message, response)
    case .accept(let response, let onOpen):
      respond(to: message, response)
      onOpen(HTTPResponseStream(message))
    }
  }

  private func upgraded(_ message: OpaquePointer, _ connection: OpaquePointer) {
    guard let onOpen = accepted.removeValue(forKey: message) else { return }
    onOpen(WebSocketConnection(connection))
  }

  private static func isUpgrade(_ request: HTTPRequest) -> Bool {
    guard request.method == "GET", let upgrade = request.headers["Upgrade"] else { return false }
    return upgrade.lowercased() == "websocket"
  }

  private static func body(of message: OpaquePointer) -> [UInt8] {
    guard let bytes = soup_message_body_flatten(soup_server_message_get_request_body(message)) else { return [] }
    defer { g_bytes_unref(bytes) }
    var size: gsize = 0
    guard let data = g_bytes_get_data(bytes, &size) else { return [] }
    return Array(UnsafeRawBufferPointer(start: data, count: Int(size)))
  }

  private func respond(to message: OpaquePointer, _ response: HTTPResponse) {
    let headers = soup_server_message_get_response_headers(message)
    for (name, value) in response.headers { soup_message_headers_append(headers, name, value) }
    soup_server_message_set_status(message, guint(response.status), nil)
    if !response.body.isEmpty {
      soup_message_body_append_bytes(
        soup_server_message_get_response_body(message), g_bytes_new(response.body, gsize(response.body.count)))
    }
  }
}

extension HTTPRequest {
  fileprivate init(soup message: OpaquePointer) {
    let uri = soup_server_message_get_uri(message)
    var path = Substring(g_uri_get_path(uri).map { String(cString: $0) } ?? "/")
    while path.hasPrefix("//") { path = path.dropFirst() }
    self.init(
      method: soup_server_message_get_method(message).map { String(cString: $0) } ?? "",
      path: String(path),
      query: g_uri_get_query(uri).map { FormQuery.parse(String(cString: $0)) } ?? [:],
      headers: HTTPHeaders(soup: soup_server_message_get_request_headers(message)))
  }
}
