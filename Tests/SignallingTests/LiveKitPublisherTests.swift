import Conference
import RTCCore
import Signalling
import TestKit
import Testing

@Suite struct LiveKitPublisherTests {
  static let camera = LocalTrack(
    localID: "cam", kind: .video, source: .camera, name: "camera",
    layers: [
      VideoLayer(id: .low, width: 320, height: 180, bitrate: 160_000),
      VideoLayer(id: .medium, width: 640, height: 360, bitrate: 450_000),
      VideoLayer(id: .high, width: 1280, height: 720, bitrate: 1_700_000),
    ])
  static let single = LocalTrack(
    localID: "one", kind: .video, source: .screenShare, name: "screen",
    layers: [VideoLayer(id: .high, width: 1920, height: 1080)])
  static let microphone = LocalTrack(localID: "mic", kind: .audio, source: .microphone, name: "mic")

  static func request(_ outputs: [SignallingOutput]) throws -> LiveKit.AddTrackRequest {
    guard case .addTrack(let request) = outputs.requests.first else { throw Missing() }
    return request
  }
  static func published(_ request: LiveKit.AddTrackRequest, sid: String) -> LiveKit.SignalResponse {
    var track = LiveKit.TrackInfo()
    track.sid = sid
    track.type = request.type
    track.isMuted = request.isMuted
    return .trackPublished(LiveKit.TrackPublishedResponse(cid: request.cid, track: track))
  }
  static func answer(_ sdp: String, id: UInt32) -> LiveKit.SignalResponse {
    .answer(LiveKit.SessionDescription(type: "answer", sdp: sdp, id: id))
  }
  /// Publishes a track up to the offer.
  static func offered(
    _ track: LocalTrack, in harness: SessionHarness, sid: String = "TR_1"
  ) throws -> (offer: LiveKit.SessionDescription, sdp: SessionDescription) {
    let request = try request(harness.command(.publish(track)))
    let offer = try #require(harness.deliver(published(request, sid: sid)).offers.first)
    return (offer, try SessionDescription(parsing: offer.sdp))
  }

  @Test func aTrackIsAnnouncedBeforeItIsOffered() throws {
    let harness = SessionHarness.joined()
    let outputs = harness.command(.publish(Self.camera))
    let request = try Self.request(outputs)
    #expect(outputs.count == 1)
    #expect(request.name == "camera")
    #expect(request.type == .video)
    #expect(request.source == .camera)
    #expect([request.width, request.height] == [1280, 720])
    #expect(request.layers.map(\.quality) == [.low, .medium, .high])
    #expect(request.layers.map(\.rid) == ["q", "h", "f"])
    #expect(request.layers.map(\.bitrate) == [160_000, 450_000, 1_700_000])
    #expect(request.simulcastCodecs.map(\.codec) == ["vp8"])
    #expect(request.simulcastCodecs.first?.cid == request.cid)
    let after = harness.deliver(Self.published(request, sid: "TR_1"))
    #expect(after.events == [.published(localID: "cam", TrackID("TR_1"))])
    #expect(after.offers.map(\.id) == [1])
  }

  @Test func simulcastIsOfferedByRidFromTheLowest() throws {
    let harness = SessionHarness.joined()
    let (_, sdp) = try Self.offered(Self.camera, in: harness)
    let video = try #require(sdp.media.first)
    #expect(sdp.media.count == 1)
    #expect(sdp.bundleGroups == [["0"]])
    #expect(video.direction == .sendOnly)
    #expect(video.setup == .either)
    #expect(video.iceCredentials?.usernameFragment == "pubU")
    #expect(video.simulcast == SimulcastDescription(send: [["q"], ["h"], ["f"]]))
    #expect(video.restrictionIdentifiers.map(\.id) == ["q", "h", "f"])
    #expect(video.restrictionIdentifiers.allSatisfy { $0.direction == .send })
    #expect(video.sourceAttributes.isEmpty)
    #expect(video.payloads.map(\.encodingName) == ["VP8", "rtx"])
    #expect(video.payloads[1].associatedPayloadType == video.payloads[0].payloadType)
    #expect(video.payloads[0].feedback == ["transport-cc", "ccm fir", "nack", "nack pli"])
    let known = Set(video.extensionMaps.compactMap(\.known))
    #expect(known == [.mid, .rid, .repairedRID, .transportSequence, .absoluteSendTime])
  }

