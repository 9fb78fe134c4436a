/// The fixed palettes of terminals that take no 24-bit colours, and the nearest entry of each for any colour.
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

  /// 0xRRGGBB that the eight basic colours have on most terminals.
  static let rgb8: [UInt32] = [0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5]

  /// Index of the nearest of the 240 fixed colours.
  static func nearest256(_ rgb: UInt32) -> UInt32 { UInt32(table256[slot(rgb)]) }

  /// Index of the nearest of the eight basic colours.
  static func nearest8(_ rgb: UInt32) -> UInt32 { UInt32(table8[slot(rgb)]) }

  /// Looked up over five bits a channel: the error of that is far below the distance of two entries.
  static func slot(_ rgb: UInt32) -> Int {
    Int(rgb >> 19 & 31) << 10 | Int(rgb >> 11 & 31) << 5 | Int(rgb >> 3 & 31)
  }

  static let table256 = nearestTable(of: (16...255).map { (UInt8($0), rgb256($0)) })
  static let table8 = nearestTable(of: rgb8.enumerated().map { (UInt8($0.offset), $0.element) })

  private static func nearestTable(of entries: [(index: UInt8, rgb: UInt32)]) -> [UInt8] {
    (0..<32768).map { slot in
      func widened(_ five: Int) -> Int { five << 3 | five >> 2 }
      let red = widened(slot >> 10)
      let green = widened(slot >> 5 & 31)
      let blue = widened(slot & 31)
      var best = (distance: Int.max, index: UInt8(0))
      for entry in entries {
        let redApart = red - Int(entry.rgb >> 16 & 255)
        let greenApart = green - Int(entry.rgb >> 8 & 255)
        let blueApart = blue - Int(entry.rgb & 255)
        let distance = redApart * redApart + greenApart * greenApart + blueApart * blueApart
        if distance < best.distance { best = (distance, entry.index) }
      }
      return best.index
    }
  }

  /// Largest difference of one channel of two 24-bit colours, 0…255.
  static func difference(_ left: UInt32, _ right: UInt32) -> Int {
    let red = abs(Int(left >> 16 & 255) - Int(right >> 16 & 255))
    let green = abs(Int(left >> 8 & 255) - Int(right >> 8 & 255))
    let blue = abs(Int(left & 255) - Int(right & 255))
    return max(red, green, blue)
  }
}
