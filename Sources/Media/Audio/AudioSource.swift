import Glibc

/// Twenty milliseconds (or one packet) of what a publisher sends.
public enum AudioSourceBlock: Sendable, Equatable {
  /// ``AudioFormat/frameSamples`` mono samples, to be encoded.
  case samples([Int16])
  /// An Opus packet sent as it is, and the samples that it lasts.
  case packet([UInt8], samples: Int)
}

/// Something that can be published as a microphone.
public protocol AudioSource {
  /// The next block, or nil at the end.
  mutating func next() throws(MediaError) -> AudioSourceBlock?
}

/// A steady sine tone, by which tests recognise a participant.
public struct ToneSource: AudioSource {
  private let step: Double
  private let amplitude: Double
  private var phase = 0.0

  /// - Parameters:
  ///   - frequency: Hz, 20…20 000.
  ///   - amplitude: 0…1 of full scale.
  public init(frequency: Double = 440, amplitude: Double = 0.25) {
    step = 2 * Double.pi * min(20_000, max(20, frequency)) / Double(AudioFormat.sampleRate)
    self.amplitude = min(1, max(0, amplitude)) * 32_767
  }

  public mutating func next() -> AudioSourceBlock? {
    var samples: [Int16] = []
    samples.reserveCapacity(AudioFormat.frameSamples)
    for _ in 0..<AudioFormat.frameSamples {
      samples.append(Int16(sin(phase) * amplitude))
      phase += step
      if phase > 2 * Double.pi { phase -= 2 * Double.pi }
    }
    return .samples(samples)
  }
}

/// Opens sound files by what they hold, whatever their name.
public enum AudioFile {
  /// A WAV or an Ogg/Opus file.
  public static func open(_ path: String, loops: Bool = false) throws(MediaError) -> any AudioSource {
    let head = try FileBytes.read(path).prefix(4)
    if head.elementsEqual("RIFF".utf8) { return try WAVSource(path: path, loops: loops) }
    if head.elementsEqual("OggS".utf8) { return try OggOpusSource(path: path, loops: loops) }
    throw MediaError(
      .unsupportedFormat, "\(path) is neither WAV nor Ogg/Opus. Convert it with: ffmpeg -i \(path) out.wav")
  }
}
