import Signalling
import Testing

@Suite struct AccessTokenTests {
  /// Made by another implementation with the secret `secret`.
  static let goldenToken =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJuYW1lIjoiQWxpY2UgXHUwMGM0IiwidmlkZW8iOnsicm9vbUpvaW4iOnRydWUsInJvb20iOi"
    + "JkZW1vIiwiY2FuUHVibGlzaCI6dHJ1ZSwiY2FuU3Vic2NyaWJlIjp0cnVlLCJjYW5QdWJsaXNoRGF0YSI6dHJ1ZX0sInN1YiI6ImFsaWNlIiwiaX"
    + "NzIjoiZGV2a2V5IiwibmJmIjoxNzAwMDAwMDAwLCJleHAiOjE3MDAwMjE2MDB9.bKLIEdjTCIeZVEMGHzGnFCtXEm5CpqaCL_KUZFlgnkM"
  /// HMAC-SHA256 of that token's first two parts.
  static let goldenMAC = GoldenMessages.bytes("6ca2c811d8d30887995443061f31a7142b57126e42a6a6822ff2946459609e43")
  static let now: Int64 = 1_700_000_000

  /// Stands for an HMAC: another key or message gives another result.
  static func mac(key: [UInt8], message: [UInt8]) -> [UInt8] {
    var state: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in key + [0] + message { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (0..<32).map { UInt8(truncatingIfNeeded: state >> UInt64($0 % 8 * 8)) ^ UInt8($0) }
  }
  static func secret(_ apiKey: String) -> [UInt8]? { apiKey == "devkey" ? Array("secret".utf8) : nil }

  static func token(header: String = #"{"alg":"HS256","typ":"JWT"}"#, claims: String) -> String {
    let text = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
    return text + "." + Base64URL.encode(mac(key: Array("secret".utf8), message: Array(text.utf8)))
  }
  static func verify(_ text: String, now: Int64 = now) throws(LiveKit.AccessTokenError) -> LiveKit.Claims {
    try LiveKit.AccessToken.verify(text, now: now, secret: secret, mac: mac)
  }
  static let good = #"{"iss":"devkey","sub":"alice","exp":1700000600,"video":{"roomJoin":true,"room":"demo"}}"#

  @Test func aTokenOfAnotherImplementationIsVerified() throws {
    let claims = try LiveKit.AccessToken.verify(Self.goldenToken, now: Self.now, secret: Self.secret) { key, message in
      #expect(key == Array("secret".utf8))
      #expect(message == Array(Self.goldenToken.utf8.dropLast(44)))
      return Self.goldenMAC
    }
    #expect(claims.identity == "alice")
    #expect(claims.name == "Alice Ä")
    #expect(claims.apiKey == "devkey")
    #expect(claims.notBefore == 1_700_000_000)
    #expect(claims.expiresAt == 1_700_021_600)
    #expect(try claims.joinGrant().room == "demo")
  }

  @Test func whatIsMintedIsVerified() throws {
    var grant = LiveKit.VideoGrant(joining: "demo")
    grant.canPublish = false
    grant.canPublishData = false
    grant.canPublishSources = [.camera, .screenShareAudio]
    grant.isHidden = true
    grant.roomList = true
    var claims = LiveKit.Claims(apiKey: "devkey", identity: "bob/ü", expiresAt: Self.now + 10, grant: grant)
    claims.name = #"B"ob"#
    claims.metadata = "m"
    claims.attributes = ["a": "1"]
    claims.notBefore = Self.now
    let text = try LiveKit.AccessToken.mint(claims, secret: Array("secret".utf8), mac: Self.mac)
    #expect(try Self.verify(text) == claims)
    #expect(try LiveKit.AccessToken(parsing: text).claims == claims)
  }

  @Test func grantsLeftOutHaveTheProtocolsDefaults() throws {
    let grant = try Self.verify(Self.token(claims: Self.good)).joinGrant()
    #expect(grant == LiveKit.VideoGrant(joining: "demo"))
    #expect(grant.permission.canSubscribe)
    #expect(grant.permission.canPublish)
    #expect(!grant.permission.canUpdateMetadata)
    let restricted =
      #"{"iss":"devkey","sub":"a","exp":1700000600,"video":{"roomJoin":true,"room":"r","canPublish":false}}"#
    #expect(try Self.verify(Self.token(claims: restricted)).joinGrant().canPublishData == false)
  }

  @Test func anUnknownSourceDoesNotOpenAllSources() throws {
    let claims =
      #"{"iss":"devkey","sub":"a","exp":1700000600,"video":{"roomJoin":true,"room":"r","canPublishSources":["hologram"]}}"#
    #expect(try Self.verify(Self.token(claims: claims)).joinGrant().canPublishSources == [.unknown])
  }

  @Test func identityFallsBackToTheTokensID() throws {
    let claims = #"{"iss":"devkey","jti":"j","exp":1700000600,"video":{"roomJoin":true,"room":"r"}}"#
    #expect(try Self.verify(Self.token(claims: claims)).identity == "j")
  }

  @Test(arguments: [
    ("", LiveKit.AccessTokenError.empty),
    (" \n", .empty),
    ("hello", .notAJWT),
    ("a.b", .notAJWT),
    ("a.b.c.d", .notAJWT),
    ("a..c", .notAJWT),
    ("aaaa.b!bb.cccc", .notBase64),
    ("eyJhbGciOiJIUzI1NiJ9.eyJ=.cccc", .notBase64),
    ("aaaa.bbbb.cccc", .badJSON),
    (String(repeating: "a", count: 70_000) + ".b.c", .notAJWT),
    (AccessTokenTests.token(claims: "[]"), .badJSON),
    (AccessTokenTests.token(claims: #"{"exp":"soon"}"#), .badJSON),
    (AccessTokenTests.token(header: "{}", claims: AccessTokenTests.good), .badJSON),
  ])
  func malformedTokensAreToldApartWithoutAKey(text: String, expected: LiveKit.AccessTokenError) {
    #expect(throws: expected) { try LiveKit.AccessToken(parsing: text) }
  }

  @Test(arguments: [
    (
      AccessTokenTests.token(header: #"{"alg":"none"}"#, claims: AccessTokenTests.good),
      LiveKit.AccessTokenError.unsupportedAlgorithm("none")
    ),
    (
      AccessTokenTests.token(header: #"{"alg":"hs256"}"#, claims: AccessTokenTests.good), .unsupportedAlgorithm("hs256")
    ),
    (
      AccessTokenTests.token(header: #"{"alg":"HS512"}"#, claims: AccessTokenTests.good), .unsupportedAlgorithm("HS512")
    ),
    (
      AccessTokenTests.token(header: #"{"alg":"HS256","crit":["b64"]}"#, claims: AccessTokenTests.good),
      .unsupportedAlgorithm("crit")
    ),
    (AccessTokenTests.token(claims: #"{"iss":"other","exp":1700000600}"#), .unknownKey("other")),
    (AccessTokenTests.token(claims: #"{"exp":1700000600}"#), .unknownKey("")),
    (AccessTokenTests.token(claims: AccessTokenTests.good) + "A", .badSignature),
    (String(AccessTokenTests.token(claims: AccessTokenTests.good).dropLast(3)), .badSignature),
    (AccessTokenTests.token(claims: #"{"iss":"devkey","sub":"a"}"#), .missingExpiry),
    (AccessTokenTests.token(claims: #"{"iss":"devkey","sub":"a","exp":1e300}"#), .endlessExpiry),
    (AccessTokenTests.token(claims: #"{"iss":"devkey","sub":"a","exp":1699999940}"#), .expired(secondsAgo: 60)),
    (
      AccessTokenTests.token(claims: #"{"iss":"devkey","sub":"a","exp":1700000600,"nbf":1700000061}"#),
      .notYetValid(inSeconds: 61)
    ),
  ])
  func refusedTokensSayWhy(text: String, expected: LiveKit.AccessTokenError) {
    #expect(throws: expected) { try Self.verify(text) }
  }

  @Test func clocksMayDisagreeByAMinute() throws {
    let claims = #"{"iss":"devkey","sub":"a","exp":1699999941.5,"nbf":1700000060}"#
    #expect(throws: Never.self) { try Self.verify(Self.token(claims: claims)) }
  }

  @Test func everyChangedCharacterIsNoticed() {
    let text = Array(Self.token(claims: Self.good))
    for index in text.indices where text[index] != "." {
      var changed = text
      changed[index] = text[index] == "A" ? "B" : "A"
      #expect(throws: LiveKit.AccessTokenError.self) { try Self.verify(String(changed)) }
    }
  }

  @Test(arguments: [
    (#"{"iss":"devkey","sub":"a","exp":1700000600}"#, LiveKit.AccessTokenError.joinNotGranted),
    (#"{"iss":"devkey","sub":"a","exp":1700000600,"video":{"room":"r"}}"#, .joinNotGranted),
    (#"{"iss":"devkey","exp":1700000600,"video":{"room":"r","roomJoin":true}}"#, .missingIdentity),
    (#"{"iss":"devkey","sub":"a","exp":1700000600,"video":{"roomJoin":true}}"#, .missingRoom),
    (
      #"{"iss":"devkey","sub":""# + String(repeating: "a", count: 257)
        + #"","exp":1700000600,"video":{"room":"r","roomJoin":true}}"#, .nameTooLong
    ),
  ])
  func joiningNeedsAGrantAnIdentityAndARoom(claims: String, expected: LiveKit.AccessTokenError) throws {
    let verified = try Self.verify(Self.token(claims: claims))
    #expect(throws: expected) { try verified.joinGrant() }
  }

  @Test(arguments: [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE")])
  func base64URLHasTheVectorsOfRFC4648(plain: String, encoded: String) {
    #expect(Base64URL.encode(plain.utf8) == encoded)
    #expect(Base64URL.decode(encoded.utf8) == Array(plain.utf8))
  }

  @Test func base64URLHasOneSpellingOnly() {
    #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
    for text in ["Zg==", "Zh", "Z", "Zm9v\n", "+/8", "Zm 9"] { #expect(Base64URL.decode(text.utf8) == nil) }
  }
}
