/// A colour as the encoder wants it.
struct Tone: Hashable {
  var y: Float
  var u: Float
  var v: Float

  /// From 0xRRGGBB, to limited range BT.601.
  init(_ rgb: UInt32) {
    let red = Float(rgb >> 16 & 0xff)
    let green = Float(rgb >> 8 & 0xff)
    let blue = Float(rgb & 0xff)
    y = 16 + 0.2568 * red + 0.5041 * green + 0.0979 * blue
    u = 128 - 0.1482 * red - 0.2910 * green + 0.4392 * blue
    v = 128 + 0.4392 * red - 0.3678 * green - 0.0714 * blue
  }

  private init(y: Float, u: Float, v: Float) {
    self.y = y
    self.u = u
    self.v = v
  }

  /// This colour with `share` of another, 0…1.
  func mixed(with other: Tone, _ share: Float) -> Tone {
    Tone(y: y + (other.y - y) * share, u: u + (other.u - u) * share, v: v + (other.v - v) * share)
  }
  func darker(_ share: Float) -> Tone { mixed(with: Tone(0x14_0c_18), share) }
  func lighter(_ share: Float) -> Tone { mixed(with: Tone(0xff_f8_ee), share) }
}

/// What an outline is filled with: one colour, or two that run into each other from top to bottom.
struct Paint {
  var top: Tone
  var bottom: Tone
  /// 0 invisible … 1 solid.
  var opacity: Float = 1

  init(_ tone: Tone, opacity: Float = 1) {
    top = tone
    bottom = tone
    self.opacity = opacity
  }
  init(from top: Tone, to bottom: Tone, opacity: Float = 1) {
    self.top = top
    self.bottom = bottom
    self.opacity = opacity
  }
}
