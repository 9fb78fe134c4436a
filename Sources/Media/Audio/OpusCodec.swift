internal import COpus

/// Opus to interleaved stereo samples at 48 kHz, with loss concealment.
public struct OpusDecoder: ~Copyable {
  private let handle: OpaquePointer
  /// 120 ms, the longest that one packet may carry (RFC 6716 §3.1).
  private static let maximumSamples = 5_760

  public init() throws(MediaError) {
    var status: Int32 = 0
    guard
      let handle = opus_decoder_create(Int32(AudioFormat.sampleRate), Int32(AudioFormat.playbackChannels), &status)
    else {
      throw MediaError(.codecFailed, "The Opus decoder could not be made: \(Self.text(status)).")
    }
    self.handle = handle
  }

  deinit { opus_decoder_destroy(handle) }

  /// Decodes one packet. The result holds left and right in turn.
  public mutating func decode(_ packet: [UInt8]) throws(MediaError) -> [Int16] {
    try run(packet, samples: Self.maximumSamples, recoverPrevious: false)
  }

  /// Fills `samples` (a channel) for a packet that never came: from the redundancy in the packet after it where there
  /// is one (RFC 6716 §2.1.7), else by continuing the sound.
  public mutating func conceal(samples: Int, next: [UInt8]? = nil) throws(MediaError) -> [Int16] {
    if let next { return try run(next, samples: samples, recoverPrevious: true) }
    return try run([], samples: samples, recoverPrevious: false)
  }

  private mutating func run(
    _ packet: [UInt8], samples: Int, recoverPrevious: Bool
  ) throws(MediaError) -> [Int16] {
    var status: Int32 = 0
    let decoder = handle
    let channels = AudioFormat.playbackChannels
    let pcm = [Int16](unsafeUninitializedCapacity: samples * channels) { buffer, count in
      guard let output = buffer.baseAddress else { return }
      status = packet.withUnsafeBufferPointer { bytes in
        opus_decode(
          decoder, bytes.isEmpty ? nil : bytes.baseAddress, Int32(bytes.count), output, Int32(samples),
          recoverPrevious ? 1 : 0)
      }
      count = max(0, Int(status)) * channels
    }
    guard status >= 0 else {
      throw MediaError(.codecFailed, "An Opus packet could not be decoded: \(Self.text(status)).")
    }
    return pcm
  }

  static func text(_ status: Int32) -> String { String(cString: opus_strerror(status)) }
}

/// Mono samples at 48 kHz to Opus packets of 20 ms.
public struct OpusEncoder: ~Copyable {
  private let handle: OpaquePointer
  /// The most that one 20 ms packet takes at any bit rate (RFC 6716 §3.4).
  private static let maximumPacket = 1_275

  /// - Parameter bitrate: bits a second, 6 000…510 000.
  public init(bitrate: Int = 32_000) throws(MediaError) {
    guard (6_000...510_000).contains(bitrate) else {
      throw MediaError(.invalidConfiguration, "Opus takes 6000 to 510000 bit/s, not \(bitrate).")
    }
    var status: Int32 = 0
    guard let handle = opus_encoder_create(Int32(AudioFormat.sampleRate), 1, OPUS_APPLICATION_VOIP, &status) else {
      throw MediaError(.codecFailed, "The Opus encoder could not be made: \(OpusDecoder.text(status)).")
    }
    self.handle = handle
    _ = confab_opus_set_bitrate(handle, Int32(bitrate))
    // Half the default effort: voice sounds the same and several publishers fit on one core.
    _ = confab_opus_set_complexity(handle, 5)
    _ = confab_opus_set_inband_fec(handle, 1)
    _ = confab_opus_set_expected_loss(handle, 5)
  }

  deinit { opus_encoder_destroy(handle) }

  /// Encodes exactly ``AudioFormat/frameSamples`` samples.
  public mutating func encode(_ samples: [Int16]) throws(MediaError) -> [UInt8] {
    guard samples.count == AudioFormat.frameSamples else {
      throw MediaError(
        .invalidConfiguration, "One packet takes \(AudioFormat.frameSamples) samples, not \(samples.count).")
    }
    var status: Int32 = 0
    let encoder = handle
    let packet = [UInt8](unsafeUninitializedCapacity: Self.maximumPacket) { buffer, count in
      guard let output = buffer.baseAddress else { return }
      status = opus_encode(encoder, samples, Int32(AudioFormat.frameSamples), output, Int32(Self.maximumPacket))
      count = max(0, Int(status))
    }
    guard status >= 0 else {
      throw MediaError(.codecFailed, "Sound could not be encoded: \(OpusDecoder.text(status)).")
    }
    return packet
  }
}
