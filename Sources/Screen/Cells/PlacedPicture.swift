import Conference
public import RTCCore

/// A picture that a terminal with graphics shows in its own pixels, over whole cells.
public struct PlacedPicture: Equatable, Sendable {
  /// The cells that the whole picture is stretched over. Those that chrome lies on are left out of it.
  public let area: CellRect
  public let picture: RGBPicture
}

extension ScreenState {
  /// The cells in the middle of a tile that a picture in the terminal's own pixels takes; nil where pictures are drawn
  /// with glyphs.
  func pictureArea(of tile: TilePlacement, showing track: TrackID) -> CellRect? {
    guard pixelDensity.exceedsGlyphs, let size = videoTargets[track] else { return nil }
    return tile.video.centred(columns: size.width / pixelDensity.columns, rows: size.height / pixelDensity.rows)
  }
}
