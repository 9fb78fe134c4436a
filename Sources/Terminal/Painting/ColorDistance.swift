/// How far apart colours are, each 0xRRGGBB, and what two of them look like from afar.
enum ColorDistance {
  /// Largest difference of one channel, 0…255.
  static func channel(_ left: UInt32, _ right: UInt32) -> Int {
    let red = abs(Int(left >> 16 & 255) - Int(right >> 16 & 255))
    let green = abs(Int(left >> 8 & 255) - Int(right >> 8 & 255))
    let blue = abs(Int(left & 255) - Int(right & 255))
    return max(red, green, blue)
  }

  /// Sum of the squares of the channels' differences.
  static func squared(_ left: UInt32, _ right: UInt32) -> Int {
    let red = Int(left >> 16 & 255) - Int(right >> 16 & 255)
    let green = Int(left >> 8 & 255) - Int(right >> 8 & 255)
    let blue = Int(left & 255) - Int(right & 255)
    return red * red + green * green + blue * blue
  }

  /// The square of the difference that the eye sees, in millionths of that of black and white.
  static func perceived(_ left: UInt32, _ right: UInt32) -> Int {
    left == right ? 0 : PerceivedColor(left).distance(to: PerceivedColor(right))
  }

  /// The square of the difference in brightness, counted as ``squared(_:_:)`` counts that of two greys.
  static func brightness(_ left: UInt32, _ right: UInt32) -> Int {
    let difference = luma(left) - luma(right)
    return 3 * difference * difference
  }

  /// 0…255 (weights of ITU-R BT.601).
  static func luma(_ color: UInt32) -> Int {
    (Int(color >> 16 & 255) * 77 + Int(color >> 8 & 255) * 150 + Int(color & 255) * 29) >> 8
  }

  /// Two colours in dots too fine to be seen apart; `share` of ``InkGlyph/whole`` has the first. Light adds up, not its coding: the
  /// square of a channel is near enough to it.
  static func mix(_ first: UInt32, _ second: UInt32, share: UInt8) -> UInt32 {
    if first == second || share == 0 { return second }
    let share = UInt32(share)
    let whole = UInt32(InkGlyph.whole)
    func channel(_ shift: UInt32) -> UInt32 {
      let one = first >> shift & 255
      let other = second >> shift & 255
      return UInt32(roots[Int((one * one * share + other * other * (whole - share)) / (whole * 64))]) << shift
    }
    return channel(16) | channel(8) | channel(0)
  }

  /// Square roots of 64ths of squares of channels.
  private static let roots: [UInt8] = (0...(255 * 255 / 64)).map { square in
    UInt8(min(255, (Double(square * 64 + 32).squareRoot() + 0.5)))
  }
}
