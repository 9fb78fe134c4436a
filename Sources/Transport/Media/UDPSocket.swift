internal import CGnome
import Glibc
import RTCCore

/// One UDP socket without waiting: many datagrams a wake, addresses as values.
@NetworkActor
final class UDPSocket {
  /// A datagram and where it came from; its bytes may be changed in place and are gone after the call.
  var onDatagram: ((UnsafeMutableRawBufferPointer, IPEndpoint) -> Void)?
  let port: UInt16

  // Both are given back once, in `close`.
  private let descriptor: Int32
  private var source: UnsafeMutablePointer<GSource>?
  private let isIPv6: Bool
  /// Where the datagram at hand is; the largest has 65 507 bytes.
  private let buffer: UnsafeMutableRawBufferPointer

  /// Datagrams of one wake; more would keep timers and other sockets waiting.
  private static let burst = 128
  /// Nine publishers' key frames at once come to some megabytes; the system may grant less.
  private static let bufferSize: Int32 = 4 << 20

  /// - Parameters:
  ///   - address: numeric; `::` serves IPv4 too.
  ///   - port: 0 takes any.
  init(address: String, port: UInt16) throws(TransportError) {
    guard let local = IPAddress(listening: address) else { throw .addressNotLocal }
    if case .v6 = local { isIPv6 = true } else { isIPv6 = false }
    let descriptor = socket(
      isIPv6 ? AF_INET6 : AF_INET,
      Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.descriptor = descriptor
    guard descriptor >= 0 else { throw .other("no socket: \(String(cString: strerror(errno)))") }
    var size = Self.bufferSize
    var off: Int32 = 0
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    if isIPv6 {
      setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<Int32>.size))
    }
    var name = SocketAddress(IPEndpoint(address: local, port: port), isIPv6: isIPv6)
    guard name.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
      let reason = errno
      Glibc.close(descriptor)
      switch reason {
      case EADDRINUSE: throw .addressInUse
      case EADDRNOTAVAIL: throw .addressNotLocal
      default: throw .other("cannot bind: \(String(cString: strerror(reason)))")
      }
    }
    var bound = SocketAddress()
    buffer = .allocate(byteCount: 65_536, alignment: 16)
    self.port = bound.fill { getsockname(descriptor, $0, $1) } == 0 ? bound.endpoint?.port ?? port : port

    source = g_unix_fd_source_new(descriptor, G_IO_IN)
    let readable: @convention(c) (gint, GIOCondition, gpointer?) -> gboolean = { _, _, data in
      NetworkActor.assumeIsolated { CallbackContext<UDPSocket>.object(data)?.receive() }
      return 1
    }
    g_source_set_callback(
      source, unsafeBitCast(readable, to: GSourceFunc.self), CallbackContext(self).retained(),
      AnyCallbackContext.release)
    g_source_attach(source, NetworkActor.context)
  }

  isolated deinit {
    close()
    buffer.deallocate()
  }

  func close() {
    guard let source else { return }
    g_source_destroy(source)
    g_source_unref(source)
    self.source = nil
    Glibc.close(descriptor)
  }

  private func receive() {
    for _ in 0..<Self.burst {
      // A handler may have closed us.
      guard source != nil else { return }
      var from = SocketAddress()
      let count = from.fill { recvfrom(descriptor, buffer.baseAddress, buffer.count, 0, $0, $1) }
      guard count >= 0 else {
        // An ICMP answer to something sent earlier; the next datagram is behind it.
        if errno == ECONNREFUSED || errno == EINTR { continue }
        return
      }
      guard let endpoint = from.endpoint else { continue }
      onDatagram?(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), endpoint)
    }
  }

  /// Whether the socket took the datagram.
  func send(_ datagram: UnsafeRawBufferPointer, to endpoint: IPEndpoint) -> Bool {
    guard source != nil else { return false }
    var address = SocketAddress(endpoint, isIPv6: isIPv6)
    return address.withPointer {
      sendto(descriptor, datagram.baseAddress, datagram.count, Int32(MSG_NOSIGNAL), $0, $1)
    } == datagram.count
  }
}

/// A `sockaddr` of either family.
private struct SocketAddress {
  private var storage = sockaddr_storage()
  private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

  init() {}

  /// - Parameter isIPv6: the socket's family; an IPv4 address is then written as a mapped one (RFC 4291 §2.5.5.2).
  init(_ endpoint: IPEndpoint, isIPv6: Bool) {
    var bytes = endpoint.address.bytes
    if isIPv6 {
      if bytes.count == 4 { bytes = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes }
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = endpoint.port.bigEndian
      withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
      withUnsafeMutableBytes(of: &storage) { target in
        withUnsafeBytes(of: address) { target.copyMemory(from: $0) }
      }
      length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = endpoint.port.bigEndian
      withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes.prefix(4)) }
      withUnsafeMutableBytes(of: &storage) { target in
        withUnsafeBytes(of: address) { target.copyMemory(from: $0) }
      }
      length = socklen_t(MemoryLayout<sockaddr_in>.size)
    }
  }

  mutating func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    let length = length
    return withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  mutating func fill<Result>(
    _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
    }
  }

  /// The value; mapped addresses as IPv4, so that a peer has one address however the socket is bound.
  var endpoint: IPEndpoint? {
    withUnsafeBytes(of: storage) { bytes in
      switch Int32(storage.ss_family) {
      case AF_INET:
        let address = bytes.loadUnaligned(as: sockaddr_in.self)
        return IPEndpoint(
          address: .v4(UInt32(bigEndian: address.sin_addr.s_addr)), port: UInt16(bigEndian: address.sin_port))
      case AF_INET6:
        let address = bytes.loadUnaligned(as: sockaddr_in6.self)
        let (high, low) = withUnsafeBytes(of: address.sin6_addr) {
          (
            UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
            UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
          )
        }
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        return IPEndpoint(
          address: isMapped ? .v4(UInt32(truncatingIfNeeded: low)) : .v6(high: high, low: low),
          port: UInt16(bigEndian: address.sin6_port))
      default: return nil
      }
    }
  }
}
