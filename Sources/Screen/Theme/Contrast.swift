/// How well two colours are told apart, by WCAG 2.2.
public enum Contrast {
  /// 1 for the same colour … 21 for black on white. Both are 0xRRGGBB. See WCAG 2.2, “contrast ratio”.
  public static func ratio(_ left: UInt32, _ right: UInt32) -> Double {
    let (left, right) = (luminance(left), luminance(right))
    return (max(left, right) + 0.05) / (min(left, right) + 0.05)
  }

  /// Relative luminance of an sRGB colour, 0…1. See WCAG 2.2, “relative luminance”.
  static func luminance(_ rgb: UInt32) -> Double {
    func linear(_ shift: UInt32) -> Double {
      let value = Double(rgb >> shift & 0xFF) / 255
      return value <= 0.04045 ? value / 12.92 : power2point4((value + 0.055) / 1.055)
    }
    return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0)
  }

  /// `value` to the 2.4, for 0.09…1: the fifth root of its twelfth power, by Newton's rule, as the standard library has
  /// no powers.
  private static func power2point4(_ value: Double) -> Double {
    let square = value * value
    let fourth = square * square
    let power = fourth * fourth * fourth
    var root = square
    // Beginning this near it is exact after six steps.
    for _ in 0..<8 {
      let cube = root * root * root
      root -= (cube * root * root - power) / (5 * cube * root)
    }
    return root
  }
}