  @Test func aSingleStreamIsOfferedBySourceWithItsRepairs() throws {
    let harness = SessionHarness.joined()
    let (_, sdp) = try Self.offered(Self.single, in: harness)
    let video = try #require(sdp.media.first)
    #expect(video.simulcast == nil)
    #expect(video.restrictionIdentifiers.isEmpty)
    let sources = video.sources
    #expect(sources.count == 2)
    #expect(video.sourceGroups == [SourceGroup(semantics: "FID", sources: sources)])
    #expect(Set(sources.map { video.sourceAttribute("cname", of: $0) }).count == 1)
    #expect(video.streamIdentifiers.count == 1)
  }

  @Test func aSingleStreamIsAnnouncedAsTheHighLayer() throws {
    let harness = SessionHarness.joined()
    let request = try Self.request(harness.command(.publish(Self.single)))
    #expect(request.layers.map(\.quality) == [.high])
    #expect(request.layers.map(\.rid) == [""])
    #expect(request.source == .screenShare)
  }

  @Test func twoLayersAreTheLowerTwoNames() throws {
    let harness = SessionHarness.joined()
    var track = Self.camera
    track.layers.removeFirst()
    let request = try Self.request(harness.command(.publish(track)))
    #expect(request.layers.map(\.quality) == [.low, .medium])
    #expect(request.layers.map(\.rid) == ["q", "h"])
    #expect(request.layers.map(\.width) == [640, 1280])
  }

  @Test func opusIsOfferedWithErrorCorrectionAndLevels() throws {
    let harness = SessionHarness.joined()
    let request = try Self.request(harness.command(.publish(Self.microphone)))
    #expect(request.type == .audio)
    #expect(request.disablesRED)
    #expect(request.layers.isEmpty)
    let offer = try #require(harness.deliver(Self.published(request, sid: "TR_1")).offers.first)
    let audio = try #require(try SessionDescription(parsing: offer.sdp).media.first)
    #expect(audio.payloads.map(\.encodingName) == ["opus"])
    #expect(audio.payloads[0].channels == 2)
    #expect(audio.payloads[0].parameter("useinbandfec") == "1")
    #expect(audio.extensionID(.audioLevel) != nil)
    #expect(audio.sources.count == 1)
    #expect(audio.streamIdentifiers.map(\.track) == [request.cid])
  }

  @Test func theAnswerConnectsAndLetsUsSend() throws {
    let harness = SessionHarness.joined()
    let (offer, sdp) = try Self.offered(Self.camera, in: harness)
    let outputs = harness.deliver(Self.answer(try ServerDescriptions.answer(to: offer.sdp), id: 1))
    #expect(outputs.connects.map(\.iceUfrag) == ["srvP"])
    #expect(outputs.connects.map(\.weAreDTLSClient) == [false])
    guard case .connect(.publisher, _) = outputs.media.first else {
      Issue.record("the publisher connects first")
      return
    }
    let track = try #require(outputs.sentTracks.first?.first)
    #expect(track.localID == "cam")
    #expect(track.mid == "0")
    #expect(track.payloadType == sdp.media[0].payloads[0].payloadType)
    #expect(track.rtxPayloadType == sdp.media[0].payloads[1].payloadType)
    #expect(track.encodings.map(\.rid) == ["q", "h", "f"])
    #expect(track.encodings.map(\.layer) == [.low, .medium, .high])
    #expect(Set(track.encodings.flatMap { [$0.ssrc, $0.rtxSSRC] }).count == 6)
    #expect(track.extensions.rid == sdp.media[0].extensionID(.rid))
    #expect(track.extensions.repairedRid == sdp.media[0].extensionID(.repairedRID))
    #expect(track.extensions.audioLevel == nil)
  }

