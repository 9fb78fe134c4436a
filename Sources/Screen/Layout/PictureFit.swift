/// The size in pixels that a decoded picture is to be scaled to for its tile.
public struct PixelSize: Hashable, Sendable {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

extension PixelSize {
  /// The largest size within a tile's cells that keeps the shape of a source of `aspect` (width over height).
  ///
  /// Less than one and a half columns and less than three quarters of a row are nobody's letterbox, and filled, whatever the
  /// pixels of a cell. In the terminal's own pixels it is whole cells.
  static func fitting(
    _ aspect: Double, in video: CellRect, cellAspect: Double, density: PixelDensity = .halves
  ) -> PixelSize {
    if density.exceedsGlyphs {
      let cells = fitting(aspect, in: video, cellAspect: cellAspect, density: PixelDensity(columns: 1, rows: 1))
      return PixelSize(width: cells.width * density.columns, height: cells.height * density.rows)
    }
    let full = PixelSize(
      width: max(1, video.columns * density.columns), height: max(1, video.rows * density.rows))
    let pixelAspect = cellAspect * Double(density.rows) / Double(density.columns)
    let height = Int(nearest: Double(full.width) * pixelAspect / aspect)
    if height < full.height {
      let isFilled = full.height - height <= max(1, density.rows * 3 / 4)
      return PixelSize(width: full.width, height: isFilled ? full.height : max(1, height))
    }
    let width = Int(nearest: Double(full.height) * aspect / pixelAspect)
    let isFilled = full.width - width <= density.columns * 3 / 2
    return PixelSize(width: isFilled ? full.width : max(1, width), height: full.height)
  }
}

extension Int {
  /// The nearest whole number to one that is not negative; 0 for what is no number. `rounded()` would need the C
  /// library's mathematics, which nothing else here does.
  init(nearest value: Double) { self = value > 0 ? Int(Swift.min(value, 1e15) + 0.5) : 0 }
}
