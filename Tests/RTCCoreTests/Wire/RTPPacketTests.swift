import RTCCore
import Testing

@Suite struct RTPPacketTests {
  private let plain = RTPPacket(
    payloadType: 96, marker: true, sequenceNumber: SequenceNumber(0x1234), timestamp: RTPTimestamp(0x0102_0304),
    ssrc: SSRC(0xCAFE_BABE), payload: [1, 2, 3])

  @Test("RFC 3550 §5.1: fixed header") func fixedHeader() throws {
    let bytes = WireFixture.bytes("80 E0 1234 01020304 CAFEBABE 010203")
    #expect(try RTPPacket(parsing: bytes) == plain)
    #expect(plain.serialized() == bytes)
  }

  @Test("RFC 3550 §5.1: contributing sources and padding") func sourcesAndPadding() throws {
    var packet = plain
    packet.contributingSources = [SSRC(7), SSRC(8)]
    packet.paddingLength = 4
    let bytes = WireFixture.bytes("A2 E0 1234 01020304 CAFEBABE 00000007 00000008 010203 00000004")
    #expect(packet.serialized() == bytes)
    #expect(try RTPPacket(parsing: bytes) == packet)
  }

  @Test("a packet of padding only has an empty payload") func paddingOnly() throws {
    let packet = try RTPPacket(parsing: WireFixture.bytes("A0 60 0001 00000000 00000001 000003"))
    #expect(packet.payload.isEmpty)
    #expect(packet.paddingLength == 3)
  }

  @Test("RFC 8285 §4.2: one-byte form") func oneByteExtensions() throws {
    var packet = plain
    packet.extensions = [.init(id: 1, data: [0xAA]), .init(id: 14, data: Array(0..<16))]
    let bytes = WireFixture.bytes(
      "90 E0 1234 01020304 CAFEBABE BEDE0005 10AA EF 000102030405060708090A0B0C0D0E0F 00 010203")
    #expect(packet.serialized() == bytes)
    #expect(try RTPPacket(parsing: bytes) == packet)
    #expect(packet.extensionData(1) == [0xAA])
    #expect(packet.extensionData(2) == nil)
  }

  @Test("RFC 8285 §4.2: padding between elements, and id 15 ends the list") func oneBytePaddingAndStop() throws {
    let bytes = WireFixture.bytes("90 60 0001 00000000 00000001 BEDE0002 00 10AA 00 F0FF 30BB 77")
    let packet = try RTPPacket(parsing: bytes)
    #expect(packet.extensions == [.init(id: 1, data: [0xAA])])
    #expect(packet.payload == [0x77])
  }

  @Test(
    "RFC 8285 §4.3: two-byte form, for long, empty or high elements",
    arguments: [
      RTPPacket.Extension(id: 3, data: []), .init(id: 15, data: [1]), .init(id: 255, data: [1, 2]),
      .init(id: 2, data: Array(repeating: 9, count: 17)), .init(id: 2, data: Array(repeating: 9, count: 255)),
    ]) func twoByteExtensions(element: RTPPacket.Extension) throws
  {
    var packet = plain
    packet.extensions = [.init(id: 1, data: [5]), element]
    let bytes = packet.serialized()
    #expect(Array(bytes[12..<14]) == [0x10, 0x00])
    #expect(try RTPPacket(parsing: bytes) == packet)
  }

  @Test("RFC 8285 §4.3: the application bits of the two-byte form do not matter") func twoByteApplicationBits() throws {
    let packet = try RTPPacket(parsing: WireFixture.bytes("90 60 0001 00000000 00000001 100F0001 01 01 AA 00"))
    #expect(packet.extensions == [.init(id: 1, data: [0xAA])])
  }

  @Test("a header extension of another profile is skipped") func foreignExtension() throws {
    let packet = try RTPPacket(parsing: WireFixture.bytes("90 60 0001 00000000 00000001 ABCD0001 10AABBCC 55"))
    #expect(packet.extensions.isEmpty)
    #expect(packet.payload == [0x55])
  }

  @Test("elements without a form are left out") func unwritableElements() throws {
    var packet = plain
    packet.extensions = [.init(id: 0, data: [1]), .init(id: 1, data: Array(repeating: 0, count: 256))]
    #expect(packet.serialized() == plain.serialized())
  }

  @Test(
    "malformed packets",
    arguments: [
      ("", WireError.truncated(at: 0)), ("40 60 0001 00000000 00000001", .badVersion(1)),
      ("80 60 0001 00000000 000001", .truncated(at: 8)), ("81 60 0001 00000000 00000001", .truncated(at: 12)),
      ("90 60 0001 00000000 00000001 BEDE", .truncated(at: 14)),
      ("90 60 0001 00000000 00000001 BEDE0002 10AA0000", .truncated(at: 20)),
      ("90 60 0001 00000000 00000001 BEDE0001 13AABBCC", .truncated(at: 20)),
      ("90 60 0001 00000000 00000001 10000001 0104AABB", .truncated(at: 20)),
      ("A0 60 0001 00000000 00000001", .truncated(at: 12)), ("A0 60 0001 00000000 00000001 00", .invalid("padding")),
      ("A0 60 0001 00000000 00000001 0003", .invalid("padding")),
    ] as [(String, WireError)]) func malformed(hexadecimal: String, error: WireError)
  {
    #expect(throws: error) { try RTPPacket(parsing: WireFixture.bytes(hexadecimal)) }
  }
}
