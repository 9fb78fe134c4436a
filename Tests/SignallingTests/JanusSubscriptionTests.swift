import Conference
import RTCCore
import Testing

@testable import Signalling

private let room = JanusHarness.roomHandle
private let subscriber = JanusHarness.subscriberHandle
private let ada = ParticipantIdentity("42")
private let adasVideo = TrackID("42/0")

/// One connection for everybody (fact sheet §5).
@Suite struct JanusSubscriptionTests {
  @Test func everybodyIsReceivedOverOneConnection() throws {
    let (_, outputs) = try JanusHarness.watching()
    let subscribe = try #require(outputs.messages.first { $0["body"]["ptype"] == "subscriber" })
    #expect(subscribe["body"]["private_id"] == 3141)
    #expect(subscribe["body"]["streams"] == [["feed": 42, "mid": "0"]])
    let start = try #require(outputs.request("start"))
    #expect(start["jsep"]["type"] == "answer")
    let answer = try SessionDescription(parsing: try #require(start["jsep"]["sdp"].textValue))
    #expect(answer.media.map(\.direction) == [.receiveOnly])
    #expect(answer.media[0].setup == .active)
    #expect(answer.bundleGroups == [["0"]])
    // The fingerprint stands at the session, the credentials at the section.
    let remote = try #require(outputs.connects.first)
    #expect(remote.iceUfrag == "srvU")
    #expect(remote.fingerprint == Array(repeating: 0xCD, count: 32))
    #expect(remote.weAreDTLSClient)
    #expect(remote.candidates.count == 1)
    let received = try #require(outputs.receivedTracks.last?.first)
    #expect(received.track == adasVideo)
    #expect(received.ssrc == SSRC(90))
    #expect(received.payloadTypes == [96])
    #expect(received.extensions.mid == 4)
    #expect(outputs.events.contains(.subscribed(ada, adasVideo)))
  }

  @Test func streamsThatNobodyHereDecodesAreShownAndNotAskedFor() throws {
    let (_, outputs) = try JanusHarness.joined(publishers: "[\(JanusHarness.publisher(42, "ada", codec: "h264"))]")
    #expect(outputs.messages.isEmpty)
    guard case .joined(_, let people) = outputs.events.first else { return }
    #expect(people.last?.tracks.count == 1)
  }

  @Test func whoComesLaterIsAddedByAnUpdateAndSectionsAreReused() throws {
    let (harness, _) = try JanusHarness.watching()
    let update = try #require(
      harness.event(
        from: room, #"{"videoroom":"event","room":1234,"publishers":[\#(JanusHarness.publisher(43, "bo"))]}"#
      ).request("update"))
    #expect(update["body"]["subscribe"] == [["feed": 43, "mid": "0"]])
    let both = "[\(JanusHarness.stream("0", of: 42)),\(JanusHarness.stream("1", of: 43))]"
    var outputs = harness.answer(
      update, from: subscriber, #"{"videoroom":"updated","room":1234,"streams":\#(both)}"#,
      jsep: JanusHarness.offer(["0", "1"]))
    #expect(outputs.subscriptions.last == [adasVideo, TrackID("43/0")])
    // The same transport: nothing to connect.
    #expect(outputs.connects.isEmpty)
    let start = try #require(outputs.request("start"))
    _ = harness.answer(start, from: subscriber, #"{"videoroom":"event","started":"ok"}"#)

    // Ada leaves: the server tells the room, and offers her section inactive by itself.
    outputs = harness.event(from: room, #"{"videoroom":"event","room":1234,"leaving":42}"#)
    #expect(outputs.messages.isEmpty)
    let rest = "[\(JanusHarness.stream("0", of: nil)),\(JanusHarness.stream("1", of: 43))]"
    outputs = harness.event(
      from: subscriber, #"{"videoroom":"updated","room":1234,"streams":\#(rest)}"#,
      jsep: JanusHarness.offer(["0", "1"], inactive: ["0"]))
    #expect(outputs.subscriptions.last == [TrackID("43/0")])
    let answer = try SessionDescription(
      parsing: try #require(outputs.request("start")?["jsep"]["sdp"].textValue))
    #expect(answer.media.map(\.direction) == [.inactive, .receiveOnly])
    #expect(answer.bundleGroups == [["0", "1"]])
    #expect(answer.origin.sessionVersion == 3)
  }

  @Test func onlyOneRequestIsUnderWayAtATime() throws {
    let (harness, _) = try JanusHarness.watching()
    func comes(_ id: Int, _ name: String) -> String {
      #"{"videoroom":"event","room":1234,"publishers":[\#(JanusHarness.publisher(id, name))]}"#
    }
    let update = try #require(harness.event(from: room, comes(43, "bo")).request("update"))
    #expect(harness.event(from: room, comes(44, "cy")).messages.isEmpty)
    let both = "[\(JanusHarness.stream("0", of: 42)),\(JanusHarness.stream("1", of: 43))]"
    let outputs = harness.answer(
      update, from: subscriber, #"{"videoroom":"updated","room":1234,"streams":\#(both)}"#,
      jsep: JanusHarness.offer(["0", "1"]))
    #expect(outputs.request("update") == nil)
    let start = try #require(outputs.request("start"))
    let next = harness.answer(start, from: subscriber, #"{"videoroom":"event","started":"ok"}"#)
    #expect(next.request("update")?["body"]["subscribe"] == [["feed": 44, "mid": "0"]])
  }

  @Test func anUpdateThatIsPutOffIsNotSentTwice() throws {
    let (harness, _) = try JanusHarness.watching()
    let update = try #require(
      harness.event(
        from: room, #"{"videoroom":"event","room":1234,"publishers":[\#(JanusHarness.publisher(43, "bo"))]}"#
      ).request("update"))
    #expect(harness.answer(update, from: subscriber, #"{"videoroom":"updating","room":1234}"#).messages.isEmpty)
    #expect(harness.run(for: .seconds(5)).request("update") == nil)
    let both = "[\(JanusHarness.stream("0", of: 42)),\(JanusHarness.stream("1", of: 43))]"
    let outputs = harness.event(
      from: subscriber, #"{"videoroom":"updated","room":1234,"streams":\#(both)}"#,
      jsep: JanusHarness.offer(["0", "1"]))
    #expect(outputs.subscriptions.last?.count == 2)
  }

  @Test func whatTheServerSkippedSilentlyIsAskedForAgain() throws {
    let (harness, _) = try JanusHarness.watching()
    let publishers = #"{"videoroom":"event","room":1234,"publishers":[\#(JanusHarness.publisher(43, "bo"))]}"#
    let first = try #require(harness.event(from: room, publishers).request("update"))
    // “updated” without streams: nothing changed.
    #expect(harness.answer(first, from: subscriber, #"{"videoroom":"updated","room":1234}"#).messages.isEmpty)
    let second = try #require(harness.run(for: .milliseconds(600)).request("update"))
    _ = harness.answer(second, from: subscriber, #"{"videoroom":"updated","room":1234}"#)
    #expect(harness.run(for: .milliseconds(600)).request("update") == nil)
    // Or at once when the room says something new of it.
    #expect(harness.event(from: room, publishers).request("update") != nil)
  }

  @Test func aStreamThatCameTwiceIsGivenBackOnce() throws {
    let (harness, _) = try JanusHarness.watching()
    let twice = "[\(JanusHarness.stream("0", of: 42)),\(JanusHarness.stream("1", of: 42))]"
    let outputs = harness.event(
      from: subscriber, #"{"videoroom":"updated","room":1234,"streams":\#(twice)}"#,
      jsep: JanusHarness.offer(["0", "1"]))
    #expect(outputs.subscriptions.last == [adasVideo])
    let start = try #require(outputs.request("start"))
    let next = harness.answer(start, from: subscriber, #"{"videoroom":"event","started":"ok"}"#)
    #expect(next.request("update")?["body"]["unsubscribe"] == [["sub_mid": "1"]])
  }

  @Test func somebodyWhoLeftWhileWeSubscribedIsLeftOut() throws {
    let (harness, entered) = try JanusHarness.joined(
      publishers: "[\(JanusHarness.ada),\(JanusHarness.publisher(43, "bo"))]")
    var outputs = entered
    let attach = try #require(outputs.messages.last)
    let join = try #require(harness.succeed(attach, id: subscriber).request("join"))
    #expect(harness.fail(join, from: subscriber, code: 428, "No such feed (43)").messages.isEmpty)
    outputs = harness.event(from: room, #"{"videoroom":"event","room":1234,"leaving":43}"#)
    #expect(outputs.request("join")?["body"]["streams"] == [["feed": 42, "mid": "0"]])
  }

  @Test func aTrackThatIsNotWantedIsGivenBack() throws {
    let (harness, _) = try JanusHarness.watching()
    let update = try #require(harness.command(.setSubscribed(adasVideo, false)).request("update"))
    #expect(update["body"]["unsubscribe"] == [["sub_mid": "0"]])
    #expect(update["body"]["subscribe"].isNull)
  }

  @Test func candidatesGoBothWays() throws {
    let (harness, _) = try JanusHarness.watching()
    let candidate = "candidate:1 1 UDP 2015363327 192.0.2.9 40000 typ host"
    harness.session.localCandidate(candidate, of: .subscriber, at: harness.now)
    harness.session.localCandidate("", of: .subscriber, at: harness.now)
    let trickles = harness.drain().messages.filter { $0["janus"] == "trickle" }
    #expect(trickles.count == 2)
    #expect(
      trickles.first?["candidates"] == [["sdpMid": "0", "sdpMLineIndex": 0, "candidate": .text(candidate)]])
    #expect(trickles.last?["candidate"] == ["completed": true])
    let remote = harness.deliver(
      #"{"janus":"trickle","sender":22,"candidate":{"sdpMid":"0","sdpMLineIndex":0,"candidate":"\#(candidate)"}}"#)
    #expect(remote.media.count == 1)
    #expect(
      harness.deliver(#"{"janus":"trickle","sender":22,"candidate":{"completed":true}}"#).media
        == [.addCandidate(.subscriber, "")])
    #expect(
      harness.deliver(#"{"janus":"trickle","sender":22,"candidate":{"candidate":"candidate:rubbish"}}"#).media.isEmpty)
  }

  // MARK: Layers

  @Test func aLayerIsAskedForAndWhatComesIsToldOnceItStands() throws {
    let (harness, _) = try JanusHarness.watching()
    let configure = try #require(harness.command(.requestLayer(adasVideo, .layer(.low))).request("configure"))
    #expect(
      configure["body"]["streams"] == [["mid": "0", "send": true, "substream": 0, "temporal": 2]])
    #expect(harness.command(.requestLayer(adasVideo, .layer(.low))).messages.isEmpty)
    // Passing through others on the way.
    for (substream, milliseconds) in [(2, 100), (0, 300), (1, 200), (0, 0)] {
      harness.event(from: subscriber, #"{"videoroom":"event","room":1234,"mid":"0","substream":\#(substream)}"#)
      #expect(harness.run(for: .milliseconds(milliseconds)).events.isEmpty)
    }
    #expect(harness.run(for: .milliseconds(510)).events == [.layerReceived(adasVideo, .low)])
  }

  @Test func aLayerThatDoesNotComeIsAskedForAgain() throws {
    let (harness, _) = try JanusHarness.watching()
    _ = harness.command(.requestLayer(adasVideo, .layer(.low)))
    let again = try #require(harness.run(for: .milliseconds(1_100)).request("configure"))
    #expect(again["body"]["streams"] == [["mid": "0", "send": true, "substream": 0, "temporal": 2]])
    harness.event(from: subscriber, #"{"videoroom":"event","room":1234,"mid":"0","substream":0}"#)
    #expect(harness.run(for: .seconds(9)).request("configure") == nil)
    // A sender that has it not is asked more and more seldom: after 1, 2 and 4 s.
    _ = harness.command(.requestLayer(adasVideo, .layer(.high)))
    let tries = harness.run(for: .seconds(9)).messages.filter { $0["body"]["request"] == "configure" }
    #expect(tries.count == 3)
  }

  @Test func theSizesOfLayersAreLearnedFromWhatIsDecoded() throws {
    let (harness, _) = try JanusHarness.watching()
    // Nothing is known: 200 lines are taken for the middle layer.
    #expect(
      harness.command(.requestLayer(adasVideo, .size(width: 300, height: 200))).request("configure")?["body"]["streams"]
        .elements.first?["substream"] == 1)
    harness.event(from: subscriber, #"{"videoroom":"event","room":1234,"mid":"0","substream":1}"#)
    harness.session.pictureSize(of: adasVideo, width: 160, height: 90, at: harness.now)
    let outputs = harness.run(for: .milliseconds(600))
    guard case .participantUpdated(let participant) = outputs.events.last else {
      Issue.record("\(outputs.events)")
      return
    }
    #expect(participant.tracks[0].layers.map(\.height) == [45, 90, 180])
    // 90 lines are too few for 200, and so the next layer is asked for.
    #expect(outputs.request("configure")?["body"]["streams"].elements.first?["substream"] == 2)
  }

  @Test func aHiddenTileReceivesNothingAndComesBackOnItsLayer() throws {
    let (harness, _) = try JanusHarness.watching()
    _ = harness.command(.requestLayer(adasVideo, .layer(.medium)))
    let off = try #require(harness.command(.requestLayer(adasVideo, .off)).request("configure"))
    #expect(off["body"]["streams"] == [["mid": "0", "send": false]])
    let on = try #require(harness.command(.requestLayer(adasVideo, .layer(.medium))).request("configure"))
    #expect(on["body"]["streams"] == [["mid": "0", "send": true, "substream": 1, "temporal": 2]])
  }

  @Test func aSlowPathIsOursAndPasses() throws {
    let (harness, _) = try JanusHarness.watching()
    let us = ParticipantIdentity("77")
    let slow = #"{"janus":"slowlink","sender":22,"mid":"0","media":"video","uplink":false,"lost":9}"#
    #expect(harness.deliver(slow).events == [.qualityChanged(us, .poor)])
    #expect(harness.deliver(slow).events.isEmpty)
    #expect(harness.run(for: .seconds(6)).events.contains(.qualityChanged(us, .good)))
  }
}
