import Conference
import RTCCore
import Signalling
import TestKit
import Testing

@Suite struct MillicastDirectorTests {
  // MARK: Addresses

  @Test func anAddressNamesAccountAndStream() throws {
    let address = try Millicast.Address(parsing: "millicast://Acme/Match%201?pin=cam2&exclude=a&exclude=b")
    #expect(address.account == "Acme")
    #expect(address.stream == "Match 1")
    #expect(address.directorURL == "https://director.millicast.com/api/director/subscribe")
    #expect(address.pinnedSource == "cam2")
    #expect(address.excludedSources == ["a", "b"])
  }

  @Test(arguments: [
    ("https://director.example/", "https://director.example/api/director/subscribe"),
    ("https://x.example:8443/prefix", "https://x.example:8443/prefix/api/director/subscribe"),
    ("https://x.example/api/director/subscribe", "https://x.example/api/director/subscribe"),
    ("http://127.0.0.1:9000", "http://127.0.0.1:9000/api/director/subscribe"),
    ("http://localhost", "http://localhost/api/director/subscribe"),
    ("http://[::1]:80", "http://[::1]:80/api/director/subscribe"),
  ])
  func anotherDirectorMayBeNamed(director: String, expected: String) throws {
    #expect(try Millicast.Address(account: "a", stream: "b", director: director).directorURL == expected)
    let inQuery = "millicast://a/b?director=" + director.replacing("/", with: "%2F").replacing(":", with: "%3A")
    #expect(try Millicast.Address(parsing: inQuery).directorURL == expected)
  }

