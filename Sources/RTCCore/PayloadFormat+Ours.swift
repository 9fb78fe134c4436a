extension PayloadFormat {
  /// The numbers that browsers give these codecs, which some servers expect.
  public static let opusType: UInt8 = 111
  public static let vp8Type: UInt8 = 96
  public static let vp8RepairType: UInt8 = 97

  /// Opus as we offer it (RFC 7587 §6.1). In stereo some servers send only to whom asks for that.
  public static func opus(stereo: Bool = false, feedback: [String]) -> PayloadFormat {
    PayloadFormat(
      payloadType: opusType, encodingName: "opus", clockRate: ClockRate.opus, channels: 2,
      parameters: stereo ? "minptime=10;stereo=1;useinbandfec=1" : "minptime=10;useinbandfec=1", feedback: feedback)
  }

  /// VP8 as we offer it, and its retransmissions (RFC 7741 §6, RFC 4588 §8).
  public static func vp8(feedback: [String]) -> [PayloadFormat] {
    [
      PayloadFormat(
        payloadType: vp8Type, encodingName: "VP8", clockRate: ClockRate.video, feedback: feedback),
      PayloadFormat(
        payloadType: vp8RepairType, encodingName: "rtx", clockRate: ClockRate.video, parameters: "apt=\(vp8Type)"),
    ]
  }
}
