import RTCCore
import TestKit
import Testing

@Suite struct STUNMessageTests {
  static let password = Array("VOkJxbRl1RmTxUk/WvJxBt".utf8)
  static let transactionID = WireFixture.bytes("B7E7A701 BC34D686 FA87DFAE")
  static let request = WireFixture.bytes(
    """
    00010058 2112A442 B7E7A701 BC34D686 FA87DFAE 80220010 5354554E 20746573 7420636C 69656E74 00240004 6E0001FF
    80290008 932FF9B1 51263B36 00060009 6576746A 3A683676 59202020 00080014 9AEAA70C BFD8CB56 781EF2B5 B2D3F249
    C1B571A2 80280004 E57A3BCF
    """)
  private static let ipv4Response = WireFixture.bytes(
    """
    0101003C 2112A442 B7E7A701 BC34D686 FA87DFAE 8022000B 74657374 20766563 746F7220 00200008 0001A147 E112A643
    00080014 2B91F599 FD9E90C3 8C7489F9 2AF9BA53 F06BE7D7 80280004 C07D4C96
    """)
  private static let ipv6Response = WireFixture.bytes(
    """
    01010048 2112A442 B7E7A701 BC34D686 FA87DFAE 8022000B 74657374 20766563 746F7220 00200014 0002A147 0113A9FA
    A5D3F179 BC25F4B5 BED2B9D9 00080014 A382954E 4BE67BF1 1784C97C 8292C275 BFE3ED41 80280004 C8FB0B4C
    """)

