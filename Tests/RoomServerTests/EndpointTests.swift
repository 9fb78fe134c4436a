import RTCCore
import Signalling
import Testing
import Transport

@testable import RoomServer

@Suite @NetworkActor struct EndpointTests {
  private func get(_ server: RoomServer, _ path: String, headers: [(String, String)] = []) async throws -> HTTPResponse
  {
    try await HTTPClient.send(
      method: "GET", url: "http://127.0.0.1:\(server.port)\(path)", headers: headers, certificateAuthorityFile: nil,
      timeout: .seconds(5))
  }
  private func text(_ response: HTTPResponse) -> String { String(decoding: response.body, as: UTF8.self) }

  @Test func healthValidationAndTheMissingVersionOne() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let health = try await get(server, "/")
    #expect(health.status == 200)
    #expect(text(health) == "OK")
    let token = try mint("anna")
    let good = try await get(server, "/rtc/validate?access_token=\(token)")
    #expect(good.status == 200)
    #expect(text(good) == "success")
    let header = try await get(server, "//rtc/validate", headers: [("Authorization", "Bearer \(token)")])
    #expect(header.status == 200)
    let bad = try await get(server, "/rtc/validate?access_token=abc")
    #expect(bad.status == 401)
    #expect(text(bad).hasPrefix("token malformed"))
    for path in ["/rtc/v1/validate?join_request=abc", "/rtc/v1", "/rtc", "/settings/regions", "/nothing"] {
      let answer = try await get(server, path)
      #expect(answer.status == 404, "\(path)")
      #expect(answer.headers["access-control-allow-origin"] == "*", "\(path)")
    }
    #expect(bad.headers["access-control-allow-origin"] == "*")
  }

  @Test func refusedUpgradesReachTheClientAsStatusAndText() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let cases: [(path: String, status: Int, text: String)] = [
      ("/rtc", 401, "token missing"),
      ("/rtc?access_token=x.y.z", 401, "token malformed"),
      ("/rtc?access_token=\(try mint("anna", validFor: -1000))", 401, "token expired"),
      ("/rtc?access_token=\(try mint("anna", secret: "wrong"))", 401, "invalid token signature"),
      ("/rtc?access_token=\(try mint("anna", key: "nobody"))", 401, "unknown API key"),
      ("/rtc?access_token=\(try mint("anna") { $0.roomJoin = false })", 401, "no permission to join"),
      ("/rtc?access_token=\(try mint("anna", room: ""))", 400, "room missing"),
      ("/rtc?room=other&access_token=\(try mint("anna"))", 401, "wrong room"),
      ("/rtc/v1?access_token=\(try mint("anna"))", 404, "not found"),
      ("/rtc?join_request=abc&access_token=\(try mint("anna"))", 404, "not found"),
    ]
    for (path, status, expected) in cases {
      do {
        _ = try await WebSocketClient.connect(
          url: "ws://127.0.0.1:\(server.port)\(path)", headers: [], certificateAuthorityFile: nil,
          timeout: .seconds(5))
        Issue.record("accepted: \(expected)")
      } catch {
        guard case .httpStatus(let seen, let body) = error else {
          Issue.record("\(expected): \(error)")
          continue
        }
        #expect(seen == status, "\(expected)")
        #expect(body.hasPrefix(expected))
      }
    }
    #expect(server.statistics.rooms == 0)
  }

  @Test func aWildcardIsReachedAtTheMachinesOwnAddresses() throws {
    var configuration = RoomServer.Configuration()
    configuration.bind = "0.0.0.0"
    configuration.keys = ["key": "a secret"]
    (configuration.port, configuration.udpPort) = (0, 0)
    let server = RoomServer(configuration: configuration)
    #expect(server.addresses.isEmpty)
    try server.start()
    defer { server.stop() }
    #expect(!server.addresses.isEmpty && !server.addresses.contains(.v4(0)))
  }

  @Test func whatCannotStartSaysWhy() throws {
    let server = try startedServer()
    defer { server.stop() }
    var configuration = RoomServer.Configuration()
    configuration.udpPort = 0
    configuration.port = server.port
    #expect(throws: RoomServerError.addressInUse("127.0.0.1:\(server.port)/tcp")) {
      try RoomServer(configuration: configuration).start()
    }
    configuration.port = 0
    configuration.udpPort = server.udpPort
    #expect(throws: RoomServerError.addressInUse("127.0.0.1:\(server.udpPort)/udp")) {
      try RoomServer(configuration: configuration).start()
    }
    configuration.udpPort = 0
    configuration.bind = "0.0.0.0"
    #expect(throws: RoomServerError.keysRequired(bind: "0.0.0.0")) {
      try RoomServer(configuration: configuration).start()
    }
    for bind in ["", "nonsense", "127.evil.example", "127.0.0.1:7880"] {
      configuration.bind = bind
      #expect(throws: RoomServerError.addressNotLocal(bind)) { try RoomServer(configuration: configuration).start() }
    }
    configuration.bind = "203.0.113.77"
    configuration.keys = ["key": "a secret"]
    #expect(throws: RoomServerError.addressNotLocal("203.0.113.77")) {
      try RoomServer(configuration: configuration).start()
    }
    configuration.keys = [:]
    #expect(throws: RoomServerError.noKeys) { try RoomServer(configuration: configuration).start() }
  }
}
