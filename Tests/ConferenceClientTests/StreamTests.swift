import Conference
import ConferenceClient
import Media
import RTCCore
import StreamLab
import Synchronization
import Testing
import Transport

/// A viewer of Millicast's signalling on real sockets: director, WebSocket, ICE, DTLS, SRTP, and packets whose sources
/// nobody has announced.
@Suite struct StreamTests {
  private static func service(_ sources: String?...) async throws -> StreamService {
    try await start(sources)
  }
  @NetworkActor
  private static func start(_ sources: [String?]) throws -> StreamService {
    let service = try StreamService()
    for source in sources { try service.publish(source) }
    return service
  }

  private static func join(
    _ service: StreamService, query: String = "", token: String? = nil, options: JoinOptions = JoinOptions()
  ) async throws(ConferenceError) -> JoinedRoom {
    JoinedRoom(try await RoomConnection.join(url: service.address + query, token: token, options: options))
  }

  private static func track(_ raw: String, in room: JoinedRoom) async throws -> Track {
    try await room.wait(for: "\(raw) subscribed") {
      await room.connection.snapshot.participants.flatMap(\.tracks).first { $0.id.raw == raw && $0.isSubscribed }
    }
  }

  private static func figures(_ raw: String, in room: JoinedRoom) async -> TrackStatistics? {
    await room.connection.statistics().first { $0.track.raw == raw }
  }

  private static func waitForPictures(of raw: String, in room: JoinedRoom, more: Int = 3) async throws {
    let before = await figures(raw, in: room)?.framesDecoded ?? 0
    _ = try await room.wait(for: "pictures of \(raw)") {
      await figures(raw, in: room)?.framesDecoded ?? 0 >= before + more ? true : nil
    }
  }

  private static func waitForSound(of raw: String, in room: JoinedRoom) async throws {
    let before = await figures(raw, in: room)?.received.packetsReceived ?? 0
    _ = try await room.wait(for: "sound of \(raw)") {
      await figures(raw, in: room)?.received.packetsReceived ?? 0 > before + 10 ? true : nil
    }
  }

  /// How green, and with that how bright, a track's newest picture is.
  private static func brightness(of raw: String, in room: JoinedRoom) async throws -> UInt32 {
    let video = try #require(room.connection.video(TrackID(raw)))
    video.setTarget(width: 8, height: 8)
    let drawn = try await room.wait(for: "a drawn picture") { video.newest }
    return (drawn.picture.pixels[27] >> 8) & 0xFF
  }

  // MARK: Watching

  @Test func everySourceIsSeenAndHeardAsItself() async throws {
    let service = try await Self.service(nil, "cam2", "cam3")
    let room = try await Self.join(service)
    for source in ["match1", "cam2", "cam3"] {
      try await Self.waitForPictures(of: source + "/video", in: room)
      try await Self.waitForSound(of: source + "/audio", in: room)
    }
    // Pictures go by the mid of their packets to the right tile: each source is brighter than the one before.
    var greys: [UInt32] = []
    for source in ["match1", "cam2", "cam3"] {
      greys.append(try await Self.brightness(of: source + "/video", in: room))
    }
    #expect(zip(greys, greys.dropFirst()).allSatisfy { $1 > $0 + 20 })
    let snapshot = await room.connection.snapshot
    #expect(snapshot.name == "match1")
    #expect(snapshot.system == "Millicast")
    #expect(snapshot.participants.map(\.id.raw) == ["match1", "cam2", "cam3"])
    await room.connection.leave()
    _ = try await room.wait(for: "the server to notice") { await service.connectedViewers == 0 ? true : nil }
    await service.close()
  }

  @Test func aSourceThatBeginsLaterAppears() async throws {
    let service = try await Self.service(nil as String?)
    let room = try await Self.join(service)
    try await Self.waitForPictures(of: "match1/video", in: room)
    try await service.publish("cam2")
    try await Self.waitForPictures(of: "cam2/video", in: room)
    #expect(await service.viewers.first?.projectedMids == ["0", "1", "2", "3"])
    await room.connection.leave()
    await service.close()
  }