  @Test("RFC 2202 §3: the reference HMAC itself") func referenceHMAC() {
    #expect(
      ReferenceHMAC.sha1(key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8))
        == WireFixture.bytes("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"))
    #expect(
      ReferenceHMAC.sha1(
        key: Array(repeating: 0xAA, count: 80),
        message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
        == WireFixture.bytes("aa4ae5e15272d00e95705637ce8a3b55ed402112"))
  }

  @Test("RFC 5769 §2.1: sample request") func sampleRequest() throws {
    let message = try STUNMessage(parsing: Self.request)
    #expect(message.messageClass == .request)
    #expect(message.method == STUNMessage.binding)
    #expect(message.transactionID == Self.transactionID)
    #expect(
      message.attributes == [
        .software("STUN test client"), .priority(0x6E00_01FF), .iceControlled(tieBreaker: 0x932F_F9B1_5126_3B36),
        .username("evtj:h6vY"),
      ])
    #expect(message.username == "evtj:h6vY")
    #expect(message.priority == 0x6E00_01FF)
    #expect(!message.nominates)
    #expect(message.hasFingerprint)
    #expect(message.hasIntegrity)
    #expect(message.verifyIntegrity(key: Self.password, mac: ReferenceHMAC.sha1))
    #expect(!message.verifyIntegrity(key: Array("wrong".utf8), mac: ReferenceHMAC.sha1))
    #expect(!message.verifyIntegrity(key: Self.password) { _, _ in [] })
  }

  @Test(
    "RFC 5769 §2.2 and §2.3: sample responses",
    arguments: [
      (ipv4Response, "192.0.2.1"), (ipv6Response, "2001:db8:1234:5678:11:2233:4455:6677"),
    ] as [([UInt8], String)]) func sampleResponses(bytes: [UInt8], address: String) throws
  {
    let message = try STUNMessage(parsing: bytes)
    #expect(message.messageClass == .success)
    #expect(message.mappedAddress?.address.description == address)
    #expect(message.mappedAddress?.port == 32_853)
    #expect(message.verifyIntegrity(key: Self.password, mac: ReferenceHMAC.sha1))
  }

  @Test("RFC 5769 §2.4: long-term credentials, no FINGERPRINT, attributes that are not known") func longTerm() throws {
    let bytes = WireFixture.bytes(
      """
      00010060 2112A442 78AD3433 C6AD72C0 29DA412E 00060012 E3839EE3 8388E383 AAE38383 E382AFE3 82B90000
      0015001C 662F2F34 39396B39 35346436 4F4C3334 6F4C3946 53547679 36347341 0014000B 6578616D 706C652E 6F726700
      00080014 F6702465 6DD64A3E 02B8E071 2E85C9A2 8CA89666
      """)
    let message = try STUNMessage(parsing: bytes)
    #expect(message.username == "マトリックス")
    #expect(!message.hasFingerprint)
    #expect(message.unknownRequired == [0x0015, 0x0014])
    // MD5 of "マトリックス:example.org:TheMatrIX".
    let key = WireFixture.bytes("e8ca7ad59d5eb0518e312911d2dab2a9")
    #expect(message.verifyIntegrity(key: key, mac: ReferenceHMAC.sha1))
  }

  /// Every attribute that a message can carry.
  static let everyAttribute: [STUNMessage.Attribute] = [
    .username("a:b"), .priority(1), .useCandidate, .iceControlled(tieBreaker: 2), .iceControlling(tieBreaker: .max),
    .mappedAddress(IPEndpoint(address: .v4(0x7F00_0001), port: 65_535)),
    .mappedAddress(IPEndpoint(address: .v6(high: 1, low: 2), port: 3)), .errorCode(487, reason: "Role Conflict"),
    .unknownAttributes([0x7F, 0x1234]), .software("confab"), .other(type: 0xC057, value: [1, 2, 3]),
  ]

  @Test("what is written reads back and verifies") func roundTrip() throws {
    for messageClass in [STUNMessage.MessageClass.request, .indication, .success, .error] {
      let message = STUNMessage(
        messageClass, method: 0xABC, transactionID: Self.transactionID, attributes: Self.everyAttribute)
      let bytes = message.serialized(integrityKey: Self.password, mac: ReferenceHMAC.sha1)
      let read = try STUNMessage(parsing: bytes)
      #expect(read.messageClass == messageClass)
      #expect(read.method == 0xABC)
      #expect(read.attributes == Self.everyAttribute)
      #expect(read.hasFingerprint)
      #expect(read.verifyIntegrity(key: Self.password, mac: ReferenceHMAC.sha1))
    }
  }

  @Test("a message without a key has a fingerprint only") func withoutKey() throws {
    let bytes = STUNMessage(.request, transactionID: Self.transactionID).serialized()
    let read = try STUNMessage(parsing: bytes)
    #expect(bytes.count == 28)
    #expect(PacketKind.classify(bytes) == .stun)
    #expect(!read.hasIntegrity && read.hasFingerprint)
    #expect(!read.verifyIntegrity(key: [], mac: ReferenceHMAC.sha1))
  }

  @Test("a check as ICE writes it is the sample request but for its padding bytes") func sampleRequestWritten() throws {
    let message = try STUNMessage(parsing: Self.request)
    let written = message.serialized(integrityKey: Self.password, mac: ReferenceHMAC.sha1)
    #expect(written.count == Self.request.count)
    #expect(Array(written[..<73]) == Array(Self.request[..<73]))
    #expect(Array(written[73..<76]) == [0, 0, 0])
  }

  @Test("one changed bit anywhere is found by FINGERPRINT or MESSAGE-INTEGRITY") func changedBits() {
    for index in Self.request.indices {
      var changed = Self.request
      changed[index] ^= 0x04
      let message = try? STUNMessage(parsing: changed)
      // A change in FINGERPRINT's own type makes it another attribute, and the message one without.
      let isWhole = message?.hasFingerprint == true
      #expect(
        !isWhole || message?.verifyIntegrity(key: Self.password, mac: ReferenceHMAC.sha1) == false, "byte \(index)")
    }
  }

  @Test("RFC 8489 §14.5: what stands behind MESSAGE-INTEGRITY is not believed") func attributesBehindIntegrity() throws
  {
    let message = STUNMessage(.request, transactionID: Self.transactionID, attributes: [.priority(1)])
    let honest = message.serialized(integrityKey: Self.password, mac: ReferenceHMAC.sha1)
    // An attacker appends USE-CANDIDATE and makes the length and the fingerprint right.
    var forged = Array(honest.dropLast(8)) + [0x00, 0x25, 0x00, 0x00]
    forged[3] = UInt8(forged.count + 8 - 20)
    let checksum = CRC32.checksum(forged) ^ 0x5354_554E
    forged += [0x80, 0x28, 0, 4] + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - $0 * 8)) }
    let read = try STUNMessage(parsing: forged)
    #expect(read.verifyIntegrity(key: Self.password, mac: ReferenceHMAC.sha1))
    #expect(!read.nominates)
    #expect(read.attributes == [.priority(1)])
  }

  @Test(
    "malformed messages",
    arguments: [
      ("", WireError.truncated(at: 0)), ("4001 0000 2112A442 000000000000000000000000", .invalid("message type")),
      ("0001 0000 2112A443 000000000000000000000000", .invalid("magic cookie")),
      ("0001 0001 2112A442 000000000000000000000000 00", .invalid("message length")),
      ("0001 0004 2112A442 000000000000000000000000", .truncated(at: 20)),
      ("0001 0000 2112A442 000000000000000000000000 00000000", .invalid("message length")),
      ("0001 0004 2112A442 000000000000000000000000 80220004", .truncated(at: 24)),
      ("0001 0008 2112A442 000000000000000000000000 00240001 01000000", .invalid("PRIORITY")),
      ("0001 0008 2112A442 000000000000000000000000 00250004 00000000", .invalid("USE-CANDIDATE")),
      ("0001 0008 2112A442 000000000000000000000000 80290004 00000000", .invalid("ICE role")),
      ("0001 0008 2112A442 000000000000000000000000 00200004 0001A147", .invalid("XOR-MAPPED-ADDRESS")),
      ("0001 000C 2112A442 000000000000000000000000 00200008 0003A147 00000000", .invalid("XOR-MAPPED-ADDRESS")),
      ("0001 0008 2112A442 000000000000000000000000 00090004 00000200", .invalid("ERROR-CODE")),
      ("0001 0008 2112A442 000000000000000000000000 00060002 C3280000", .invalid("USERNAME")),
      ("0001 0008 2112A442 000000000000000000000000 00080004 00000000", .invalid("MESSAGE-INTEGRITY")),
      ("0001 0008 2112A442 000000000000000000000000 80280004 00000000", .invalid("FINGERPRINT")),
      ("0001 0008 2112A442 000000000000000000000000 000A0003 00010000", .invalid("UNKNOWN-ATTRIBUTES")),
    ] as [(String, WireError)]) func malformed(hexadecimal: String, error: WireError)
  {
    #expect(throws: error) { try STUNMessage(parsing: WireFixture.bytes(hexadecimal)) }
  }

  @Test("FINGERPRINT anywhere but last is malformed") func misplacedFingerprint() {
    var bytes = STUNMessage(.request, transactionID: Self.transactionID).serialized()
    bytes += [0x80, 0x22, 0, 0]
    bytes[3] += 4
    #expect(throws: WireError.invalid("FINGERPRINT")) { try STUNMessage(parsing: bytes) }
  }

  @Test("a datagram of empty attributes is refused") func manyAttributes() {
    let count = 3000
    let head = WireFixture.bytes("0001 0000 2112A442 000000000000000000000000")
    var bytes = head + Array(repeatElement([0x80, 0x23, 0, 0], count: count).joined())
    bytes[2] = UInt8((count * 4) >> 8)
    bytes[3] = UInt8(truncatingIfNeeded: count * 4)
    #expect(throws: WireError.invalid("attribute count")) { try STUNMessage(parsing: bytes) }
  }

  @Test("ITU V.42: check value of CRC-32") func crc32() {
    #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
  }
}
