import Conference
import RTCCore
import Testing

@testable import Signalling

/// A room that is lost is joined anew (protocol sheet §6.4, full reconnect).
@Suite struct LiveKitReconnectTests {
  private static let renewed = LocalTransport(
    iceUfrag: "newU", icePassword: "anotherpassword123456789", fingerprint: Array(repeating: 0xAB, count: 32))

  private static func lost(_ harness: SessionHarness) -> [SignallingOutput] {
    harness.session.connectionClosed(at: harness.now)
    return harness.run(for: .zero)
  }

  /// The new signalling connection is open, and the media path does what it is told.
  private static func reopen(_ harness: SessionHarness) -> [SignallingOutput] {
    harness.session.connectionOpened(at: harness.now)
    let outputs = harness.drain()
    for command in outputs.media {
      if case .renew(let role) = command { harness.session.localTransport(renewed, of: role, at: harness.now) }
    }
    return outputs
  }

  private static func rejoin(_ harness: SessionHarness, others: [LiveKit.ParticipantInfo] = []) -> [SignallingOutput] {
    var join = LiveKit.JoinResponse()
    join.room = .named("demo")
    join.participant = .named("me", sid: "PA_again")
    join.otherParticipants = others
    join.subscriberPrimary = true
    return harness.deliver(.join(join))
  }

  private static func ada(_ sid: String, track: String) -> LiveKit.ParticipantInfo {
    .named("ada", sid: sid, tracks: [.camera(track)])
  }

  /// An offer of the server's subscriber connection with one video track.
  private static func offer(_ track: String, of sid: String) -> LiveKit.SignalResponse {
    LiveKitSubscriberTests.message(
      ServerDescriptions.offer([.data, .video(participant: sid, track: track, ssrc: 1000)]))
  }

  @Test func aClosedConnectionIsOpenedAgainAtOnceAndTheRoomJoinedAnew() {
    let harness = SessionHarness.joined()
    #expect(Self.lost(harness) == [.event(.reconnecting), .reopen])
    #expect(Self.reopen(harness).isEmpty)
    let joined = Self.rejoin(harness, others: [.named("bo", sid: "PA_bo")])
    guard case .joined(room: "demo", let participants) = joined.events.first else {
      Issue.record("not joined: \(joined)")
      return
    }
    #expect(participants.map(\.id.raw) == ["me", "bo"])
    // Pings go on.
    #expect(harness.run(for: .seconds(5)).requests.count == 2)
  }

  @Test func failedTriesAreRepeatedAfterGrowingPausesForAMinute() {
    let harness = SessionHarness.joined()
    let start = harness.now
    var tries: [Duration] = []
    var outputs = Self.lost(harness)
    while outputs.last == .reopen {
      tries.append(harness.now - start)
      harness.session.connectionClosed(at: harness.now)
      outputs = []
      while outputs.isEmpty, let next = harness.wakeUpAfterDrain() { outputs = harness.run(for: next - harness.now) }
    }
    #expect(Array(tries.prefix(6)) == [0, 1, 3, 7, 15, 23].map { Duration.seconds($0) })
    #expect(outputs == [.event(.left(.connectionLost)), .close])
    #expect(harness.now - start == .seconds(60))
  }

  @Test func aServerThatDoesNotLetUsInAgainIsAskedAgain() {
    let harness = SessionHarness.joined()
    _ = Self.lost(harness)
    _ = Self.reopen(harness)
    #expect(harness.run(for: .milliseconds(9_999)).isEmpty)
    #expect(harness.run(for: .milliseconds(1_001)) == [.reopen])
  }

  @Test func whatTheOldConnectionStillSaysIsIgnored() {
    let harness = SessionHarness.joined()
    _ = Self.lost(harness)
    let leave = LiveKit.LeaveRequest(canReconnect: false, reason: .clientInitiated, action: .disconnect)
    #expect(harness.deliver(.leave(leave)).isEmpty)
    harness.session.receive(Array("nonsense".utf8), at: harness.now)
    #expect(harness.drain().isEmpty)
  }

  @Test(arguments: [
    (LiveKit.DisconnectReason.stateMismatch, LiveKit.LeaveAction.reconnect), (.connectionTimeout, .resume),
    (.serverShutdown, .reconnect), (.unknown, .reconnect), (.mediaFailure, .reconnect),
  ])
  func aServerThatWantsUsBackIsJoinedAgain(reason: LiveKit.DisconnectReason, action: LiveKit.LeaveAction) {
    let harness = SessionHarness.joined()
    harness.receive(.leave(LiveKit.LeaveRequest(canReconnect: true, reason: reason, action: action)))
    #expect(harness.run(for: .zero) == [.event(.reconnecting), .reopen])
    // The connection that it closes afterwards is not lost once more.
    let early = SessionHarness.joined()
    early.receive(.leave(LiveKit.LeaveRequest(canReconnect: true, reason: reason, action: action)))
    early.session.connectionClosed(at: early.now)
    #expect(early.run(for: .zero) == [.event(.reconnecting), .reopen])
  }

  @Test func aServerThatSendsUsAwayWhileReconnectingEndsIt() {
    let harness = SessionHarness.joined()
    _ = Self.lost(harness)
    _ = Self.reopen(harness)
    let leave = LiveKit.LeaveRequest(canReconnect: false, reason: .participantRemoved, action: .disconnect)
    #expect(harness.deliver(.leave(leave)) == [.event(.left(.removed)), .close])
  }

