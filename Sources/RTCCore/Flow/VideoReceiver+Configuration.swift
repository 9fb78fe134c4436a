extension VideoReceiver {
  /// What was negotiated for the track, and how patient its receiver is.
  public struct Configuration: Sendable {
    public var ssrc: SSRC
    /// Source of retransmissions, nil without RTX.
    public var rtxSSRC: SSRC?
    /// Payload types of the media.
    public var payloadTypes: Set<UInt8>
    /// Payload type of retransmissions → payload type of what they repeat (`apt`).
    public var rtxPayloadTypes: [UInt8: UInt8]
    /// Whether the sender answers generic NACKs.
    public var supportsNACK: Bool
    /// Whether the sender answers picture loss indications.
    public var supportsPLI: Bool
    /// Sender SSRC of the feedback packets.
    public var localSSRC: SSRC
    /// When and how often lost packets are asked for.
    public var nack = NACKGenerator.Configuration()
    /// Longest wait for a missing packet when it cannot be asked for; only reordering can bring it then. Raising it
    /// survives deeper reordering and freezes longer on loss. Default 100 ms.
    public var reorderWindow: Duration = .milliseconds(100)
    /// Longest wait for a missing packet that is asked for; then its frame is given up. Raising it saves key frames on
    /// bad paths and freezes longer. Default 500 ms: five attempts on a path with a round trip of 80 ms.
    public var maximumFrameWait: Duration = .milliseconds(500)
    /// Largest compressed frame in bytes; larger ones are dropped as malformed. Default 4 MiB.
    public var maximumFrameBytes = 4 << 20
    /// Wait for any first packet before a key frame is asked for. Default 500 ms.
    public var initialKeyFrameWait: Duration = .milliseconds(500)
    /// First pause between requests for a key frame; doubles up to the maximum. Default 500 ms.
    public var keyFrameRequestInterval: Duration = .milliseconds(500)
    /// Longest pause between requests for a key frame. Default 1 s.
    public var maximumKeyFrameRequestInterval: Duration = .seconds(1)

    public init(
      ssrc: SSRC, rtxSSRC: SSRC? = nil, payloadTypes: Set<UInt8>, rtxPayloadTypes: [UInt8: UInt8] = [:],
      supportsNACK: Bool = true, supportsPLI: Bool = true, localSSRC: SSRC
    ) {
      self.ssrc = ssrc
      self.rtxSSRC = rtxSSRC
      self.payloadTypes = payloadTypes
      self.rtxPayloadTypes = rtxPayloadTypes
      self.supportsNACK = supportsNACK
      self.supportsPLI = supportsPLI
      self.localSSRC = localSSRC
    }
  }
}