  @Test func onlyWhatTheAnswerKeepsIsUsed() throws {
    let harness = SessionHarness.joined()
    let (offer, _) = try Self.offered(Self.camera, in: harness)
    let sdp = try ServerDescriptions.answer(to: offer.sdp, setup: .passive) { section in
      section.payloads.removeAll { $0.isEncoding("rtx") }
      section.simulcast?.receive = [["q"], ["f"]]
      // One that was not offered, and one on another number.
      section.extensionMaps = [ExtensionMap(id: 1, .audioLevel), ExtensionMap(id: 9, .rid), ExtensionMap(id: 4, .mid)]
    }
    let outputs = harness.deliver(Self.answer(sdp, id: 1))
    #expect(outputs.connects.map(\.weAreDTLSClient) == [true])
    let track = try #require(outputs.sentTracks.first?.first)
    #expect(track.encodings.map(\.rid) == ["q", "f"])
    #expect(track.encodings.allSatisfy { $0.rtxSSRC == nil })
    #expect(track.rtxPayloadType == nil)
    var extensions = HeaderExtensionIDs()
    extensions.mid = 4
    #expect(track.extensions == extensions)
  }

  @Test func withoutSimulcastTheBestLayerIsSentAlone() throws {
    let harness = SessionHarness.joined()
    let (offer, _) = try Self.offered(Self.camera, in: harness)
    let sdp = try ServerDescriptions.answer(to: offer.sdp) { $0.simulcast = nil }
    let track = try #require(harness.deliver(Self.answer(sdp, id: 0)).sentTracks.first?.first)
    #expect(track.encodings.map(\.layer) == [.high])
    #expect(track.encodings.map(\.rid) == [nil])
  }

  @Test func oneOfferAtATimeAndTheNextOneHasTheRest() throws {
    let harness = SessionHarness.joined()
    let (first, _) = try Self.offered(Self.camera, in: harness)
    let audio = try Self.request(harness.command(.publish(Self.microphone)))
    let waiting = harness.deliver(Self.published(audio, sid: "TR_2"))
    #expect(waiting.offers.isEmpty)
    let answered = harness.deliver(Self.answer(try ServerDescriptions.answer(to: first.sdp), id: 1))
    #expect(answered.sentTracks.map { $0.map(\.localID) } == [["cam"]])
    let second = try #require(answered.offers.first)
    #expect(second.id == 2)
    let sdp = try SessionDescription(parsing: second.sdp)
    #expect(sdp.media.map(\.mid) == ["0", "1"])
    #expect(sdp.origin.sessionVersion == 2)
    let both = harness.deliver(Self.answer(try ServerDescriptions.answer(to: second.sdp), id: 2))
    #expect(both.sentTracks.map { $0.map(\.localID) } == [["cam", "mic"]])
    #expect(both.connects.isEmpty)
  }

  @Test func answersToOtherOffersAreNotTaken() throws {
    let harness = SessionHarness.joined()
    let (offer, _) = try Self.offered(Self.camera, in: harness)
    let sdp = try ServerDescriptions.answer(to: offer.sdp)
    #expect(harness.deliver(Self.answer(sdp, id: 5)).isEmpty)
    #expect(harness.session.drops[.tooLate] == 1)
    #expect(harness.deliver(Self.answer(sdp, id: 1)).sentTracks.count == 1)
    #expect(harness.deliver(Self.answer(sdp, id: 1)).isEmpty)
  }

