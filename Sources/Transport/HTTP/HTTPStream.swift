internal import CGnome
import RTCCore

/// An answer that has no end and is read as it comes, such as server-sent events. Certificates are verified.
@NetworkActor
public final class HTTPStream {
  /// Status and header fields, once; the body follows in pieces.
  public var onAnswer: (@NetworkActor (HTTPResponse) -> Void)?
  public var onPiece: (@NetworkActor ([UInt8]) -> Void)?
  /// The server has ended it, or it failed; not called after ``close()``.
  public var onEnd: (@NetworkActor (TransportError?) -> Void)?

  private let request: SoupRequest
  private var isClosed = false
  private static let pieceSize: gsize = 1 << 14

  /// - Parameter timeout: until the answer begins; then it may be silent for as long as it likes.
  public init(
    url: String, headers: [(String, String)], certificateAuthorityFile: String? = nil, timeout: Duration
  ) throws(TransportError) {
    request = try SoupRequest(
      method: "GET", url: url, headers: headers, certificateAuthorityFile: certificateAuthorityFile, timeout: timeout)
  }

  /// Sends the request. Pending calls of libsoup keep this object alive until the end.
  public func start() {
    soup_session_send_async(
      request.soupSession, request.message, G_PRIORITY_DEFAULT, request.cancellable,
      { _, result, data in
        guard let data else { return }
        NetworkActor.assumeIsolated {
          Unmanaged<HTTPStream>.fromOpaque(data).takeRetainedValue().began(result)
        }
      }, Unmanaged.passRetained(self).toOpaque())
  }

  public func close() {
    guard !isClosed else { return }
    isClosed = true
    (onAnswer, onPiece, onEnd) = (nil, nil, nil)
    request.cancel()
  }

  private func began(_ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    guard let stream = soup_session_send_finish(request.soupSession, result, &error) else { return end(error) }
    defer { g_object_unref(stream) }
    request.endDeadline()
    onAnswer?(
      HTTPResponse(
        status: request.status, headers: HTTPHeaders(soup: soup_message_get_response_headers(request.message))))
    read(stream)
  }

  private func read(_ stream: UnsafeMutablePointer<GInputStream>) {
    g_input_stream_read_bytes_async(
      stream, Self.pieceSize, G_PRIORITY_DEFAULT, request.cancellable,
      { stream, result, data in
        guard let data else { return }
        NetworkActor.assumeIsolated {
          Unmanaged<HTTPStream>.fromOpaque(data).takeRetainedValue().received(stream, result)
        }
      }, Unmanaged.passRetained(self).toOpaque())
  }

  private func received(_ object: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    guard let object else { return }
    let stream = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GInputStream.self)
    guard let bytes = g_input_stream_read_bytes_finish(stream, result, &error) else { return end(error) }
    defer { g_bytes_unref(bytes) }
    var size: gsize = 0
    guard let data = g_bytes_get_data(bytes, &size), size > 0 else { return end(nil) }
    onPiece?(Array(UnsafeRawBufferPointer(start: data, count: Int(size))))
    if !isClosed { read(stream) }
  }

  private func end(_ error: UnsafeMutablePointer<GError>?) {
    let reason = error.map { TransportError(taking: $0) }
    let handler = onEnd
    close()
    handler?(reason)
  }
}
