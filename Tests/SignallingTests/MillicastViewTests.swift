import Conference
import RTCCore
import Signalling
import TestKit
import Testing

/// From the open WebSocket to the sources that are there.
@Suite struct MillicastViewTests {
  static func view(_ address: String = MillicastHarness.address) throws -> (MillicastHarness, SentCommand) {
    let harness = try MillicastHarness(address)
    _ = harness.direct(1)
    let view = try #require(harness.tell(1, .opened(MillicastHarness.local)).sent.first)
    return (harness, view)
  }

  @Test func theOfferReceivesVideoAndAudioWithoutWaitingForCandidates() throws {
    let (_, view) = try Self.view()
    #expect(view.name == "view")
    #expect(view.transaction == 1)
    #expect(
      view.data["events"] == [
        "active", "inactive", "layers", "stopped", "vad", "viewercount", "updated", "migrate",
      ])
    #expect(view.data["pinnedSourceId"] == .null)
    #expect(view.data["excludedSourceIds"] == .null)
    let offer = try SessionDescription(parsing: try #require(view.data["sdp"].textValue))
    #expect(offer.media.map(\.kind) == [.video, .audio])
    #expect(offer.media.map(\.mid) == ["0", "1"])
    #expect(offer.bundleGroups == [["0", "1"]])
    #expect(offer.media.allSatisfy { $0.direction == .receiveOnly && $0.candidates.isEmpty && $0.setup == .either })
    #expect(offer.media.allSatisfy { $0.extensionID(.mid) == 1 && $0.multiplexesRTCP })
    #expect(offer.media[0].payloads.map(\.encodingName) == ["VP8", "rtx"])
    #expect(offer.media[1].payloads[0].parameter("stereo") == "1")
    #expect(offer.media[0].iceCredentials?.usernameFragment == "locU")
  }

  @Test func pinnedAndExcludedSourcesAreNamed() throws {
    let (_, view) = try Self.view("millicast://acme/match1?pin=cam2&exclude=x&exclude=y")
    #expect(view.data["pinnedSourceId"] == "cam2")
    #expect(view.data["excludedSourceIds"] == ["x", "y"])
  }

  @Test func kindsThatNobodyWantsAreNotOffered() throws {
    let harness = try MillicastHarness { $0.kinds = [.audio] }
    _ = harness.direct(1)
    let view = try #require(harness.tell(1, .opened(MillicastHarness.local)).sent.first)
    let offer = try SessionDescription(parsing: try #require(view.data["sdp"].textValue))
    #expect(offer.media.map(\.kind) == [.audio])
    _ = harness.reply(
      1, transaction: 1,
      #"{"sdp":\#(String(decoding: JSONValue.text(MillicastAnswer.text(video: false)).serialized(), as: UTF8.self))}"#)
    let outputs = harness.active(1, nil)
    #expect(outputs.receivedMids.last == ["match1/audio": "0"])
    #expect(outputs.sent.isEmpty)
  }

  @Test(arguments: [("passive", true), ("active", false)])
  func theAnswerConnectsMedia(setup: String, weAreClient: Bool) throws {
    let harness = try MillicastHarness()
    let outputs = try harness.enter(link: 1, answer: MillicastAnswer.text(setup: setup))
    let remote = outputs.commands().compactMap { command -> RemoteTransport? in
      if case .media(.connect(.subscriber, let remote)) = command { remote } else { nil }
    }
    #expect(
      remote == [
        RemoteTransport(
          iceUfrag: "srvU", icePassword: "serverpassword12345678", fingerprint: Array(repeating: 0xEF, count: 32),
          weAreDTLSClient: weAreClient, peerIsICELite: true,
          candidates: ["candidate:1 1 udp 2130706431 203.0.113.5 5000 typ host"])
      ])
    #expect(outputs.events == [.joined(room: "match1", participants: [])])
  }

  @Test func theMainSourceGoesByTheStreamsNameAndIsOnTheFirstMids() throws {
    let harness = try MillicastHarness.viewing()
    let outputs = harness.active(1, nil)
    let main = ParticipantIdentity("match1")
    #expect(
      outputs.events == [
        .participantUpdated(
          Participant(
            id: main,
            tracks: [
              Track(id: TrackID("match1/video"), kind: .video, source: .camera),
              Track(id: TrackID("match1/audio"), kind: .audio, source: .microphone),
            ])),
        .subscribed(main, TrackID("match1/video")), .subscribed(main, TrackID("match1/audio")),
      ])
    #expect(outputs.sent.isEmpty)
    #expect(outputs.receivedMids == [["match1/video": "0", "match1/audio": "1"]])
  }

  @Test func receivedTracksSayHowTheyArrive() throws {
    let harness = try MillicastHarness.viewing()
    let outputs = harness.active(1, nil)
    var extensions = HeaderExtensionIDs()
    extensions.mid = 1
    extensions.transportSequence = 3
    let video = ReceivedTrack(
      track: TrackID("match1/video"), kind: .video, mid: "0", ssrc: SSRC(70), rtxSSRC: SSRC(71), payloadTypes: [96],
      rtxPayloadTypes: [97: 96], supportsNACK: true, supportsPLI: true, extensions: extensions)
    guard case .media(.receive(let tracks)) = outputs.commands().first else {
      Issue.record("nothing is received")
      return
    }
    #expect(tracks.first == video)
  }

