import Glibc
import RTCCore

@testable import Transport

/// A bare TCP connection to loopback, for what well-behaved clients do not send.
final class TCPConnection: Sendable {
  private let descriptor: Int32

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw TransportError.unreachable("connect") }
  }

  /// False when the other end has closed the connection.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool { Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) >= 0 }

  /// What comes next, 64 kB at most; empty when the other end has closed the connection.
  func receive() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return Array(buffer.prefix(max(0, count)))
  }

  /// The next that somebody else makes; nil when the listener is closed.
  init?(accepting listener: Int32) {
    descriptor = accept(listener, nil, nil)
    guard descriptor >= 0 else { return nil }
  }

  func close() { Glibc.close(descriptor) }
}

/// A listening socket on a free port of loopback; `flags` of its type.
func listenOnLoopback(flags: Int32 = 0) throws -> (descriptor: Int32, port: UInt16) {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | flags, 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let result = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, length) | listen(descriptor, 8) | getsockname(descriptor, $0, &length)
    }
  }
  guard result == 0 else { throw TransportError.addressInUse }
  return (descriptor, UInt16(bigEndian: address.sin_port))
}

/// A port whose connections are not answered by themselves.
final class SilentListener {
  let port: UInt16
  private let descriptor: Int32
  private var connection: Int32 = -1

  init() throws {
    (descriptor, port) = try listenOnLoopback(flags: Int32(SOCK_NONBLOCK.rawValue))
  }

  /// Sends the bytes to the first connection once it has said something, and closes it. Does not wait: false when there
  /// is no such connection yet.
  func answer(_ bytes: [UInt8]) -> Bool {
    if connection < 0 { connection = accept(descriptor, nil, nil) }
    guard connection >= 0 else { return false }
    var buffer = [UInt8](repeating: 0, count: 4096)
    guard recv(connection, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 else { return false }
    _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    Glibc.close(connection)
    return true
  }

  func close() { Glibc.close(descriptor) }
}
