internal import Screen

/// What a video cell shows: two colours as the terminal displays them, and a glyph that divides the cell between them.
///
/// It has the layout of Screen's own type, which would be compared by calls into another module.
struct ShownCell: Equatable {
  /// The glyph's ``shape`` in the upper eight bits.
  private var shapeAndFirst: UInt32
  /// 0xRRGGBB.
  let second: UInt32

  /// Nobody knows what is shown; equals no cell that can be drawn.
  static let unknown = ShownCell(shapeAndFirst: .max, second: .max)

  private init(shapeAndFirst: UInt32, second: UInt32) {
    self.shapeAndFirst = shapeAndFirst
    self.second = second
  }

  /// Colours are 0xRRGGBB.
  init(first: UInt32, second: UInt32, shape: UInt8) {
    self.init(shapeAndFirst: UInt32(shape) << 24 | first, second: second)
  }

  init(_ cell: VideoCell) {
    self.init(first: cell.first, second: cell.second, shape: cell.shape.rawValue)
  }

  /// A cell of one colour.
  init(solid color: UInt32) { self.init(first: color, second: color, shape: 0) }

  /// 0xRRGGBB.
  var first: UInt32 { shapeAndFirst & 0xFF_FFFF }
  /// A ``CellShape``, or from ``inkShape`` on the place of a glyph in ``InkGlyph/all``.
  var shape: UInt8 { UInt8(shapeAndFirst >> 24) }

  static let inkShape: UInt8 = 0xC0

  var isInk: Bool { shape >= Self.inkShape }
  /// One colour fills the cell.
  var isSolid: Bool { first == second }

  func with(first: UInt32, second: UInt32) -> ShownCell { ShownCell(first: first, second: second, shape: shape) }

  /// The colours that the eye sees, and where.
  var parts: CellParts {
    guard isInk else {
      return CellParts(first: first, second: second, mask: CellShape(rawValue: shape).twelfths)
    }
    let glyph = InkGlyph.all[Int(shape - Self.inkShape)]
    return CellParts(
      first: ColorDistance.mix(first, second, share: glyph.upper),
      second: ColorDistance.mix(first, second, share: glyph.lower), mask: CellShape.upperHalf.twelfths)
  }
}

/// A cell as two even colours.
struct CellParts {
  var first: UInt32
  var second: UInt32
  /// The twelfths of the cell that have the first one (see ``CellShape/twelfths``).
  var mask: UInt16

  static let whole: UInt16 = 0xFFF

  /// The colour of the whole, seen from afar.
  var mean: UInt32 {
    let share = UInt32(mask.nonzeroBitCount)
    func channel(_ shift: UInt32) -> UInt32 {
      (((first >> shift & 255) * share + (second >> shift & 255) * (12 - share) + 6) / 12) << shift
    }
    return channel(16) | channel(8) | channel(0)
  }

  /// The largest of `distance` over all places of the cell, to what another one has there.
  @inline(__always)
  func largest(_ other: CellParts, _ distance: (UInt32, UInt32) -> Int) -> Int {
    var worst = 0
    if mask & other.mask != 0 { worst = max(worst, distance(first, other.first)) }
    if mask & ~other.mask != 0 { worst = max(worst, distance(first, other.second)) }
    if ~mask & other.mask != 0 { worst = max(worst, distance(second, other.first)) }
    if ~mask & ~other.mask & Self.whole != 0 { worst = max(worst, distance(second, other.second)) }
    return worst
  }

  /// The sum of `distance` over the twelfths of the cell.
  @inline(__always)
  func sum(_ other: CellParts, _ distance: (UInt32, UInt32) -> Int) -> Int {
    (mask & other.mask).nonzeroBitCount * distance(first, other.first)
      + (mask & ~other.mask).nonzeroBitCount * distance(first, other.second)
      + (~mask & other.mask).nonzeroBitCount * distance(second, other.first)
      + (~mask & ~other.mask & Self.whole).nonzeroBitCount * distance(second, other.second)
  }
}
