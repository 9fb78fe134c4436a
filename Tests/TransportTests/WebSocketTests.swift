import RTCCore
import TestKit
import Testing

@testable import Transport

@NetworkActor
@Suite struct WebSocketTests {
  /// A server that sends every message back, and holds its connections.
  @NetworkActor
  final class EchoServer {
    let http = HTTPServer()
    private(set) var connections: [WebSocketConnection] = []
    private(set) var closures: [Int] = []
    private(set) var requests: [HTTPRequest] = []
    var greeting: [UInt8]?

    init() throws {
      http.onUpgrade = { [weak self] request in
        self?.requests.append(request)
        guard request.path == "/echo" else {
          return .refuse(HTTPResponse(status: 401, headers: ["X-Why": "token"], body: Array("invalid token".utf8)))
        }
        return .accept { connection in
          guard let self else { return }
          self.connections.append(connection)
          connection.onMessage = { [weak connection] in connection?.send($0) }
          connection.onClose = { code, _ in self.closures.append(code) }
          if let greeting = self.greeting { connection.send(greeting) }
        }
      }
      try http.listen(bind: "127.0.0.1", port: 0)
    }

    func url(_ path: String) -> String { "ws://127.0.0.1:\(http.port)\(path)" }
    func close() { http.close() }
  }

  @Test func messagesComeBackInOrder() async throws {
    let server = try EchoServer()
    defer { server.close() }
    let socket = try await WebSocketClient.connect(
      url: server.url("//echo?room=a%26b"), headers: [("Authorization", "Bearer x")])
    var received: [[UInt8]] = []
    socket.onMessage = { received.append($0) }
    let messages: [[UInt8]] = [[], [1], [UInt8](repeating: 7, count: 70_000), Array(0...255)]
    for message in messages { socket.send(message) }
    #expect(await eventually { received.count == messages.count })
    #expect(received == messages)
    #expect(server.requests.first?.query["room"] == "a&b")
    #expect(server.requests.first?.headers["AUTHORIZATION"] == "Bearer x")
    socket.close(code: 1000, reason: "done")
    #expect(await eventually { server.closures == [1000] && !socket.isOpen })
  }

  @Test func textAndTheSubprotocolReachTheServer() async throws {
    let server = try EchoServer()
    defer { server.close() }
    let socket = try await WebSocketClient.connect(url: server.url("/echo"), subprotocol: "janus-protocol")
    socket.sendsText = true
    var received: [[UInt8]] = []
    socket.onMessage = { received.append($0) }
    let message = Array(#"{"display":"Åsa"}"#.utf8)
    socket.send(message)
    #expect(await eventually { received == [message] })
    #expect(server.requests.first?.headers["Sec-WebSocket-Protocol"] == "janus-protocol")
  }

  @Test func whatTheServerSaysFirstIsNotLost() async throws {
    let server = try EchoServer()
    defer { server.close() }
    server.greeting = [1, 2, 3]
    let socket = try await WebSocketClient.connect(url: server.url("/echo"))
    var beforeListening = false
    let timer = NetworkTimer { beforeListening = true }
    timer.schedule(at: NetworkActor.now + .milliseconds(50))
    #expect(await eventually { beforeListening })
    var received: [[UInt8]] = []
    socket.onMessage = { received.append($0) }
    #expect(await eventually { received == [[1, 2, 3]] })
    withExtendedLifetime(timer) {}
  }

  @Test func aRefusedUpgradeTellsStatusAndBody() async throws {
    let server = try EchoServer()
    defer { server.close() }
    await #expect(throws: TransportError.httpStatus(401, body: "invalid token")) {
      try await WebSocketClient.connect(url: server.url("/other"))
    }
    let plain = try await HTTPClient.send(url: "http://127.0.0.1:\(server.http.port)/echo")
    #expect(plain.status == 404)
  }

