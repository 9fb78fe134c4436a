import RTCCore
import Testing

@testable import Transport

@Suite struct SecurityTests {
  @Test func aFingerprintHas32BytesAndEachCertificateItsOwn() throws {
    let (one, other) = (try DTLSCertificate(), try DTLSCertificate())
    #expect(one.fingerprint.count == 32)
    #expect(one.fingerprint != other.fingerprint)
  }

  @Test("RFC 2202 §3 case 2, RFC 4231 §4.3") func keyedHashes() {
    let key = Array("Jefe".utf8)
    let message = Array("what do ya want for nothing?".utf8)
    #expect(
      hex(MessageAuthentication.hmacSHA1(key: key, message: message)) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
    #expect(
      hex(MessageAuthentication.hmacSHA256(key: key, message: message))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(MessageAuthentication.hmacSHA1(key: [], message: []).count == 20)
  }

  @Test func randomBytesAreOfTheLengthAskedForAndDiffer() {
    #expect(Randomness.bytes(0).isEmpty)
    #expect(Randomness.bytes(16).count == 16)
    #expect(Randomness.bytes(16) != Randomness.bytes(16))
    #expect(Randomness.iceCharacters(24).utf8.count == 24)
  }

  @Test("RFC 7064, RFC 7065") func serversAreReadFromTheirURLs() {
    let server = ICEServer(urls: [
      "stun:stun.example.org", "turn:192.0.2.1:3479?transport=udp", "turn:[2001:db8::1]:3480?transport=tcp",
      "turns:turn.example.org?transport=tcp", "stuns:x", "turn:host:99999", "turn:", "nonsense", "", "turn:[::1",
    ])
    #expect(
      server.endpoints == [
        .init(kind: .stun, host: "stun.example.org", port: 3478), .init(kind: .turnUDP, host: "192.0.2.1", port: 3479),
        .init(kind: .turnTCP, host: "2001:db8::1", port: 3480),
        .init(kind: .turnTLS, host: "turn.example.org", port: 5349),
      ])
  }
}

private func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
