internal import CGnome

extension TransportError {
  /// What an error of GLib means for a connection. Frees the error.
  init(taking error: UnsafeMutablePointer<GError>?) {
    guard let error else {
      self = .other("unknown failure")
      return
    }
    defer { g_error_free(error) }
    let message = error.pointee.message.map { String(cString: $0) } ?? "unknown failure"
    let code = error.pointee.code
    func isIn(_ domain: GQuark) -> Bool { error.pointee.domain == domain }
    if isIn(g_tls_error_quark()) {
      // Everything else means that no TLS server is behind the port, so that there is nobody to trust or not.
      self = code == G_TLS_ERROR_BAD_CERTIFICATE.rawValue ? .notTrusted(message) : .unreachable(message)
    } else if isIn(g_resolver_error_quark()) {
      self = .unreachable(message)
    } else if isIn(soup_websocket_error_quark()) {
      self = .notWebSocket
    } else if isIn(g_io_error_quark()) {
      switch GIOErrorEnum(rawValue: UInt32(bitPattern: code)) {
      case G_IO_ERROR_TIMED_OUT, G_IO_ERROR_CANCELLED: self = .timedOut
      case G_IO_ERROR_ADDRESS_IN_USE: self = .addressInUse
      default: self = .unreachable(message)
      }
    } else {
      self = .other(message)
    }
  }
}
