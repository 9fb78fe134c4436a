import Foundation

/// Voice from a WAV file: PCM of 8, 16, 24 or 32 bits or 32-bit float, any rate and channel count, mixed to mono.
public struct WAVSource: AudioSource {
  private var samples: [Int16]
  private var position = 0
  private let loops: Bool

  /// Reads the whole file, which is checked and resampled to 48 kHz here.
  public init(path: String, loops: Bool = false) throws(MediaError) {
    let bytes = try FileBytes.read(path)
    let sound = try Self.parse(bytes, path: path)
    samples = try Resampler.resample(sound.samples, from: sound.rate, to: AudioFormat.sampleRate)
    self.loops = loops
    if samples.isEmpty { throw MediaError(.unreadableFile, "\(path) holds no sound.") }
  }

  public mutating func next() throws(MediaError) -> AudioSourceBlock? {
    if position >= samples.count {
      guard loops else { return nil }
      position = 0
    }
    var block = Array(samples[position..<min(samples.count, position + AudioFormat.frameSamples)])
    position += AudioFormat.frameSamples
    block.append(contentsOf: repeatElement(0, count: AudioFormat.frameSamples - block.count))
    return .samples(block)
  }

  /// Mono samples and their rate, of a RIFF/WAVE file.
  static func parse(_ bytes: [UInt8], path: String) throws(MediaError) -> (samples: [Int16], rate: Int) {
    let broken = MediaError(.unreadableFile, "\(path) is not a WAV file that can be read; convert it to 16-bit PCM.")
    func number(_ offset: Int, _ size: Int) throws(MediaError) -> Int {
      guard offset >= 0, offset + size <= bytes.count else { throw broken }
      return (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    guard bytes.count >= 12, bytes[0..<4].elementsEqual("RIFF".utf8), bytes[8..<12].elementsEqual("WAVE".utf8) else {
      throw broken
    }
    var format: (tag: Int, channels: Int, rate: Int, bits: Int)?
    var offset = 12
    while offset + 8 <= bytes.count {
      let name = bytes[offset..<(offset + 4)]
      // Files written through a pipe carry a length that was never filled in.
      let size = min(try number(offset + 4, 4), bytes.count - offset - 8)
      let body = offset + 8
      if name.elementsEqual("fmt ".utf8) {
        var tag = try number(body, 2)
        // WAVE_FORMAT_EXTENSIBLE names the real format in its sub-format GUID.
        if tag == 0xFFFE { tag = try number(body + 24, 2) }
        format = (tag, try number(body + 2, 2), try number(body + 4, 4), try number(body + 14, 2))
      } else if name.elementsEqual("data".utf8) {
        guard let format else { throw broken }
        return (try monoSamples(Array(bytes[body..<(body + size)]), format: format, path: path), format.rate)
      }
      offset = body + size + (size & 1)
    }
    throw broken
  }

  private static func monoSamples(
    _ data: [UInt8], format: (tag: Int, channels: Int, rate: Int, bits: Int), path: String
  ) throws(MediaError) -> [Int16] {
    let width = format.bits / 8
    let isFloat = format.tag == 3 && format.bits == 32
    guard isFloat || (format.tag == 1 && [8, 16, 24, 32].contains(format.bits)) else {
      throw MediaError(
        .unsupportedFormat,
        "\(path) is a WAV file of format \(format.tag) with \(format.bits) bits; 8 to 32-bit PCM and 32-bit float can be read."
      )
    }
    guard (1...32).contains(format.channels), (1_000...384_000).contains(format.rate) else {
      throw MediaError(.unsupportedFormat, "\(path) claims \(format.channels) channels at \(format.rate) Hz.")
    }
    let stride = width * format.channels
    var mono: [Int16] = []
    mono.reserveCapacity(data.count / stride)
    for frame in 0..<(data.count / stride) {
      var sum = 0
      for channel in 0..<format.channels {
        let at = frame * stride + channel * width
        var raw: UInt32 = 0
        for byte in 0..<width { raw |= UInt32(data[at + byte]) << (8 * byte) }
        switch format.bits {
        case 8: sum += (Int(raw) - 128) << 8
        case 16: sum += Int(Int16(truncatingIfNeeded: raw))
        case 24: sum += Int(Int32(bitPattern: raw << 8)) >> 16
        default:
          if isFloat {
            let value = Float(bitPattern: raw)
            sum += value.isFinite ? Int(max(-1, min(1, value)) * 32_767) : 0
          } else {
            sum += Int(Int32(bitPattern: raw)) >> 16
          }
        }
      }
      mono.append(Int16(clamping: sum / format.channels))
    }
    return mono
  }
}
