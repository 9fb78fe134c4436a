import RTCCore
import Signalling
import Testing
import Transport

@testable import RoomServer

/// What WHIP and WHEP say over HTTP (RFC 9725 §4, draft-ietf-wish-whep §4).
@Suite(.serialized) @NetworkActor struct StreamEndpointTests {
  private static let sdp = "application/sdp"
  private static let publishing = StreamOffers.sdp([StreamOffers.video("sendonly"), StreamOffers.audio("sendonly")])
  private static let watching = StreamOffers.sdp([StreamOffers.video("recvonly"), StreamOffers.audio("recvonly")])

  private func detail(_ response: HTTPResponse) -> String {
    #expect(response.headers["Content-Type"] == ProblemDetails.contentType)
    let problem = ProblemDetails(json: response.body, status: 0)
    #expect(problem?.status == response.status)
    #expect(problem?.title.isEmpty == false)
    return problem?.detail ?? ""
  }

  @Test func optionsTellScriptsWhatTheyMaySend() async throws {
    let server = try startedServer()
    defer { server.stop() }
    for (path, method) in [("/whip/lab", "POST"), ("/whep/lab", "POST"), ("/sessions/x", "PATCH")] {
      let response = try await send("OPTIONS", path, to: server)
      #expect(response.status == 200)
      #expect(response.headers["Access-Control-Allow-Origin"] == "*")
      #expect(response.headers["Access-Control-Allow-Methods"]?.contains(method) == true)
      #expect(response.headers["Access-Control-Allow-Headers"]?.contains("Authorization") == true)
      #expect(response.headers["Access-Control-Expose-Headers"]?.contains("Location") == true)
    }
    #expect(try await send("OPTIONS", "/whip/lab", to: server).headers["Accept-Post"] == Self.sdp)
    #expect(try await send("OPTIONS", "/sessions/x", to: server).headers["Accept-Patch"] == ICEFragment.contentType)
  }

  @Test func getAndHeadHaveNoContent() async throws {
    let server = try startedServer()
    defer { server.stop() }
    for path in ["/whip/lab", "/whep/lab"] {
      let response = try await send("GET", path, to: server)
      #expect(response.status == 204)
      #expect(response.body.isEmpty)
    }
    let head = try await send("HEAD", "/whep/lab", to: server)
    #expect(head.status == 200)
    #expect(head.headers["Content-Type"] == Self.sdp)
  }

