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
}
