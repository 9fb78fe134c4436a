import RTCCore
import TestKit
import Testing

@testable import Transport

@NetworkActor
@Suite struct HTTPTests {
  /// A server that answers with what it understood.
  static func echoServer() throws -> HTTPServer {
    let server = HTTPServer()
    server.onRequest = { request, body in
      let query = request.query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ";")
      let text = "\(request.method) \(request.path) \(query) \(request.headers["x-test"] ?? "-") "
      return HTTPResponse(status: 200, headers: ["Access-Control-Allow-Origin": "*"], body: Array(text.utf8) + body)
    }
    try server.listen(bind: "127.0.0.1", port: 0)
    return server
  }

  @Test func aRequestArrivesWithItsParts() async throws {
    let server = try Self.echoServer()
    defer { server.close() }
    let response = try await HTTPClient.send(
      method: "POST", url: "http://127.0.0.1:\(server.port)//rtc/validate?a=1&b=x%20y+z&a=2&c",
      headers: [("X-TEST", "value")], body: Array("body".utf8))
    #expect(response.status == 200)
    #expect(String(decoding: response.body, as: UTF8.self) == "POST /rtc/validate a=1;b=x y z;c= value body")
    #expect(response.headers["access-control-allow-origin"] == "*")
  }

  @Test func aLongRequestLineIsRead() async throws {
    let server = try Self.echoServer()
    defer { server.close() }
    let long = String(repeating: "k", count: 40_000)
    let response = try await HTTPClient.send(url: "http://127.0.0.1:\(server.port)/rtc?join_request=\(long)")
    #expect(response.status == 200)
    #expect(response.body.count > 40_000)
  }

  @Test func aBodyBeyondTheLimitIsRefused() async throws {
    let server = try Self.echoServer()
    defer { server.close() }
    let response = try await HTTPClient.send(
      method: "POST", url: "http://127.0.0.1:\(server.port)/",
      body: [UInt8](repeating: 1, count: HTTPServer.maximumBody + 1))
    #expect(response.status == 413)
  }

  @Test func nobodyThereIsUnreachable() async throws {
    let server = try Self.echoServer()
    let port = server.port
    server.close()
    await #expect { try await HTTPClient.send(url: "http://127.0.0.1:\(port)/") } throws: {
      if case .unreachable = $0 as? TransportError { true } else { false }
    }
    await #expect { try await HTTPClient.send(url: "http://name.invalid/") } throws: {
      if case .unreachable = $0 as? TransportError { true } else { false }
    }
  }

  @Test func aTakenPortIsNamedAsSuch() throws {
    let server = try Self.echoServer()
    defer { server.close() }
    #expect(throws: TransportError.addressInUse) { try HTTPServer().listen(bind: "127.0.0.1", port: server.port) }
    #expect(throws: TransportError.addressNotLocal) { try HTTPServer().listen(bind: "203.0.113.77", port: 0) }
    #expect(throws: TransportError.addressNotLocal) { try HTTPServer().listen(bind: "nonsense", port: 0) }
  }

  @Test func aHeaderCannotSmuggleAnother() async throws {
    let server = try Self.echoServer()
    defer { server.close() }
    let response = try await HTTPClient.send(
      url: "http://127.0.0.1:\(server.port)/", headers: [("X-Other", "a\r\nX-Test: smuggled")])
    #expect(String(decoding: response.body, as: UTF8.self) == "GET /  - ")
  }

  @Test func formQueriesAreDecoded() {
    #expect(FormQuery.parse("") == [:])
    #expect(FormQuery.parse("&&a") == ["a": ""])
    #expect(FormQuery.parse("a=%41%zz%4") == ["a": "A%zz%4"])
    #expect(FormQuery.parse("a=b=c&%C3%A4=%FF") == ["a": "b=c", "ä": "\u{FFFD}"])
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>) func randomBytesDoNotDisturbTheServer(seed: UInt64) async throws {
    let server = try Self.echoServer()
    defer { server.close() }
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<10 {
      let bytes = (0..<2000).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let connection = try TCPConnection(port: server.port)
      connection.send(bytes)
      connection.close()
    }
    let response = try await HTTPClient.send(url: "http://127.0.0.1:\(server.port)/")
    #expect(response.status == 200)
  }
}
