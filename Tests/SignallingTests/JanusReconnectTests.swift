import Conference
import RTCCore
import Testing

@testable import Signalling

private let room = JanusHarness.roomHandle
private let subscriber = JanusHarness.subscriberHandle
private let adasVideo = TrackID("42/0")

/// Lost connections, sessions and paths (fact sheet §8).
@Suite struct JanusReconnectTests {
  private func error(_ request: JSONValue, _ code: Int) -> String {
    #"{"janus":"error","transaction":"\#(request.transaction)","error":{"code":\#(code),"reason":"no"}}"#
  }

  @Test func theSessionIsKeptAliveAndMeasuresTheRoundTrip() throws {
    let (harness, _) = try JanusHarness.joined()
    let outputs = harness.run(for: .milliseconds(10_010))
    let keepalive = try #require(outputs.messages.last)
    #expect(keepalive["janus"] == "keepalive")
    harness.now = harness.now + .milliseconds(20)
    let answered = harness.deliver(#"{"janus":"ack","transaction":"\#(keepalive.transaction)"}"#)
    #expect(answered.events == [.roundTrip(.milliseconds(30))])
  }

  @Test func aServerThatFallsSilentIsLostWithinTwentySeconds() throws {
    let (harness, _) = try JanusHarness.joined()
    #expect(harness.run(for: .milliseconds(19_900)).events.isEmpty)
    let outputs = harness.run(for: .milliseconds(200))
    #expect(outputs.events == [.reconnecting])
    #expect(outputs.hasReopened)
  }

  @Test func aSessionThatTheServerKeptIsClaimedAndMediaGoesOn() throws {
    let (harness, _) = try JanusHarness.watching()
    harness.session.connectionClosed(at: harness.now)
    var outputs = harness.run(for: .zero)
    #expect(outputs.events == [.reconnecting])
    #expect(outputs.hasReopened)
    harness.session.connectionOpened(at: harness.now)
    let claim = try #require(harness.drain().messages.first)
    #expect(claim["janus"] == "claim")
    #expect(claim["session_id"] == .integer(JanusHarness.sessionID))
    outputs = harness.deliver(#"{"janus":"success","transaction":"\#(claim.transaction)"}"#)
    // The handle in the room is made anew, to hear who came and went.
    #expect(outputs.messages.map { $0["janus"] } == ["detach", "attach"])
    let join = try #require(harness.succeed(outputs.messages[1], id: 33).request("join"))
    outputs = harness.answer(
      join, from: 33,
      JanusHarness.joined(publishers: "[\(JanusHarness.ada),\(JanusHarness.publisher(43, "bo"))]", id: 78))
    #expect(outputs.events.contains { if case .joined = $0 { true } else { false } })
    #expect(outputs.media.isEmpty)
    #expect(outputs.request("update")?["body"]["subscribe"] == [["feed": 43, "mid": "0"]])
  }

  @Test func aSessionThatIsGoneIsMadeAnewWithANewConnection() throws {
    let (harness, _) = try JanusHarness.watching()
    harness.session.connectionClosed(at: harness.now)
    _ = harness.run(for: .zero)
    harness.session.connectionOpened(at: harness.now)
    let claim = try #require(harness.drain().messages.first)
    var outputs = harness.deliver(error(claim, 458))
    #expect(outputs.media == [.receive([]), .renew(.subscriber)])
    #expect(outputs.events == [.unsubscribed(ParticipantIdentity("42"), adasVideo)])
    let create = try #require(outputs.messages.last)
    #expect(create["janus"] == "create")
    #expect(create["session_id"].isNull)
    harness.session.localTransport(JanusHarness.other, of: .subscriber, at: harness.now)
    let attach = try #require(harness.succeed(create, id: 2).messages.last)
    let join = try #require(harness.succeed(attach, id: 44).request("join"))
    outputs = harness.answer(join, from: 44, JanusHarness.joined(publishers: "[\(JanusHarness.ada)]"))
    let second = try #require(outputs.messages.last)
    let subscribe = try #require(harness.succeed(second, id: 55).request("join"))
    outputs = harness.answer(
      subscribe, from: 55, #"{"videoroom":"attached","streams":[\#(JanusHarness.stream("0", of: 42))]}"#,
      jsep: JanusHarness.offer(["0"], ufrag: "newS"))
    let sdp = try #require(outputs.request("start")?["jsep"]["sdp"].textValue)
    #expect(sdp.contains("a=ice-ufrag:newU"))
    #expect(outputs.connects.map(\.iceUfrag) == ["newS"])
  }

  @Test func aServerThatStaysAwayIsTriedForAMinute() throws {
    let (harness, _) = try JanusHarness.joined()
    harness.session.connectionClosed(at: harness.now)
    var tries = 0
    var ended: MonotonicTime?
    while ended == nil, harness.now < .zero + .seconds(120) {
      let outputs = harness.run(for: .milliseconds(100))
      if outputs.hasReopened {
        tries += 1
        harness.session.connectionClosed(at: harness.now)
      }
      if outputs.events.contains(.left(.connectionLost)) { ended = harness.now }
    }
    #expect(ended.map { ($0 - .zero) <= .milliseconds(60_100) } == true)
    #expect((12...16).contains(tries))
  }

  @Test func aRoomThatIsGoneMeanwhileIsSaid() throws {
    let (harness, _) = try JanusHarness.joined()
    harness.session.connectionClosed(at: harness.now)
    _ = harness.run(for: .zero)
    harness.session.connectionOpened(at: harness.now)
    let claim = try #require(harness.drain().messages.first)
    let create = try #require(harness.deliver(error(claim, 458)).messages.last)
    let attach = try #require(harness.succeed(create, id: 2).messages.last)
    let join = try #require(harness.succeed(attach, id: 44).request("join"))
    let outputs = harness.fail(join, from: 44, code: 426, "No such room (1234)")
    #expect(outputs.refusal == .joinRefused)
    #expect(outputs.suffix(2) == [.event(.left(.refused)), .close])
  }

  @Test func anExpiredSessionIsMadeAnew() throws {
    let (harness, _) = try JanusHarness.joined()
    let outputs = harness.deliver(#"{"janus":"timeout","session_id":1}"#)
    #expect(outputs.events == [.reconnecting])
    #expect(harness.run(for: .zero).hasReopened)
    harness.session.connectionOpened(at: harness.now)
    #expect(harness.drain().messages.first?["janus"] == "create")
  }

  @Test func aServerThatTakesNoSessionsIsTriedAgain() throws {
    let (harness, _) = try JanusHarness.joined()
    _ = harness.deliver(#"{"janus":"timeout","session_id":1}"#)
    _ = harness.run(for: .zero)
    harness.session.connectionOpened(at: harness.now)
    let create = try #require(harness.drain().messages.first)
    #expect(harness.deliver(error(create, 472)).events.isEmpty)
    #expect(harness.run(for: .milliseconds(1_100)).hasReopened)
  }

  @Test func aHandleThatIsHungUpIsReplacedWithItsConnection() throws {
    let (harness, _) = try JanusHarness.watching()
    let outputs = harness.deliver(#"{"janus":"hangup","sender":22,"reason":"ICE failed"}"#)
    #expect(outputs.media == [.receive([]), .renew(.subscriber)])
    #expect(outputs.messages.map { $0["janus"] } == ["detach", "attach"])
  }

  @Test func aLostPathIsLookedForAgainWithNewCredentials() throws {
    let (harness, _) = try JanusHarness.watching()
    #expect(harness.pathLost(.subscriber))
    let restart = try #require(harness.drain().request("configure"))
    #expect(restart["body"] == ["request": "configure", "restart": true])
    var outputs = harness.answer(
      restart, from: subscriber, #"{"videoroom":"event","configured":"ok"}"#,
      jsep: JanusHarness.offer(["0"], ufrag: "again"))
    #expect(outputs.media == [.restart(.subscriber)])
    #expect(outputs.messages.isEmpty)
    harness.session.localCandidate("candidate:1 1 UDP 1 192.0.2.9 4 typ host", of: .subscriber, at: harness.now)
    #expect(harness.drain().messages.isEmpty)
    harness.session.localTransport(JanusHarness.other, of: .subscriber, at: harness.now)
    outputs = harness.drain()
    #expect(outputs.request("start")?["jsep"]["sdp"].textValue?.contains("a=ice-ufrag:newU") == true)
    #expect(outputs.messages.last?["candidates"].elements.count == 1)
    #expect(outputs.connects.map(\.iceUfrag) == ["again"])
    #expect(outputs.subscriptions.last == [adasVideo])
  }

  @Test func mediaThatFailsIsTriedAnewThreeTimes() throws {
    let (harness, _) = try JanusHarness.watching()
    for _ in 0..<3 { #expect(harness.mediaFailed(.subscriber)) }
    #expect(!harness.mediaFailed(.subscriber))
    let (first, _) = try JanusHarness.joined()
    #expect(!first.mediaFailed(.subscriber))
  }
}