  @Test func theLayerAskedForArrivesAndAHiddenTileReceivesNothing() async throws {
    let service = try await Self.service(nil, "cam2")
    let room = try await Self.join(service)
    for raw in ["cam2/video", "match1/video"] {
      _ = try await Self.track(raw, in: room)
      _ = try await room.wait(for: "layers of \(raw)") {
        await room.connection.snapshot.participants.flatMap(\.tracks).first { $0.id.raw == raw && $0.layers.count == 3 }
      }
      for (layer, height) in [(LayerID.low, 48), (.medium, 96), (.high, 192)] {
        await room.connection.perform(.requestLayer(TrackID(raw), .layer(layer)))
        _ = try await room.wait(for: "\(layer) of \(raw)") {
          await Self.figures(raw, in: room)?.height == height ? true : nil
        }
      }
      await room.connection.perform(.requestLayer(TrackID(raw), .off))
      _ = try await room.wait(for: "silence on a hidden tile") {
        await Self.figures(raw, in: room)?.bitrate == 0 ? true : nil
      }
      // Its last picture stays.
      #expect(room.connection.video(TrackID(raw))?.statistics.framesDecoded ?? 0 > 0)
      await room.connection.perform(.requestLayer(TrackID(raw), .size(width: 80, height: 48)))
      try await Self.waitForPictures(of: raw, in: room)
      _ = try await room.wait(for: "the small layer") { await Self.figures(raw, in: room)?.height == 48 ? true : nil }
    }
    await room.connection.leave()
    await service.close()
  }

  @Test func aTrackThatIsSwitchedOffIsNotReceivedAndComesBack() async throws {
    let service = try await Self.service(nil, "cam2")
    let room = try await Self.join(service)
    let track = try await Self.track("cam2/audio", in: room)
    try await Self.waitForSound(of: "cam2/audio", in: room)
    await room.connection.perform(.setSubscribed(track.id, false))
    _ = try await room.wait(for: "unprojection") {
      await service.viewers.first?.projectedMids == ["0", "1", "2"] ? true : nil
    }
    #expect(room.connection.audio(track.id) == nil)
    await room.connection.perform(.setSubscribed(track.id, true))
    try await Self.waitForSound(of: "cam2/audio", in: room)
    await room.connection.leave()
    await service.close()
  }

  @Test func pinnedAndExcludedSourcesAreHonoured() async throws {
    let service = try await Self.service(nil, "cam2", "cam3")
    let room = try await Self.join(service, query: "&pin=cam2&exclude=cam3")
    try await Self.waitForPictures(of: "cam2/video", in: room)
    try await Self.waitForPictures(of: "match1/video", in: room)
    #expect(await room.connection.snapshot.participants.map(\.id.raw).sorted() == ["cam2", "match1"])
    let projected = await service.viewers.first?.commands.compactMap {
      $0.name == "project" ? $0.data["sourceId"] : nil
    }
    #expect(projected == [.null])
    await room.connection.leave()
    await service.close()
  }

  @Test func withoutVideoOrSoundNothingOfThemIsReceived() async throws {
    let service = try await Self.service(nil, "cam2")
    var options = JoinOptions()
    options.receivesVideo = false
    let room = try await Self.join(service, options: options)
    try await Self.waitForSound(of: "match1/audio", in: room)
    try await Self.waitForSound(of: "cam2/audio", in: room)
    #expect(await service.viewers.first?.projectedMids.count == 2)
    await room.connection.leave()
    await service.close()
  }

  @Test func aProjectionThatIsRefusedIsToldAndTheRestGoesOn() async throws {
    let service = try await Self.service(nil as String?)
    let room = try await Self.join(service)
    await Self.refuseProjections(service)
    try await service.publish("cam2", kinds: [.video])
    _ = try await room.wait(for: "the refusal") {
      room.events.contains { event in
        if case .subscriptionFailed(_, let track, let message) = event {
          track.raw == "cam2/video" && message.contains("not allowed")
        } else {
          false
        }
      } ? true : nil
    }
    try await Self.waitForPictures(of: "match1/video", in: room)
    await room.connection.leave()
    await service.close()
  }
  @NetworkActor
  private static func refuseProjections(_ service: StreamService) { service.refusesProjection = true }

