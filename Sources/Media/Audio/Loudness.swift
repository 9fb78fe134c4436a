import Glibc

/// Loudness of samples in the unit of the audio-level header extension.
public enum Loudness {
  /// Level in −dBov of the samples' root mean square: 0 is the loudest, 127 silence (RFC 6464 §3).
  public static func decibels(of samples: [Int16]) -> UInt8 {
    guard !samples.isEmpty else { return 127 }
    var sum: Int64 = 0
    for sample in samples { sum += Int64(sample) * Int64(sample) }
    return decibels(meanSquare: Double(sum) / Double(samples.count) / (32_768 * 32_768))
  }

  private static func decibels(meanSquare: Double) -> UInt8 {
    guard meanSquare > 0 else { return 127 }
    return UInt8(min(127, max(0, (-10 * log10(meanSquare)).rounded())))
  }
}