  @Test func announcementsThatOvertakeTheAnswerCount() throws {
    let harness = try MillicastHarness()
    _ = harness.direct(1)
    _ = harness.tell(1, .opened(MillicastHarness.local))
    #expect(harness.active(1, "cam2").events.isEmpty)
    let sdp = String(decoding: JSONValue.text(MillicastAnswer.text()).serialized(), as: UTF8.self)
    let outputs = harness.reply(1, transaction: 1, #"{"sdp":\#(sdp)}"#)
    #expect(outputs.events.count == 2)
    #expect(outputs.events.first == .joined(room: "match1", participants: []))
    #expect(outputs.sent.map(\.name) == ["project"])
  }

  @Test func aViewThatIsRefusedOrUnansweredEndsTheJoin() throws {
    var (harness, _) = try Self.view()
    let outputs = harness.refuse(1, transaction: 1, "no capacity")
    #expect(outputs.refusals.map(\.code) == [.joinRefused])
    #expect(outputs.refusals[0].text.contains("no capacity"))

    (harness, _) = try Self.view()
    #expect(harness.run(for: .milliseconds(9_999)).isEmpty)
    let late = harness.run(for: .milliseconds(1))
    #expect(late.refusals.map(\.code) == [.joinRefused])
    #expect(late.events.last == .left(.refused))
  }

  @Test(arguments: [#"{}"#, #"{"sdp":"v=0"}"#, #"{"sdp":7}"#])
  func anAnswerThatMakesNoSenseEndsTheJoin(data: String) throws {
    let (harness, _) = try Self.view()
    #expect(harness.reply(1, transaction: 1, data).refusals.map(\.code) == [.joinRefused])
  }

  @Test func mediaThatNeverPassesEndsTheJoinWithThatReason() throws {
    let (harness, _) = try Self.view()
    let sdp = String(decoding: JSONValue.text(MillicastAnswer.text()).serialized(), as: UTF8.self)
    _ = harness.reply(1, transaction: 1, #"{"sdp":\#(sdp)}"#)
    let outputs = harness.tell(1, .mediaFailed("no network path for media was found"))
    #expect(outputs.refusals.map(\.code) == [.mediaFailed])
  }

  @Test(arguments: [
    "", "[]", "{", #"{"type":"event"}"#, #"{"type":"response","transId":"1"}"#, #"{"type":"x"}"#,
    #"{"type":"event","name":"active","data":{"sourceId":7}}"#, #"{"type":"event","name":"layers","data":[]}"#,
    #"{"type":"event","name":"viewercount","data":{"viewercount":-1}}"#, #"{"type":"event","name":"vad","data":{}}"#,
  ])
  func whatMakesNoSenseIsCountedAndIgnored(message: String) throws {
    let harness = try MillicastHarness.viewing()
    #expect(harness.say(1, message).isEmpty)
    #expect(harness.session.drops[.malformed] == 1)
  }

  @Test func answersToNobodyAreCountedAndEventsOfTheFutureAreNot() throws {
    let harness = try MillicastHarness.viewing()
    #expect(harness.reply(1, transaction: 77).isEmpty)
    #expect(harness.session.drops[.tooLate] == 1)
    #expect(harness.event(1, "fireworks").isEmpty)
    #expect(harness.session.drops.total == 1)
  }

  @Test func aCommandOfTheServerIsDeclined() throws {
    let harness = try MillicastHarness.viewing()
    let outputs = harness.say(1, #"{"type":"cmd","transId":5,"name":"dance"}"#)
    guard case .link(LinkID(1), .send(let bytes)) = outputs.first else {
      Issue.record("no answer")
      return
    }
    let answer = try JSONValue(parsing: bytes)
    #expect(answer["type"] == "error")
    #expect(answer["transId"] == 5)
  }

  @Test func viewersAreCountedAndAVoiceIsShown() throws {
    let harness = try MillicastHarness.viewing()
    #expect(harness.event(1, "viewercount", #"{"viewercount":12}"#).events == [.viewersChanged(12)])
    _ = harness.active(1, "cam2")
    _ = harness.active(1, "cam3")
    #expect(
      harness.event(1, "vad", #"{"mediaId":"4","sourceId":"cam2"}"#).events
        == [.speakersChanged([(ParticipantIdentity("cam2"), 1, true)])])
    #expect(
      harness.event(1, "vad", #"{"mediaId":"4","sourceId":"cam3"}"#).events
        == [.speakersChanged([(ParticipantIdentity("cam2"), 0, false), (ParticipantIdentity("cam3"), 1, true)])])
  }

  @Test func theEndOfTheStreamEndsTheConference() throws {
    let harness = try MillicastHarness.viewing()
    let outputs = harness.event(1, "stopped")
    #expect(outputs.events == [.left(.roomClosed)])
    #expect(outputs.linksClosed == [1])
    #expect(harness.wakeUp == nil)
  }

  @Test func leavingClosesTheLinkAndPublishingIsNotOffered() throws {
    let harness = try MillicastHarness.viewing()
    let track = LocalTrack(localID: "x", kind: .video, source: .camera, name: "camera")
    guard case .publishFailed("x", _) = harness.command(.publish(track)).events.first else {
      Issue.record("publishing was not refused")
      return
    }
    let outputs = harness.command(.leave)
    #expect(outputs.events == [.left(.requested)])
    #expect(outputs.linksClosed == [1])
    #expect(harness.active(1, "cam2").isEmpty)
  }
}
