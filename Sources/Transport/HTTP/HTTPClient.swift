internal import CGnome
import RTCCore

/// Single HTTP requests. Certificates are verified.
public enum HTTPClient {
  /// Bytes of a response that are kept; the rest is not read.
  public static let maximumBody = 1 << 20

  /// Sends a request and waits for the response, whatever its status.
  ///
  /// - Parameters:
  ///   - certificateAuthorityFile: PEM file of the authorities that are trusted instead of the system's.
  ///   - followsRedirects: whether an answer that sends us elsewhere is obeyed, as browsers do, or given back.
  ///   - timeout: for all of it; cancelling the task ends it earlier, also with ``TransportError/timedOut``.
  @NetworkActor
  public static func send(
    method: String = "GET", url: String, headers: [(String, String)] = [], body: [UInt8] = [],
    certificateAuthorityFile: String? = nil, timeout: Duration = .seconds(10), followsRedirects: Bool = true
  ) async throws(TransportError) -> HTTPResponse {
    let request = try SoupRequest(
      method: method, url: url, headers: headers, certificateAuthorityFile: certificateAuthorityFile, timeout: timeout,
      followsRedirects: followsRedirects)
    if !body.isEmpty {
      let bytes = g_bytes_new(body, gsize(body.count))
      soup_message_set_request_body_from_bytes(request.message, nil, bytes)
      g_bytes_unref(bytes)
    }
    return try await response(to: request)
  }

  @NetworkActor
  static func response(to request: SoupRequest) async throws(TransportError) -> HTTPResponse {
    let result: Result<HTTPResponse, TransportError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        HTTPExchange(request: request) { continuation.resume(returning: $0) }.start()
      }
    } onCancel: {
      Task { @NetworkActor in request.cancel() }
    }
    return try result.get()
  }
}

/// A request on its way; it is kept alive by libsoup's pending calls.
@NetworkActor
private final class HTTPExchange {
  private let request: SoupRequest
  private let completion: (Result<HTTPResponse, TransportError>) -> Void
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTPClient.maximumBody, alignment: 16)

  init(request: SoupRequest, completion: @escaping (Result<HTTPResponse, TransportError>) -> Void) {
    self.request = request
    self.completion = completion
  }

  isolated deinit { buffer.deallocate() }

  func start() {
    soup_session_send_async(
      request.soupSession, request.message, G_PRIORITY_DEFAULT, request.cancellable,
      { _, result, data in
        guard let data else { return }
        NetworkActor.assumeIsolated {
          Unmanaged<HTTPExchange>.fromOpaque(data).takeRetainedValue().receivedHeaders(result)
        }
      }, Unmanaged.passRetained(self).toOpaque())
  }

  private func receivedHeaders(_ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    guard let stream = soup_session_send_finish(request.soupSession, result, &error) else { return fail(error) }
    g_input_stream_read_all_async(
      stream, buffer.baseAddress, gsize(buffer.count), G_PRIORITY_DEFAULT, request.cancellable,
      { stream, result, data in
        guard let data else { return }
        NetworkActor.assumeIsolated {
          Unmanaged<HTTPExchange>.fromOpaque(data).takeRetainedValue().receivedBody(stream, result)
        }
      }, Unmanaged.passRetained(self).toOpaque())
    g_object_unref(stream)
  }

  private func receivedBody(_ stream: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    var count: gsize = 0
    guard let stream,
      g_input_stream_read_all_finish(
        UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GInputStream.self), result, &count, &error) != 0
    else { return fail(error) }
    let headers = HTTPHeaders(soup: soup_message_get_response_headers(request.message))
    completion(.success(HTTPResponse(status: request.status, headers: headers, body: Array(buffer[..<Int(count)]))))
  }

  private func fail(_ error: UnsafeMutablePointer<GError>?) {
    let reason = TransportError(taking: error)
    completion(.failure(request.hasTimedOut ? .timedOut : reason))
  }
}

extension HTTPHeaders {
  init(soup headers: OpaquePointer?) {
    self.init()
    guard let headers else { return }
    var iterator = SoupMessageHeadersIter()
    soup_message_headers_iter_init(&iterator, headers)
    var name: UnsafePointer<CChar>?
    var value: UnsafePointer<CChar>?
    while soup_message_headers_iter_next(&iterator, &name, &value) != 0 {
      if let name, let value { append(String(cString: name), String(cString: value)) }
    }
  }
}
