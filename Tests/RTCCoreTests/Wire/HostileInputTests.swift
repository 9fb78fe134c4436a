import RTCCore
import TestKit
import Testing

/// Bytes that no honest peer sends: whatever comes, a parser returns or throws, and what it returns can be written.
@Suite struct HostileInputTests {
  private func feed(_ bytes: [UInt8]) {
    _ = PacketKind.classify(bytes)
    if let packet = try? RTPPacket(parsing: bytes) {
      #expect(packet.payload.count + Int(packet.paddingLength) <= bytes.count)
      var offset = 0
      let descriptor = try? VP8PayloadDescriptor(parsing: packet.payload, at: &offset)
      _ = descriptor?.startsKeyFrame(packet.payload, at: offset)
    }
    if let packets = try? RTCPPacket.parseCompound(bytes) { _ = RTCPPacket.serialize(packets) }
    if let message = try? STUNMessage(parsing: bytes) {
      _ = message.serialized(integrityKey: [1], mac: ReferenceHMAC.sha1)
    }
    _ = try? VP8FrameHeader(parsing: bytes)
    _ = OpusPacket.sampleCount(bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    _ = IPAddress(text)
    _ = try? ICECandidate(parsing: text)
    _ = try? SessionDescription(parsing: text)
  }

  @Test("random bytes", arguments: UInt64(1)...8) func randomBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<80 {
      var bytes = WireFixture.randomBytes(Int.random(in: 0...200, using: &generator), &generator)
      feed(bytes)
      // The same again behind a head that gets further into each parser.
      let payloadTypes: [UInt8] = [200, 201, 202, 203, 205, 206]
      for payloadType in payloadTypes {
        for format: UInt8 in [1, 4, 15, 31] {
          let words = (bytes.count + 3) / 4
          let padded = bytes + Array(repeating: 0, count: words * 4 - bytes.count)
          feed([0x80 | format, payloadType, 0, UInt8(words)] + padded)
        }
      }
      bytes = bytes.count % 4 == 0 ? bytes : Array(bytes.dropLast(bytes.count % 4))
      feed([0, 1, 0, UInt8(bytes.count), 0x21, 0x12, 0xA4, 0x42] + STUNMessageTests.transactionID + bytes)
    }
  }

  @Test("good messages with bytes changed", arguments: UInt64(1)...8) func mutations(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let seeds = RTCPPacketTests.packets.map { RTCPPacket.serialize([$0]) } + [STUNMessageTests.request, Self.rtp]
    for original in seeds {
      for _ in 0..<30 {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8(truncatingIfNeeded: generator.next())
        }
        feed(bytes)
      }
    }
  }

  private static let rtp = RTPPacket(
    payloadType: 96, sequenceNumber: SequenceNumber(1), timestamp: RTPTimestamp(2), ssrc: SSRC(3),
    contributingSources: [SSRC(4)], extensions: [.init(id: 1, data: [1, 2, 3]), .init(id: 2, data: [4])],
    payload: [0x90, 0xE0, 0x92, 0x34, 5, 0x65, 0x50, 0x42, 0], paddingLength: 3
  ).serialized()

  @Test("RTP cut at each length: the header throws, a cut payload is another packet or bad padding") func truncatedRTP()
  {
    for length in 0..<Self.rtp.count {
      let cut = Array(Self.rtp[..<length])
      feed(cut)
      if length <= 12 + 4 + 4 + 8 { #expect(throws: WireError.self) { try RTPPacket(parsing: cut) } }
    }
  }

  @Test("RTCP cut at each length throws", arguments: RTCPPacketTests.packets) func truncatedRTCP(packet: RTCPPacket) {
    let bytes = RTCPPacket.serialize([packet])
    for length in bytes.indices {
      #expect(throws: WireError.self) { try RTCPPacket.parseCompound(Array(bytes[..<length])) }
      // The same bytes under a length field that fits: the body ends early instead.
      var fitted = Array(bytes[..<(length & ~3)])
      guard fitted.count >= 4 else { continue }
      fitted[2] = 0
      fitted[3] = UInt8(fitted.count / 4 - 1)
      feed(fitted)
    }
  }

  @Test("STUN cut at each length throws") func truncatedSTUN() {
    for length in STUNMessageTests.request.indices {
      let cut = Array(STUNMessageTests.request[..<length])
      #expect(throws: WireError.self) { try STUNMessage(parsing: cut) }
      var fitted = cut
      guard fitted.count >= 20 else { continue }
      fitted[2] = 0
      fitted[3] = UInt8(fitted.count - 20)
      feed(fitted)
    }
  }

  @Test(
    "descriptions cut at each length, and with bytes changed",
    arguments: [
      SDPFixture.chromeOffer, SDPFixture.liveKitOffer, SDPFixture.aiortcOffer,
    ]) func brokenDescriptions(text: String)
  {
    let bytes = Array(text.utf8)
    for length in stride(from: 0, to: bytes.count, by: 37) {
      if let description = try? SessionDescription(parsing: String(decoding: bytes[..<length], as: UTF8.self)) {
        #expect((try? SessionDescription(parsing: description.serialized())) == description)
      }
    }
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<60 {
      var changed = bytes
      for _ in 0..<3 {
        changed[Int.random(in: 0..<changed.count, using: &generator)] = UInt8(truncatingIfNeeded: generator.next())
      }
      if let description = try? SessionDescription(parsing: String(decoding: changed, as: UTF8.self)) {
        #expect((try? SessionDescription(parsing: description.serialized())) != nil)
      }
    }
  }
}