  @Test func unpublishingMakesTheSectionInactiveAndStopsAtOnce() throws {
    let harness = SessionHarness.joined()
    let (first, _) = try Self.offered(Self.camera, in: harness)
    _ = harness.deliver(Self.answer(try ServerDescriptions.answer(to: first.sdp), id: 1))
    let outputs = harness.command(.unpublish(localID: "cam"))
    #expect(outputs.sentTracks == [[]])
    let offer = try #require(outputs.offers.first)
    let section = try #require(try SessionDescription(parsing: offer.sdp).media.first)
    #expect(section.direction == .inactive)
    #expect(section.streamIdentifiers.isEmpty)
    #expect(section.simulcast == nil)
    let answered = harness.deliver(Self.answer(try ServerDescriptions.answer(to: offer.sdp), id: 2))
    #expect(answered.isEmpty)
    // The name is free again, and the new track gets a section of its own.
    let (_, again) = try Self.offered(Self.camera, in: harness, sid: "TR_3")
    #expect(again.media.map(\.direction) == [.inactive, .sendOnly])
  }

  @Test func mutingIsTold() throws {
    let harness = SessionHarness.joined()
    var quiet = Self.microphone
    quiet.isMuted = true
    let request = try Self.request(harness.command(.publish(quiet)))
    #expect(request.isMuted)
    // Unmuted before the server has given the track its id.
    #expect(harness.command(.setMuted(localID: "mic", false)).isEmpty)
    #expect(
      harness.deliver(Self.published(request, sid: "TR_1")).requests.first
        == .mute(LiveKit.MuteTrackRequest(sid: "TR_1", isMuted: false)))
    #expect(
      harness.command(.setMuted(localID: "mic", true)).requests
        == [.mute(LiveKit.MuteTrackRequest(sid: "TR_1", isMuted: true))])
    // A moderator's wish is confirmed.
    #expect(
      harness.deliver(.mute(LiveKit.MuteTrackRequest(sid: "TR_1", isMuted: true))).requests
        == [.mute(LiveKit.MuteTrackRequest(sid: "TR_1", isMuted: true))])
    #expect(harness.deliver(.mute(LiveKit.MuteTrackRequest(sid: "TR_9", isMuted: true))).isEmpty)
  }

  @Test func commandsBeforeJoiningAreDoneAfterwards() throws {
    let harness = SessionHarness()
    harness.perform(.publish(Self.camera))
    harness.perform(.requestLayer(TrackID("TR_9"), .off))
    #expect(harness.drain().isEmpty)
    var join = LiveKit.JoinResponse()
    join.room = .named("demo")
    join.participant = .named("me", sid: "PA_me")
    join.subscriberPrimary = true
    let requests = harness.deliver(.join(join)).requests
    #expect(requests.count == 2)
  }

  @Test func withoutASubscriberConnectionThePublisherOpensAtOnce() throws {
    let harness = SessionHarness()
    harness.session.localCandidate(LiveKitSubscriberTests.host(1), of: .publisher, at: .zero)
    var join = LiveKit.JoinResponse()
    join.room = .named("demo")
    join.participant = .named("me", sid: "PA_me")
    let outputs = harness.deliver(.join(join))
    let offer = try #require(outputs.offers.first)
    #expect(try SessionDescription(parsing: offer.sdp).media.map(\.kind) == [.application])
    #expect(outputs.candidates.map(\.target) == [.publisher])
    let answered = harness.deliver(Self.answer(try ServerDescriptions.answer(to: offer.sdp), id: 1))
    #expect(answered.media.count == 1)
    #expect(answered.connects.count == 1)
    let (_, sdp) = try Self.offered(Self.camera, in: harness)
    #expect(sdp.media.map(\.kind) == [.application, .video])
    #expect(sdp.bundleGroups == [["0", "1"]])
  }

  // MARK: - Failures

  @Test func aTokenThatMayNotPublishIsToldSo() {
    let harness = SessionHarness.joined { $0.participant?.permission = LiveKit.ParticipantPermission() }
    let outputs = harness.command(.publish(Self.camera))
    #expect(outputs == [.event(.publishFailed(localID: "cam", message: "The token does not allow to publish."))])
    // A moderator may allow it later.
    var me = LiveKit.ParticipantInfo.named("me", sid: "PA_me", version: 2)
    me.permission = LiveKit.ParticipantPermission()
    me.permission?.canPublish = true
    _ = harness.deliver(.update(.init(participants: [me])))
    #expect(harness.command(.publish(Self.camera)).requests.count == 1)
  }

  @Test func aRefusedAnnouncementFailsThatTrackOnly() throws {
    let harness = SessionHarness.joined()
    let request = try Self.request(harness.command(.publish(Self.camera)))
    var queued = LiveKit.RequestResponse()
    queued.reason = .queued
    queued.addTrack = request
    #expect(harness.deliver(.requestResponse(queued)).isEmpty)
    queued.reason = .notAllowed
    queued.message = "no cameras here"
    #expect(
      harness.deliver(.requestResponse(queued)).events == [.publishFailed(localID: "cam", message: "no cameras here")])
    #expect(harness.deliver(Self.published(request, sid: "TR_1")).isEmpty)
    #expect(harness.session.drops[.malformed] == 1)
  }

  @Test func aSilentServerFailsTheTrackAfterTenSeconds() throws {
    let harness = SessionHarness.joined { $0.pingTimeout = 60 }
    _ = harness.command(.publish(Self.camera))
    #expect(harness.run(for: .milliseconds(9_999)).events.isEmpty)
    #expect(
      harness.run(for: .milliseconds(1)).events
        == [.publishFailed(localID: "cam", message: "The server did not answer the announcement.")])

    let (_, _) = try Self.offered(Self.single, in: harness)
    let outputs = harness.run(for: .seconds(10))
    #expect(outputs.events == [.publishFailed(localID: "one", message: "The server did not answer the offer.")])
    // The next offer takes the section back.
    #expect(try outputs.offers.map { try SessionDescription(parsing: $0.sdp).media.map(\.direction) } == [[.inactive]])
  }

  @Test func aRejectedSectionFailsItsTrack() throws {
    let harness = SessionHarness.joined()
    let (offer, _) = try Self.offered(Self.camera, in: harness)
    let sdp = try ServerDescriptions.answer(to: offer.sdp) { $0.direction = .inactive }
    let outputs = harness.deliver(Self.answer(sdp, id: 1))
    #expect(outputs.events == [.publishFailed(localID: "cam", message: "The server does not take this track.")])
    #expect(outputs.sentTracks.isEmpty)
  }

  @Test func theServerMayEndATrack() throws {
    let harness = SessionHarness.joined()
    let (offer, _) = try Self.offered(Self.camera, in: harness)
    _ = harness.deliver(Self.answer(try ServerDescriptions.answer(to: offer.sdp), id: 1))
    let outputs = harness.deliver(.trackUnpublished(LiveKit.TrackUnpublishedResponse(trackSID: "TR_1")))
    #expect(outputs.events == [.publishFailed(localID: "cam", message: "The server ended the track.")])
    #expect(outputs.sentTracks == [[]])
  }

  @Test func theSameTrackIsNotPublishedTwice() {
    let harness = SessionHarness.joined()
    _ = harness.command(.publish(Self.camera))
    #expect(
      harness.command(.publish(Self.camera)).events
        == [.publishFailed(localID: "cam", message: "This track is published already.")])
  }

  @Test(arguments: ["", "v=0\r\n", "v=0\r\no=- 1 1 IN IP4 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"])
  func anAnswerWithoutATransportIsCounted(sdp: String) throws {
    let harness = SessionHarness.joined()
    _ = try Self.offered(Self.camera, in: harness)
    #expect(harness.deliver(Self.answer(sdp, id: 1)).isEmpty)
    #expect(harness.session.drops[.malformed] == 1)
  }

  @Test func theSameSeedGivesTheSameSession() throws {
    func offer(seed: UInt64) throws -> String {
      let harness = SessionHarness(seed: seed)
      var join = LiveKit.JoinResponse()
      join.room = .named("demo")
      join.participant = .named("me", sid: "PA_me")
      join.subscriberPrimary = true
      _ = harness.deliver(.join(join))
      return try Self.offered(Self.single, in: harness).offer.sdp
    }
    #expect(try offer(seed: 3) == offer(seed: 3))
    #expect(try offer(seed: 3) != offer(seed: 4))
  }
}
