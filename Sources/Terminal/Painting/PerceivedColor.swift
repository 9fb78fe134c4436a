internal import Glibc

/// A colour in Oklab (B. Ottosson, 2020), where distances are about as large as they look.
struct PerceivedColor {
  private let lightness: Float
  private let greenRed: Float
  private let blueYellow: Float

  /// From 0xRRGGBB.
  init(_ rgb: UInt32) {
    let red = Self.light[Int(rgb >> 16 & 255)]
    let green = Self.light[Int(rgb >> 8 & 255)]
    let blue = Self.light[Int(rgb & 255)]
    let long = cbrtf(0.41222147 * red + 0.53633254 * green + 0.05144599 * blue)
    let middle = cbrtf(0.2119035 * red + 0.6806995 * green + 0.10739696 * blue)
    let short = cbrtf(0.08830246 * red + 0.28171884 * green + 0.6299787 * blue)
    lightness = 0.21045426 * long + 0.7936178 * middle - 0.004072047 * short
    greenRed = 1.9779985 * long - 2.4285922 * middle + 0.4505937 * short
    blueYellow = 0.025904037 * long + 0.78277177 * middle - 0.80867577 * short
  }

  /// Light of each value of a channel, 0…1 (IEC 61966-2-1).
  private static let light: [Float] = (0..<256).map { value in
    let level = Float(value) / 255
    return level <= 0.04045 ? level / 12.92 : powf((level + 0.055) / 1.055, 2.4)
  }

  /// Hue against lightness. With coarse palettes a wrong hue is seen before a wrong lightness: faces turn green, grey
  /// walls pink.
  private static let hueWeight: Float = 2.5

  /// The square of the distance, in millionths of that of black and white.
  func distance(to other: PerceivedColor) -> Int {
    let lightness = lightness - other.lightness
    let greenRed = greenRed - other.greenRed
    let blueYellow = blueYellow - other.blueYellow
    return Int(
      1e6 * (lightness * lightness + Self.hueWeight * (greenRed * greenRed + blueYellow * blueYellow)))
  }
}
