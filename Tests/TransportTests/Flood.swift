import Foundation
import Glibc
import Synchronization

@testable import Transport

/// Sends one piece again and again, on a thread of its own, until the other end closes the connection.
final class Flood: Sendable {
  private let count = Mutex(0)
  /// Bytes that the system has taken.
  var sent: Int { count.withLock { $0 } }

  init(_ connection: TCPConnection, first: [UInt8] = [], piece: [UInt8]) {
    Thread.detachNewThread { [self] in
      connection.send(first)
      while connection.send(piece) { count.withLock { $0 += piece.count } }
      connection.close()
    }
  }
}

/// Answers whoever connects and says something, and then floods them.
final class FloodingServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let floods = Mutex<[Flood]>([])
  /// Bytes that the system has taken of the first flood.
  var sent: Int { floods.withLock { $0.first?.sent ?? 0 } }

  /// - Parameters:
  ///   - answer: to what is said first.
  ///   - first: what the flood begins with.
  init(answer: @escaping @Sendable ([UInt8]) -> [UInt8], first: [UInt8] = [], piece: [UInt8]) throws {
    (listener, port) = try listenOnLoopback()
    Thread.detachNewThread { [self] in
      while let connection = TCPConnection(accepting: listener) {
        connection.send(answer(connection.receive()))
        floods.withLock { $0.append(Flood(connection, first: first, piece: piece)) }
      }
    }
  }

  /// Takes its answer from another server.
  convenience init(answeringAs other: UInt16, first: [UInt8], piece: [UInt8]) throws {
    try self.init(
      answer: { request in
        guard let upstream = try? TCPConnection(port: other) else { return [] }
        upstream.send(request)
        // Left open: the other server shall not notice.
        return upstream.receive()
      }, first: first, piece: piece)
  }

  func close() {
    shutdown(listener, Int32(SHUT_RDWR))
    Glibc.close(listener)
  }
}
