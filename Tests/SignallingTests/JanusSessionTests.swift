import Conference
import RTCCore
import Testing

@testable import Signalling

private let room = JanusHarness.roomHandle
private let subscriber = JanusHarness.subscriberHandle
private let adasVideo = TrackID("42/0")

/// Joining, people and speaking (fact sheet §4, §7).
@Suite struct JanusRoomTests {
  @Test func theRoomIsJoinedByFourRequestsAndEverybodyIsTold() throws {
    let (harness, join) = try JanusHarness.atTheDoor { configuration in
      configuration.displayName = "wall"
      configuration.pin = "sesame"
      configuration.credentials = JanusCredentials(apiSecret: "s", token: "t")
    }
    #expect(join["session_id"] == .integer(JanusHarness.sessionID))
    #expect(join["handle_id"] == .integer(room))
    #expect(join["apisecret"] == "s")
    #expect(join["token"] == "t")
    #expect(
      join["body"] == [
        "request": "join", "ptype": "publisher", "room": 1234, "display": "wall", "pin": "sesame", "token": "t",
      ])
    let outputs = harness.answer(
      join, from: room,
      #"{"videoroom":"joined","room":1234,"description":"Demo","id":77,"private_id":3141,"publishers":[\#(JanusHarness.ada)],"attendees":[{"id":5,"display":"Eve"}]}"#
    )
    guard case .joined(let name, let people) = outputs.events.first else {
      Issue.record("\(outputs.events)")
      return
    }
    #expect(name == "Demo")
    #expect(people.map(\.name) == ["wall", "ada", "Eve"])
    #expect(people.map(\.isLocal) == [true, false, false])
    #expect(people[1].tracks.map(\.id) == [adasVideo])
    #expect(people[1].tracks[0].layers.map(\.id) == [.low, .medium, .high])
    #expect(people[2].tracks.isEmpty)
  }

  @Test func anAnswerThatComesBeforeItsAcknowledgementCounts() throws {
    let (harness, join) = try JanusHarness.atTheDoor()
    let outputs = harness.answer(join, from: room, JanusHarness.joined(publishers: "[]"), ackFirst: false)
    #expect(outputs.events.contains { if case .joined = $0 { true } else { false } })
  }

  @Test func aServerOfNamedRoomsIsAskedAgainWithAText() throws {
    let (harness, join) = try JanusHarness.atTheDoor()
    let second = try #require(
      harness.fail(join, from: room, code: 430, "Invalid element type (room should be a string)").request("join"))
    #expect(second["body"]["room"] == "1234")
    let outputs = harness.answer(
      second, from: room, #"{"videoroom":"joined","room":"1234","id":"me","publishers":[],"attendees":[]}"#)
    #expect(outputs.events.contains { if case .joined("1234", _) = $0 { true } else { false } })
    let attach = try #require(
      harness.event(
        from: room,
        #"{"videoroom":"event","room":"1234","publishers":[{"id":"bo","streams":[{"type":"video","mid":"0","codec":"vp8"}]}]}"#
      ).messages.last)
    let subscribe = try #require(harness.succeed(attach, id: subscriber).request("join"))
    #expect(subscribe["body"]["room"] == "1234")
    #expect(subscribe["body"]["streams"] == [["feed": "bo", "mid": "0"]])
  }

  @Test func peopleComeAndGoAndChangeTheirNames() throws {
    let (harness, _) = try JanusHarness.joined()
    func person(_ outputs: [SignallingOutput]) -> Participant? {
      outputs.events.lazy.compactMap { if case .participantUpdated(let it) = $0 { it } else { nil } }.last
    }
    let came = harness.event(
      from: room, #"{"videoroom":"event","room":1234,"joining":{"id":5,"display":"Eve"}}"#)
    #expect(person(came)?.name == "Eve")
    let publishes = harness.event(
      from: room, #"{"videoroom":"event","room":1234,"publishers":[\#(JanusHarness.publisher(5, "Eve"))]}"#)
    #expect(person(publishes)?.tracks.count == 1)
    let renamed = harness.event(from: room, #"{"videoroom":"event","id":5,"display":"Evelyn"}"#)
    #expect(person(renamed)?.name == "Evelyn")
    let muted = harness.event(
      from: room, #"{"videoroom":"event","room":1234,"id":5,"mid":"0","moderation":"muted"}"#)
    #expect(person(muted)?.tracks.first?.isMuted == true)
    let unpublished = #"{"videoroom":"event","room":1234,"unpublished":5}"#
    #expect(person(harness.event(from: room, unpublished))?.tracks.isEmpty == true)
    // It comes twice when a connection closes.
    #expect(harness.event(from: room, unpublished).events.isEmpty)
    let left = harness.event(from: room, #"{"videoroom":"event","room":1234,"leaving":5}"#)
    #expect(left.events == [.participantLeft(ParticipantIdentity("5"))])
    #expect(harness.event(from: room, #"{"videoroom":"event","room":1234,"leaving":5}"#).events.isEmpty)
  }

  @Test func roomsThatDoNotAnnounceViewersAreAskedWhoIsThere() throws {
    let (harness, join) = try JanusHarness.atTheDoor()
    let list = try #require(
      harness.answer(join, from: room, #"{"videoroom":"joined","room":1234,"id":77,"publishers":[]}"#).request(
        "listparticipants"))
    let outputs = harness.deliver(
      #"{"janus":"success","transaction":"\#(list.transaction)","sender":11,"plugindata":{"data":{"videoroom":"participants","participants":[{"id":77},{"id":5,"display":"Eve","publisher":false}]}}}"#
    )
    #expect(
      outputs.events == [.participantUpdated(Participant(id: ParticipantIdentity("5"), name: "Eve"))])
  }

  @Test func whoSpeaksIsToldWithALevel() throws {
    let (harness, _) = try JanusHarness.joined(publishers: "[\(JanusHarness.ada)]")
    let talking = harness.event(
      from: room, #"{"videoroom":"talking","room":1234,"id":42,"mid":"1","audio-level-dBov-avg":0}"#)
    #expect(
      talking.events == [.speakersChanged([(identity: ParticipantIdentity("42"), level: 1, isSpeaking: true)])])
    let stopped = harness.event(
      from: room, #"{"videoroom":"stopped-talking","room":1234,"id":42,"mid":"1","audio-level-dBov-avg":80.5}"#)
    #expect(
      stopped.events == [.speakersChanged([(identity: ParticipantIdentity("42"), level: 0, isSpeaking: false)])])
  }

  @Test func kickedAndDestroyedEndTheConference() throws {
    let (kicked, _) = try JanusHarness.joined()
    #expect(
      kicked.event(from: room, #"{"videoroom":"event","room":1234,"leaving":"ok","reason":"kicked"}"#)
        == [.event(.left(.removed)), .close])
    let (destroyed, _) = try JanusHarness.joined()
    #expect(
      destroyed.event(from: room, #"{"videoroom":"destroyed","room":1234}"#) == [.event(.left(.roomClosed)), .close])
  }

  @Test func leavingDestroysTheSession() throws {
    let (harness, _) = try JanusHarness.joined()
    let outputs = harness.command(.leave)
    #expect(outputs.messages.map { $0["janus"] } == ["destroy"])
    #expect(outputs.suffix(2) == [.event(.left(.requested)), .close])
    #expect(harness.wakeUp == nil)
  }

  @Test func newsOfGivenUpHandlesAreCountedAndIgnored() throws {
    let (harness, _) = try JanusHarness.joined()
    #expect(harness.event(from: 99, #"{"videoroom":"destroyed","room":1234}"#).isEmpty)
    #expect(harness.session.drops[.tooLate] == 1)
  }

  @Test func whatIsNoMessageIsCountedOnceWeAreIn() throws {
    let (harness, _) = try JanusHarness.joined()
    for text in ["", "[]", "{", #"{"janus":7}"#, "\u{0}"] { #expect(harness.deliver(text).isEmpty) }
    #expect(harness.session.drops[.malformed] == 5)
    let stranger = JanusHarness()
    _ = stranger.drain()
    #expect(stranger.deliver("hello").events == [.left(.protocolBroken)])
  }
}

/// Who is not let in (fact sheet §1, §3).
@Suite struct JanusRefusalTests {
  @Test(arguments: [
    (426, "No such room (1234)", ConferenceError.Code.joinRefused, "no room 1234"),
    (429, "Missing mandatory element (pin)", .pinMissing, "--pin-file"),
    (429, "Missing mandatory element (room)", .joinRefused, "429"),
    (433, "Unauthorized (wrong pin)", .pinNotAccepted, "not the pin"),
    (433, "Unauthorized (not in the allowed list)", .tokenNotAccepted, "--token-file"),
    (421, "No message??", .joinRefused, "421"), (422, "JSON error", .joinRefused, "422"),
    (423, "Unknown request", .joinRefused, "423"), (424, "Join first", .joinRefused, "424"),
    (425, "Already in", .joinRefused, "Join again"), (427, "Exists", .joinRefused, "427"),
    (428, "No such feed", .joinRefused, "428"), (431, "Wrong SDP", .joinRefused, "431"),
    (432, "Maximum number of publishers", .joinRefused, "full"), (434, "Already", .joinRefused, "434"),
    (435, "Not publishing", .joinRefused, "435"), (436, "User ID exists", .joinRefused, "Join again"),
    (437, "Invalid SDP", .joinRefused, "Invalid SDP"), (499, "Unknown", .joinRefused, "499"),
  ])
  func errorsAtTheDoorHaveASentenceEach(
    code: Int, reason: String, expected: ConferenceError.Code, words: String
  ) throws {
    let (harness, join) = try JanusHarness.atTheDoor()
    let outputs = harness.fail(join, from: room, code: code, reason)
    #expect(outputs.refusal == expected)
    guard case .refused(_, let sentence) = outputs.events.first else { return }
    #expect(sentence.contains(words), "\(sentence)")
    #expect(outputs.suffix(2) == [.event(.left(.refused)), .close])
  }

  @Test(arguments: [
    (403, ConferenceError.Code.tokenMissing, "CONFAB_API_SECRET"), (405, .tokenNotAccepted, "VideoRoom"),
    (450, .joinRefused, "450"), (452, .joinRefused, "452"), (453, .joinRefused, "453"), (454, .joinRefused, "454"),
    (455, .joinRefused, "455"), (456, .joinRefused, "456"), (457, .joinRefused, "457"),
    (458, .closedByServer, "forgot"), (459, .closedByServer, "forgot"),
    (460, .notAConferenceServer, "no VideoRoom plugin"), (461, .joinRefused, "log"), (462, .joinRefused, "462"),
    (463, .joinRefused, "463"), (464, .joinRefused, "464"), (465, .joinRefused, "465"), (466, .joinRefused, "466"),
    (467, .joinRefused, "467"), (468, .joinRefused, "another session"), (469, .joinRefused, "469"),
    (470, .tokenNotAccepted, "token"), (471, .joinRefused, "471"), (472, .serverUnreachable, "later"),
  ])
  func errorsOfTheCoreHaveASentenceEach(code: Int, expected: ConferenceError.Code, words: String) throws {
    let harness = JanusHarness()
    let create = try #require(harness.drain().messages.first)
    let attach = try #require(harness.succeed(create, id: 1).messages.first)
    let outputs = harness.deliver(
      #"{"janus":"error","transaction":"\#(attach.transaction)","error":{"code":\#(code),"reason":"because"}}"#)
    #expect(outputs.refusal == expected)
    guard case .refused(_, let sentence) = outputs.events.first else { return }
    #expect(sentence.contains(words), "\(sentence)")
  }

  @Test func aSecretThatIsWrongIsToldApartFromOneThatIsMissing() throws {
    let harness = JanusHarness { $0.credentials.apiSecret = "wrong" }
    let create = try #require(harness.drain().messages.first)
    let outputs = harness.deliver(
      #"{"janus":"error","transaction":"\#(create.transaction)","error":{"code":403,"reason":"Unauthorized request"}}"#)
    #expect(outputs.refusal == .tokenNotAccepted)
  }

  @Test func wordsOfTheServerCannotSteerATerminal() throws {
    let (harness, join) = try JanusHarness.atTheDoor()
    let outputs = harness.fail(join, from: room, code: 499, #"a\u001b[2Jb\u202ec"#)
    guard case .refused(_, let sentence) = outputs.events.first else {
      Issue.record("\(outputs)")
      return
    }
    #expect(!sentence.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
  }

  @Test func aServerThatFallsSilentAtTheDoorIsGivenUpInTime() throws {
    let (harness, _) = try JanusHarness.atTheDoor()
    #expect(harness.run(for: .milliseconds(9_900)).events.isEmpty)
    #expect(harness.run(for: .milliseconds(200)).events == [.left(.connectionLost)])
  }
}
