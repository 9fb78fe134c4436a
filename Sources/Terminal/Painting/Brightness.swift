internal import Screen

/// The best cells for terminals without colours: glyphs of the terminal's own foreground, bright on dark, that cover as
/// much of the cell as it is to be bright.
final class Brightness: Sendable {
  static let ink: UInt32 = 0xFF_FFFF
  static let ground: UInt32 = 0

  /// By the upper and the lower half's brightness in five bits each.
  private let table: [ShownCell]

  private init(_ candidates: [ShownCell]) {
    let parts = candidates.map(\.parts)
    table = (UInt32(0)..<1024).map { slot in
      func grey(_ five: UInt32) -> UInt32 { (five << 3 | five >> 2) * 0x010101 }
      let wanted = CellParts(first: grey(slot >> 5), second: grey(slot & 31), mask: CellShape.upperHalf.twelfths)
      var best = (error: Int.max, cell: ShownCell(solid: Self.ground))
      for (index, candidate) in candidates.enumerated() {
        let error = wanted.sum(parts[index], ColorDistance.brightness)
        if error < best.error { best = (error, candidate) }
      }
      return best.cell
    }
  }

  /// Blocks and shades.
  static let blocks = Brightness(
    [
      ShownCell(solid: ground), ShownCell(solid: ink), ShownCell(first: ink, second: ground, shape: 0),
      ShownCell(first: ground, second: ink, shape: 0),
    ] + glyphs(from: 0, to: InkGlyph.firstLetter))
  /// ASCII alone.
  static let letters = Brightness(glyphs(from: InkGlyph.firstLetter, to: UInt8(InkGlyph.all.count)))

  private static func glyphs(from start: UInt8, to end: UInt8) -> [ShownCell] {
    (start..<end).map { ShownCell(first: ink, second: ground, shape: ShownCell.inkShape + $0) }
  }

  /// What shows a cell best. Shapes finer than half a cell are drawn where they show more than a tone does.
  func best(_ cell: ShownCell) -> ShownCell {
    let wanted = cell.parts
    let upper = tone(of: wanted, in: CellShape.upperHalf.twelfths)
    let lower = tone(of: wanted, in: ~CellShape.upperHalf.twelfths & CellParts.whole)
    let halves = table[(upper >> 3) << 5 | lower >> 3]
    guard cell.shape != 0, !cell.isSolid else { return halves }
    let firstIsBright = ColorDistance.luma(cell.first) > ColorDistance.luma(cell.second)
    let divided = cell.with(
      first: firstIsBright ? Self.ink : Self.ground, second: firstIsBright ? Self.ground : Self.ink)
    let error = wanted.sum(halves.parts, ColorDistance.brightness)
    return wanted.sum(divided.parts, ColorDistance.brightness) < error ? divided : halves
  }

  /// Mean brightness of six twelfths of a cell.
  private func tone(of parts: CellParts, in twelfths: UInt16) -> Int {
    let first = (parts.mask & twelfths).nonzeroBitCount
    return (ColorDistance.luma(parts.first) * first + ColorDistance.luma(parts.second) * (6 - first)) / 6
  }
}
