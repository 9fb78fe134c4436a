import Conference
import RTCCore
import Testing

@testable import Signalling

/// Transcripts of draft-ietf-wish-whep, and of what servers do besides.
@Suite struct WHEPSessionTests {
  private static let sdp = ("Content-Type", "application/sdp")

  // MARK: The normal way

  @Test func theOfferHasWhatServersNeedInOneRequest() throws {
    let harness = try WHEPHarness()
    let options = try harness.request("OPTIONS")
    #expect(options.url == "https://live.example/whep/cam1")
    #expect(options["Authorization"] == "Bearer t0k3n")
    harness.answer(
      204,
      [
        ("Link", "<stun:stun.example:3478>; rel=\"ice-server\", <https://x/>; rel=\"other\""),
        ("Link", "<turn:turn.example?transport=udp>; rel=ice-server; username=u; credential=\"p;q\""),
      ])
    #expect(
      harness.media == [
        .iceServers([
          ICEServerInfo(urls: ["stun:stun.example:3478"]),
          ICEServerInfo(urls: ["turn:turn.example?transport=udp"], username: "u", credential: "p;q"),
        ]), .gather(.subscriber),
      ])
    #expect(harness.open.isEmpty)
    harness.gather(WHEPHarness.candidate, "")
    let post = try harness.request("POST")
    #expect(post["Content-Type"] == "application/sdp")
    #expect(post["Authorization"] == "Bearer t0k3n")
    let offer = try SessionDescription(parsing: post.body)
    #expect(offer.media.map(\.kind) == [.video, .audio])
    #expect(offer.media.map(\.direction) == [.receiveOnly, .receiveOnly])
    #expect(offer.bundleGroups == [["0", "1"]])
    #expect(offer.media.allSatisfy { $0.multiplexesRTCP && $0.setup == .either })
    #expect(offer.media[0].candidates.map(\.port) == [50_000])
    #expect(offer.media[0].hasAllCandidates)
    #expect(offer.media[0].payload(encoding: "VP8")?.feedback.contains("nack pli") == true)
    #expect(offer.media[1].payload(encoding: "opus")?.parameter("stereo") == "1")
  }

  @Test func aServerThatAnswersOptionsNotAtAllIsOfferedToAllTheSame() throws {
    let harness = try WHEPHarness()
    harness.fail(.timedOut)
    harness.gather("")
    _ = try harness.request("POST")
  }

  @Test func gatheringHasASecondAndTheRestIsTrickled() throws {
    let harness = try WHEPHarness()
    harness.answer(404)
    harness.gather(WHEPHarness.candidate)
    harness.run(for: .milliseconds(999))
    #expect(harness.open.isEmpty)
    harness.run(for: .milliseconds(1))
    #expect(try SessionDescription(parsing: harness.request("POST").body).media[0].hasAllCandidates == false)
    harness.gather(WHEPHarness.relayed, "")
    #expect(harness.open.count == 1, "candidates wait for the session")
    harness.answer(201, [Self.sdp, ("Location", "9b2e"), ("ETag", "\"a1\"")], Answers.usual())
    harness.run(for: .milliseconds(60))
    let patch = try harness.request("PATCH")
    #expect(patch.url == "https://live.example/whep/9b2e")
    #expect(patch["If-Match"] == "\"a1\"")
    #expect(patch["Content-Type"] == "application/trickle-ice-sdpfrag")
    let fragment = try ICEFragment(parsing: patch.body)
    #expect(fragment.credentials?.usernameFragment == "ours")
    #expect(fragment.candidates.map(\.port) == [60_000], "what the offer had is not told again")
    #expect(fragment.hasAllCandidates)
    #expect(fragment.mid == "0")
    harness.answer(204)
    harness.run(for: .seconds(60))
    #expect(harness.open.isEmpty)
  }

  @Test func theStreamIsAParticipantWithItsTracks() throws {
    let harness = try WHEPHarness()
    harness.establish()
    guard case .joined(let room, let participants) = try #require(harness.events.first) else {
      Issue.record("not joined")
      return
    }
    #expect(room == "cam1")
    #expect(participants.map(\.id.raw) == ["cam1"])
    #expect(participants[0].tracks.map(\.kind) == [.video, .audio])
    let remote = try #require(harness.connects.first)
    #expect(remote.iceUfrag == "theirs")
    #expect(remote.weAreDTLSClient)
    #expect(remote.candidates.count == 1)
    let video = try #require(harness.received.first)
    #expect(video.ssrc == SSRC(11))
    #expect(video.rtxSSRC == SSRC(12))
    #expect(video.rtxPayloadTypes == [97: 96])
    #expect(video.supportsNACK && video.supportsPLI)
    #expect(harness.received.map(\.mid) == ["0", "1"])
  }

  @Test func leavingDeletesTheSession() throws {
    let harness = try WHEPHarness()
    harness.establish()
    harness.command(.leave)
    let delete = try harness.request("DELETE")
    #expect(delete.url == "https://live.example/whep/cam1/9b2e")
    #expect(delete["Authorization"] == "Bearer t0k3n")
    #expect(delete["If-Match"] == nil)
    #expect(harness.isClosed)
    #expect(harness.events.last == .left(.requested))
  }

  @Test func withoutATokenNoHeaderIsSentAndKindsThatNobodyWantsAreNotOffered() throws {
    let harness = try WHEPHarness(token: nil) { $0.receivesAudio = false }
    #expect(try harness.request("OPTIONS")["Authorization"] == nil)
    harness.offer()
    #expect(try SessionDescription(parsing: harness.request("POST").body).media.map(\.kind) == [.video])
    #expect(try harness.request("POST")["Authorization"] == nil)
  }

  @Test func aRejectedSectionIsNoFailureWhileTheOtherPlays() throws {
    let harness = try WHEPHarness()
    harness.establish(answer: Answers.head("0") + Answers.video() + Answers.audio(port: 0, direction: "inactive"))
    #expect(harness.received.map(\.kind) == [.video])
  }

  // MARK: Redirects and addresses

  @Test func aRedirectKeepsMethodBodyAndToken() throws {
    let harness = try WHEPHarness()
    harness.offer()
    let first = try harness.request("POST")
    harness.answer(307, [("Location", "https://edge7.example/whep/cam1?x=1")])
    let second = try harness.request("POST")
    #expect(second.url == "https://edge7.example/whep/cam1?x=1")
    #expect(second.body == first.body)
    #expect(second["Authorization"] == "Bearer t0k3n")
    harness.answer(201, [Self.sdp, ("Location", "session/1")], Answers.usual())
    harness.command(.leave)
    // Relative to where the offer was taken at last.
    #expect(try harness.request("DELETE").url == "https://edge7.example/whep/session/1")
  }

  @Test(arguments: [
    ("http://edge.example/whep", "encrypted"), ("ftp://edge.example/", "does not say where"),
    ("", "does not say where"),
  ]) func aRedirectThatMustNotBeFollowedEnds(location: String, words: String) throws {
    let harness = try WHEPHarness()
    harness.offer()
    harness.answer(307, location.isEmpty ? [] : [("Location", location)])
    #expect(harness.refusal?.message.contains(words) == true)
    #expect(harness.refusal?.code == .notAConferenceServer)
    #expect(harness.open.isEmpty)
  }

  @Test func redirectsInACircleEnd() throws {
    let harness = try WHEPHarness()
    harness.offer()
    for _ in 0..<6 { harness.answer(308, [("Location", "/whep/cam1")]) }
    #expect(harness.refusal?.message.contains("without end") == true)
    #expect(harness.isClosed)
  }

  @Test func otherRedirectsSayWhereToGo() throws {
    let harness = try WHEPHarness()
    harness.offer()
    harness.answer(302, [("Location", "https://elsewhere.example/whep")])
    #expect(harness.refusal?.message.contains("https://elsewhere.example/whep") == true)
  }

  // MARK: Refusals

  @Test(
    arguments: [
      (400, "", "", ConferenceError.Code.joinRefused, "VP8 video and Opus sound"),
      (
        400, "application/json", "{\"status\":\"error\",\"error\":\"codecs not supported by client\"}", .joinRefused,
        "codecs not supported by client"
      ),
      (401, "text/plain", "who are you", .tokenNotAccepted, "who are you"), (403, "", "", .tokenNotAccepted, "403"),
      (404, "", "", .joinRefused, "no such stream"), (405, "", "", .notAConferenceServer, "takes no offers"),
      (406, "text/plain", "bad type", .joinRefused, "bad type"), (415, "", "", .joinRefused, "cannot use our offer"),
      (
        422, "application/problem+json", "{\"title\":\"T\",\"detail\":\"H264 only here.\"}", .joinRefused,
        "H264 only here)"
      ), (418, "", "", .joinRefused, "418"),
      (500, "text/html", "<html>oops</html>", .joinRefused, "The server failed (HTTP 500)"),
      (599, "", "", .joinRefused, "The server failed"),
    ] as [(Int, String, String, ConferenceError.Code, String)])
  func refusalsAreSentences(status: Int, type: String, body: String, code: ConferenceError.Code, words: String) throws {
    let harness = try WHEPHarness()
    harness.offer()
    harness.answer(status, type.isEmpty ? [] : [("Content-Type", type)], body)
    let refusal = try #require(harness.refusal)
    #expect(refusal.code == code)
    #expect(refusal.message.contains(words), "\(refusal.message)")
    #expect(!refusal.message.contains("<html>"))
    #expect(refusal.message.hasSuffix("."))
    #expect(harness.events.last == .left(.refused))
    #expect(harness.isClosed)
    #expect(harness.wakeUp == nil)
  }

  @Test func withoutATokenIsToldFromWithTheWrongOne() throws {
    let harness = try WHEPHarness(token: nil)
    harness.offer()
    harness.answer(401)
    #expect(harness.refusal?.code == .tokenMissing)
    #expect(harness.refusal?.message.contains("--token-file") == true)
  }

  @Test(arguments: [409, 503, 429]) func whatTheServerAdvisesIsNotAdvisedTwice(status: Int) throws {
    for words in ["", "Nobody is there. Try again later."] {
      let harness = try WHEPHarness()
      harness.offer()
      harness.answer(status, [("Content-Type", "text/plain"), ("Retry-After", "30")], words)
      #expect(harness.refusal?.message.matches(of: /Try again/).count == 1, "\(harness.refusal?.message ?? "")")
    }
  }

  @Test(arguments: [409, 503, 429]) func notLiveIsTriedAgainWhenTheServerSays(status: Int) throws {
    let harness = try WHEPHarness()
    harness.offer()
    harness.answer(status, [("Retry-After", "3")])
    harness.run(for: .milliseconds(2_900))
    #expect(harness.open.isEmpty)
    harness.run(for: .milliseconds(100))
    _ = try harness.request("POST")
    harness.answer(status, [("Retry-After", "30")])
    #expect(harness.refusal?.code == .joinRefused, "thirty seconds are more than a join may take")
  }

  @Test func withoutAWordAboutItThePauseDoublesUntilTheJoinIsOver() throws {
    let harness = try WHEPHarness()
    harness.offer()
    var pauses: [Duration] = []
    var last = harness.now
    while harness.refusal == nil {
      harness.answer(409)
      harness.run(for: (harness.wakeUp ?? harness.now) - harness.now)
      if harness.refusal == nil { pauses.append(harness.now - last) }
      last = harness.now
    }
    #expect(pauses == [.seconds(1), .seconds(2), .seconds(4)])
    #expect(harness.refusal?.message.contains("not live") == true)
  }

  @Test(arguments: [
    (LinkFailure.timedOut, ConferenceError.Code.serverUnreachable, "did not answer in time"),
    (.unreachable("Connection refused"), .serverUnreachable, "Connection refused"),
    (.notTrusted("unknown authority"), .notTrusted, "--ca-file"),
  ]) func nobodyThereIsSaidSo(
    failure: LinkFailure, code: ConferenceError.Code, words: String
  ) throws {
    let harness = try WHEPHarness()
    harness.offer()
    #expect(try harness.request("POST").timeout <= .milliseconds(9_500), "before the join itself is over")
    harness.fail(failure)
    #expect(harness.refusal?.code == code)
    #expect(harness.refusal?.message.contains(words) == true)
  }

  @Test(
    arguments: [
      ([("Content-Type", "text/html")], "<html>", "no session description"),
      ([sdp], Answers.usual(), "no Location"),
      ([sdp, ("Location", "http://live.example/x")], Answers.usual(), "encrypted"),
      ([sdp, ("Location", "mailto:x")], Answers.usual(), "cannot be used"),
      ([sdp, ("Location", "/x")], "v=0\r\nnonsense", "cannot be read"),
      ([sdp, ("Location", "/x")], Answers.head("0") + Answers.video(), "answers 2 offered sections with 1"),
      (
        [sdp, ("Location", "/x")], Answers.usual() + Answers.audio(mid: "2"), "answers 2 offered sections with 3"
      ),
      (
        [sdp, ("Location", "/x")], Answers.head() + Answers.audio(mid: "0") + Answers.video(mid: "1"),
        "not those of our offer"
      ),
      (
        [sdp, ("Location", "/x")], Answers.usual().replacing("sha-256", with: "sha-1"), "fingerprint"
      ),
    ] as [([(String, String)], String, String)])
  func answersThatAreNoneEndWithASentence(headers: [(String, String)], body: String, words: String) throws {
    let harness = try WHEPHarness()
    harness.offer()
    harness.answer(201, headers, body)
    #expect(harness.refusal?.code == .notAConferenceServer)
    #expect(harness.refusal?.message.contains(words) == true, "\(harness.refusal?.message ?? "")")
    // A session that was made is not left behind.
    if headers.contains(where: { $0 == ("Location", "/x") }) {
      #expect(try harness.request("DELETE").url == "https://live.example/x")
    }
  }

  @Test func aStreamOfAnotherCodecIsNamed() throws {
    let harness = try WHEPHarness()
    harness.establish(answer: Answers.head() + Answers.video("H264") + Answers.audio(port: 0, direction: "inactive"))
    #expect(harness.refusal?.code == .mediaFailed)
    #expect(harness.refusal?.message == "The stream has H264. \(WHEPFailure.decoded).")
    // Sound alone is not what somebody who wants to see should get.
    let heard = try WHEPHarness()
    heard.establish(answer: Answers.head() + Answers.video("H264") + Answers.audio())
    #expect(heard.refusal?.message.contains("H264") == true)
    let silent = try WHEPHarness()
    silent.establish(
      answer: Answers.head() + Answers.video(port: 0, direction: "inactive")
        + Answers.audio(port: 0, direction: "inactive"))
    #expect(silent.refusal?.message.contains("probably H264") == true)
  }

  // MARK: The server's own offer

  private func counterOffer(_ harness: WHEPHarness, codec: String = "VP8") {
    let offer =
      Answers.head().replacing("a=ice-lite\r\n", with: "") + Answers.video(codec) + Answers.audio()
    harness.answer(
      406,
      [
        ("Content-Type", "application/sdp; valid-until=\"Mon, 30 Nov 2026 18:00:00 GMT\""), ("Location", "/r/5"),
        ("ETag", "\"c\""),
      ],
      offer.replacing("a=setup:passive", with: "a=setup:actpass"))
  }

  @Test func aCounterOfferIsAnsweredByPATCH() throws {
    let harness = try WHEPHarness()
    harness.offer()
    counterOffer(harness)
    let patch = try harness.request("PATCH")
    #expect(patch.url == "https://live.example/r/5")
    #expect(patch["Content-Type"] == "application/sdp")
    #expect(patch["If-Match"] == "\"c\"")
    let answer = try SessionDescription(parsing: patch.body)
    #expect(answer.media.map(\.direction) == [.receiveOnly, .receiveOnly])
    #expect(answer.media[0].setup == .active)
    #expect(answer.media[0].candidates.count == 1)
    #expect(harness.connects.isEmpty, "not before the server has the answer")
    harness.answer(204)
    #expect(harness.connects.map(\.iceUfrag) == ["theirs"])
    #expect(harness.received.map(\.kind) == [.video, .audio])
    harness.command(.leave)
    #expect(try harness.request("DELETE").url == "https://live.example/r/5")
  }

  @Test func aCounterOfferWithoutOurCodecsEndsTheSession() throws {
    let harness = try WHEPHarness()
    harness.offer()
    counterOffer(harness, codec: "H264")
    #expect(harness.refusal?.code == .mediaFailed)
    #expect(harness.refusal?.message.contains("H264") == true)
    #expect(try harness.request("DELETE").url == "https://live.example/r/5")
  }

  @Test func anAnswerThatTheServerDoesNotTakeIsARefusal() throws {
    let harness = try WHEPHarness()
    harness.offer()
    counterOffer(harness)
    harness.answer(400, [("Content-Type", "text/plain")], "no such handle")
    #expect(harness.refusal?.message.contains("no such handle") == true)
    #expect(try harness.request("DELETE").url == "https://live.example/r/5")
  }

  // MARK: PATCH as servers do it

  @Test(arguments: [404, 405, 415, 422, 428, 500, 501]) func aServerWithoutTrickleIsLeftAlone(status: Int) throws {
    let harness = try WHEPHarness()
    harness.establish()
    harness.gather(WHEPHarness.relayed)
    harness.run(for: .milliseconds(60))
    _ = try harness.request("PATCH")
    harness.answer(status)
    harness.gather("candidate:3 1 udp 5 192.0.2.99 50001 typ host")
    harness.run(for: .seconds(10))
    #expect(harness.open.isEmpty)
    #expect(!harness.isClosed, "a failed PATCH leaves the session alive")
  }

  @Test func anUnquotedStarIsGivenBackAsItCame() throws {
    let harness = try WHEPHarness()
    harness.establish([("ETag", "*")])
    harness.gather(WHEPHarness.relayed)
    harness.run(for: .milliseconds(60))
    #expect(try harness.request("PATCH")["If-Match"] == "*")
  }

  @Test func aLostPathRestartsICE() throws {
    let harness = try WHEPHarness()
    harness.establish()
    harness.mediaConnected()
    #expect(harness.pathLost())
    #expect(harness.events.last == .reconnecting)
    #expect(harness.media.last == .restart(.subscriber))
    let patch = try harness.request("PATCH")
    #expect(patch["If-Match"] == "*")
    let fragment = try ICEFragment(parsing: patch.body)
    #expect(fragment.credentials?.usernameFragment == "anew")
    harness.answer(
      200, [("Content-Type", ICEFragment.contentType), ("ETag", "\"b2\"")],
      "a=ice-lite\r\nm=audio 9 X 0\r\na=mid:0\r\na=ice-ufrag:fresh\r\na=ice-pwd:fresh-password-of-24-chr\r\n")
    let remote = try #require(harness.connects.last)
    #expect(remote.iceUfrag == "fresh")
    #expect(remote.candidates.count == 1, "candidates that the answer leaves out stay")
    guard case .joined = harness.events[harness.events.count - 3] else {
      Issue.record("not back: \(harness.events)")
      return
    }
    harness.gather(WHEPHarness.relayed)
    harness.run(for: .milliseconds(60))
    #expect(try harness.request("PATCH")["If-Match"] == "\"b2\"")
  }

  @Test func whoInsistsOnQuotesGetsThem() throws {
    let harness = try WHEPHarness()
    harness.establish()
    harness.mediaConnected()
    #expect(harness.pathLost())
    harness.answer(412)
    #expect(try harness.request("PATCH")["If-Match"] == "\"*\"")
  }

  @Test(arguments: [204, 405, 500]) func aServerThatCannotRestartIsOfferedToAnew(status: Int) throws {
    let harness = try WHEPHarness()
    harness.establish()
    harness.mediaConnected()
    #expect(harness.pathLost())
    harness.answer(status)
    #expect(try harness.request("DELETE").url == "https://live.example/whep/cam1/9b2e")
    harness.answer(200)
    #expect(harness.media.suffix(2) == [.renew(.subscriber), .gather(.subscriber)])
    harness.gather(WHEPHarness.candidate, "")
    let post = try harness.request("POST")
    #expect(try SessionDescription(parsing: post.body).media[0].iceCredentials?.usernameFragment == "anew")
    harness.answer(201, [Self.sdp, ("Location", "/whep/cam1/2")], Answers.usual())
    #expect(harness.connects.count == 2)
  }

  @Test func withoutAnEntityTagThereIsNoRestart() throws {
    let harness = try WHEPHarness()
    harness.establish([])
    harness.mediaConnected()
    #expect(!harness.pathLost())
    #expect(harness.mediaFailed())
    #expect(try harness.request("DELETE").method == "DELETE")
  }

  // MARK: The end

  @Test func aServerThatEndsTheStreamIsAskedAgainForAWhile() throws {
    let harness = try WHEPHarness()
    harness.establish()
    harness.mediaConnected()
    harness.mediaClosed()
    _ = try harness.request("DELETE")
    harness.answer(404)
    harness.gather("")
    var posts = 0
    while harness.refusal == nil, posts < 50 {
      _ = try harness.request("POST")
      harness.answer(404)
      posts += 1
      harness.run(for: (harness.wakeUp ?? harness.now) - harness.now)
    }
    #expect((3...8).contains(posts))
    #expect(harness.now < .zero + .seconds(40))
    #expect(harness.refusal?.code == .closedByServer)
    #expect(harness.refusal?.message.hasPrefix("The stream broke off and did not come back.") == true)
  }

  @Test func mediaThatNeverPassesIsTheEnd() throws {
    let harness = try WHEPHarness()
    harness.establish()
    #expect(harness.mediaFailed())
    #expect(harness.refusal?.code == .mediaFailed)
    #expect(try harness.request("DELETE").method == "DELETE")
    let silent = try WHEPHarness()
    silent.establish(answer: Answers.head() + Answers.video("VP8", "") + Answers.audio())
    #expect(silent.mediaFailed())
    #expect(silent.refusal?.message.contains("named no address") == true)
  }

  @Test func lateAnswersMeanNothing() throws {
    let harness = try WHEPHarness()
    harness.offer()
    harness.command(.leave)
    harness.answer(201, [Self.sdp, ("Location", "/x")], Answers.usual())
    #expect(harness.connects.isEmpty)
    harness.session.exchange(HTTPExchangeResponse(id: 99, .ended), at: harness.now)
    #expect(harness.session.drops[.malformed] == 1)
  }
}