  @Test func aServerThatIsNoWebSocketServerIsNamedAsSuch() async throws {
    let http = HTTPServer()
    http.onUpgrade = { _ in .refuse(HTTPResponse(status: 200, body: Array("hello".utf8))) }
    try http.listen(bind: "127.0.0.1", port: 0)
    defer { http.close() }
    await #expect(throws: TransportError.notWebSocket) {
      try await WebSocketClient.connect(url: "ws://127.0.0.1:\(http.port)/")
    }
  }

  @Test func aServerThatSaysNothingTimesOut() async throws {
    // Connections are taken by the kernel and never answered.
    let silent = try SilentListener()
    defer { silent.close() }
    await #expect(throws: TransportError.timedOut) {
      try await WebSocketClient.connect(url: "ws://127.0.0.1:\(silent.port)/", timeout: .milliseconds(200))
    }
    await #expect(throws: TransportError.timedOut) {
      try await HTTPClient.send(url: "http://127.0.0.1:\(silent.port)/", timeout: .milliseconds(200))
    }
  }

  @Test func cancellingTheTaskEndsTheWait() async throws {
    let silent = try SilentListener()
    defer { silent.close() }
    let url = "ws://127.0.0.1:\(silent.port)/"
    let task = Task { try await WebSocketClient.connect(url: url, timeout: .seconds(60)) }
    task.cancel()
    await #expect(throws: TransportError.timedOut) { try await task.value }
  }

  @Test func aPeerThatVanishesIsReported() async throws {
    let server = try EchoServer()
    defer { server.close() }
    var socket: WebSocketConnection? = try await WebSocketClient.connect(url: server.url("/echo"))
    #expect(socket?.isOpen == true)
    #expect(await eventually { server.connections.count == 1 })
    socket = nil
    #expect(await eventually { server.closures == [1006] })
  }

  @Test func theServersCloseCodeAndReasonArrive() async throws {
    let server = try EchoServer()
    defer { server.close() }
    let socket = try await WebSocketClient.connect(url: server.url("/echo"))
    var closure: (code: Int, reason: String)?
    socket.onClose = { closure = ($0, $1) }
    #expect(await eventually { server.connections.count == 1 })
    server.connections.first?.close(code: 4001, reason: String(repeating: "ä", count: 100))
    #expect(await eventually { closure != nil })
    #expect(closure?.code == 4001)
    #expect(closure?.reason == String(repeating: "ä", count: 61))
  }

  @Test func aMessageBeyondTheLimitEndsTheConnection() async throws {
    let server = try EchoServer()
    defer { server.close() }
    let socket = try await WebSocketClient.connect(url: server.url("/echo"))
    socket.send([UInt8](repeating: 0, count: WebSocketConnection.maximumMessage + 1))
    #expect(await eventually { !socket.isOpen && server.closures == [1006] })
  }

  @Test func aPeerThatDoesNotReadIsCutOff() async throws {
    let server = try EchoServer()
    defer { server.close() }
    let peer = try TCPConnection(port: server.http.port)
    defer { peer.close() }
    let request =
      "GET /echo HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    peer.send(Array(request.utf8))
    #expect(await eventually { server.connections.count == 1 })
    let connection = try #require(server.connections.first)
    let message = [UInt8](repeating: 0, count: 1 << 20)
    let cut = await eventually {
      connection.send(message)
      return !connection.isOpen
    }
    #expect(cut)
    #expect(server.closures == [1006])
  }

  @Test func aConnectionThatReadsMayReceiveManyMessages() async throws {
    let server = try EchoServer()
    defer { server.close() }
    let socket = try await WebSocketClient.connect(url: server.url("/echo"))
    var received = 0
    socket.onMessage = { received += $0.count }
    let message = [UInt8](repeating: 0, count: 100_000)
    for round in 1...20 {
      socket.send(message)
      #expect(await eventually { received == round * message.count })
    }
    #expect(socket.isOpen)
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>) func randomBytesAfterTheHandshakeEndTheConnection(
    seed: UInt64
  ) async throws {
    let server = try EchoServer()
    defer { server.close() }
    var generator = SeededGenerator(seed: seed)
    let peer = try TCPConnection(port: server.http.port)
    let request =
      "GET /echo HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    peer.send(Array(request.utf8))
    #expect(await eventually { server.connections.count == 1 })
    peer.send((0..<5000).map { _ in UInt8.random(in: 0...255, using: &generator) })
    peer.close()
    #expect(await eventually { server.closures.count == 1 })
  }
}
