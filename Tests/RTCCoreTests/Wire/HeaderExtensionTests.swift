import RTCCore
import Testing

@Suite struct HeaderExtensionTests {
  @Test("mid and rid text, with the zero bytes of fixed-size writers") func text() {
    #expect(HeaderExtension.text(from: Array("hi".utf8)) == "hi")
    #expect(HeaderExtension.text(from: [0x30, 0, 0]) == "0")
    #expect(HeaderExtension.data(text: "rid-1") == Array("rid-1".utf8))
  }

  @Test(
    "text that is no identifier",
    arguments: [[], [0], [0x20], [0x41, 0x0A], [0x1B, 0x5B], [0x41, 0, 0x42], [0xC3, 0xA9]])
  func badText(data: [UInt8]) { #expect(HeaderExtension.text(from: data) == nil) }

  @Test("RFC 6464 §3: voice flag and level") func audioLevel() {
    #expect(AudioLevel(data: [0x80 | 35]) == AudioLevel(isVoice: true, negativeDecibels: 35))
    #expect(AudioLevel(data: [127, 0]) == AudioLevel(isVoice: false, negativeDecibels: 127))
    #expect(AudioLevel(data: []) == nil)
    #expect(AudioLevel(isVoice: true, negativeDecibels: 200).data == [0xFF])
  }

  @Test("transport-wide sequence number") func transportSequence() {
    #expect(HeaderExtension.transportSequence(from: [0x12, 0x34]) == 0x1234)
    #expect(HeaderExtension.transportSequence(from: [0x12, 0x34, 0, 1]) == 0x1234)
    #expect(HeaderExtension.transportSequence(from: [0x12]) == nil)
    #expect(HeaderExtension.data(transportSequence: 0xFFFE) == [0xFF, 0xFE])
  }

  @Test("send time in 6.18 fixed point, which wraps at 64 s") func absoluteSendTime() {
    #expect(AbsoluteSendTime(.zero + .milliseconds(1500)).raw == 0x06_0000)
    #expect(AbsoluteSendTime(.zero + .seconds(64 + 1)).raw == 0x04_0000)
    #expect(AbsoluteSendTime(data: [0x06, 0, 1]) == AbsoluteSendTime(raw: 0x06_0001))
    #expect(AbsoluteSendTime(raw: 0x06_0001).data == [0x06, 0, 1])
    #expect(AbsoluteSendTime(data: [1, 2]) == nil)
    let before = AbsoluteSendTime(.zero + .seconds(63))
    let after = AbsoluteSendTime(.zero + .seconds(65))
    #expect(after.elapsed(since: before) == .seconds(2))
    #expect(before.elapsed(since: after) == .seconds(-2))
  }

  @Test("the URIs that LiveKit negotiates") func uris() {
    #expect(HeaderExtension.mid.uri == "urn:ietf:params:rtp-hdrext:sdes:mid")
    #expect(HeaderExtension(rawValue: "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id") == .repairedRID)
    #expect(Set(HeaderExtension.allCases.map(\.uri)).count == HeaderExtension.allCases.count)
  }

  @Test("RFC 7983 §7 and RFC 5761 §4: demultiplexing by the first bytes") func packetKind() {
    for first in UInt8.min...UInt8.max {
      let expected: PacketKind? =
        switch first {
        case 0...3: .stun
        case 20...63: .dtls
        case 64...79: .turnChannel
        case 128...191: .rtp
        default: nil
        }
      #expect(PacketKind.classify([first, 96]) == expected)
    }
    for second in UInt8.min...UInt8.max {
      #expect(PacketKind.classify([0x80, second]) == ((192...223).contains(second) ? .rtcp : .rtp))
    }
    #expect(PacketKind.classify([]) == nil)
    #expect(PacketKind.classify([0x80]) == nil)
  }
}
