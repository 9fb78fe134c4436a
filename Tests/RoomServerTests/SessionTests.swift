import RTCCore
import Signalling
import TestKit
import Testing
import Transport

@testable import RoomServer

/// Joining, leaving and asking, over a real WebSocket.
@Suite @NetworkActor struct SessionTests {
  @Test func theJoinHasWhatClientsInsistOn() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let anna = try await SignalClient(server, token: try mint("anna"))
    try await eventually("anna's join") { anna.join != nil }
    let bert = try await SignalClient(server, token: try mint("bert"))
    try await eventually("bert's join") { bert.join != nil }
    let join = try #require(bert.join)
    #expect(join.room?.sid.hasPrefix("RM_") == true)
    #expect(join.room?.name == "lab")
    #expect(join.participant?.sid.hasPrefix("PA_") == true)
    #expect(join.participant?.identity == "bert")
    #expect(join.participant?.permission?.canPublish == true)
    #expect(join.participant?.version == 1)
    #expect(join.otherParticipants.map(\.identity) == ["anna"])
    #expect(join.pingInterval == 5)
    #expect(join.pingTimeout == 15)
    #expect(join.serverInfo?.version.isEmpty == false)
    #expect(join.subscriberPrimary)
    #expect(!join.fastPublish)
    #expect(join.enabledPublishCodecs.map(\.mime) == ["video/VP8", "audio/opus"])
    guard case .join = try #require(bert.responses.first) else {
      Issue.record("the join is not the first message")
      return
    }
    try await eventually("offer and refreshed token") {
      bert.responses.contains { if case .offer = $0 { true } else { false } }
        && bert.responses.contains { if case .refreshToken = $0 { true } else { false } }
    }
    try await eventually("anna hears of bert") { anna.updates.values.contains { $0.identity == "bert" } }
    #expect(server.statistics.participants == 2)
    #expect(server.statistics.rooms == 1)
  }

  @Test func aRefreshedTokenLetsOneIn() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let anna = try await SignalClient(server, token: try mint("anna", validFor: 30))
    var token: String?
    try await eventually("token") {
      for case .refreshToken(let text) in anna.responses { token = text }
      return token != nil
    }
    let claims = try LiveKit.AccessToken(parsing: token ?? "").claims
    #expect(claims.identity == "anna")
    #expect(claims.grant?.room == "lab")
    let again = try await SignalClient(server, token: token ?? "")
    try await eventually("second join") { again.join != nil }
  }

  @Test func theSameIdentityEvictsTheOlderOne() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let watcher = try await SignalClient(server, token: try mint("watcher"))
    let first = try await SignalClient(server, token: try mint("anna"))
    try await eventually("first join") { first.join != nil }
    let second = try await SignalClient(server, token: try mint("anna"))
    try await eventually("second join") { second.join != nil }
    try await eventually("first is told") { first.leave != nil && first.isClosed }
    #expect(first.leave?.reason == .duplicateIdentity)
    #expect(first.leave?.action == .disconnect)
    #expect(second.join?.otherParticipants.map(\.identity) == ["watcher"])
    let sids = (first.join?.participant?.sid ?? "", second.join?.participant?.sid ?? "")
    try await eventually("watcher sees both") {
      watcher.updates[sids.0]?.state == .disconnected && watcher.updates[sids.1]?.state == .joined
    }
    #expect(server.statistics.participants == 2)
  }

  @Test func leavingAndLosingTheConnectionRemove() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let watcher = try await SignalClient(server, token: try mint("watcher"))
    let polite = try await SignalClient(server, token: try mint("polite"))
    let abrupt = try await SignalClient(server, token: try mint("abrupt"))
    try await eventually("joins") { polite.join != nil && abrupt.join != nil }
    polite.send(.leave(.init(canReconnect: false, reason: .clientInitiated)))
    abrupt.socket.close(code: 1000, reason: "")
    try await eventually("both gone") {
      watcher.updates.values.filter { $0.state == .disconnected }.count == 2
    }
    let reasons = watcher.updates.values.filter { $0.state == .disconnected }.map { ($0.identity, $0.disconnectReason) }
    #expect(reasons.contains { $0 == ("polite", .clientInitiated) })
    #expect(reasons.contains { $0 == ("abrupt", .signalClose) })
    #expect(server.statistics.participants == 1)
  }

  @Test func resumingIsAnsweredWithAFullReconnect() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let client = try await SignalClient(server, token: try mint("anna"), query: "&reconnect=1&sid=PA_x")
    try await eventually("leave") { client.leave != nil }
    #expect(client.leave?.reason == .stateMismatch)
    #expect(client.leave?.action == .reconnect)
    #expect(client.join == nil)
  }

  @Test func pingsAreAnsweredBothWays() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let client = try await SignalClient(server, token: try mint("anna"))
    try await eventually("join") { client.join != nil }
    client.send(.ping(5))
    client.send(.pingRequest(.init(timestamp: 77)))
    try await eventually("pongs") {
      client.responses.contains { if case .pong = $0 { true } else { false } }
        && client.responses.contains {
          if case .pongResponse(let pong) = $0 { pong.lastPingTimestamp == 77 } else { false }
        }
    }
  }

  @Test func grantsAreObeyed() async throws {
    let server = try startedServer()
    defer { server.stop() }
    func refusals(_ client: SignalClient) -> [LiveKit.RequestReason] {
      client.responses.compactMap { if case .requestResponse(let response) = $0 { response.reason } else { nil } }
    }
    var camera = LiveKit.AddTrackRequest()
    camera.cid = "cam"
    camera.type = .video
    camera.source = .camera
    let mute = try await SignalClient(server, token: try mint("mute") { $0.canPublish = false })
    mute.send(.addTrack(camera))
    try await eventually("no publishing") { refusals(mute) == [.notAllowed] }
    let voice = try await SignalClient(server, token: try mint("voice") { $0.canPublishSources = [.microphone] })
    voice.send(.addTrack(camera))
    try await eventually("no camera") { refusals(voice) == [.notAllowed] }
    var metadata = LiveKit.UpdateParticipantMetadata()
    metadata.requestID = 4
    metadata.name = "other"
    voice.send(.updateMetadata(metadata))
    try await eventually("no metadata") { refusals(voice) == [.notAllowed, .notAllowed] }
    let deaf = try await SignalClient(server, token: try mint("deaf") { $0.canSubscribe = false })
    try await eventually("deaf joins") { deaf.join != nil }
    #expect(deaf.join?.subscriberPrimary == false)
    let ghost = try await SignalClient(server, token: try mint("ghost") { $0.isHidden = true })
    try await eventually("ghost joins") { ghost.join != nil }
    let last = try await SignalClient(server, token: try mint("last"))
    try await eventually("last joins") { last.join != nil }
    #expect(last.join?.otherParticipants.map(\.identity) == ["mute", "voice", "deaf"])
    #expect(!voice.updates.values.contains { $0.identity == "ghost" })
    #expect(!deaf.responses.contains { if case .offer = $0 { true } else { false } })
  }

  @Test func announcedTracksGetTheirIds() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let client = try await SignalClient(server, token: try mint("anna"))
    var request = LiveKit.AddTrackRequest()
    request.cid = "cam"
    request.type = .video
    request.source = .camera
    request.layers = [.init(quality: .high, width: 1280, height: 720)]
    client.send(.addTrack(request))
    var track: LiveKit.TrackInfo?
    try await eventually("track_published") {
      for case .trackPublished(let published) in client.responses where published.cid == "cam" {
        track = published.track
      }
      return track != nil
    }
    #expect(track?.sid.hasPrefix("TR_VC") == true)
    #expect(track?.layers.count == 1)
    #expect(track?.mimeType == "video/VP8")
    // Not published before it is negotiated.
    #expect(server.statistics.tracks == 0)
    client.send(.mute(.init(sid: "TR_nobody", isMuted: true)))
    client.send(.subscription(.init(trackSIDs: ["TR_nobody"], subscribe: true)))
    try await eventually("unknown track") {
      client.responses.contains {
        if case .subscriptionResponse(let r) = $0 { r.error == .trackNotFound } else { false }
      }
    }
  }

  @Test func stoppingTellsEverybody() async throws {
    let server = try startedServer()
    let client = try await SignalClient(server, token: try mint("anna"))
    try await eventually("join") { client.join != nil }
    server.stop()
    try await eventually("leave") { client.leave?.reason == .serverShutdown && client.isClosed }
    #expect(server.port == 0)
  }

  @Test func randomBytesOnTheSocketAreCounted() async throws {
    let server = try startedServer()
    defer { server.stop() }
    var random = SeededGenerator(seed: 3)
    let client = try await SignalClient(server, token: try mint("anna"))
    try await eventually("join") { client.join != nil }
    for _ in 0..<500 {
      client.socket.send(
        (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    // Well-formed messages with unusable contents.
    for text in ["", "v=0", "v=0\r\no=- 1 1 IN IP4 0\r\n"] {
      let other = try await SignalClient(server, token: try mint("other"))
      try await eventually("join") { other.join != nil }
      other.send(.offer(.init(type: "offer", sdp: text, id: 1)))
      try await eventually("sent away") { other.leave != nil }
    }
    try await eventually("drops") { server.statistics.drops[.malformed] > 100 }
    let next = try await SignalClient(server, token: try mint("next"))
    try await eventually("still lets people in") { next.join != nil }
  }
}
