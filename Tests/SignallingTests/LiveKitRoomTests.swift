import Conference
import RTCCore
import Signalling
import TestKit
import Testing

@Suite struct LiveKitRoomTests {
  static let ann = LiveKit.ParticipantInfo.named(
    "ann", sid: "PA_ann", tracks: [.camera("TR_VCa"), .microphone("TR_AMa", isMuted: true)])
  static let bob = LiveKit.ParticipantInfo.named("bob", sid: "PA_bob", tracks: [.camera("TR_VCb", simulcast: false)])

  @Test func joiningTellsEverybodyLocalFirst() {
    let harness = SessionHarness()
    var join = LiveKit.JoinResponse()
    join.room = .named("demo")
    join.participant = .named("me", sid: "PA_me")
    join.otherParticipants = [Self.ann, Self.bob]
    join.subscriberPrimary = true
    let outputs = harness.deliver(.join(join))
    guard case .joined(let room, let participants) = outputs.events.first else {
      Issue.record("not joined: \(outputs)")
      return
    }
    #expect(outputs.count == 1)
    #expect(room == "demo")
    #expect(participants.map(\.id.raw) == ["me", "ann", "bob"])
    #expect(participants.map(\.isLocal) == [true, false, false])
    #expect(participants[1].name == "Ann")
    #expect(participants[1].tracks.map(\.kind) == [.video, .audio])
    #expect(participants[1].tracks[0].layers.map(\.id) == [.low, .medium, .high])
    #expect(participants[1].tracks[0].layers.map(\.height) == [180, 360, 720])
    #expect(participants[1].tracks[1].isMuted)
    #expect(participants[1].tracks[1].layers.isEmpty)
    #expect(participants[2].tracks[0].layers == [Conference.VideoLayer(id: .high, width: 1280, height: 720)])
  }

