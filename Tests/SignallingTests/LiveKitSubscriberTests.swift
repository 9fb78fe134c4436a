import Conference
import RTCCore
import Signalling
import TestKit
import Testing

@Suite struct LiveKitSubscriberTests {
  static let sections: [ServerDescriptions.Section] = [
    .data, .video(participant: "PA_ann", track: "TR_VCa", ssrc: 1000),
    .audio(participant: "PA_ann", track: "TR_AMa", ssrc: 2000),
  ]
  static func message(_ sdp: String, id: UInt32 = 7) -> LiveKit.SignalResponse {
    .offer(LiveKit.SessionDescription(type: "offer", sdp: sdp, id: id))
  }
  static func harness() -> SessionHarness { .joined(others: [LiveKitRoomTests.ann, LiveKitRoomTests.bob]) }
  static let ann = ParticipantIdentity("ann")

  @Test func anOfferIsAnsweredConnectedAndSubscribed() throws {
    let harness = Self.harness()
    let outputs = harness.deliver(Self.message(ServerDescriptions.offer(Self.sections)))
    let answer = try #require(outputs.answers.first)
    #expect(answer.type == "answer")
    #expect(answer.id == 7)
    #expect(
      outputs.connects == [
        RemoteTransport(
          iceUfrag: "srvU", icePassword: "serverpassword12345678", fingerprint: Array(repeating: 0xEF, count: 32),
          weAreDTLSClient: true, peerIsICELite: false, candidates: [])
      ])
    #expect(
      outputs.events == [.subscribed(Self.ann, TrackID("TR_VCa")), .subscribed(Self.ann, TrackID("TR_AMa"))])
    let kinds = outputs.map { output in
      switch output {
      case .send: "send"
      case .media: "media"
      case .reopen: "reopen"
      case .event: "event"
      case .ask, .link, .close, .wait: "other"
      }
    }
    #expect(kinds == ["send", "media", "media", "event", "event"])
  }

  @Test func theAnswerTakesWhatWeDecodeAndNothingElse() throws {
    let harness = Self.harness()
    let outputs = harness.deliver(Self.message(ServerDescriptions.offer(Self.sections)))
    let answer = try SessionDescription(parsing: try #require(outputs.answers.first).sdp)
    #expect(answer.media.map(\.kind) == [.application, .video, .audio])
    #expect(answer.media.map(\.mid) == ["0", "1", "2"])
    #expect(answer.bundleGroups == [["0", "1", "2"]])
    #expect(answer.media.allSatisfy { $0.setup == .active && $0.iceCredentials?.usernameFragment == "subU" })
    #expect(
      answer.media.allSatisfy {
        $0.fingerprints == [CertificateFingerprint(bytes: SessionHarness.subscriber.fingerprint)]
      })
    #expect(answer.allowsMixedExtensions)
    #expect(answer.media[0].sctpPort == 5000)
    #expect(answer.media[0].formats == ["webrtc-datachannel"])

    let video = answer.media[1]
    #expect(video.direction == .receiveOnly)
    #expect(video.payloads.map(\.payloadType) == [96, 97])
    #expect(video.payloads[0].feedback == ["ccm fir", "nack", "nack pli", "transport-cc"])
    #expect(video.payloads[1].associatedPayloadType == 96)
    #expect(video.extensionMaps.map(\.id) == [2, 3, 4])
    #expect(video.multiplexesRTCP && video.allowsReducedSizeRTCP)
    let audio = answer.media[2]
    #expect(audio.direction == .receiveOnly)
    #expect(audio.payloads.map(\.payloadType) == [111])
    #expect(audio.payloads[0].parameter("useinbandfec") == "1")
    #expect(audio.extensionMaps.map(\.known) == [.audioLevel])
  }

  @Test func receivedTracksSayHowTheyArrive() throws {
    let harness = Self.harness()
    let outputs = harness.deliver(Self.message(ServerDescriptions.offer(Self.sections)))
    var video = HeaderExtensionIDs()
    video.absoluteSendTime = 2
    video.transportSequence = 3
    video.mid = 4
    var audio = HeaderExtensionIDs()
    audio.audioLevel = 1
    #expect(
      outputs.receivedTracks == [
        [
          ReceivedTrack(
            track: TrackID("TR_VCa"), kind: .video, mid: "1", ssrc: SSRC(1000), rtxSSRC: SSRC(1001), payloadTypes: [96],
            rtxPayloadTypes: [97: 96], supportsNACK: true, supportsPLI: true, extensions: video),
          ReceivedTrack(
            track: TrackID("TR_AMa"), kind: .audio, mid: "2", ssrc: SSRC(2000), payloadTypes: [111], supportsNACK: true,
            supportsPLI: false, extensions: audio),
        ]
      ])
  }

  @Test func renegotiationAddsAndEndsTracksWithoutConnectingAgain() throws {
    let harness = Self.harness()
    _ = harness.deliver(Self.message(ServerDescriptions.offer(Self.sections)))
    let more = Self.sections + [.video(participant: "PA_bob", track: "TR_VCb", ssrc: 3000)]
    let added = harness.deliver(Self.message(ServerDescriptions.offer(more), id: 8))
    #expect(added.answers.map(\.id) == [8])
    #expect(added.connects.isEmpty)
    #expect(added.receivedTracks.map { $0.map(\.track.raw) } == [["TR_VCa", "TR_AMa", "TR_VCb"]])
    #expect(added.events == [.subscribed(ParticipantIdentity("bob"), TrackID("TR_VCb"))])

    var fewer = more
    fewer[1] = .inactiveVideo
    let ended = harness.deliver(Self.message(ServerDescriptions.offer(fewer), id: 9))
    #expect(ended.receivedTracks.map { $0.map(\.track.raw) } == [["TR_AMa", "TR_VCb"]])
    #expect(ended.events == [.unsubscribed(Self.ann, TrackID("TR_VCa"))])
    let answer = try SessionDescription(parsing: try #require(ended.answers.first).sdp)
    #expect(answer.media.map(\.direction) == [.sendReceive, .inactive, .receiveOnly, .receiveOnly])
    #expect(answer.origin.sessionVersion == 3)
  }

  @Test func newCredentialsConnectAgain() {
    let harness = Self.harness()
    _ = harness.deliver(Self.message(ServerDescriptions.offer(Self.sections)))
    let outputs = harness.deliver(Self.message(ServerDescriptions.offer(Self.sections, ufrag: "newU"), id: 8))
    #expect(outputs.connects.map(\.iceUfrag) == ["newU"])
    #expect(outputs.events.isEmpty)
  }

  @Test func aSubscriptionIsToldWhenTheUpdateComesAfterTheOffer() {
    let harness = SessionHarness.joined()
    #expect(harness.deliver(Self.message(ServerDescriptions.offer(Self.sections))).events.isEmpty)
    let events = harness.deliver(.update(.init(participants: [LiveKitRoomTests.ann]))).events
    #expect(events.count == 3)
    #expect(
      Array(events.suffix(2)) == [.subscribed(Self.ann, TrackID("TR_VCa")), .subscribed(Self.ann, TrackID("TR_AMa"))])
  }

  @Test func aLeaverTakesItsSubscriptionsAlongAndANewSessionGetsItsOwn() {
    let harness = Self.harness()
    _ = harness.deliver(Self.message(ServerDescriptions.offer(Self.sections)))
    var gone = LiveKitRoomTests.ann
    gone.state = .disconnected
    #expect(harness.deliver(.update(.init(participants: [gone]))).events == [.participantLeft(Self.ann)])
    #expect(
      harness.deliver(Self.message(ServerDescriptions.offer([.data, .inactiveVideo, .inactiveVideo]), id: 8)).events
        .isEmpty)
  }

  @Test func sectionsThatWeCannotDecodeAreInactive() throws {
    let harness = Self.harness()
    let outputs = harness.deliver(
      Self.message(
        ServerDescriptions.offer([
          .data, .h264(participant: "PA_ann", track: "TR_VCa"), .text("m=text 9 UDP/TLS/RTP/SAVPF 100"),
        ])))
    let answer = try SessionDescription(parsing: try #require(outputs.answers.first).sdp)
    #expect(answer.media[1].direction == .inactive)
    #expect(answer.media[1].payloads.map(\.payloadType) == [125])
    #expect(answer.media[2].isRejected)
    #expect(answer.bundleGroups == [["0", "1"]])
    #expect(outputs.receivedTracks == [[]])
    #expect(outputs.events.isEmpty)
  }

  @Test(
    arguments: [
      ("a=msid:PA_ann|TR_VCa TR_VCa", "TR_VCa"), ("a=msid:PA_ann|camera TR_VCa", "TR_VCa"),
      ("a=msid:PA_ann|TR_VCa", "TR_VCa"), ("a=msid:PA_ann|TR_VCa 0b1c2d", "TR_VCa"),
      ("a=ssrc:5 msid:PA_ann|TR_VCa TR_VCa", "TR_VCa"), ("a=msid:PA_ann x", nil), ("a=msid:a|b|c x", nil),
      ("a=msid:PA_ann| x", nil), ("a=sendonly", nil),
    ] as [(String, String?)])
  func tracksAreFoundByTheirStreamIdentifier(line: String, expected: String?) throws {
    let harness = Self.harness()
    let section = "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=rtpmap:96 VP8/90000\r\na=sendonly\r\n\(line)"
    let outputs = harness.deliver(Self.message(ServerDescriptions.offer([.text(section)])))
    #expect(outputs.receivedTracks.first?.map(\.track.raw) == [expected].compactMap { $0 })
    #expect(harness.session.drops[.malformed] == (expected == nil ? 1 : 0))
  }

  @Test func theSameTrackTwiceIsReceivedOnce() throws {
    let harness = Self.harness()
    let twice = Self.sections + [.video(participant: "PA_ann", track: "TR_VCa", ssrc: 4000)]
    let outputs = harness.deliver(Self.message(ServerDescriptions.offer(twice)))
    #expect(outputs.receivedTracks.first?.map(\.ssrc) == [SSRC(1000), SSRC(2000)])
    #expect(harness.session.drops[.malformed] == 1)
  }

  @Test func weTakeTheDTLSRoleThatIsLeft() {
    let harness = Self.harness()
    let outputs = harness.deliver(Self.message(ServerDescriptions.offer(Self.sections, setup: "active")))
    #expect(outputs.connects.map(\.weAreDTLSClient) == [false])
  }

  // MARK: - Candidates

  static func trickle(
    _ candidate: String, target: LiveKit.SignalTarget = .subscriber
  ) -> LiveKit.SignalResponse {
    .trickle(
      LiveKit.TrickleRequest(
        candidateInit: LiveKit.CandidateInit(candidate: candidate).text, target: target))
  }
  static func host(_ number: Int) -> String { "candidate:1 1 udp 2130706431 10.0.0.\(number) 7882 typ host" }

  @Test func candidatesBeforeTheOfferComeWithTheConnection() {
    let harness = Self.harness()
    #expect(harness.deliver(Self.trickle(Self.host(1))).isEmpty)
    let offer = ServerDescriptions.offer(Self.sections, extra: "a=" + Self.host(2))
    #expect(harness.deliver(Self.message(offer)).connects.first?.candidates == [Self.host(2), Self.host(1)])
    #expect(harness.deliver(Self.trickle(Self.host(3))).media == [.addCandidate(.subscriber, Self.host(3))])
    // Known ones, by trickle or by a later offer, are not told again.
    #expect(harness.deliver(Self.trickle(Self.host(1))).isEmpty)
    #expect(harness.deliver(Self.message(offer, id: 8)).media.count == 1)
    #expect(harness.deliver(Self.trickle("")).media == [.addCandidate(.subscriber, "")])
  }

  @Test func candidatesThatAreNoneAreCountedAndHiddenOnesAreLeftAlone() {
    let harness = Self.harness()
    _ = harness.deliver(Self.message(ServerDescriptions.offer(Self.sections)))
    #expect(harness.deliver(Self.trickle("candidate:1 1 udp 1 abc.local 9 typ host")).isEmpty)
    #expect(harness.session.drops.total == 0)
    #expect(harness.deliver(Self.trickle("nonsense")).isEmpty)
    #expect(harness.deliver(.trickle(LiveKit.TrickleRequest(candidateInit: "{", target: .subscriber))).isEmpty)
    #expect(harness.session.drops[.malformed] == 2)
  }

  @Test func candidatesWithoutEndAreCutOff() {
    let harness = Self.harness()
    _ = harness.deliver(Self.message(ServerDescriptions.offer(Self.sections)))
    var added = 0
    for port in 1...2000 {
      added += harness.deliver(Self.trickle("candidate:1 1 udp 1 10.0.0.1 \(port) typ host")).count
    }
    #expect(added == 256)
  }

  @Test func ourCandidatesWaitForOurDescription() {
    let harness = SessionHarness()
    harness.session.localCandidate(Self.host(1), of: .subscriber, at: .zero)
    #expect(harness.drain().isEmpty)
    let joined = Self.harness()
    joined.session.localCandidate(Self.host(1), of: .subscriber, at: joined.now)
    #expect(joined.drain().isEmpty)
    let outputs = joined.deliver(Self.message(ServerDescriptions.offer(Self.sections)))
    guard case .answer = outputs.requests.first else {
      Issue.record("the answer comes first")
      return
    }
    #expect(outputs.candidates.map(\.target) == [.subscriber])
    #expect(outputs.candidates.map { LiveKit.CandidateInit(parsing: $0.candidateInit)?.candidate } == [Self.host(1)])
    joined.session.localCandidate(Self.host(2), of: .subscriber, at: joined.now)
    joined.session.localCandidate("", of: .subscriber, at: joined.now)
    #expect(joined.drain().candidates.count == 1)
  }

  // MARK: - Hostile descriptions

  @Test(arguments: [
    "", "v=0", "v=0\r\no=- 1 1 IN IP4 0\r\ns=-\r\nt=0 0\r\n",
    ServerDescriptions.offer(sections).replacing("a=fingerprint:sha-256", with: "a=fingerprint:sha-1"),
    ServerDescriptions.offer(sections).replacing("EF:EF", with: "EF"),
    ServerDescriptions.offer(sections).replacing("a=ice-ufrag:srvU\r\n", with: ""),
    ServerDescriptions.offer(sections).replacing("a=mid:1", with: "a=mid:0"),
  ])
  func offersWithoutATransportAreCountedAndChangeNothing(sdp: String) {
    let harness = Self.harness()
    #expect(harness.deliver(Self.message(sdp)).isEmpty)
    #expect(harness.session.drops[.malformed] == 1)
    #expect(harness.deliver(Self.message(ServerDescriptions.offer(Self.sections), id: 8)).answers.count == 1)
  }

  @Test(arguments: UInt64(1)...4) func damagedOffersNeverTrapAndAnswersStayReadable(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let original = Array(ServerDescriptions.offer(Self.sections).utf8)
    var answered = 0
    for _ in 0..<500 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 9...126, using: &generator)
      }
      let harness = Self.harness()
      for answer in harness.deliver(Self.message(String(decoding: bytes, as: UTF8.self))).answers {
        answered += 1
        #expect(throws: Never.self) { try SessionDescription(parsing: answer.sdp) }
      }
    }
    #expect(answered > 50)
  }
}
