import RTCCore
import Signalling
import Testing
import Transport

@testable import RoomServer

/// Events and layers of WHEP sessions (draft-ietf-wish-whep-events), over real HTTP and with real media.
@Suite(.serialized) @NetworkActor struct StreamExtensionTests {
  private static let json = "application/json"

  /// What a stream of events has said.
  private final class Listener {
    var status = 0
    var text = ""
    var hasEnded = false
    func last(_ event: String) -> String? {
      text.components(separatedBy: "\n\n").last { $0.hasPrefix("event: \(event)\ndata: ") }?
        .components(separatedBy: "data: ").last
    }
  }

  private func listen(_ server: RoomServer, _ path: String, token: String) throws -> (HTTPStream, Listener) {
    let stream = try HTTPStream(
      url: "http://127.0.0.1:\(server.port)\(path)", headers: [("Authorization", "Bearer \(token)")],
      timeout: .seconds(5))
    let listener = Listener()
    stream.onAnswer = { listener.status = $0.status }
    stream.onPiece = { listener.text += String(decoding: $0, as: UTF8.self) }
    stream.onEnd = { _ in listener.hasEnded = true }
    stream.start()
    return (stream, listener)
  }

  private func player(_ server: RoomServer, token: String) async throws -> StreamClient {
    try await StreamClient(server, "/whep/lab", token: token) { [StreamOffers.video("recvonly", $0)] }
  }

  @Test func aPlayerHearsOfLayersAndChoosesAmongThem() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let rids = ["q", "h", "f"]
    let anna = try await StreamClient(server, "/whip/lab", token: try mint("anna")) {
      [StreamOffers.video("sendonly", rids: rids, $0)]
    }
    let camera = StreamCamera(anna, mark: 0, rids: rids)
    let token = try mint("watcher")
    let player = try await player(server, token: token)
    let links = player.created.headers.filter { $0.name.lowercased() == "link" }.map(\.value)
    #expect(links.contains { $0.contains("server-sent-events") && $0.contains("events=\"active,inactive,layers") })
    #expect(links.contains { $0.contains("ext:core:layer") })

    let subscribed = try await send(
      "POST", player.session + "/events", to: server, token: token, type: Self.json,
      "[\"active\",\"inactive\",\"layers\",\"viewercount\"]")
    #expect(subscribed.status == 201)
    let (stream, heard) = try listen(server, try #require(subscribed.headers["Location"]), token: token)
    defer { stream.close() }
    try await eventually("events") {
      camera.send()
      return heard.last("active") != nil && heard.last("layers")?.contains("\"rid\":\"low\"") == true
    }
    #expect(heard.status == 200)
    #expect(heard.last("viewercount") == "{\"viewercount\":1}")
    try await eventually("the best layer flows") {
      camera.send()
      return player.packets(of: 0).last?.mark == 2
    }
    func choose(_ body: String) async throws -> Int {
      try await send("POST", player.session + "/layer", to: server, token: token, type: Self.json, body).status
    }
    #expect(try await choose("{\"mediaId\":\"0\",\"rid\":\"low\"}") == 200)
    try await eventually("the least layer flows") {
      camera.send()
      return player.packets(of: 0).last?.mark == 0
    }
    // The older spelling, and a number.
    #expect(try await choose("{\"encodingId\":\"medium\"}") == 200)
    try await eventually("the middle layer flows") {
      camera.send()
      return player.packets(of: 0).last?.mark == 1
    }
    #expect(try await choose("{\"spatialLayerId\":0}") == 200)
    try await eventually("the least layer flows again") {
      camera.send()
      return player.packets(of: 0).last?.mark == 0
    }
    #expect(try await choose("{\"mediaId\":\"0\"}") == 200)
    try await eventually("the choice is free again") {
      camera.send()
      return player.packets(of: 0).last?.mark == 2
    }
    #expect(try await choose("{\"rid\":\"other\"}") == 422)
    #expect(try await choose("{\"mediaId\":\"7\",\"rid\":\"low\"}") == 422)
    #expect(try await choose("nonsense") == 400)
    #expect(try await send("DELETE", player.session + "/layer", to: server, token: token).status == 200)

    _ = try await anna.delete()
    try await eventually("inactive") { heard.last("inactive") != nil }
    _ = try await player.delete()
    try await eventually("the events end with the session") { heard.hasEnded }
  }

  @Test func subscriptionsToEventsAreChecked() async throws {
    let server = try startedServer()
    defer { server.stop() }
    _ = try await StreamClient(server, "/whip/lab", token: try mint("anna")) { [StreamOffers.video("sendonly", $0)] }
    let token = try mint("watcher")
    let player = try await player(server, token: token)
    func subscribe(_ body: String, type: String = Self.json, token: String) async throws -> HTTPResponse {
      try await send("POST", player.session + "/events", to: server, token: token, type: type, body)
    }
    #expect(try await subscribe("[\"active\",\"scte35\"]", token: token).status == 400)
    #expect(try await subscribe("{}", token: token).status == 400)
    #expect(try await subscribe("[]", token: token).status == 400)
    #expect(try await subscribe("[\"active\"]", type: "text/plain", token: token).status == 415)
    #expect(try await subscribe("[\"active\"]", token: try mint("other")).status == 404)
    var last = HTTPResponse(status: 0)
    for _ in 0..<PlayerEvents.maximumStreams { last = try await subscribe("[\"active\"]", token: token) }
    #expect(last.status == 201)
    #expect(try await subscribe("[\"active\"]", token: token).status == 503)
    let location = try #require(last.headers["Location"])
    // Nobody else may listen.
    let (_, stranger) = try listen(server, location, token: try mint("other"))
    try await eventually("refused") { stranger.status == 404 }
    #expect(try await send("DELETE", location, to: server, token: token).status == 200)
    #expect(try await send("DELETE", location, to: server, token: token).status == 404)
    #expect(try await subscribe("[\"active\"]", token: token).status == 201)
  }

  @Test func aWishOfALayerMeansTheBestThatFits() throws {
    let layers = [(0, 320, 180), (1, 640, 360), (2, 1280, 720)].map {
      LayerDescription(quality: $0.0, width: $0.1, height: $0.2)
    }
    func quality(_ body: String) throws -> Int? { try LayerWish(Array(body.utf8)).settings(of: layers)?.quality }
    #expect(try quality("{\"maxHeight\":400}") == 1)
    #expect(try quality("{\"maxWidth\":1279}") == 1)
    #expect(try quality("{\"maxWidth\":10}") == 0)
    #expect(try quality("{\"maxSpatialLayerId\":0}") == 0)
    #expect(try quality("{}") == 2)
    #expect(try quality("{\"rid\":\"medium\"}") == 1)
    #expect(try quality("{\"spatialLayerId\":9}") == nil)
  }
}
