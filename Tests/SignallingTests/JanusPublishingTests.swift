import Conference
import RTCCore
import Testing

@testable import Signalling

private let room = JanusHarness.roomHandle

/// Publishing over the handle in the room (fact sheet §6).
@Suite struct JanusPublishingTests {
  private static let camera = LocalTrack(
    localID: "cam", kind: .video, source: .camera, name: "camera",
    layers: [
      VideoLayer(id: .low, width: 160, height: 90), VideoLayer(id: .medium, width: 320, height: 180),
      VideoLayer(id: .high, width: 640, height: 360),
    ])
  private static let microphone = LocalTrack(localID: "mic", kind: .audio, source: .microphone, name: "microphone")

  /// The server's answer to an offer of ours: takes everything, or only what `takes` says.
  private func answer(_ offer: JSONValue, takes: (MediaSection) -> Bool = { _ in true }) throws -> String {
    let offered = try SessionDescription(parsing: try #require(offer["jsep"]["sdp"].textValue))
    var answer = SessionDescription(sessionID: "9", version: 1)
    answer.bundleGroups = offered.bundleGroups
    for section in offered.media {
      var taken = section
      taken.apply(
        LocalTransport(
          iceUfrag: "srvP", icePassword: "serverpassword1234567890", fingerprint: Array(repeating: 0xCD, count: 32)),
        setup: .active)
      taken.direction = takes(section) ? .receiveOnly : .inactive
      taken.simulcast = section.simulcast.map { SimulcastDescription(receive: $0.send) }
      answer.media.append(taken)
    }
    return answer.serialized()
  }

  private func accept(
    _ harness: JanusHarness, _ offer: JSONValue, takes: (MediaSection) -> Bool = { _ in true }
  ) throws -> [SignallingOutput] {
    let jsep: JSONValue = ["type": "answer", "sdp": .text(try answer(offer, takes: takes))]
    return harness.deliver(
      String(
        decoding: JSONValue.object([
          "janus": "event", "transaction": .text(offer.transaction), "sender": .integer(room),
          "plugindata": ["data": ["videoroom": "event", "configured": "ok"]], "jsep": jsep,
        ]).serialized(), as: UTF8.self))
  }

  @Test func threeLayersAreOfferedFromTheLowestAndSentWhenTaken() throws {
    let (harness, _) = try JanusHarness.joined()
    let offer = try #require(harness.command(.publish(Self.camera)).request("publish"))
    #expect(offer["jsep"]["rid_order"] == "lmh")
    #expect(offer["body"]["descriptions"] == [["mid": "0", "description": "camera"]])
    let sdp = try #require(offer["jsep"]["sdp"].textValue)
    #expect(sdp.contains("a=simulcast:send q;h;f"))
    #expect(sdp.contains("a=ice-ufrag:pubU"))
    let outputs = try accept(harness, offer)
    #expect(outputs.connects.map(\.weAreDTLSClient) == [false])
    let sent = try #require(outputs.sentTracks.last?.first)
    #expect(sent.encodings.map(\.layer) == [.low, .medium, .high])
    #expect(outputs.events.contains(.published(localID: "cam", TrackID("77/0"))))
    guard case .participantUpdated(let us) = outputs.events.last else {
      Issue.record("\(outputs.events)")
      return
    }
    #expect(us.isLocal && us.tracks.first?.layers.count == 3)
  }

  @Test func whatIsPublishedLaterIsOfferedWhenTheFirstIsAnswered() throws {
    let (harness, _) = try JanusHarness.joined()
    let first = try #require(harness.command(.publish(Self.camera)).request("publish"))
    #expect(harness.command(.publish(Self.microphone)).messages.isEmpty)
    let second = try #require(try accept(harness, first).request("configure"))
    let offered = try SessionDescription(parsing: try #require(second["jsep"]["sdp"].textValue))
    #expect(offered.media.map(\.kind) == [.video, .audio])
    #expect(try accept(harness, second).sentTracks.last?.map(\.localID) == ["cam", "mic"])
  }

  @Test func aFullRoomAndACodecThatIsNotTakenAreSaid() throws {
    let (full, _) = try JanusHarness.joined()
    let offer = try #require(full.command(.publish(Self.camera)).request("publish"))
    let outputs = full.fail(offer, from: room, code: 432, "Maximum number of publishers (3) already reached")
    guard case .publishFailed("cam", let message) = outputs.events.last else {
      Issue.record("\(outputs.events)")
      return
    }
    #expect(message.contains("full"))
    let (deaf, _) = try JanusHarness.joined()
    let second = try #require(deaf.command(.publish(Self.camera)).request("publish"))
    guard case .publishFailed("cam", let why) = try accept(deaf, second, takes: { _ in false }).events.last else {
      Issue.record("a track that is not taken is not told")
      return
    }
    #expect(why.contains("VP8"))
  }

  @Test func mutingTellsTheServerAndTheRoom() throws {
    let (harness, _) = try JanusHarness.joined()
    let offer = try #require(harness.command(.publish(Self.microphone)).request("publish"))
    _ = try accept(harness, offer)
    let muted = harness.command(.setMuted(localID: "mic", true))
    #expect(muted.request("configure")?["body"]["streams"] == [["mid": "0", "send": false]])
    guard case .participantUpdated(let us) = muted.events.last else {
      Issue.record("\(muted.events)")
      return
    }
    #expect(us.tracks.first?.isMuted == true)
  }

  @Test func endingTheLastTrackEndsTheConnection() throws {
    let (harness, _) = try JanusHarness.joined()
    let offer = try #require(harness.command(.publish(Self.microphone)).request("publish"))
    _ = try accept(harness, offer)
    let outputs = harness.command(.unpublish(localID: "mic"))
    #expect(outputs.request("unpublish") != nil)
    #expect(outputs.media == [.send([]), .renew(.publisher)])
  }

  @Test func everythingIsPublishedAgainAfterTheServerHungUp() throws {
    let (harness, _) = try JanusHarness.joined()
    let offer = try #require(harness.command(.publish(Self.camera)).request("publish"))
    _ = try accept(harness, offer)
    var outputs = harness.deliver(#"{"janus":"hangup","sender":11,"reason":"ICE failed"}"#)
    #expect(outputs.media == [.send([]), .renew(.publisher)])
    harness.session.localTransport(JanusHarness.other, of: .publisher, at: harness.now)
    outputs = harness.run(for: .milliseconds(600))
    let again = try #require(outputs.request("publish"))
    #expect(again["jsep"]["sdp"].textValue?.contains("a=ice-ufrag:newU") == true)
    #expect(try accept(harness, again).sentTracks.last?.map(\.localID) == ["cam"])
  }
}
