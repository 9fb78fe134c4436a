import Foundation
import Signalling
import Testing

@testable import RoomServer

@Suite struct AdmissionTests {
  private static let now: Int64 = 1_000_000
  /// A stand-in for HMAC: enough to tell two keys apart.
  private static func mac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    var state: UInt64 = 1469598103934665603
    for byte in key + [0] + message { state = (state ^ UInt64(byte)) &* 1_099_511_628_211 }
    return withUnsafeBytes(of: state) { Array($0) }
  }
  private func token(
    key: String = "devkey", secret: String = "secret", identity: String = "anna", room: String = "lab",
    expires: Int64? = AdmissionTests.now + 100, change: (inout LiveKit.Claims) -> Void = { _ in }
  ) throws -> String {
    var claims = LiveKit.Claims(
      apiKey: key, identity: identity, expiresAt: expires, grant: LiveKit.VideoGrant(joining: room))
    change(&claims)
    return try LiveKit.AccessToken.mint(claims, secret: Array(secret.utf8), mac: Self.mac)
  }
  private func refusal(header: String? = nil, query: String? = nil, room: String? = nil) -> Admission.Refusal? {
    do {
      _ = try Admission(
        authorization: header, queryToken: query, room: room, keys: ["devkey": "secret"], now: Self.now,
        mac: Self.mac)
      return nil
    } catch { return error }
  }

  @Test func aGoodTokenIsTakenFromHeaderOrQuery() throws {
    let good = try token()
    #expect(refusal(query: good) == nil)
    #expect(refusal(header: "Bearer \(good)") == nil)
    #expect(refusal(header: "Bearer \(good)", room: "lab") == nil)
    // The header wins, right or wrong.
    #expect(refusal(header: "Bearer nonsense", query: good)?.message.hasPrefix("token malformed") == true)
    #expect(refusal(header: "Basic \(good)", query: good)?.message.hasPrefix("token missing") == true)
  }

  @Test func eachKindOfRefusalHasItsOwnWords() throws {
    let cases: [(String?, String, Int)] = [
      (nil, "token missing", 401),
      ("", "token missing", 401),
      ("abc", "token malformed", 401),
      (try token(expires: nil), "token malformed: it has no expiry", 401),
      (try token(expires: Self.now - 61), "token expired 61 s ago", 401),
      (try token(secret: "other"), "invalid token signature", 401),
      (try token(key: "stranger"), "unknown API key", 401),
      (try token { $0.grant?.roomJoin = false }, "no permission to join", 401),
      (try token { $0.grant = nil }, "no permission to join", 401),
      (try token { $0.notBefore = Self.now + 100 }, "token not valid yet", 401),
      (try token(identity: ""), "identity missing", 400),
      (try token(room: ""), "room missing", 400),
      (try token(identity: String(repeating: "x", count: 257)), "identity or room name too long", 400),
    ]
    for (token, message, status) in cases {
      let refusal = refusal(query: token)
      #expect(refusal?.message.hasPrefix(message) == true, "\(refusal?.message ?? "accepted") is not \(message)")
      #expect(refusal?.status == status)
      if let token, !token.isEmpty { #expect(refusal?.message.contains(token) == false) }
    }
    #expect(refusal(query: try token(), room: "other")?.message.hasPrefix("wrong room") == true)
  }

  @Test func expiryHasAMinuteOfLeeway() throws {
    #expect(refusal(query: try token(expires: Self.now - 59)) == nil)
    #expect(refusal(query: try token(expires: Self.now - 60)) != nil)
  }
}

@Suite struct KeyFileTests {
  @Test func bothFormsAreRead() throws {
    let text = "# keys\n\nalpha: one two\nbeta\tthree\r\n gamma:four\n"
    #expect(try KeyFile.parse(text, path: "k") == ["alpha": "one two", "beta": "three", "gamma": "four"])
  }

  @Test func mistakesNameTheirLine() {
    #expect(throws: KeyFile.Failure.malformedLine(path: "k", line: 2)) { try KeyFile.parse("a: b\nc:\n", path: "k") }
    #expect(throws: KeyFile.Failure.malformedLine(path: "k", line: 1)) { try KeyFile.parse("lonely", path: "k") }
    #expect(throws: KeyFile.Failure.malformedLine(path: "k", line: 1)) { try KeyFile.parse(":", path: "k") }
    #expect(throws: KeyFile.Failure.duplicateKey(path: "k", line: 2)) { try KeyFile.parse("a b\na c", path: "k") }
    #expect(throws: KeyFile.Failure.empty(path: "k")) { try KeyFile.parse("# nothing\n", path: "k") }
  }

  @Test func aFileThatOthersMayReadIsRefused() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("confab-keys-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(throws: KeyFile.Failure.unreadable(path: path, reason: "No such file or directory")) {
      try KeyFile.read(path: path)
    }
    #expect(
      FileManager.default.createFile(
        atPath: path, contents: Data("a: b\n".utf8), attributes: [.posixPermissions: 0o644]))
    #expect(throws: KeyFile.Failure.tooOpen(path: path, mode: 0o644)) { try KeyFile.read(path: path) }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(try KeyFile.read(path: path) == ["a": "b"])
  }

  @Test func nobodyIsMadeToReadAHugeFile() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("confab-keys-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]))
    #expect(throws: KeyFile.Failure.empty(path: path)) { try KeyFile.read(path: path) }
    try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 1 << 33)
    #expect(throws: KeyFile.Failure.unreadable(path: path, reason: "it has more than 64 KiB")) {
      try KeyFile.read(path: path)
    }
  }

  @Test(arguments: [("/", "it is a folder"), ("/dev/null", "it is not a file"), ("", "No such file or directory")])
  func whatIsNoFileSaysSo(path: String, reason: String) {
    #expect(throws: KeyFile.Failure.unreadable(path: path, reason: reason)) { try KeyFile.read(path: path) }
  }
}
