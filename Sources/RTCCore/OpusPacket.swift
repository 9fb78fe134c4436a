/// What an Opus packet says about itself without being decoded (RFC 6716 §3.1, §3.2).
public enum OpusPacket {
  /// Length of the packet's sound in samples at 48 kHz; nil when it is empty or longer than the 120 ms allowed.
  public static func sampleCount(_ packet: [UInt8]) -> Int? {
    guard let toc = packet.first else { return nil }
    let frames: Int
    switch toc & 3 {
    case 0: frames = 1
    case 1, 2: frames = 2
    default:
      guard packet.count > 1 else { return nil }
      frames = Int(packet[1] & 0x3F)
    }
    let samples = frames * samplesPerFrame(toc)
    return (1...5760).contains(samples) ? samples : nil
  }

  private static func samplesPerFrame(_ toc: UInt8) -> Int {
    let size = Int(toc >> 3 & 3)
    switch toc >> 3 {
    case 0..<12: return [480, 960, 1920, 2880][size]
    case 12..<16: return size & 1 == 0 ? 480 : 960
    default: return 120 << size
    }
  }
}
