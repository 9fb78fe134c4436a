internal import Screen

/// Finds what shows a cell best in the colours and with the glyphs of a terminal, and how well something else does.
struct CellQuantizer {
  let depth: ColorDepth
  let glyphs: VideoGlyphs
  private let fixedColors: FixedColors?
  private let fewColors: FewColors?
  private let brightness: Brightness?

  init(depth: ColorDepth, glyphs: VideoGlyphs) {
    self.depth = depth
    self.glyphs = glyphs
    fixedColors = depth == .indexed256 ? FixedColors(hasShades: glyphs != .ascii) : nil
    let isFew = depth == .indexed16 || depth == .indexed8
    fewColors = isFew ? .table(hasBrightColors: depth == .indexed16, hasShades: glyphs != .ascii) : nil
    brightness = depth == .none ? glyphs == .ascii ? .letters : .blocks : nil
  }

  /// What shows a cell best.
  func best(_ cell: ShownCell) -> ShownCell {
    // A cell of ASCII has one colour; without colours its letters have a top and a bottom.
    let cell = glyphs == .ascii && depth != .none && !cell.isSolid ? ShownCell(solid: cell.parts.mean) : cell
    switch depth {
    case .trueColor: return cell
    case .indexed256: return fixedColors?.best(cell) ?? cell
    case .indexed16, .indexed8: return fewColors?.best(cell) ?? cell
    case .none: return brightness?.best(cell) ?? cell
    }
  }

  /// How far a cell is from showing what is wanted, as the eye sees it; comparable at one depth only.
  func error(of shown: CellParts, against wanted: CellParts) -> Int {
    switch depth {
    case .trueColor: wanted.largest(shown, ColorDistance.channel)
    case .indexed256, .indexed16, .indexed8: wanted.sum(shown, ColorDistance.perceived)
    case .none: wanted.sum(shown, ColorDistance.brightness)
    }
  }

  /// A moving cell of a palette's colours may go on showing what it does, although `best` would be better: otherwise
  /// the camera's noise would flicker where two entries are equally near.
  func isTolerable(_ shown: CellParts, insteadOf best: CellParts, for wanted: CellParts) -> Bool {
    // Half-way between two entries twice the error is four of 255 levels further on; the rest are six levels where the
    // entries lie close.
    let distance = depth == .none ? ColorDistance.brightness : ColorDistance.squared
    return wanted.sum(shown, distance) <= 2 * wanted.sum(best, distance) + 12 * 108
  }
}