  @Test(arguments: [
    "http://director.example", "http://127.0.0.1.example.org", "http://127.0.0.1@example.org",
    "http://localhost:x@example.org", "http://[::1].example.org", "ftp://director.example", "director.example",
    "https://",
  ])
  func aDirectorWhoseTokenCouldBeReadOnItsWayIsRefused(director: String) {
    #expect(throws: Millicast.AddressError.directorNotSecure(director)) {
      try Millicast.Address(account: "a", stream: "b", director: director)
    }
  }

  @Test(arguments: ["millicast://", "millicast://acme", "millicast://acme/", "wss://acme/match1", "acme/match1", ""])
  func aTextWithoutAccountOrStreamIsNoAddress(text: String) {
    #expect(throws: Millicast.AddressError.malformed) { try Millicast.Address(parsing: text) }
  }

  @Test func aTokenInTheAddressIsRefusedByName() {
    #expect(throws: Millicast.AddressError.unknownOption("token")) {
      try Millicast.Address(parsing: "millicast://a/b?token=secret")
    }
  }

  // MARK: The question

  @Test func theDirectorIsAskedForTheStream() throws {
    let harness = try MillicastHarness()
    let outputs = harness.drain()
    guard case .ask(let question) = outputs.first else {
      Issue.record("nothing was asked")
      return
    }
    #expect(question.method == "POST")
    #expect(question.url == "https://director.millicast.com/api/director/subscribe")
    #expect(
      try JSONValue(parsing: Array(question.body.utf8)) == ["streamAccountId": "acme", "streamName": "match1"])
    #expect(question.headers == [HTTPExchangeField("Content-Type", "application/json")])
  }

  @Test func aTokenGoesIntoItsHeaderAndNowhereElse() throws {
    let harness = try MillicastHarness(token: "s3cret")
    guard case .ask(let question) = harness.drain().first else {
      Issue.record("nothing was asked")
      return
    }
    #expect(question.headers.contains(HTTPExchangeField("Authorization", "Bearer s3cret")))
    #expect(!question.body.contains("s3cret"))
    #expect(!question.url.contains("s3cret"))
  }

  // MARK: The answer

  @Test func theDirectionIsFollowedWithItsToken() throws {
    let harness = try MillicastHarness()
    _ = harness.drain()
    let ice =
      #"[{"urls":["stun:s.example"]},{"urls":"turn:t.example","username":"u","credential":"c"},{"urls":[]},{"x":1}]"#
    let outputs = harness.direct(1, 200, MillicastHarness.direction(ice: ice))
    #expect(
      outputs.commands() == [.open(url: "wss://edge.example.net/ws/v2/sub/abcd?token=\(MillicastHarness.jwt)")])
    let opened = harness.tell(1, .opened(MillicastHarness.local))
    #expect(
      opened.commands().first
        == .media(
          .iceServers([
            ICEServerInfo(urls: ["stun:s.example"]),
            ICEServerInfo(urls: ["turn:t.example"], username: "u", credential: "c"),
          ])))
    // The name that the token gives the stream is what is viewed.
    #expect(opened.sent.first?.data["streamId"] == "acme/match1-token")
  }

  @Test(
    arguments: [
      (401, #"{"status":"fail","data":{"message":"bad token"}}"#, nil, .tokenMissing, "bad token"),
      (401, #"{"status":"fail","data":{"message":"bad token"}}"#, "t", .tokenNotAccepted, "bad token"),
      (403, "", "t", .tokenNotAccepted, "refused the token"),
      (400, #"{"status":"fail","data":{"message":"stream not being published"}}"#, nil, .joinRefused, "not being"),
      (503, #"{"status":"error","message":"overloaded"}"#, nil, .serverUnreachable, "HTTP 503"),
      (429, "", nil, .serverUnreachable, "HTTP 429"),
      (404, "<html>", nil, .notAConferenceServer, "HTTP 404"),
      (200, "{}", nil, .notAConferenceServer, "not as a Millicast director"),
      (200, #"{"data":{"urls":["ws://plain.example"],"jwt":"a.b.c"}}"#, nil, .notAConferenceServer, "director"),
      (200, #"{"data":{"urls":["wss://x.example"],"jwt":"a b\r\nc"}}"#, nil, .notAConferenceServer, "director"),
      (200, #"{"data":{"urls":["wss://x.example/\u0001"],"jwt":"abc"}}"#, nil, .notAConferenceServer, "director"),
    ] as [(Int, String, String?, ConferenceError.Code, String)])
  func refusalsAreToldApart(
    status: Int, body: String, token: String?, code: ConferenceError.Code, words: String
  ) throws {
    let harness = try MillicastHarness(token: token)
    _ = harness.drain()
    let outputs = harness.direct(1, status, body)
    let refusal = try #require(outputs.refusals.first)
    #expect(refusal.code == code)
    #expect(refusal.text.contains(words))
    #expect(outputs.events.last == .left(.refused))
    #expect(outputs.linksClosed == [1])
    #expect(outputs.last == .close)
  }

  @Test(
    arguments: [
      (LinkFailure.unreachable("no such host"), .serverUnreachable), (.timedOut, .serverUnreachable),
      (.notTrusted("expired"), .notTrusted),
    ] as [(LinkFailure, ConferenceError.Code)])
  func aDirectorThatCannotBeAskedIsAFailureOfTheFirstJoin(failure: LinkFailure, code: ConferenceError.Code) throws {
    let harness = try MillicastHarness()
    _ = harness.drain()
    let outputs = harness.director(1, .failed(failure))
    #expect(outputs.refusals.map(\.code) == [code])
    #expect(outputs.refusals[0].text.contains("director.millicast.com"))
  }

  @Test(
    arguments: [
      (LinkFailure.refused(status: 401), .joinRefused), (.notWebSocket, .notAConferenceServer),
      (.unreachable("x"), .serverUnreachable),
    ] as [(LinkFailure, ConferenceError.Code)])
  func aServerThatCannotBeOpenedIsToldApartFromTheDirector(failure: LinkFailure, code: ConferenceError.Code) throws {
    let harness = try MillicastHarness()
    _ = harness.direct(1)
    let outputs = harness.tell(1, .failed(failure))
    #expect(outputs.refusals.map(\.code) == [code])
    #expect(outputs.refusals[0].text.contains("The server that the director named"))
    #expect(!outputs.refusals[0].text.contains(MillicastHarness.jwt))
  }

  @Test func wordsOfAStrangerBecomeOneLine() throws {
    let harness = try MillicastHarness()
    _ = harness.drain()
    let body = #"{"status":"fail","data":{"message":"a\u001b[31mb\nc"}}"#
    let outputs = harness.direct(1, 400, body)
    #expect(outputs.refusals[0].text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
  }
}
