import RTCCore
import Testing

@testable import Transport

@Suite struct SRTPSessionTests {
  /// Two sessions with each other's keys.
  static func pair(_ profile: SRTPProfile) throws -> (SRTPKeys, SRTPKeys) {
    let length = profile.keyLength + profile.saltLength
    let (one, other) = (Randomness.bytes(length), Randomness.bytes(length))
    return (
      SRTPKeys(profile: profile, outbound: one, inbound: other),
      SRTPKeys(profile: profile, outbound: other, inbound: one)
    )
  }

  static func protect(_ packet: [UInt8], isRTCP: Bool = false, _ session: inout SRTPSession) -> [UInt8]? {
    var buffer = packet + [UInt8](repeating: 0, count: SRTPSession.maximumTrailer)
    let length = buffer.withUnsafeMutableBytes {
      isRTCP
        ? session.protectRTCP($0, length: packet.count) : session.protectRTP($0, length: packet.count)
    }
    return length.map { Array(buffer[..<$0]) }
  }

  static func unprotect(
    _ packet: [UInt8], isRTCP: Bool = false, _ session: inout SRTPSession
  ) -> Result<[UInt8], DropError> {
    var buffer = packet
    let result = buffer.withUnsafeMutableBytes { isRTCP ? session.unprotectRTCP($0) : session.unprotectRTP($0) }
    return result.map { Array(buffer[..<$0]) }
  }

  @Test(arguments: SRTPProfile.allCases) func packetsComeOutAsTheyWentIn(profile: SRTPProfile) throws {
    let keys = try Self.pair(profile)
    var sender = try SRTPSession(keys: keys.0)
    var receiver = try SRTPSession(keys: keys.1)
    for ssrc: UInt32 in [1, 2, 0xFFFF_FFFF] {
      let packet = rtpPacket(65_535, ssrc: ssrc)
      let protected = try #require(Self.protect(packet, &sender))
      #expect(protected.count > packet.count)
      #expect(protected[12...] != packet[12...])
      #expect(Self.unprotect(protected, &receiver) == .success(packet))
    }
    let protected = try #require(Self.protect(rtcpPacket, isRTCP: true, &sender))
    #expect(Self.unprotect(protected, isRTCP: true, &receiver) == .success(rtcpPacket))
  }

  @Test(arguments: SRTPProfile.allCases) func everyChangedByteIsNoticed(profile: SRTPProfile) throws {
    let keys = try Self.pair(profile)
    var sender = try SRTPSession(keys: keys.0)
    var receiver = try SRTPSession(keys: keys.1)
    let protected = try #require(Self.protect(rtpPacket(1, size: 40), &sender))
    for index in protected.indices {
      var changed = protected
      changed[index] ^= 0x01
      guard case .failure = Self.unprotect(changed, &receiver) else {
        #expect(Bool(false), "a change of byte \(index) passed")
        continue
      }
    }
    // A changed payload is told apart from a malformed header.
    var changed = protected
    changed[20] ^= 0x80
    #expect(Self.unprotect(changed, &receiver) == .failure(DropError(.unauthenticated)))
    #expect(Self.unprotect(protected, &receiver) == .success(rtpPacket(1, size: 40)))
  }

  @Test("RFC 3711 §3.3.2", arguments: SRTPProfile.allCases) func aReplayIsRefused(profile: SRTPProfile) throws {
    let keys = try Self.pair(profile)
    var sender = try SRTPSession(keys: keys.0)
    var receiver = try SRTPSession(keys: keys.1)
    let protected = try #require(Self.protect(rtpPacket(1), &sender))
    #expect(Self.unprotect(protected, &receiver) == .success(rtpPacket(1)))
    #expect(Self.unprotect(protected, &receiver) == .failure(DropError(.replayed)))
  }

  @Test func aRetransmissionOfAnOldPacketStillPasses() throws {
    let keys = try Self.pair(.aes128GCM)
    var sender = try SRTPSession(keys: keys.0)
    var receiver = try SRTPSession(keys: keys.1)
    let lost = try #require(Self.protect(rtpPacket(100), &sender))
    for sequence: UInt16 in 101...1500 {
      let protected = try #require(Self.protect(rtpPacket(sequence, size: 20), &sender))
      #expect(Self.unprotect(protected, &receiver) == .success(rtpPacket(sequence, size: 20)))
    }
    // The same packet may be protected again, and gives the same bytes.
    #expect(Self.protect(rtpPacket(100), &sender) == lost)
    #expect(Self.unprotect(lost, &receiver) == .success(rtpPacket(100)))
  }

  @Test(arguments: SRTPProfile.allCases) func everyTruncationIsRefused(profile: SRTPProfile) throws {
    let keys = try Self.pair(profile)
    var sender = try SRTPSession(keys: keys.0)
    var receiver = try SRTPSession(keys: keys.1)
    for isRTCP in [false, true] {
      let packet = isRTCP ? rtcpPacket : rtpPacket(1, size: 30)
      let protected = try #require(Self.protect(packet, isRTCP: isRTCP, &sender))
      for length in 0..<protected.count {
        guard case .failure = Self.unprotect(Array(protected[..<length]), isRTCP: isRTCP, &receiver) else {
          #expect(Bool(false), "\(length) bytes passed")
          continue
        }
      }
    }
  }

  @Test func aPeerCannotMakeUpStreamsWithoutEnd() throws {
    let keys = try Self.pair(.aes128GCM)
    var sender = try SRTPSession(keys: keys.0)
    var receiver = try SRTPSession(keys: keys.1)
    let limit = UInt32(SRTPSession.maximumInboundStreams)
    for ssrc in 1...limit {
      let protected = try #require(Self.protect(rtpPacket(1, ssrc: ssrc, size: 4), &sender))
      guard case .success = Self.unprotect(protected, &receiver) else { return #expect(Bool(false), "refused \(ssrc)") }
    }
    let protected = try #require(Self.protect(rtpPacket(1, ssrc: limit + 1, size: 4), &sender))
    #expect(Self.unprotect(protected, &receiver) == .failure(DropError(.unknownSSRC)))
  }

  @Test func whatIsNoPacketCannotBeSent() throws {
    var sender = try SRTPSession(keys: try Self.pair(.aes128GCM).0)
    #expect(Self.protect([], &sender) == nil)
    #expect(Self.protect([0x80, 96, 0], &sender) == nil)
    #expect(Self.protect([0x80], isRTCP: true, &sender) == nil)
  }
}