  @Test func leavingWhileReconnectingNeedsNobody() {
    let harness = SessionHarness.joined()
    _ = Self.lost(harness)
    #expect(harness.command(.leave).events == [.left(.requested)])
    harness.session.connectionOpened(at: harness.now)
    #expect(harness.run(for: .seconds(120)).isEmpty)
  }

  @Test func mediaThatFlowedAndFailsLosesTheRoomAndMediaThatNeverFlowedEndsIt() {
    let never = SessionHarness.joined()
    #expect(!never.mediaFailed(.subscriber))
    _ = Self.lost(never)
    #expect(never.mediaFailed(.subscriber), "it is the room that is lost")
    let harness = SessionHarness.joined()
    harness.session.mediaConnected(.subscriber, at: harness.now)
    #expect(harness.mediaFailed(.subscriber))
    #expect(harness.run(for: .zero) == [.event(.reconnecting), .reopen])
    // The other connection fails too, which is no news.
    #expect(harness.mediaFailed(.publisher))
    #expect(harness.drain().isEmpty)
  }

  @Test func picturesGoOnUntilTheNewConnectionIsThere() {
    let harness = SessionHarness.joined(others: [Self.ada("PA_1", track: "TR_1")])
    #expect(harness.deliver(Self.offer("TR_1", of: "PA_1")).receivedTracks.map(\.count) == [1])
    #expect(Self.lost(harness).media.isEmpty)
    let reopened = Self.reopen(harness)
    #expect(reopened.media == [.receive([]), .renew(.subscriber)])
    #expect(reopened.events == [.unsubscribed(ParticipantIdentity("ada"), TrackID("TR_1"))])
  }

  @Test func theNewConnectionIsAnsweredWithItsOwnCredentials() throws {
    let harness = SessionHarness.joined(others: [Self.ada("PA_1", track: "TR_1")])
    _ = harness.deliver(Self.offer("TR_1", of: "PA_1"))
    _ = Self.lost(harness)
    _ = Self.reopen(harness)
    _ = Self.rejoin(harness, others: [Self.ada("PA_2", track: "TR_2")])
    let outputs = harness.deliver(Self.offer("TR_2", of: "PA_2"))
    let answer = try #require(outputs.answers.first)
    #expect(answer.sdp.contains("a=ice-ufrag:newU"))
    #expect(outputs.connects.count == 1, "the same server is connected to anew")
    #expect(outputs.events == [.subscribed(ParticipantIdentity("ada"), TrackID("TR_2"))])
  }

  @Test func layersAndDeclinedTracksAreToldAgain() {
    let ada = Self.ada("PA_1", track: "TR_1")
    let harness = SessionHarness.joined(others: [ada])
    _ = harness.deliver(Self.offer("TR_1", of: "PA_1"))
    _ = harness.command(.requestLayer(TrackID("TR_1"), .layer(.medium)))
    _ = harness.command(.setSubscribed(TrackID("TR_9"), false))
    _ = harness.command(.setSubscribed(TrackID("TR_1"), false))
    _ = Self.lost(harness)
    // Asked for while nobody hears it.
    #expect(harness.command(.setSubscribed(TrackID("TR_1"), true)).isEmpty)
    _ = Self.reopen(harness)
    let joined = Self.rejoin(harness, others: [ada]).requests
    #expect(
      joined == [
        .subscription(LiveKit.UpdateSubscription(trackSIDs: ["TR_1"], subscribe: false)),
        .subscription(LiveKit.UpdateSubscription(trackSIDs: ["TR_1"], subscribe: true)),
      ])
    let settings = harness.deliver(Self.offer("TR_1", of: "PA_1")).requests.compactMap {
      if case .trackSetting(let settings) = $0 { settings } else { nil }
    }
    #expect(settings.map(\.trackSIDs) == [["TR_1"]])
    #expect(settings.map(\.quality) == [.medium])
  }

  @Test func whatIsPublishedIsAnnouncedAndOfferedAgainAsItIsNow() throws {
    let harness = SessionHarness.joined()
    let first = try LiveKitPublisherTests.request(harness.command(.publish(LiveKitPublisherTests.camera)))
    let published = harness.deliver(LiveKitPublisherTests.published(first, sid: "TR_me1"))
    #expect(try #require(published.offers.first).sdp.contains("a=ice-ufrag:pubU"))
    _ = harness.command(.setMuted(localID: "cam", true))
    _ = Self.lost(harness)
    #expect(Self.reopen(harness).media == [.send([]), .renew(.publisher)])
    let again = try LiveKitPublisherTests.request(Self.rejoin(harness))
    #expect(again == first)
    let outputs = harness.deliver(LiveKitPublisherTests.published(again, sid: "TR_me2"))
    #expect(outputs.events == [.published(localID: "cam", TrackID("TR_me2"))])
    #expect(outputs.requests.contains(.mute(LiveKit.MuteTrackRequest(sid: "TR_me2", isMuted: true))))
    let offer = try #require(outputs.offers.first)
    #expect(offer.sdp.contains("a=ice-ufrag:newU"))
    #expect(offer.sdp.contains("a=mid:0"))
  }
}

extension SessionDriver {
  /// When it wants to be woken; nothing is to be done before.
  fileprivate func wakeUpAfterDrain() -> MonotonicTime? {
    _ = drain()
    return wakeUp
  }
}
