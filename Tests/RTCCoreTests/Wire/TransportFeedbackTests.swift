import RTCCore
import TestKit
import Testing

/// draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1.
@Suite struct TransportFeedbackTests {
  private func feedback(_ offsets: [Int?], base: UInt16 = 0) -> TransportFeedback {
    TransportFeedback(
      sender: SSRC(1), media: SSRC(2), referenceTime: 3, feedbackCount: 4,
      arrivals: offsets.enumerated().map { .init(sequence: base &+ UInt16($0), offset: $1) })
  }

  private func read(_ bytes: [UInt8]) throws -> TransportFeedback {
    guard case .transportFeedback(let feedback)? = try RTCPPacket.parseCompound(bytes).first else {
      throw WireError.invalid("kind")
    }
    return feedback
  }

  @Test("a captured packet: run length, small delta, RTCP padding") func captured() throws {
    let bytes = WireFixture.bytes("AF CD 0005 FA17FA17 43032FA0 0099 0001 3DE802 17 2001 94 01")
    #expect(
      try read(bytes)
        == TransportFeedback(
          sender: SSRC(0xFA17_FA17), media: SSRC(0x4303_2FA0), referenceTime: 0x3DE802, feedbackCount: 0x17,
          arrivals: [.init(sequence: 153, offset: 148)]))
  }

  @Test("one-bit vector") func oneBitVector() throws {
    let bytes = WireFixture.bytes("8F CD 0005 00000001 00000002 0010 0005 FFFFFF 04 A900 01 02")
    let read = try read(bytes)
    // Bits 1 0 1 0 0 1 0…: of the five statuses the first and third arrived.
    #expect(read.arrivals.map(\.offset) == [1, nil, 3, nil, nil])
    #expect(read.arrivals.map(\.sequence) == [16, 17, 18, 19, 20])
    #expect(read.referenceTime == -1)
  }

  @Test("two-bit vector with small and large deltas") func twoBitVector() throws {
    // Symbols 1 2 0 2 1 0 0.
    let bytes = WireFixture.bytes("8F CD 0006 00000001 00000002 FFFF 0006 000001 04 D890 05 FFFE 7FFF 0A")
    #expect(try read(bytes).arrivals.map(\.offset) == [5, 3, nil, 3 + 32_767, 3 + 32_767 + 10, nil])
    #expect(try read(bytes).arrivals.map(\.sequence) == [65_535, 0, 1, 2, 3, 4])
  }

  @Test(
    "each chunk kind is chosen where it is the shortest",
    arguments: [
      (Array(repeating: 0, count: 100), 1), (Array(repeating: Int?.none, count: 8191), 1),
      (Array(repeating: Int?.none, count: 8192), 2),
      ((0..<14).map { $0 % 2 == 0 ? 0 : nil }, 1), ((0..<15).map { $0 % 2 == 0 ? 0 : nil }, 2),
      ((0..<7).map { $0 % 2 == 0 ? $0 * 1000 : nil }, 1),
    ] as [([Int?], Int)]) func chunkChoice(offsets: [Int?], chunks: Int) throws
  {
    let feedback = feedback(offsets)
    let bytes = RTCPPacket.serialize([.transportFeedback(feedback)])
    #expect(try read(bytes) == feedback)
    var time = 0
    var deltaBytes = 0
    for offset in offsets.compactMap({ $0 }) {
      deltaBytes += (0...255).contains(offset - time) ? 1 : 2
      time = offset
    }
    #expect(bytes.count == (20 + chunks * 2 + deltaBytes + 3) / 4 * 4)
  }

  @Test("any pattern reads back", arguments: UInt64(1)...40) func anyPattern(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var time = 0
    let lossInTen = Int.random(in: 0...9, using: &generator)
    let largeInTen = Int.random(in: 0...9, using: &generator)
    let offsets: [Int?] = (0..<Int.random(in: 1...400, using: &generator)).map { _ in
      if Int.random(in: 0..<10, using: &generator) < lossInTen { return nil }
      let isLarge = Int.random(in: 0..<10, using: &generator) < largeInTen
      time += isLarge ? Int.random(in: -32_768...32_767, using: &generator) : Int.random(in: 0...255, using: &generator)
      return time
    }
    let feedback = feedback(offsets, base: UInt16.random(in: .min ... .max, using: &generator))
    #expect(try read(RTCPPacket.serialize([.transportFeedback(feedback)])) == feedback)
  }

  @Test("a gap beyond 8 s is moved to that bound, and the next arrival is right again") func clampedGap() throws {
    let read = try read(RTCPPacket.serialize([.transportFeedback(feedback([0, 40_000, 40_001]))]))
    #expect(read.arrivals.map(\.offset) == [0, 32_767, 40_001])
  }

  @Test("feedback about nothing is not written") func empty() {
    #expect(RTCPPacket.serialize([.transportFeedback(feedback([]))]).isEmpty)
  }

  @Test(
    "malformed feedback",
    arguments: [
      ("8F CD 0004 00000001 00000002 0000 0000 000000 00", WireError.invalid("packet status count")),
      ("8F CD 0005 00000001 00000002 0000 0001 000000 00 6001 0000", .invalid("packet status symbol")),
      ("8F CD 0005 00000001 00000002 0000 0001 000000 00 F000 0000", .invalid("packet status symbol")),
      ("8F CD 0005 00000001 00000002 0000 0001 000000 00 2000 0000", .invalid("run length")),
      ("8F CD 0005 00000001 00000002 0000 0003 000000 00 2003 0101", .truncated(at: 20)),
      ("8F CD 0005 00000001 00000002 0000 0002 000000 00 4002 0101", .truncated(at: 20)),
      ("8F CD 0004 00000001 00000002 0000 0001 000000 00", .truncated(at: 16)),
    ] as [(String, WireError)]) func malformed(hexadecimal: String, error: WireError)
  {
    #expect(throws: error) { try RTCPPacket.parseCompound(WireFixture.bytes(hexadecimal)) }
  }

  @Test("a datagram of run lengths cannot make the memory explode") func hostileRunLengths() throws {
    // 36 bytes that claim 65 535 lost packets: once is allowed, a thousand times in one datagram is not.
    let chunks = String(repeating: "1FFF", count: 8) + "0007"
    let one = WireFixture.bytes("8F CD 0009 00000001 00000002 0000 FFFF 000000 00" + chunks + "0000")
    #expect(try read(one).arrivals.count == 65_535)
    #expect(throws: WireError.invalid("packet status count")) {
      try RTCPPacket.parseCompound(Array(repeatElement(one, count: 1000).joined()))
    }
  }
}
