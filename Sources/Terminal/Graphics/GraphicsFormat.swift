internal import Screen

/// How a terminal that shows pictures in its own pixels is told them.
enum GraphicsFormat: Hashable, Sendable {
  /// Kitty's graphics protocol: pixels as they are, enlarged by the terminal.
  case kitty
  /// Sixels (DEC STD 070 §9), as large as they are to be shown.
  ///
  /// - Parameters:
  ///   - cell: pixels of a cell.
  ///   - colors: colour registers of the terminal.
  ///   - largest: the size above which the terminal cuts a picture off; nil where it does not say.
  case sixel(cell: PixelDensity, colors: Int, largest: PixelSize?)

  /// Throws where the terminal has not proved that it knows what is asked for.
  ///
  /// - Parameter cell: pixels of a cell; nil where nobody tells.
  init(_ graphics: TerminalGraphics, findings: TerminalFindings, cell: PixelDensity?) throws(TerminalError) {
    let terminal = findings.terminal.value
    switch graphics {
    case .kitty:
      guard findings.kittyGraphics.value else { throw .noGraphics(graphics, terminal: terminal) }
      self = .kitty
    case .sixel:
      guard let sixel = findings.sixel.value else { throw .noGraphics(graphics, terminal: terminal) }
      guard let cell else { throw .noCellPixels(terminal: terminal) }
      self = .sixel(cell: cell, colors: sixel.colors, largest: sixel.size)
    }
  }
}
