internal import COpenSSL

/// The datagrams between OpenSSL and the socket: one read is one datagram, and so is one write.
final class DTLSDatagrams {
  /// Sends one datagram.
  var send: (UnsafeRawBufferPointer) -> Void = { _ in }
  /// The datagram that OpenSSL reads next.
  var inbound: UnsafeRawBufferPointer?
  /// Largest datagram to be made, in bytes, without IP and UDP headers.
  let maximumSize: Int

  init(maximumSize: Int) { self.maximumSize = maximumSize }

  /// A BIO over this object, which must outlive it.
  func makeBIO() -> OpaquePointer? {
    guard let method = Self.method, let bio = BIO_new(method) else { return nil }
    BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    BIO_set_init(bio, 1)
    return bio
  }

  private static func datagrams(_ bio: OpaquePointer?) -> DTLSDatagrams? {
    BIO_get_data(bio).map { Unmanaged<DTLSDatagrams>.fromOpaque($0).takeUnretainedValue() }
  }

  // Filled once, then only read.
  private nonisolated(unsafe) static let method: OpaquePointer? = {
    guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "datagrams") else { return nil }
    BIO_meth_set_write(method) { bio, bytes, length in
      guard let datagrams = datagrams(bio), let bytes, length > 0 else { return -1 }
      datagrams.send(UnsafeRawBufferPointer(start: bytes, count: Int(length)))
      return length
    }
    BIO_meth_set_read(method) { bio, buffer, length in
      BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
      guard let datagrams = datagrams(bio), let buffer, length > 0 else { return -1 }
      guard let inbound = datagrams.inbound, let base = inbound.baseAddress else {
        BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        return -1
      }
      datagrams.inbound = nil
      let count = min(Int(length), inbound.count)
      UnsafeMutableRawPointer(buffer).copyMemory(from: base, byteCount: count)
      return Int32(count)
    }
    BIO_meth_set_ctrl(method) { bio, command, _, _ in
      switch command {
      case BIO_CTRL_FLUSH: 1
      case BIO_CTRL_DGRAM_QUERY_MTU, BIO_CTRL_DGRAM_GET_FALLBACK_MTU:
        datagrams(bio)?.maximumSize ?? 0
      default: 0
      }
    }
    return method
  }()
}
