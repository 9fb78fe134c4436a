internal import Screen

/// Pictures in the terminal's own pixels instead of glyphs, for terminals that prove that they can show them.
public enum TerminalGraphics: String, Hashable, Sendable, CaseIterable {
  /// Kitty's graphics protocol: Kitty, Ghostty, WezTerm, Konsole and others.
  case kitty
  /// Sixels: xterm as a VT340, foot, WezTerm, mlterm, Windows Terminal and others.
  case sixel

  /// Pixels that pictures are to be scaled to for each cell.
  ///
  /// - Parameter cell: the cell's own pixels; nil where nobody tells.
  func pixelsPerCell(of cell: PixelDensity?) -> PixelDensity {
    let cell = cell ?? PixelDensity(columns: 10, rows: 20)
    return switch self {
    // Kitty enlarges what it is sent: half of the pixels each way are a quarter of the bytes, and look nearly the same.
    case .kitty: PixelDensity(columns: max(3, cell.columns / 2), rows: max(4, cell.rows / 2))
    case .sixel: cell
    }
  }
}
