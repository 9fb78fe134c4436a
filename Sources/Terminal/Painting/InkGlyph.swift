/// A glyph that covers a share of a cell evenly or unevenly, and so shows a tone between two colours.
struct InkGlyph {
  let character: Unicode.Scalar
  /// Shares of the upper and the lower half that are covered, of ``whole``.
  let upper: UInt8
  let lower: UInt8

  /// Even, so that half of it and the rest are the same.
  static let whole: UInt8 = 254

  /// All of them; a cell's shape names one by its place here.
  static let all: [InkGlyph] = shades + dots + letters

  /// A quarter, a half and three quarters, in every font that has blocks.
  static let shades = [
    InkGlyph(character: "░", upper: 64, lower: 64), InkGlyph(character: "▒", upper: 127, lower: 127),
    InkGlyph(character: "▓", upper: 190, lower: 190),
  ]

  /// What lies between nothing and a quarter.
  static let dots = [
    InkGlyph(character: "·", upper: 8, lower: 5), InkGlyph(character: ":", upper: 15, lower: 15),
    InkGlyph(character: "+", upper: 26, lower: 36),
  ]

  /// ASCII, as DejaVu Sans Mono and its like set it. Shares are of what the densest letters cover, about 28 % of a
  /// cell: a picture of letters has no more light than that to give.
  static let letters: [InkGlyph] = percentages.map { character, upper, lower in
    InkGlyph(character: character, upper: UInt8(upper * Int(whole) / 28), lower: UInt8(lower * Int(whole) / 28))
  }

  private static let percentages: [(Unicode.Scalar, Int, Int)] = [
    (" ", 0, 0), (".", 0, 6), ("'", 7, 0), (",", 0, 9), (":", 6, 6), ("\"", 14, 0), ("_", 0, 16), ("~", 5, 9),
    ("*", 19, 1), ("r", 14, 9), ("+", 10, 14), ("=", 14, 14), ("v", 12, 17), ("L", 11, 19), ("7", 20, 10),
    ("F", 27, 10), ("J", 15, 17), ("u", 11, 22), ("w", 12, 26), ("a", 12, 28), ("o", 15, 22), ("x", 18, 18),
    ("P", 28, 14), ("V", 21, 16), ("S", 21, 19), ("X", 20, 20), ("p", 17, 28), ("h", 21, 18), ("O", 24, 23),
    ("E", 28, 19), ("R", 28, 21), ("8", 27, 24), ("#", 27, 26), ("@", 24, 28), ("M", 28, 21), ("W", 28, 28),
  ]

  static let firstLetter = UInt8(shades.count + dots.count)
}