  @Test func whatIsNotThereIs404AndOtherMethodsAre405() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let token = try mint("anna")
    for (method, path) in [
      ("POST", "/whip"), ("POST", "/whep/"), ("PATCH", "/sessions/no"), ("DELETE", "/sessions/no"),
    ] {
      let response = try await send(method, path, to: server, token: token, type: Self.sdp, Self.publishing)
      #expect(response.status == 404, "\(method) \(path)")
      #expect(!detail(response).isEmpty)
    }
    for (method, path) in [("DELETE", "/whip/lab"), ("PUT", "/whep/lab"), ("POST", "/sessions/x")] {
      let response = try await send(method, path, to: server, token: token)
      #expect(response.status == 405, "\(method) \(path)")
      #expect(response.headers["Allow"]?.contains("OPTIONS") == true)
    }
  }

  @Test(arguments: ["/whip/lab", "/whep/lab"]) func tokensDecide(path: String) async throws {
    let server = try startedServer()
    defer { server.stop() }
    let offer = path.contains("whip") ? Self.publishing : Self.watching
    let cases: [(token: String?, status: Int, text: String)] = [
      (nil, 401, "token missing"), ("abc", 401, "token malformed"),
      (try mint("anna", validFor: -1000), 401, "expired"), (try mint("anna", secret: "wrong"), 401, "signature"),
      (try mint("anna", room: "other"), 403, "wrong room"), (try mint("anna") { $0.roomJoin = false }, 403, "roomJoin"),
      (
        try mint("anna") {
          $0.canPublish = false
          $0.canSubscribe = false
        }, 403, "does not grant"
      ),
    ]
    for (token, status, text) in cases {
      let response = try await send("POST", path, to: server, token: token, type: Self.sdp, offer)
      #expect(response.status == status, "\(text)")
      #expect(detail(response).contains(text))
      #expect((response.headers["WWW-Authenticate"] != nil) == (status == 401))
      #expect(response.headers["Access-Control-Allow-Origin"] == "*")
    }
    #expect(server.statistics.rooms == 0)
  }

  @Test func aTokenForSomeSourcesPublishesOnlyThose() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let token = try mint("anna") { $0.canPublishSources = [.microphone] }
    let refused = try await send("POST", "/whip/lab", to: server, token: token, type: Self.sdp, Self.publishing)
    #expect(refused.status == 403)
    #expect(detail(refused).contains("camera"))
    let audio = StreamOffers.sdp([StreamOffers.audio("sendonly")])
    let taken = try await send("POST", "/whip/lab", to: server, token: token, type: Self.sdp, audio)
    #expect(taken.status == 201)
  }

  @Test func contentMustBeASessionDescriptionOfASensibleSize() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let token = try mint("anna")
    for (type, body, status, text) in [
      ("text/plain", Self.publishing, 415, "application/sdp"), (nil, Self.publishing, 415, "application/sdp"),
      (Self.sdp, "hello", 400, "cannot be read") as (String?, String, Int, String),
      (Self.sdp, "v=0\n", 400, "missing o="),
      (Self.sdp, String(repeating: "a", count: StreamEndpoints.maximumOffer + 1), 413, "at most"),
    ] {
      let response = try await send("POST", "/whip/lab", to: server, token: token, type: type, body)
      #expect(response.status == status, "\(text)")
      #expect(detail(response).contains(text) || status == 400)
    }
    let parameters = try await send(
      "POST", "/whip/lab", to: server, token: token, type: "Application/SDP; charset=utf-8", Self.publishing)
    #expect(parameters.status == 201)
  }

  @Test func unusableOffersAreRefusedWhole() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let token = try mint("anna")
    let cases: [(path: String, offer: String, status: Int, text: String)] = [
      (
        "/whip/lab", StreamOffers.sdp([StreamOffers.audio("sendonly"), StreamOffers.video("sendonly", codec: "H264")]),
        422, "Set the video encoder to VP8"
      ),
      ("/whep/lab", StreamOffers.sdp([StreamOffers.video("recvonly", codec: "H264")]), 422, "has H264"),
      ("/whip/lab", StreamOffers.sdp([StreamOffers.audio("sendonly", codec: "PCMU/8000")]), 422, "Opus"),
      ("/whip/lab", StreamOffers.sdp([StreamOffers.video("recvonly")]), 422, "does not send"),
      ("/whep/lab", StreamOffers.sdp([StreamOffers.video("sendonly")]), 422, "does not receive"),
      ("/whip/lab", StreamOffers.sdp([]), 422, "neither audio nor video"),
      (
        "/whip/lab", StreamOffers.sdp(Array(repeating: StreamOffers.video("sendonly"), count: 9)), 422, "at most 8"
      ),
      (
        "/whip/lab",
        StreamOffers.sdp([StreamOffers.audio("sendonly"), StreamOffers.video("sendonly")], bundled: false), 422,
        "BUNDLE"
      ),
      (
        "/whip/lab", StreamOffers.sdp([StreamOffers.video("sendonly").replacing("a=rtcp-mux\n", with: "")]), 400,
        "rtcp-mux"
      ),
      (
        "/whip/lab", StreamOffers.sdp([StreamOffers.video("sendonly").replacing("sha-256", with: "sha-512")]), 400,
        "fingerprint"
      ),
    ]
    for (path, offer, status, text) in cases {
      let response = try await send("POST", path, to: server, token: token, type: Self.sdp, offer)
      #expect(response.status == status, "\(text)")
      #expect(detail(response).contains(text), "\(text)")
    }
    #expect(server.statistics.participants == 0)
  }

  @Test func nothingToWatchIs409WithATimeToTryAgain() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let token = try mint("bert")
    let empty = try await send("POST", "/whep/lab", to: server, token: token, type: Self.sdp, Self.watching)
    #expect(empty.status == 409)
    #expect(empty.headers["Retry-After"] == "5")
    let anna = try await send(
      "POST", "/whip/lab", to: server, token: try mint("anna"), type: Self.sdp,
      StreamOffers.sdp([StreamOffers.audio("sendonly")]))
    #expect(anna.status == 201)
    let video = StreamOffers.sdp([StreamOffers.video("recvonly")])
    let silent = try await send("POST", "/whep/lab", to: server, token: token, type: Self.sdp, video)
    #expect(silent.status == 409)
    let other = try await send(
      "POST", "/whep/lab?participant=carl", to: server, token: token, type: Self.sdp, Self.watching)
    #expect(other.status == 409)
    #expect(detail(other).contains("participant"))
    let good = try await send(
      "POST", "/whep/lab?participant=anna", to: server, token: token, type: Self.sdp, Self.watching)
    #expect(good.status == 201)
    #expect(server.statistics.players == 1)
  }

  @Test func sessionsOfOneAreLimited() async throws {
    let server = try startedServer()
    defer { server.stop() }
    _ = try await send(
      "POST", "/whip/lab", to: server, token: try mint("anna"), type: Self.sdp, Self.publishing)
    let token = try mint("bert")
    for _ in 0..<StreamEndpoints.maximumSessionsOfOne {
      let response = try await send("POST", "/whep/lab", to: server, token: token, type: Self.sdp, Self.watching)
      try #require(response.status == 201)
    }
    let full = try await send("POST", "/whep/lab", to: server, token: token, type: Self.sdp, Self.watching)
    #expect(full.status == 503)
    #expect(full.headers["Retry-After"] != nil)
    let other = try await send("POST", "/whep/lab", to: server, token: try mint("carl"), type: Self.sdp, Self.watching)
    #expect(other.status == 201)
  }

  @Test func whoNeverConnectsIsForgotten() async throws {
    let server = try startedServer(pathTimeout: .milliseconds(200))
    defer { server.stop() }
    let token = try mint("anna")
    let created = try await send("POST", "/whip/lab", to: server, token: token, type: Self.sdp, Self.publishing)
    let session = try #require(created.headers["Location"])
    _ = try await send("POST", "/whep/lab", to: server, token: token, type: Self.sdp, Self.watching)
    #expect(server.statistics.participants == 1)
    #expect(server.statistics.players == 1)
    try await eventually("both are gone") { server.statistics.participants == 0 && server.statistics.players == 0 }
    #expect(try await send("DELETE", session, to: server, token: token).status == 404)
  }

  @Test func changesOfICEFollowTheEntityTag() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let token = try mint("anna")
    let created = try await send("POST", "/whip/lab", to: server, token: token, type: Self.sdp, Self.publishing)
    let session = try #require(created.headers["Location"])
    let tag = try #require(created.headers["ETag"])
    #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
    #expect(created.headers["Accept-Patch"] == ICEFragment.contentType)
    let own = ICECredentials(usernameFragment: "abcd", password: "0123456789abcdefghijklmn")
    var trickle = ICEFragment(credentials: own)
    trickle.candidates = [ICECandidate(foundation: "1", priority: 1, address: "192.0.2.1", port: 9, kind: .host)]
    func patch(_ fragment: String, _ match: String?, type: String = ICEFragment.contentType) async throws
      -> HTTPResponse
    {
      try await send("PATCH", session, to: server, token: token, type: type, match: match, fragment)
    }
    #expect(try await patch(trickle.serialized(), nil).status == 428)
    #expect(try await patch(trickle.serialized(), "\"other\"").status == 412)
    #expect(try await patch(trickle.serialized(), tag, type: Self.sdp).status == 415)
    #expect(try await patch("nonsense", tag).status == 400)
    let noted = try await patch(trickle.serialized(), tag)
    #expect(noted.status == 204)
    #expect(noted.headers["ETag"] == nil)
    // Some send the star for every change.
    #expect(try await patch(trickle.serialized(), "*").status == 204)

    let fresh = ICEFragment(credentials: ICECredentials(usernameFragment: "efgh", password: "ponmlkjihgfedcba98765432"))
    let restarted = try await patch(fresh.serialized(), "\"*\"")
    #expect(restarted.status == 200)
    #expect(restarted.headers["Content-Type"] == ICEFragment.contentType)
    let newTag = try #require(restarted.headers["ETag"])
    #expect(newTag != tag)
    let answer = try ICEFragment(parsing: String(decoding: restarted.body, as: UTF8.self))
    let first = try SessionDescription(parsing: String(decoding: created.body, as: UTF8.self))
    #expect(answer.credentials != nil)
    #expect(answer.credentials != first.media[0].iceCredentials)
    #expect(answer.isICELite)
    #expect(!answer.candidates.isEmpty)
    #expect(answer.mid == "0")
    #expect(try await patch(fresh.serialized(), tag).status == 412)
    #expect(try await patch(fresh.serialized(), newTag).status == 204)
  }

  @Test func sessionsBelongToWhoBeganThem() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let token = try mint("anna")
    let created = try await send("POST", "/whip/lab", to: server, token: token, type: Self.sdp, Self.publishing)
    let session = try #require(created.headers["Location"])
    #expect(try await send("DELETE", session, to: server).status == 401)
    #expect(try await send("DELETE", session, to: server, token: try mint("bert")).status == 404)
    #expect(try await send("DELETE", session, to: server, token: try mint("anna", room: "other")).status == 404)
    #expect(try await send("GET", session, to: server, token: token).status == 204)
    #expect(server.statistics.participants == 1)
    // Another token of the same person will do.
    #expect(try await send("DELETE", session, to: server, token: try mint("anna", validFor: 900)).status == 200)
    #expect(server.statistics.participants == 0)
    #expect(try await send("DELETE", session, to: server, token: token).status == 404)
  }

  @Test func aTokenThatRunsOutStillEndsItsSession() async throws {
    let server = try startedServer()
    defer { server.stop() }
    let token = try mint("anna")
    let created = try await send("POST", "/whip/lab", to: server, token: token, type: Self.sdp, Self.publishing)
    let session = try #require(created.headers["Location"])
    server.admissionClock = { ServerContext.unixMilliseconds() / 1000 + 100_000 }
    #expect(
      try await send("POST", "/whip/lab", to: server, token: token, type: Self.sdp, Self.publishing).status == 401)
    #expect(try await send("DELETE", session, to: server, token: token).status == 200)
  }
}
