/// How many pixels of a picture a cell shows, beside and above one another.
public struct PixelDensity: Hashable, Sendable {
  public let columns: Int
  public let rows: Int

  /// 1…64 each; others are brought into that range.
  public init(columns: Int, rows: Int) {
    self.columns = min(max(1, columns), 64)
    self.rows = min(max(1, rows), 64)
  }

  /// Finer than any glyph: pictures are shown in the terminal's own pixels, over whole cells.
  public var exceedsGlyphs: Bool { columns > 2 || rows > 3 }

  /// What every terminal with half blocks can show.
  public static let halves = PixelDensity(columns: 1, rows: 2)
}

/// The glyphs that pictures are drawn with.
public enum VideoGlyphs: String, Hashable, Sendable, CaseIterable {
  /// Half blocks, upper or lower, whichever needs fewer bytes.
  case half
  /// Lower half blocks alone, for fonts that leave a seam at the upper one.
  case lower
  /// Upper half blocks alone, for fonts that leave a seam at the lower one.
  case upper
  /// Quarters of a cell (U+2596…259F): twice the pixels across, two colours for each four of them.
  case quadrants
  /// Sixths of a cell (U+1FB00…1FB3B): as quadrants with half as many again above one another. Few fonts have them.
  case sextants
  /// ASCII alone, for terminals that take no UTF-8: one colour a cell, or a letter as bright as the picture.
  case ascii

  /// Pixels that pictures are to be scaled to for each cell.
  public var pixelsPerCell: PixelDensity {
    switch self {
    case .half, .lower, .upper, .ascii: .halves
    case .quadrants: PixelDensity(columns: 2, rows: 2)
    case .sextants: PixelDensity(columns: 2, rows: 3)
    }
  }
}