  // MARK: Sources of packets

  /// RFC 4588 §4 and RFC 9143 §9.2.
  @Test func lostPacketsComeAgainFromASourceThatOnlyItsMidNames() async throws {
    let service = try await Self.service(nil, "cam2")
    await Self.lose(oneOf: 7, service)
    let room = try await Self.join(service)
    _ = try await room.wait(for: "repairs") {
      await Self.figures("cam2/video", in: room)?.received.retransmissionsReceived ?? 0 >= 5 ? true : nil
    }
    let figures = try #require(await Self.figures("cam2/video", in: room))
    #expect(figures.received.nacks > 0)
    #expect(await service.viewers.first?.repairs ?? 0 > 0)
    // None of them was taken for a stranger's.
    #expect(await room.connection.unclaimedDrops[.unknownSSRC] == 0)
    #expect(await room.connection.unclaimedDrops[.unknownPayloadType] == 0)
    try await Self.waitForPictures(of: "cam2/video", in: room, more: 20)
    await room.connection.leave()
    await service.close()
  }
  @NetworkActor
  private static func lose(oneOf interval: Int, _ service: StreamService) { service.lossInterval = interval }

  // MARK: Coming and going

  @Test func anInactiveSourceComesBackByItselfWithNewPacketSources() async throws {
    let service = try await Self.service(nil, "cam2")
    let room = try await Self.join(service)
    try await Self.waitForPictures(of: "cam2/video", in: room)
    await service.unpublish("cam2")
    let id = ParticipantIdentity("cam2")
    _ = try await room.wait(for: "cam2 away") { await room.connection.snapshot[id]?.isActive == false ? true : nil }
    _ = try await room.wait(for: "its track inactive") {
      await room.connection.snapshot[id]?.tracks.allSatisfy { !$0.isActive } == true ? true : nil
    }
    try await service.publish("cam2")
    _ = try await room.wait(for: "cam2 back") { await room.connection.snapshot[id]?.isActive == true ? true : nil }
    try await Self.waitForPictures(of: "cam2/video", in: room)
    try await Self.waitForSound(of: "cam2/audio", in: room)
    let activity = room.changes.compactMap { change -> Bool? in
      if case .activity(id, let track) = change, track.kind == .video { track.isActive } else { nil }
    }
    #expect(activity == [false, true])
    await room.connection.leave()
    await service.close()
  }

  @Test func aLostConnectionComesBackAndTheTilesKeepTheirPictures() async throws {
    let service = try await Self.service(nil, "cam2")
    let room = try await Self.join(service)
    for raw in ["match1/video", "cam2/video"] { try await Self.waitForPictures(of: raw, in: room) }
    await service.drop()
    _ = try await room.wait(for: "reconnecting") {
      await room.connection.snapshot.connection == .reconnecting ? true : nil
    }
    #expect(room.connection.video(TrackID("cam2/video"))?.statistics.framesDecoded ?? 0 > 0)
    _ = try await room.wait(for: "joined again") { await room.connection.snapshot.connection == .joined ? true : nil }
    for raw in ["match1/video", "cam2/video"] { try await Self.waitForPictures(of: raw, in: room) }
    try await Self.waitForSound(of: "cam2/audio", in: room)
    #expect(await service.questions.count == 2)
    // Nobody left meanwhile.
    #expect(!room.changes.contains { if case .left = $0 { true } else { false } })
    await room.connection.leave()
    await service.close()
  }

