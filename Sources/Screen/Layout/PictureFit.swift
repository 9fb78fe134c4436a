/// The size in pixels that a decoded picture is to be scaled to for its tile; a cell holds one pixel beside and two
/// above one another.
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
  /// A pixel of the screen is `2 * cellAspect` times as wide as high. A difference of a pixel is nobody's letterbox:
  /// the tile is then filled.
  static func fitting(_ aspect: Double, in video: CellRect, cellAspect: Double) -> PixelSize {
    let full = PixelSize(width: max(1, video.columns), height: max(1, video.rows * 2))
    let pixelAspect = 2 * cellAspect
    let height = Int(nearest: Double(full.width) * pixelAspect / aspect)
    if height < full.height {
      return PixelSize(width: full.width, height: full.height - height <= 1 ? full.height : max(1, height))
    }
    let width = Int(nearest: Double(full.height) * aspect / pixelAspect)
    return PixelSize(width: full.width - width <= 1 ? full.width : max(1, width), height: full.height)
  }
}

extension Int {
  /// The nearest whole number to one that is not negative; 0 for what is no number. `rounded()` would need the C
  /// library's mathematics, which nothing else here does.
  init(nearest value: Double) { self = value > 0 ? Int(Swift.min(value, 1e15) + 0.5) : 0 }
}
