internal import CGnome
import RTCCore

/// Opens WebSockets. Certificates are verified.
public enum WebSocketClient {
  /// Connects to `ws://…` or `wss://…`.
  ///
  /// - Parameters:
  ///   - subprotocol: what the messages are (RFC 6455 §1.9), for servers that insist on hearing it.
  ///   - certificateAuthorityFile: PEM file of the authorities that are trusted instead of the system's.
  ///   - timeout: for all of it; cancelling the task ends it earlier, also with ``TransportError/timedOut``.
  /// - Throws: ``TransportError/httpStatus(_:body:)`` when the server refuses; its words are in the body.
  @NetworkActor
  public static func connect(
    url: String, headers: [(String, String)] = [], subprotocol: String? = nil,
    certificateAuthorityFile: String? = nil, timeout: Duration = .seconds(10)
  ) async throws(TransportError) -> WebSocketConnection {
    // libsoup's own list of subprotocols does no more than write this field.
    let headers = headers + (subprotocol.map { [("Sec-WebSocket-Protocol", $0)] } ?? [])
    func request() throws(TransportError) -> SoupRequest {
      try SoupRequest(
        method: "GET", url: url, headers: headers, certificateAuthorityFile: certificateAuthorityFile, timeout: timeout)
    }
    let handshake = try request()
    let result: Result<WebSocketConnection, TransportError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        WebSocketHandshake(request: handshake) { continuation.resume(returning: $0) }.start()
      }
    } onCancel: {
      Task { @NetworkActor in handshake.cancel() }
    }
    do {
      return try result.get()
    } catch .notWebSocket where handshake.status >= 300 {
      // libsoup throws the body of a refused handshake away, so the same question is asked once more without it.
      let again = try request()
      soup_websocket_client_prepare_handshake(again.message, nil, nil, nil)
      let answer = try? await HTTPClient.response(to: again)
      let body = answer?.status == handshake.status ? answer?.body ?? [] : []
      throw .httpStatus(handshake.status, body: String(decoding: body, as: UTF8.self))
    }
  }
}

/// A handshake on its way; it is kept alive by libsoup's pending call.
@NetworkActor
private final class WebSocketHandshake {
  private let request: SoupRequest
  private let completion: (Result<WebSocketConnection, TransportError>) -> Void

  init(request: SoupRequest, completion: @escaping (Result<WebSocketConnection, TransportError>) -> Void) {
    self.request = request
    self.completion = completion
  }

  func start() {
    soup_session_websocket_connect_async(
      request.soupSession, request.message, nil, nil, G_PRIORITY_DEFAULT, request.cancellable,
      { _, result, data in
        guard let data else { return }
        NetworkActor.assumeIsolated {
          Unmanaged<WebSocketHandshake>.fromOpaque(data).takeRetainedValue().finish(result)
        }
      }, Unmanaged.passRetained(self).toOpaque())
  }

  private func finish(_ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    guard let connection = soup_session_websocket_connect_finish(request.soupSession, result, &error) else {
      let reason = TransportError(taking: error)
      return completion(.failure(request.hasTimedOut ? .timedOut : reason))
    }
    completion(.success(WebSocketConnection(connection)))
    g_object_unref(UnsafeMutableRawPointer(connection))
  }
}
