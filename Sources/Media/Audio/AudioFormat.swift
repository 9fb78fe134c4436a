/// The one sample format inside the program: 48 kHz, as Opus decodes to it (RFC 7587 §4.1).
public enum AudioFormat {
  /// Samples a second and channel.
  public static let sampleRate = 48_000
  /// Samples a channel in 20 ms, the packet length that conferences use.
  public static let frameSamples = 960
  /// The playback side is stereo, interleaved left, right.
  public static let playbackChannels = 2
}
