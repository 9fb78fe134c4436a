import RTCCore
import Signalling
import Testing
import Transport

@testable import RoomServer

/// Media from WHIP publishers to the room and to WHEP players; real ICE, DTLS and SRTP on loopback.
@Suite(.serialized) @NetworkActor struct StreamMediaTests {
  private func publisher(
    _ server: RoomServer, _ identity: String, rids: [String] = [], withAudio: Bool = false
  ) async throws -> StreamClient {
    let client = try await StreamClient(server, "/whip/lab", token: try mint(identity)) { ends in
      [StreamOffers.video("sendonly", rids: rids, ends)] + (withAudio ? [StreamOffers.audio("sendonly", ends)] : [])
    }
    try #require(client.created.status == 201)
    return client
  }

  private func player(
    _ server: RoomServer, _ query: String = "", videos: Int = 1, identity: String = "watcher"
  ) async throws -> StreamClient {
    let client = try await StreamClient(server, "/whep/lab" + query, token: try mint(identity)) { ends in
      Array(repeating: StreamOffers.video("recvonly", ends), count: videos) + [StreamOffers.audio("recvonly", ends)]
    }
    try #require(client.created.status == 201)
    return client
  }

  @Test func thePublisherIsAParticipantForEverybody() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let watcher = try await SignalClient(server, token: try mint("watcher"))
    try await eventually("joined") { watcher.join != nil }
    let anna = try await publisher(server, "anna", rids: ["0", "1", "2"], withAudio: true)
    try await eventually("anna is announced with her tracks") {
      watcher.updates.values.contains { $0.identity == "anna" && $0.tracks.count == 2 && $0.state == .active }
    }
    let info = try #require(watcher.updates.values.first { $0.identity == "anna" })
    #expect(info.kind == .ingress)
    #expect(info.isPublisher)
    #expect(Set(info.tracks.map(\.source)) == [.camera, .microphone])
    let video = try #require(info.tracks.first { $0.type == .video })
    #expect(video.isSimulcast)
    // OBS numbers its layers from the largest.
    #expect(video.layers.map(\.rid) == ["2", "1", "0"])
    #expect(video.layers.map(\.quality) == [.low, .medium, .high])
    #expect(try await anna.delete() == 200)
    try await eventually("anna has left") {
      watcher.updates.values.contains { $0.identity == "anna" && $0.state == .disconnected }
    }
  }

  @Test func simulcastOverWHIPReachesASubscriberWhoChoosesItsLayer() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let bert = try await MediaClient(server, token: try mint("bert"))
    defer { bert.close() }
    let rids = ["q", "h", "f"]
    let anna = try await publisher(server, "anna", rids: rids)
    let camera = StreamCamera(anna, mark: 0, rids: rids)
    try await eventually("subscribed") { !bert.received.isEmpty && bert.connected.contains(.subscriber) }
    let track = try #require(bert.received.first)
    let ssrc = try #require(track.ssrc)
    try await eventually("the best layer flows") {
      camera.send()
      return bert.packets[ssrc]?.last?.mark == 2
    }
    bert.perform(.requestLayer(track.track, .layer(.low)))
    try await eventually("the least layer flows") {
      camera.send()
      return bert.packets[ssrc]?.last?.mark == 0
    }
    #expect(anna.keyFrameRequests > 0)
  }

  @Test func aSecondPublisherOfTheSameIdentityTakesThePlaceOfTheFirst() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let first = try await publisher(server, "anna")
    let second = try await publisher(server, "anna")
    #expect(server.statistics.participants == 1)
    #expect(try await first.delete() == 404)
    #expect(try await second.delete() == 200)
  }

  @Test func aPlayerGetsOnePublisherAndTheNextWhenThatOneLeaves() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let anna = try await publisher(server, "anna")
    let bert = try await publisher(server, "bert")
    let cameras = [StreamCamera(anna, mark: 1), StreamCamera(bert, mark: 2)]
    let player = try await player(server)
    #expect(player.answer.media.map(\.direction) == [.sendOnly, .sendOnly])
    #expect(Set(player.answer.media.flatMap(\.streamIdentifiers).map(\.stream)).count == 1)
    try await eventually("anna's picture") {
      for camera in cameras { camera.send() }
      return player.packets(of: 0).contains { $0.mark == 1 }
    }
    #expect(player.packets(of: 0).allSatisfy { $0.mark == 1 })
    #expect(try await anna.delete() == 200)
    try await eventually("bert's picture") {
      cameras[1].send()
      return player.packets(of: 0).contains { $0.mark == 2 }
    }
    // One stream to the player: numbers and times go on.
    let packets = player.packets(of: 0)
    for (before, after) in zip(packets, packets.dropFirst()) {
      #expect(after.sequenceNumber.distance(from: before.sequenceNumber) == 1)
      #expect(after.timestamp.distance(from: before.timestamp) > 0)
    }
    #expect(server.statistics.participants == 1)
  }

  @Test func aPlayerMayNameWhoItWantsAndOneWithTwoSectionsGetsTwo() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let anna = try await publisher(server, "anna")
    let bert = try await publisher(server, "bert")
    let cameras = [StreamCamera(anna, mark: 1), StreamCamera(bert, mark: 2)]
    let chosen = try await player(server, "?participant=bert")
    // The same token as often as one likes.
    let wall = try await player(server, videos: 3)
    try await eventually("pictures") {
      for camera in cameras { camera.send() }
      return !chosen.packets(of: 0).isEmpty && !wall.packets(of: 0).isEmpty && !wall.packets(of: 1).isEmpty
    }
    #expect(chosen.packets(of: 0).allSatisfy { $0.mark == 2 })
    #expect(wall.packets(of: 0).allSatisfy { $0.mark == 1 })
    #expect(wall.packets(of: 1).allSatisfy { $0.mark == 2 })
    #expect(wall.packets(of: 2).isEmpty)
    // A third publisher takes the section that was free, without another offer.
    let carl = StreamCamera(try await publisher(server, "carl"), mark: 3)
    try await eventually("carl's picture") {
      carl.send()
      return wall.packets(of: 2).contains { $0.mark == 3 }
    }
    #expect(server.statistics.players == 2)
    #expect(try await wall.delete() == 200)
    #expect(server.statistics.players == 1)
  }

  @Test func mediaGoesOnAcrossARestartOfICE() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let anna = try await publisher(server, "anna")
    let camera = StreamCamera(anna, mark: 1)
    let player = try await player(server)
    try await eventually("picture") {
      camera.send()
      return !player.packets(of: 0).isEmpty
    }
    #expect(player.transport.restartICE())
    var fragment = ICEFragment(
      credentials: .init(usernameFragment: player.transport.iceUfrag, password: player.transport.icePassword))
    fragment.mid = "0"
    let response = try await player.patch(fragment, match: "*")
    try #require(response.status == 200)
    let answer = try ICEFragment(parsing: String(decoding: response.body, as: UTF8.self))
    let credentials = try #require(answer.credentials)
    let before = player.packets(of: 0).count
    player.transport.peerRestartedICE(
      remoteUfrag: credentials.usernameFragment, remotePassword: credentials.password,
      remoteCandidates: answer.candidates.map(\.attribute))
    try await eventually("picture after the restart") {
      camera.send()
      return player.packets(of: 0).count > before + 20
    }
  }

  @Test func aServerThatStopsEndsItsStreams() async throws {
    let server = try startedServer()
    let anna = try await publisher(server, "anna")
    let player = try await player(server)
    server.stop()
    try await eventually("both know") { anna.transport.state == .closed && player.transport.state == .closed }
  }
}