  @Test func migratingLeavesNoGap() async throws {
    let service = try await Self.service(nil, "cam2")
    let room = try await Self.join(service)
    for raw in ["match1/video", "cam2/video"] { try await Self.waitForPictures(of: raw, in: room, more: 10) }
    // A viewer who left the old connection first would see nothing for this long.
    let delay = Duration.seconds(2)
    await Self.delayAnswers(service, by: delay)
    let watch = Stopwatch(room.connection, TrackID("cam2/video"))
    await service.tell("migrate")
    _ = try await room.wait(for: "the second connection") { await service.viewers.count == 2 ? true : nil }
    _ = try await room.wait(for: "the first connection's end") {
      let viewers = await service.viewers
      return viewers.count == 1 ? true : nil
    }
    try await Self.waitForPictures(of: "cam2/video", in: room, more: 10)
    try await Self.waitForPictures(of: "match1/video", in: room)
    try await Self.waitForSound(of: "cam2/audio", in: room)
    #expect(watch.stop() < delay / 2)
    #expect(await room.connection.snapshot.connection == .joined)
    #expect(!room.changes.contains { if case .connection(.reconnecting) = $0 { true } else { false } })
    await room.connection.leave()
    await service.close()
  }
  @NetworkActor
  private static func delayAnswers(_ service: StreamService, by delay: Duration) { service.answerDelay = delay }

  @Test func theEndOfTheStreamIsTold() async throws {
    let service = try await Self.service(nil as String?)
    let room = try await Self.join(service)
    await service.tell("viewercount", ["viewercount": 3])
    _ = try await room.wait(for: "the viewers") { await room.connection.snapshot.viewers == 3 ? true : nil }
    await service.tell("stopped")
    _ = try await room.wait(for: "the end") {
      room.events.contains { if case .left(.roomClosed) = $0 { true } else { false } } ? true : nil
    }
    #expect(await room.connection.endFailure?.code == .closedByServer)
    await service.close()
  }

  // MARK: Refusals

  @Test func aSecuredStreamIsForHoldersOfItsToken() async throws {
    let service = try await Self.service(nil as String?)
    await Self.secure(service, token: "s3cret")
    func code(_ token: String?) async -> ConferenceError.Code? {
      do throws(ConferenceError) {
        _ = try await Self.join(service, token: token)
        return nil
      } catch { return error.code }
    }
    #expect(await code(nil) == .tokenMissing)
    #expect(await code("wrong") == .tokenNotAccepted)
    #expect(await code("with\r\nHeader: x") == .tokenMalformed)
    let room = try await Self.join(service, token: " s3cret\n")
    try await Self.waitForPictures(of: "match1/video", in: room)
    await room.connection.leave()
    await service.close()
  }
  @NetworkActor
  private static func secure(_ service: StreamService, token: String) { service.token = token }

  @Test func whatIsNotThereIsToldApart() async throws {
    let service = try await Self.service()
    func code(_ url: String) async -> ConferenceError.Code? {
      do throws(ConferenceError) {
        _ = try await RoomConnection.join(url: url)
        return nil
      } catch { return error.code }
    }
    #expect(await code(service.address) == .joinRefused)
    await Self.refuse(service, HTTPResponse(status: 503))
    #expect(await code(service.address) == .serverUnreachable)
    #expect(await code("millicast://acme/match1?director=http://127.0.0.1:9") == .serverUnreachable)
    #expect(await code("millicast://acme/match1?director=http://example.org") == .usage)
    #expect(await code("millicast://acme/match1?token=x") == .usage)
    #expect(await code("millicast://acme") == .usage)
    await service.close()
  }
  @NetworkActor
  private static func refuse(_ service: StreamService, _ response: HTTPResponse) { service.refusal = response }
}

/// Measures the longest time without a new picture of a track.
private final class Stopwatch: Sendable {
  private struct State {
    var last = ContinuousClock.now
    var frames = 0
    var longest = Duration.zero
  }
  private let state = Mutex(State())
  private let connection: RoomConnection
  private let track: TrackID

  init(_ connection: RoomConnection, _ track: TrackID) {
    self.connection = connection
    self.track = track
    Task { [weak self] in
      while let self, !isStopped { look(); try? await Task.sleep(for: .milliseconds(10)) }
    }
  }

  private let stopped = Mutex(false)
  private var isStopped: Bool { stopped.withLock { $0 } }

  private func look() {
    let frames = connection.video(track)?.statistics.framesDecoded ?? 0
    state.withLock { state in
      let now = ContinuousClock.now
      state.longest = max(state.longest, now - state.last)
      guard frames != state.frames else { return }
      state.frames = frames
      state.last = now
    }
  }

  func stop() -> Duration {
    stopped.withLock { $0 = true }
    return state.withLock { $0.longest }
  }
}
