import RTCCore
import Testing

@testable import Transport

/// Whoever sends without a pause has neither the network thread nor our memory for itself.
@NetworkActor
@Suite(.serialized) struct FloodTests {
  /// An empty ping, masked as a client's is (RFC 6455 §5.5.2).
  private static let ping: [UInt8] = [0x89, 0x80, 0, 0, 0, 0]
  /// A piece of a message that goes on for ever, as a server's: text first, then continuations (RFC 6455 §5.4).
  private static let firstFragment: [UInt8] = [0x01, 0x00]
  private static let fragment: [UInt8] = [0x00, 126, 0x04, 0x00] + [UInt8](repeating: 0x61, count: 1024)
  private static let upgrade = Array(
    ("GET /echo HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n").utf8)

  /// The longest time that a timer of the network thread was late while `isOver` did not hold.
  private static func longestDelay(until isOver: @NetworkActor () -> Bool) async throws -> Duration {
    var longest = Duration.zero
    let limit = NetworkActor.now + .seconds(30)
    while !isOver() {
      let asked = NetworkActor.now
      try #require(asked < limit, "it goes on for ever")
      await Task.yield()
      try await Task.sleep(for: .milliseconds(1))
      longest = max(longest, NetworkActor.now - asked)
    }
    return longest
  }

  @Test func aMemberThatFloodsHoldsNobodyUpAndIsCutOff() async throws {
    let server = try WebSocketTests.EchoServer()
    defer { server.close() }
    let peer = try TCPConnection(port: server.http.port)
    peer.send(Self.upgrade)
    #expect(await eventually { server.connections.count == 1 })
    let flood = Flood(peer, piece: Array((0..<1000).map { _ in Self.ping }.joined()))
    let delay = try await Self.longestDelay { server.closures.count == 1 }
    #expect(delay < .milliseconds(500), "\(delay)")
    // What the kernel holds comes on top of what was read.
    #expect(flood.sent < PacedConnection.burst + 8 << 20)
  }

  @Test(arguments: ["HTTP/1.1 103 Early\r\n\r\n", "HTTP/1.1 200 OK\r\nX-A: b\r\n"])
  func aServerWhoseAnswerNeverBeginsTimesOut(head: String) async throws {
    let server = try FloodingServer(
      answer: { _ in Array(head.utf8) },
      piece: Array(String(repeating: head.split(separator: "\n")[0] + "\n\r\n", count: 100).utf8))
    defer { server.close() }
    let asked = NetworkActor.now
    do throws(TransportError) {
      _ = try await HTTPClient.send(url: "http://127.0.0.1:\(server.port)/", timeout: .seconds(1))
    } catch {}
    await #expect(throws: TransportError.self) {
      try await WebSocketClient.connect(url: "ws://127.0.0.1:\(server.port)/", timeout: .seconds(1))
    }
    #expect(NetworkActor.now - asked < .seconds(5))
  }

  @Test func aRefusalWithoutEndIsReadAsFarAsItIsKept() async throws {
    let server = try FloodingServer(
      answer: { _ in Array("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\r\n".utf8) },
      piece: [UInt8](repeating: 0x61, count: 1 << 16))
    defer { server.close() }
    let response = try await HTTPClient.send(url: "http://127.0.0.1:\(server.port)/", timeout: .seconds(10))
    #expect(response.status == 401)
    #expect(response.body.count == HTTPClient.maximumBody)
  }

  @Test func aMessageOfFragmentsWithoutEndIsCutOff() async throws {
    let server = try WebSocketTests.EchoServer()
    defer { server.close() }
    let relay = try FloodingServer(
      answeringAs: server.http.port, first: Self.firstFragment,
      piece: Array((0..<60).map { _ in Self.fragment }.joined()))
    defer { relay.close() }
    let socket = try await WebSocketClient.connect(url: "ws://127.0.0.1:\(relay.port)/echo")
    let delay = try await Self.longestDelay { !socket.isOpen }
    #expect(delay < .milliseconds(500), "\(delay)")
    #expect(relay.sent < PacedConnection.burst + 8 << 20)
  }
}
