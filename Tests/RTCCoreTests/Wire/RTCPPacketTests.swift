import RTCCore
import Testing

@Suite struct RTCPPacketTests {
  static let block = ReportBlock(
    ssrc: SSRC(0x0A0B_0C0D), fractionLost: 64, cumulativeLost: -2, extendedHighestSequence: 0x0001_FFFF, jitter: 90,
    lastSenderReport: 0x1122_3344, delaySinceLastSenderReport: 65_536)

  /// One of each kind, and lists of the lengths at which padding differs.
  static let packets: [RTCPPacket] = [
    .senderReport(
      SenderReport(
        ssrc: SSRC(1), ntpTime: NTPTime(raw: 0x0102_0304_0506_0708), rtpTimestamp: RTPTimestamp(9), packetCount: 10,
        octetCount: 11, reports: [block])),
    .receiverReport(ReceiverReport(ssrc: SSRC(2), reports: [])),
    .receiverReport(ReceiverReport(ssrc: SSRC(2), reports: [block, block])),
    .sourceDescription(
      SourceDescription(chunks: [
        .init(ssrc: SSRC(3), items: [(1, "PA_abc")]), .init(ssrc: SSRC(4), items: []),
        .init(ssrc: SSRC(5), items: [(1, "ä"), (2, "n")]), .init(ssrc: SSRC(6), items: [(1, "12")]),
      ])),
    .goodbye(Goodbye(sources: [SSRC(7), SSRC(8)])),
    .goodbye(Goodbye(sources: [SSRC(7)], reason: "camera malfunction")),
    .nack(
      GenericNACK(sender: SSRC(9), media: SSRC(10), lost: [65_534, 65_535, 0, 14, 15, 100].map { SequenceNumber($0) })),
    .pictureLossIndication(PictureLossIndication(sender: SSRC(11), media: SSRC(12))),
    .fullIntraRequest(
      FullIntraRequest(
        sender: SSRC(13), entries: [.init(ssrc: SSRC(14), sequence: 200), .init(ssrc: SSRC(15), sequence: 0)])),
    .transportFeedback(
      TransportFeedback(
        sender: SSRC(16), media: SSRC(17), referenceTime: -5, feedbackCount: 255,
        arrivals: [
          .init(sequence: 65_535, offset: 0), .init(sequence: 0, offset: nil), .init(sequence: 1, offset: 300),
        ])),
    .bitrateEstimate(BitrateEstimate(sender: SSRC(18), bitrate: 262_143, sources: [SSRC(19), SSRC(20)])),
  ]

  @Test("what is written reads back, alone", arguments: packets) func roundTrip(packet: RTCPPacket) throws {
    let bytes = RTCPPacket.serialize([packet])
    #expect(bytes.count % 4 == 0)
    #expect(try RTCPPacket.parseCompound(bytes) == [packet])
  }

  @Test("what is written reads back, as one compound") func compound() throws {
    #expect(try RTCPPacket.parseCompound(RTCPPacket.serialize(Self.packets)) == Self.packets)
  }

  @Test("RFC 3550 §6.4.1: sender report") func senderReport() throws {
    let bytes = WireFixture.bytes(
      """
      81 C8 000C 00000001 0102030405060708 00000009 0000000A 0000000B
      0A0B0C0D 40 FFFFFE 0001FFFF 0000005A 11223344 00010000
      """)
    #expect(RTCPPacket.serialize([Self.packets[0]]) == bytes)
    #expect(try RTCPPacket.parseCompound(bytes) == [Self.packets[0]])
  }

  @Test("RFC 3550 §6.4.3: a profile's extension behind the reports is skipped") func profileExtension() throws {
    let packets = try RTCPPacket.parseCompound(WireFixture.bytes("80 C9 0002 00000002 DEADBEEF"))
    #expect(packets == [.receiverReport(ReceiverReport(ssrc: SSRC(2), reports: []))])
  }

  @Test("RFC 3550 §6.5: items end with one to four zero bytes") func sourceDescriptionPadding() {
    func encoded(_ text: String) -> [UInt8] {
      let items: [(type: UInt8, text: String)] = [(1, text)]
      return RTCPPacket.serialize([
        .sourceDescription(SourceDescription(chunks: [.init(ssrc: SSRC(1), items: items)]))
      ])
    }
    #expect(encoded("a") == WireFixture.bytes("81 CA 0002 00000001 01 01 61 00"))
    #expect(encoded("ab") == WireFixture.bytes("81 CA 0003 00000001 01 02 6162 00000000"))
  }

  @Test("RFC 4585 §6.2.1: PID and BLP") func nackPacking() throws {
    let nack = RTCPPacket.nack(
      GenericNACK(sender: SSRC(1), media: SSRC(2), lost: [10, 11, 26, 27].map { SequenceNumber($0) }))
    let bytes = WireFixture.bytes("81 CD 0004 00000001 00000002 000A8001 001B0000")
    #expect(RTCPPacket.serialize([nack]) == bytes)
    #expect(try RTCPPacket.parseCompound(bytes) == [nack])
  }

  @Test("a long list of losses goes out in packets below the MTU") func longNACK() throws {
    let lost = (0..<600).map { SequenceNumber(UInt16($0 * 20)) }
    let packets = try RTCPPacket.parseCompound(
      RTCPPacket.serialize([.nack(GenericNACK(sender: SSRC(1), media: SSRC(2), lost: lost))]))
    let lists = packets.compactMap { if case .nack(let nack) = $0 { nack.lost } else { nil } }
    #expect(lists.map(\.count) == [256, 256, 88])
    #expect(lists.flatMap { $0 } == lost)
  }

