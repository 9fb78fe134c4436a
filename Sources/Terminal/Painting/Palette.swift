/// The fixed palettes of terminals that take no 24-bit colours, and the nearest entry of each for any colour: exactly
/// itself for one of its own.
///
/// Of the 256 colours only 16…255 are used: a cube of 6x6x6 and 24 greys, the same everywhere, while the first 16
/// belong to the person's own scheme.
enum Palette {
  /// 0xRRGGBB of colour 16…255 (xterm's 256-colour table); black for others.
  static func rgb256(_ index: Int) -> UInt32 {
    if (232...255).contains(index) {
      let level = UInt32(8 + 10 * (index - 232))
      return level << 16 | level << 8 | level
    }
    guard (16...231).contains(index) else { return 0 }
    func level(_ step: Int) -> UInt32 { step == 0 ? 0 : UInt32(55 + 40 * step) }
    let cube = index - 16
    return level(cube / 36) << 16 | level(cube / 6 % 6) << 8 | level(cube % 6)
  }

  /// 0xRRGGBB that the eight basic colours have on most terminals, then their bright forms. People choose their own, so
  /// these are only what a picture is fitted to.
  static let rgb16: [UInt32] = [
    0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF0000, 0x00FF00,
    0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
  ]

  /// Index of the nearest of the 240 fixed colours.
  static func nearest256(_ rgb: UInt32) -> UInt32 {
    func step(_ channel: UInt32) -> UInt32 { channel < 48 ? 0 : channel < 115 ? 1 : (channel - 35) / 40 }
    let (red, green, blue) = (rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255)
    let cube = 16 + 36 * step(red) + 6 * step(green) + step(blue)
    let mean = (red + green + blue) / 3
    let grey = 232 + min(23, (max(mean, 3) - 3) / 10)
    let isGrey = ColorDistance.squared(rgb, rgb256(Int(grey))) < ColorDistance.squared(rgb, rgb256(Int(cube)))
    return isGrey ? grey : cube
  }

  /// Index of the nearest of the sixteen basic colours.
  static func nearest16(_ rgb: UInt32) -> UInt32 { nearest(rgb, among: rgb16[...]) }

  /// Index of the nearest of the eight basic colours.
  static func nearest8(_ rgb: UInt32) -> UInt32 { nearest(rgb, among: rgb16.prefix(8)) }

  private static func nearest(_ rgb: UInt32, among colors: ArraySlice<UInt32>) -> UInt32 {
    var best = (distance: Int.max, index: 0)
    for (index, color) in colors.enumerated() {
      let distance = ColorDistance.squared(rgb, color)
      if distance < best.distance { best = (distance, index) }
    }
    return UInt32(best.index)
  }
}
