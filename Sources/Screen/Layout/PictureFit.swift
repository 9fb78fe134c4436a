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
    let height = Int((Double(full.width) * pixelAspect / aspect).rounded())
    if height < full.height {
      return PixelSize(width: full.width, height: full.height - height <= 1 ? full.height : max(1, height))
    }
    let width = Int((Double(full.height) * aspect / pixelAspect).rounded())
    return PixelSize(width: full.width - width <= 1 ? full.width : max(1, width), height: full.height)
  }
}