  @Test("more than 31 reports go on in receiver reports") func manyReports() throws {
    let reports = (0..<70).map { index in
      var block = Self.block
      block.ssrc = SSRC(UInt32(index))
      return block
    }
    let report = SenderReport(
      ssrc: SSRC(1), ntpTime: NTPTime(raw: 2), rtpTimestamp: RTPTimestamp(3), packetCount: 4, octetCount: 5,
      reports: reports)
    let packets = try RTCPPacket.parseCompound(RTCPPacket.serialize([.senderReport(report)]))
    guard packets.count == 3, case .senderReport(let first) = packets[0], case .receiverReport(let second) = packets[1],
      case .receiverReport(let third) = packets[2]
    else { throw WireError.invalid("kinds") }
    #expect(first.reports + second.reports + third.reports == reports)
    #expect(second.ssrc == SSRC(1))
  }

  @Test("draft-alvestrand-rmcat-remb-03 §2.2: mantissa and exponent") func bitrateEstimate() throws {
    let bytes = WireFixture.bytes("8F CE 0005 00000001 00000000 52454D42 01 1A20DF 4874ED16")
    let estimate = RTCPPacket.bitrateEstimate(
      BitrateEstimate(sender: SSRC(1), bitrate: 8_927_168, sources: [SSRC(1_215_622_422)]))
    #expect(try RTCPPacket.parseCompound(bytes) == [estimate])
    // The writer's exponent is the smallest one, so it may differ from the sample's; the value must not.
    #expect(try RTCPPacket.parseCompound(RTCPPacket.serialize([estimate])) == [estimate])
  }

  @Test(
    "an estimate loses at most its low bits",
    arguments: [0, 1, 0x3_FFFF, 0x4_0000, 0x4_0001, 5_000_000_001, UInt64.max] as [UInt64])
  func bitratePrecision(bitrate: UInt64) throws {
    let packets = try RTCPPacket.parseCompound(
      RTCPPacket.serialize([.bitrateEstimate(BitrateEstimate(sender: SSRC(1), bitrate: bitrate, sources: []))]))
    guard case .bitrateEstimate(let read)? = packets.first else { throw WireError.invalid("kind") }
    #expect(read.bitrate <= bitrate)
    #expect(bitrate - read.bitrate <= bitrate >> 17)
  }

  @Test("a bitrate beyond 64 bits is malformed") func bitrateOverflow() {
    #expect(throws: WireError.invalid("BR Exp")) {
      try RTCPPacket.parseCompound(WireFixture.bytes("8F CE 0004 00000001 00000000 52454D42 00 FFFFFF"))
    }
  }

  @Test("padding is cut off wherever it stands") func padding() throws {
    let bytes = WireFixture.bytes("A1 CE 0003 00000001 00000002 00000004 A1 CE 0003 00000003 00000004 00000004")
    #expect(
      try RTCPPacket.parseCompound(bytes) == [
        .pictureLossIndication(PictureLossIndication(sender: SSRC(1), media: SSRC(2))),
        .pictureLossIndication(PictureLossIndication(sender: SSRC(3), media: SSRC(4))),
      ])
  }

  @Test(
    "kinds that are not known are named and skipped",
    arguments: [
      ("80 CC 0002 00000001 6E616D65", RTCPPacket.other(payloadType: 204, format: 0)),
      ("80 CF 0001 00000001", .other(payloadType: 207, format: 0)),
      ("83 CD 0002 00000001 00000002", .other(payloadType: 205, format: 3)),
      ("8F CE 0003 00000001 00000000 58585858", .other(payloadType: 206, format: 15)),
    ] as [(String, RTCPPacket)]) func unknown(hexadecimal: String, expected: RTCPPacket) throws
  {
    #expect(try RTCPPacket.parseCompound(WireFixture.bytes(hexadecimal)) == [expected])
    #expect(RTCPPacket.serialize([expected]).isEmpty)
  }

  @Test(
    "malformed packets",
    arguments: [
      ("", WireError.truncated(at: 0)), ("80 C9", .truncated(at: 2)), ("40 C9 0001 00000001", .badVersion(1)),
      ("80 C9 0002 00000001", .truncated(at: 8)), ("81 C9 0001 00000001", .truncated(at: 4)),
      ("80 C8 0001 00000001", .truncated(at: 4)), ("A0 C9 0001 00000000", .invalid("padding")),
      ("A0 C9 0001 00000005", .invalid("padding")), ("A0 C9 0000", .invalid("padding")),
      ("81 CA 0002 00000001 01 05 61 62", .truncated(at: 6)), ("81 CA 0001 00000001", .truncated(at: 4)),
      ("82 CB 0001 00000001", .truncated(at: 4)), ("81 CB 0002 00000001 04616263", .truncated(at: 5)),
      ("81 CD 0002 00000001 00000002", .truncated(at: 8)), ("81 CE 0001 00000001", .truncated(at: 4)),
      ("84 CE 0002 00000001 00000000", .truncated(at: 8)),
      ("8F CE 0004 00000001 00000000 52454D42 01000001", .truncated(at: 16)),
    ] as [(String, WireError)]) func malformed(hexadecimal: String, error: WireError)
  {
    #expect(throws: error) { try RTCPPacket.parseCompound(WireFixture.bytes(hexadecimal)) }
  }
}