  @Test func serversForICEComeBeforeAnythingConnects() {
    let harness = SessionHarness()
    var join = LiveKit.JoinResponse()
    join.room = .named("demo")
    join.participant = .named("me", sid: "PA_me")
    join.iceServers = [
      LiveKit.ICEServer(urls: ["turn:t:3478", "javascript:x"], username: "u", credential: "c"),
      LiveKit.ICEServer(urls: ["http://x"]),
    ]
    join.subscriberPrimary = true
    let outputs = harness.deliver(.join(join))
    #expect(
      outputs.first == .media(.iceServers([ICEServerInfo(urls: ["turn:t:3478"], username: "u", credential: "c")])))
  }

  @Test func updatesFollowVersionsAndDuplicatesAreSilent() {
    let harness = SessionHarness.joined(others: [Self.ann])
    func update(_ info: LiveKit.ParticipantInfo) -> LiveKit.SignalResponse {
      .update(LiveKit.ParticipantUpdate(participants: [info]))
    }
    #expect(harness.deliver(update(Self.ann)).isEmpty)

    var muted = Self.ann
    muted.version = 3
    muted.tracks[1].isMuted = false
    guard case .participantUpdated(let ann) = harness.deliver(update(muted)).events.first else {
      Issue.record("no update")
      return
    }
    #expect(!ann.tracks[1].isMuted)

    var stale = Self.ann
    stale.version = 2
    stale.name = "old"
    #expect(harness.deliver(update(stale)).isEmpty)

    var unpublished = muted
    unpublished.version = 4
    unpublished.tracks.removeFirst()
    guard case .participantUpdated(let fewer) = harness.deliver(update(unpublished)).events.first else {
      Issue.record("no update")
      return
    }
    #expect(fewer.tracks.map(\.id.raw) == ["TR_AMa"])
  }

  @Test func leaversLeaveOnceAndALateUpdateDoesNotBringThemBack() {
    let harness = SessionHarness.joined(others: [Self.ann])
    var gone = Self.ann
    gone.state = .disconnected
    let update = LiveKit.SignalResponse.update(LiveKit.ParticipantUpdate(participants: [gone]))
    #expect(harness.deliver(update).events == [.participantLeft(ParticipantIdentity("ann"))])
    #expect(harness.deliver(update).isEmpty)
    var late = Self.ann
    late.version = 9
    #expect(harness.deliver(.update(LiveKit.ParticipantUpdate(participants: [late]))).isEmpty)
    let back = LiveKit.ParticipantInfo.named("ann", sid: "PA_ann2")
    #expect(harness.deliver(.update(LiveKit.ParticipantUpdate(participants: [back]))).events.count == 1)
  }

  @Test func aNewSessionOfAnIdentityTakesTheOldOnesPlace() {
    let harness = SessionHarness.joined(others: [Self.ann])
    let again = LiveKit.ParticipantInfo.named("ann", sid: "PA_ann2", tracks: [.camera("TR_VCa2")])
    guard case .participantUpdated(let ann) = harness.deliver(.update(.init(participants: [again]))).events.first else {
      Issue.record("no update")
      return
    }
    #expect(ann.tracks.map(\.id.raw) == ["TR_VCa2"])
    // The end of the old session is no end of the new one.
    var old = Self.ann
    old.state = .disconnected
    #expect(harness.deliver(.update(.init(participants: [old]))).isEmpty)
    #expect(
      harness.deliver(.speakersChanged(.init(speakers: [.init(sid: "PA_ann2", level: 0.5, isActive: true)]))).events
        .count
        == 1)
  }

  @Test func nobodyCanTakeTheLocalParticipantsPlace() {
    let harness = SessionHarness.joined()
    let other = LiveKit.ParticipantInfo.named("me", sid: "PA_evil")
    #expect(harness.deliver(.update(.init(participants: [other]))).isEmpty)
    var gone = LiveKit.ParticipantInfo.named("me", sid: "PA_me")
    gone.state = .disconnected
    #expect(harness.deliver(.update(.init(participants: [gone]))).isEmpty)
    #expect(harness.session.drops[.malformed] == 1)
  }

  @Test func speakersQualityAndActivityAreTold() {
    let harness = SessionHarness.joined(others: [Self.ann])
    let ann = ParticipantIdentity("ann")
    let speakers = LiveKit.SpeakersChanged(speakers: [
      LiveKit.SpeakerInfo(sid: "PA_ann", level: 0.625, isActive: true),
      LiveKit.SpeakerInfo(sid: "PA_nobody", level: 1, isActive: true),
      LiveKit.SpeakerInfo(sid: "PA_me", level: .nan, isActive: false),
    ])
    #expect(
      harness.deliver(.speakersChanged(speakers)).events == [
        .speakersChanged([
          (identity: ann, level: 0.625, isSpeaking: true),
          (identity: ParticipantIdentity("me"), level: 0, isSpeaking: false),
        ])
      ])
    let quality = LiveKit.ConnectionQualityUpdate(updates: [
      LiveKit.ConnectionQualityInfo(participantSID: "PA_ann", quality: .lost),
      LiveKit.ConnectionQualityInfo(participantSID: "PA_nobody", quality: .poor),
    ])
    #expect(harness.deliver(.connectionQuality(quality)).events == [.qualityChanged(ann, .lost)])
    let stream = LiveKit.StreamStateUpdate(streamStates: [
      LiveKit.StreamStateInfo(participantSID: "PA_ann", trackSID: "TR_VCa", state: .paused)
    ])
    #expect(
      harness.deliver(.streamStateUpdate(stream)).events == [.activityChanged(TrackID("TR_VCa"), isActive: false)])
    #expect(harness.deliver(.refreshToken("t")).events == [.tokenRefreshed("t")])
    #expect(harness.deliver(.refreshToken("")).isEmpty)
  }

  @Test(arguments: [
    (LayerRequest.layer(.low), LiveKit.VideoQuality.low, UInt32(0), UInt32(0), false),
    (.layer(.medium), .medium, 0, 0, false), (.size(width: 320, height: 0), .high, 320, 1, false),
    (.off, .high, 0, 0, true),
  ])
  func layerRequestsAlwaysNameALayerOrASize(
    request: LayerRequest, quality: LiveKit.VideoQuality, width: UInt32, height: UInt32, isDisabled: Bool
  ) throws {
    let harness = SessionHarness.joined(others: [Self.ann])
    let track = TrackID("TR_VCa")
    let requests = harness.command(.requestLayer(track, request)).requests
    guard requests.count == 1, case .trackSetting(let setting) = requests[0] else { throw Missing() }
    #expect(setting.trackSIDs == ["TR_VCa"])
    #expect(setting.quality == quality)
    #expect([setting.width, setting.height] == [width, height])
    #expect(setting.isDisabled == isDisabled)
    // The same again is no news; another one is.
    #expect(harness.command(.requestLayer(track, request)).isEmpty)
    #expect(harness.command(.requestLayer(track, .layer(.high))).requests.count == 1)
  }

  @Test func subscriptionsAreChangedByTrack() {
    let harness = SessionHarness.joined(others: [Self.ann])
    #expect(
      harness.command(.setSubscribed(TrackID("TR_VCa"), false)).requests
        == [.subscription(LiveKit.UpdateSubscription(trackSIDs: ["TR_VCa"], subscribe: false))])
  }

  // MARK: - Liveness

  @Test func bothFormsOfPingAreSentAndTheRoundTripIsMeasured() throws {
    let harness = SessionHarness.joined()
    harness.now = harness.now + .milliseconds(250)
    let pings = harness.run(for: .milliseconds(4_750)).requests
    #expect(pings == [.ping(5_000), .pingRequest(LiveKit.Ping(timestamp: 5_000))])
    harness.now = harness.now + .milliseconds(40)
    #expect(harness.deliver(.pong(0)).isEmpty)
    #expect(
      harness.deliver(.pongResponse(LiveKit.Pong(lastPingTimestamp: 5_000))).events == [.roundTrip(.milliseconds(40))])
    // A second answer to the same ping says nothing.
    #expect(harness.deliver(.pongResponse(LiveKit.Pong(lastPingTimestamp: 5_000))).isEmpty)
    let next = harness.run(for: .seconds(5)).requests
    #expect(next == [.ping(10_000), .pingRequest(LiveKit.Ping(timestamp: 10_000, roundTrip: 40))])
  }

  @Test func silenceForThePingTimeoutLosesTheRoom() {
    let harness = SessionHarness.joined()
    let before = harness.run(for: .milliseconds(14_999))
    #expect(before.requests.count == 4)
    #expect(before.events.isEmpty)
    let after = harness.run(for: .milliseconds(1))
    #expect(Array(after.suffix(2)) == [.event(.reconnecting), .reopen])
  }

  @Test func anyMessageCountsAsLife() {
    let harness = SessionHarness.joined()
    for _ in 0..<4 {
      #expect(harness.run(for: .seconds(14)).events.isEmpty)
      #expect(harness.deliver(.unknown).isEmpty)
    }
    #expect(harness.run(for: .seconds(16)).events == [.reconnecting])
  }

  @Test(arguments: [(0, 0), (-5, 15), (Int32.max, Int32.min)] as [(Int32, Int32)])
  func pingTimesThatMakeNoSenseAreReplaced(interval: Int32, timeout: Int32) {
    let harness = SessionHarness.joined {
      $0.pingInterval = interval
      $0.pingTimeout = timeout
    }
    let outputs = harness.run(for: .seconds(20))
    #expect(outputs.requests.count == 4)
    #expect(outputs.events == [.reconnecting])
  }

  // MARK: - Ends

  @Test func leavingSaysGoodbyeFirst() {
    let harness = SessionHarness.joined()
    let outputs = harness.command(.leave)
    #expect(
      outputs.requests == [
        .leave(LiveKit.LeaveRequest(canReconnect: false, reason: .clientInitiated, action: .disconnect))
      ])
    #expect(Array(outputs.suffix(2)) == [.event(.left(.requested)), .close])
    // Nothing follows the end.
    harness.receive(.refreshToken("t"))
    harness.perform(.leave)
    harness.session.connectionClosed(at: harness.now)
    #expect(harness.run(for: .seconds(60)).isEmpty)
  }

  @Test(arguments: [
    (LiveKit.DisconnectReason.duplicateIdentity, LiveKit.LeaveAction.disconnect, LeaveReason.duplicateIdentity),
    (.participantRemoved, .disconnect, .removed), (.roomDeleted, .disconnect, .roomClosed),
    (.roomClosed, .disconnect, .roomClosed), (.serverShutdown, .disconnect, .serverShutdown),
    (.stateMismatch, .disconnect, .connectionLost), (.unknown, .disconnect, .unknown),
    (.mediaFailure, .disconnect, .mediaFailed), (.duplicateIdentity, .reconnect, .duplicateIdentity),
  ])
  func theServersReasonIsKept(
    reason: LiveKit.DisconnectReason, action: LiveKit.LeaveAction, expected: LeaveReason
  ) {
    let harness = SessionHarness.joined()
    let leave = LiveKit.LeaveRequest(canReconnect: false, reason: reason, action: action)
    #expect(harness.deliver(.leave(leave)) == [.event(.left(expected)), .close])
    let early = SessionHarness()
    #expect(early.deliver(.leave(leave)) == [.event(.left(expected)), .close])
  }

  @Test func aServerThatNeverSendsJoinIsGivenUp() {
    let harness = SessionHarness()
    #expect(harness.deliver(.pong(1)).isEmpty)
    #expect(harness.run(for: .milliseconds(9_999)).isEmpty)
    #expect(harness.run(for: .milliseconds(1)) == [.event(.left(.connectionLost)), .close])
  }

  @Test func aFirstMessageThatIsNoProtobufBreaksTheProtocol() {
    let harness = SessionHarness()
    harness.session.receive(Array("HTTP/1.1 400".utf8), at: .zero)
    #expect(harness.drain() == [.event(.left(.protocolBroken)), .close])
    #expect(harness.session.drops[.malformed] == 1)
  }

  @Test func aJoinWithoutRoomOrParticipantBreaksTheProtocol() {
    var noRoom = LiveKit.JoinResponse()
    noRoom.participant = .named("me", sid: "PA_me")
    var noIdentity = LiveKit.JoinResponse()
    noIdentity.room = .named("demo")
    noIdentity.participant = .named("", sid: "PA_me")
    for join in [LiveKit.JoinResponse(), noRoom, noIdentity] {
      let harness = SessionHarness()
      #expect(harness.deliver(.join(join)) == [.event(.left(.protocolBroken)), .close])
    }
  }

  @Test func aSecondJoinIsCountedAndChangesNothing() {
    let harness = SessionHarness.joined(others: [Self.ann])
    var join = LiveKit.JoinResponse()
    join.room = .named("other")
    join.participant = .named("you", sid: "PA_you")
    #expect(harness.deliver(.join(join)).isEmpty)
    #expect(harness.deliver(.reconnect(LiveKit.ReconnectResponse())).isEmpty)
    #expect(harness.session.drops[.malformed] == 2)
  }

  @Test(arguments: UInt64(1)...4) func randomMessagesAreCountedAndNeverEndASession(seed: UInt64) {
    let harness = SessionHarness.joined(others: [Self.ann, Self.bob])
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<5_000 {
      let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      // A leave request that comes about by chance is a real one.
      if case .leave = try? LiveKit.SignalResponse(parsing: bytes) { continue }
      harness.session.receive(bytes, at: harness.now)
    }
    #expect(harness.session.drops[.malformed] > 1_000)
    #expect(!harness.drain().events.contains { if case .left = $0 { true } else { false } })
    #expect(harness.command(.leave).events == [.left(.requested)])
  }
}
