import Conference
import RTCCore
import Signalling
import TestKit
import Testing

/// Sources that go and come, and connections that do.
@Suite struct MillicastReconnectTests {
  static let cam2 = ParticipantIdentity("cam2")
  static let video2 = TrackID("cam2/video")
  static let audio2 = TrackID("cam2/audio")

  // MARK: Activity

  @Test func anInactiveSourceLeavesAndComesBackByItself() throws {
    let harness = try MillicastTrackTests.withSecondSource()
    let gone = harness.inactive(1, "cam2")
    guard case .participantUpdated(let participant)? = gone.events.first else {
      Issue.record("nobody was told")
      return
    }
    #expect(!participant.isActive)
    #expect(
      Array(gone.events.dropFirst()) == [
        .activityChanged(Self.video2, isActive: false), .activityChanged(Self.audio2, isActive: false),
      ])
    #expect(gone.sent.isEmpty)
    #expect(harness.inactive(1, "cam2").isEmpty)

    let back = harness.active(1, "cam2")
    #expect(
      Array(back.events.dropLast()) == [
        .activityChanged(Self.video2, isActive: true), .activityChanged(Self.audio2, isActive: true),
      ])
    // The same mids, asked for again; the ids of its tracks may be others now.
    #expect(
      back.sent.map { $0.data["mapping"] } == [
        [["mediaId": "2", "media": "video"], ["mediaId": "3", "media": "audio"]]
      ])
    #expect(harness.reply(1, transaction: 3).events.isEmpty)
  }

  @Test func aSourceThatComesBackIsReceivedAsItWasWished() throws {
    let harness = try MillicastTrackTests.withSecondSource()
    _ = harness.layers(1, mid: "2")
    _ = harness.inactive(1, "cam2")
    _ = harness.command(.requestLayer(Self.video2, .layer(.medium)))
    _ = harness.command(.setSubscribed(Self.audio2, false))
    _ = harness.reply(1, transaction: 3)
    let back = harness.active(1, "cam2")
    #expect(
      back.sent.map { $0.data["mapping"] } == [
        [["mediaId": "2", "media": "video", "layer": ["encodingId": "m"]]]
      ])
  }

  @Test func tracksMayComeAndGoWithAnUpdate() throws {
    let harness = try MillicastTrackTests.withSecondSource()
    let fewer = harness.event(
      1, "updated", #"{"sourceId":"cam2","tracks":[{"trackId":"a10","media":"audio"}]}"#)
    guard case .participantUpdated(let participant)? = fewer.events.first else {
      Issue.record("nobody was told")
      return
    }
    #expect(participant.tracks.map(\.id) == [Self.audio2])
    #expect(fewer.sent.map(\.data) == [["mediaIds": ["2"]]])
    _ = harness.reply(1, transaction: 3)
    let more = harness.active(1, "cam2", name: "updated")
    #expect(more.sent.map { $0.data["mapping"].elements[0]["media"] } == ["video"])
    #expect(harness.reply(1, transaction: 4).events == [.subscribed(Self.cam2, Self.video2)])
  }

  @Test func aSourceMayHaveTheStreamsName() throws {
    let harness = try MillicastHarness.viewing()
    _ = harness.active(1, nil)
    let outputs = harness.active(1, "match1")
    guard case .participantUpdated(let participant)? = outputs.events.first else {
      Issue.record("nobody was told")
      return
    }
    #expect(participant.id != ParticipantIdentity("match1"))
    #expect(participant.name == "match1")
  }

  // MARK: Reconnecting

  @Test(arguments: [LinkEvent.closed, .mediaFailed("the path stopped")])
  func aLostConnectionIsReplacedThroughTheDirector(event: LinkEvent) throws {
    let harness = try MillicastTrackTests.withSecondSource()
    let lost = harness.tell(1, event)
    #expect(lost.events == [.reconnecting])
    #expect(lost.linksClosed == [1])
    #expect(harness.run(for: .milliseconds(999)).isEmpty)
    #expect(harness.run(for: .milliseconds(1)).linksAsked == [2])

    let entered = try harness.enter(link: 2)
    guard case .joined("match1", let participants)? = entered.events.first else {
      Issue.record("joining again was not told")
      return
    }
    // Nobody leaves only because we did.
    #expect(participants.map(\.id.raw) == ["match1", "cam2"])
    let first = try #require(entered.receivedMids.first)
    #expect(first == ["match1/video": "", "match1/audio": "", "cam2/video": "", "cam2/audio": ""])
    let again = harness.active(2, "cam2")
    #expect(again.events.isEmpty)
    #expect(again.sent.map { $0.data["mapping"].elements.count } == [2])
    #expect(harness.reply(2, transaction: 2).events.isEmpty)
  }

  @Test func whatIsHiddenAndWhatLayerIsWishedOutlivesTheConnection() throws {
    let harness = try MillicastTrackTests.withSecondSource()
    _ = harness.layers(1, mid: "2")
    _ = harness.command(.requestLayer(Self.video2, .layer(.medium)))
    _ = harness.command(.requestLayer(TrackID("match1/video"), .off))
    _ = harness.tell(1, .closed)
    _ = harness.run(for: .seconds(1))
    try harness.enter(link: 2)
    #expect(harness.active(2, nil).sent.map(\.name) == ["unproject"])
    let second = harness.active(2, "cam2")
    #expect(second.sent.map { $0.data["mapping"].elements[0]["layer"] } == [["encodingId": "m"]])
  }

  @Test func sourcesThatAreNotAnnouncedAgainAreInactive() throws {
    let harness = try MillicastTrackTests.withSecondSource()
    _ = harness.tell(1, .closed)
    _ = harness.run(for: .seconds(1))
    try harness.enter(link: 2)
    _ = harness.active(2, nil)
    #expect(harness.run(for: .milliseconds(2_999)).events.isEmpty)
    let outputs = harness.run(for: .milliseconds(1))
    #expect(
      outputs.events.suffix(2).map { $0 } == [
        .activityChanged(Self.video2, isActive: false), .activityChanged(Self.audio2, isActive: false),
      ])
  }

  @Test func pausesDoubleFromOneSecondTo32AndBeginAnewAfterASuccess() throws {
    let harness = try MillicastHarness.viewing { $0.reconnectLimit = .seconds(1_000) }
    _ = harness.tell(1, .closed)
    var link = 1
    for pause in [1, 2, 4, 8, 16, 32, 32] {
      #expect(harness.run(for: .seconds(pause) - .milliseconds(1)).linksAsked.isEmpty)
      link += 1
      #expect(harness.run(for: .milliseconds(1)).linksAsked == [link])
      let outputs = harness.direct(link, 400, "")
      #expect(outputs.linksClosed == [link])
      #expect(outputs.events.isEmpty)
    }
    _ = harness.run(for: .seconds(32))
    try harness.enter(link: link + 1)
    _ = harness.tell(link + 1, .closed)
    #expect(harness.run(for: .seconds(1)).linksAsked == [link + 2])
  }

  @Test func aConnectionWithoutMediaIsNoSuccess() throws {
    let harness = try MillicastHarness.viewing()
    _ = harness.tell(1, .closed)
    _ = harness.run(for: .seconds(1))
    _ = harness.direct(2)
    _ = harness.tell(2, .opened(MillicastHarness.local))
    let sdp = String(decoding: JSONValue.text(MillicastAnswer.text()).serialized(), as: UTF8.self)
    _ = harness.reply(2, transaction: 1, #"{"sdp":\#(sdp)}"#)
    #expect(harness.tell(2, .mediaFailed("x")).events == [.reconnecting])
    #expect(harness.run(for: .milliseconds(1_999)).linksAsked.isEmpty)
    #expect(harness.run(for: .milliseconds(1)).linksAsked == [3])
  }

  @Test func aTokenThatIsRefusedWhileReconnectingEndsTheConference() throws {
    let harness = try MillicastHarness.viewing { $0.token = "t" }
    _ = harness.tell(1, .closed)
    _ = harness.run(for: .seconds(1))
    let outputs = harness.direct(2, 401, "")
    #expect(outputs.refusals.map(\.code) == [.tokenNotAccepted])
    #expect(outputs.events.last == .left(.refused))
  }

  @Test func afterTwoMinutesWithoutAConnectionTheConferenceEnds() throws {
    let harness = try MillicastHarness.viewing()
    _ = harness.tell(1, .closed)
    var outputs: [SignallingOutput] = []
    while harness.now < .zero + .seconds(200), let next = harness.wakeUp {
      outputs = harness.run(for: next - harness.now)
      for link in outputs.linksAsked { _ = harness.director(link, .failed(.unreachable("no route"))) }
    }
    #expect(harness.now == .zero + .seconds(120))
    #expect(outputs.refusals.map(\.code) == [.closedByServer])
    #expect(outputs.refusals[0].text.contains("no route"))
    #expect(outputs.events.last == .left(.connectionLost))
  }

  // MARK: Migrating

  /// A viewer that was asked to move and whose second connection is open, with cam2 on the first.
  static func moving() throws -> MillicastHarness {
    let harness = try MillicastTrackTests.withSecondSource()
    #expect(harness.event(1, "migrate").linksAsked == [2])
    return harness
  }

  @Test func migratingMakesTheNewConnectionBeforeItBreaksTheOld() throws {
    let harness = try Self.moving()
    let entered = try harness.enter(link: 2)
    #expect(entered.events.isEmpty)
    #expect(entered.linksClosed.isEmpty)
    _ = harness.active(2, nil)
    let projected = harness.active(2, "cam2")
    #expect(projected.events.isEmpty)
    #expect(projected.sent.map { $0.link } == [2])
    // Until cam2 is there too, the old connection shows it.
    #expect(harness.run(for: .seconds(3)).linksClosed.isEmpty)
    _ = harness.reply(2, transaction: 2)
    #expect(harness.run(for: .milliseconds(999)).linksClosed.isEmpty)
    #expect(harness.run(for: .milliseconds(1)).linksClosed == [1])
    #expect(harness.tell(1, .closed).isEmpty)
    // And it may be asked to move again.
    #expect(harness.event(2, "migrate").linksAsked == [3])
  }

  @Test func theOldConnectionIsNotKeptForASourceThatNeverComes() throws {
    let harness = try Self.moving()
    try harness.enter(link: 2)
    _ = harness.active(2, nil)
    #expect(harness.run(for: .milliseconds(5_999)).linksClosed.isEmpty)
    #expect(harness.run(for: .milliseconds(1)).linksClosed == [1])
  }

  @Test func aServerThatWeMoveAwayFromTakesNobodyAlong() throws {
    let harness = try Self.moving()
    try harness.enter(link: 2)
    #expect(harness.inactive(1, "cam2").events.isEmpty)
    #expect(harness.event(1, "stopped").events.isEmpty)
    #expect(harness.event(1, "migrate").linksAsked.isEmpty)
  }

  @Test func whenMovingFailsTheOldConnectionGoesOnAndItIsTriedAgain() throws {
    let harness = try Self.moving()
    let failed = harness.direct(2, 503, "")
    #expect(failed.linksClosed == [2])
    #expect(failed.events.isEmpty)
    #expect(harness.command(.requestLayer(Self.video2, .off)).sent.map { $0.link } == [1])
    #expect(harness.run(for: .seconds(1)).linksAsked == [3])
    // Also when it fails late.
    try harness.enter(link: 3)
    #expect(harness.tell(3, .mediaFailed("x")).events.isEmpty)
    #expect(harness.run(for: .seconds(1)).linksAsked == [4])
  }

  @Test func anOldConnectionThatEndsTooEarlyMakesItAReconnection() throws {
    let harness = try Self.moving()
    let lost = harness.tell(1, .closed)
    #expect(lost.events == [.reconnecting])
    #expect(harness.run(for: .seconds(5)).linksAsked.isEmpty)
    guard case .joined? = try harness.enter(link: 2).events.first else {
      Issue.record("joining again was not told")
      return
    }
  }

  @Test func oneThatEndsAfterTheNewOneLeadsIsNotMissed() throws {
    let harness = try Self.moving()
    try harness.enter(link: 2)
    let lost = harness.tell(1, .closed)
    #expect(lost.events.isEmpty)
    #expect(lost.linksClosed == [1])
    #expect(harness.run(for: .seconds(30)).linksAsked.isEmpty)
  }

  // MARK: Anything

  @Test(arguments: UInt64(1)...20)
  func anyOrderOfMessagesLeavesTheSessionWhole(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let harness = try MillicastHarness.viewing { $0.reconnectLimit = .seconds(100_000) }
    var link = 1
    for _ in 0..<400 {
      let source = ["cam1", "cam2", "cam3", nil].randomElement(using: &generator) ?? nil
      let track = TrackID("\(source ?? "match1")/\(Bool.random(using: &generator) ? "video" : "audio")")
      var outputs: [SignallingOutput]
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: outputs = harness.active(link, source)
      case 1: outputs = harness.inactive(link, source ?? "")
      case 2: outputs = harness.command(.setSubscribed(track, Bool.random(using: &generator)))
      case 3: outputs = harness.command(.requestLayer(track, .off))
      case 4: outputs = harness.command(.requestLayer(track, .layer(Bool.random(using: &generator) ? .low : .high)))
      case 5: outputs = harness.layers(link, mid: String(Int.random(in: 0..<8, using: &generator)))
      case 6: outputs = harness.event(link, "migrate")
      case 7: outputs = harness.tell(link, .closed)
      case 8: outputs = harness.run(for: .milliseconds(Int.random(in: 1...15_000, using: &generator)))
      case 9: outputs = harness.refuse(link, transaction: Int.random(in: 1...40, using: &generator), "no")
      default: outputs = harness.reply(link, transaction: Int.random(in: 1...40, using: &generator))
      }
      for asked in outputs.linksAsked {
        link = asked
        _ = try harness.enter(link: asked)
      }
      // No two tracks of a link ever share a mid.
      for mids in outputs.receivedMids {
        let taken = mids.values.filter { !$0.isEmpty }
        #expect(Set(taken).count == taken.count)
      }
    }
  }
}
