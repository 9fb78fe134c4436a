/// What a datagram on a multiplexed WebRTC port is, by its first bytes (RFC 7983 §7, RFC 5761 §4).
public enum PacketKind: Hashable, Sendable {
  case stun
  case dtls
  /// TURN channel data.
  case turnChannel
  case rtp
  case rtcp

  /// The kind of a datagram, nil when it is none of these.
  public static func classify(_ datagram: [UInt8]) -> PacketKind? {
    guard let first = datagram.first else { return nil }
    return classify(first: first, second: datagram.count > 1 ? datagram[1] : nil)
  }

  /// The kind of a datagram that starts with these bytes. The second one tells RTCP from RTP.
  public static func classify(first: UInt8, second: UInt8?) -> PacketKind? {
    switch first {
    case 0...3: .stun
    case 20...63: .dtls
    case 64...79: .turnChannel
    case 128...191: second.map { (192...223).contains($0) ? .rtcp : .rtp }
    default: nil
    }
  }
}
