internal import Screen

/// A glyph as bytes to send.
struct CellGlyph: Equatable {
  /// UTF-8, its first byte lowest.
  let bytes: UInt32
  let length: Int

  init(_ scalar: Unicode.Scalar) {
    let value = scalar.value
    switch value {
    case ..<0x80: (bytes, length) = (value, 1)
    case ..<0x800: (bytes, length) = (0x80C0 | value >> 6 | (value & 63) << 8, 2)
    case ..<0x10000:
      (bytes, length) = (0x8080E0 | value >> 12 | (value >> 6 & 63) << 8 | (value & 63) << 16, 3)
    default:
      bytes = 0x808080F0 | value >> 18 | (value >> 12 & 63) << 8 | (value >> 6 & 63) << 16 | (value & 63) << 24
      length = 4
    }
  }

  static let space = CellGlyph(" ")
  static let full = CellGlyph("█")
  static let upper = CellGlyph("▀")
  static let lower = CellGlyph("▄")

  /// The glyph that has `shape` in the foreground, and the one that has it in the background.
  static func pair(shape: UInt8) -> (first: CellGlyph, inverse: CellGlyph?) {
    let mask = shape & 0x3F
    switch shape >> 6 {
    case 0: return (upper, lower)
    case 1: return (quarters[Int(mask & 15)], quarters[Int(~mask & 15)])
    case 2: return (sixths[Int(mask)], sixths[Int(~mask & 63)])
    default:
      let shades = UInt8(InkGlyph.shades.count)
      return (ink[Int(mask)], mask < shades ? ink[Int(shades - 1 - mask)] : nil)
    }
  }

  /// By the mask of ``CellShape/quarters(_:)``.
  private static let quarters: [CellGlyph] = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█".unicodeScalars.map(CellGlyph.init)

  /// By the mask of ``CellShape/sixths(_:)``. Unicode leaves out the four that are blocks already: nothing, the left
  /// half, the right half and all.
  private static let sixths: [CellGlyph] = (UInt32(0)..<64).map { mask in
    switch mask {
    case 0: return space
    case 21: return CellGlyph("▌")
    case 42: return CellGlyph("▐")
    case 63: return full
    default:
      let scalar = Unicode.Scalar(0x1FB00 + mask - 1 - (mask > 21 ? 1 : 0) - (mask > 42 ? 1 : 0))
      return scalar.map { CellGlyph($0) } ?? space
    }
  }

  private static let ink = InkGlyph.all.map { CellGlyph($0.character) }
}
