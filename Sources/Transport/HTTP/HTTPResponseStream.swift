internal import CGnome
import RTCCore

/// An answer of an ``HTTPServer`` that has no end, such as server-sent events.
@NetworkActor
public final class HTTPResponseStream {
  /// The client has gone, or took too little of what was sent; nothing can be sent any more.
  public var onClose: (@NetworkActor () -> Void)?

  private let message: OpaquePointer
  private var isClosed = false
  /// Pieces that have not left yet.
  private var pending = 0

  /// Pieces that may wait for a client that reads slowly; then it is cut off.
  private static let maximumPending = 64

  /// - Parameter message: one whose answer is about to begin.
  init(_ message: OpaquePointer) {
    self.message = message
    g_object_ref(UnsafeMutableRawPointer(message))
    soup_message_headers_set_encoding(soup_server_message_get_response_headers(message), SOUP_ENCODING_CHUNKED)
    // What has left is not kept.
    soup_message_body_set_accumulate(soup_server_message_get_response_body(message), 0)
    let finished: @convention(c) (OpaquePointer?, gpointer?) -> Void = { _, data in
      NetworkActor.assumeIsolated { CallbackContext<HTTPResponseStream>.object(data)?.ended() }
    }
    let written: @convention(c) (OpaquePointer?, gpointer?) -> Void = { _, data in
      NetworkActor.assumeIsolated { CallbackContext<HTTPResponseStream>.object(data)?.pending -= 1 }
    }
    connectSignal(UnsafeMutableRawPointer(message), "finished", to: self, signalHandler(finished))
    connectSignal(UnsafeMutableRawPointer(message), "wrote-chunk", to: self, signalHandler(written))
  }

  isolated deinit {
    close()
    g_object_unref(UnsafeMutableRawPointer(message))
  }

  public func send(_ bytes: [UInt8]) {
    guard !isClosed, !bytes.isEmpty else { return }
    guard pending < Self.maximumPending else {
      close()
      return ended()
    }
    pending += 1
    let piece = g_bytes_new(bytes, gsize(bytes.count))
    soup_message_body_append_bytes(soup_server_message_get_response_body(message), piece)
    g_bytes_unref(piece)
    soup_server_message_unpause(message)
  }

  /// Ends the answer.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    soup_message_body_complete(soup_server_message_get_response_body(message))
    soup_server_message_unpause(message)
  }

  private func ended() {
    isClosed = true
    let handler = onClose
    onClose = nil
    handler?()
  }
}
