import Conference
import RTCCore

/// Draws the whole screen: chrome, and the pictures of the tiles that have one.
///
/// `pictures` answers the newest picture of a track, scaled to its ``ScreenState/videoTargets`` size; nil before the
/// first. Other sizes, as they occur while tiles move and for a moment afterwards, are scaled without care for beauty.
public func draw(
  _ state: ScreenState, pictures: (TrackID) -> RGBPicture?, theme: Theme = .night, signs: GlyphSet = .unicode,
  on grid: inout CellGrid
) {
  let shown = shownTracks(state, pictures)
  drawChrome(state, shown: shown, pen: Pen(theme: theme, signs: signs), on: &grid)
  drawPictures(state, shown: shown, pictures: pictures, letterbox: theme.letterbox, on: &grid)
}

/// Draws screen after screen on one grid and redraws the chrome only when it may have changed; between two changes a
/// frame costs eight bytes for each cell of video.
public struct ScreenRenderer {
  public private(set) var grid: CellGrid
  public var theme: Theme { didSet { drawnRevision = nil } }
  public var signs: GlyphSet { didSet { drawnRevision = nil } }
  private var drawnRevision: UInt64?
  private var drawnTracks: Set<TrackID> = []

  public init(theme: Theme = .night, signs: GlyphSet = .unicode) {
    self.theme = theme
    self.signs = signs
    grid = CellGrid(columns: 0, rows: 0)
  }

  /// Brings ``grid`` up to date; `pictures` as for ``draw(_:pictures:theme:signs:on:)``.
  public mutating func render(_ state: ScreenState, pictures: (TrackID) -> RGBPicture?) {
    let shown = shownTracks(state, pictures)
    let fits = grid.columns == state.columns && grid.rows == state.rows
    if !fits || drawnRevision != state.revision || drawnTracks != shown {
      if !fits { grid = CellGrid(columns: state.columns, rows: state.rows) }
      drawChrome(state, shown: shown, pen: Pen(theme: theme, signs: signs), on: &grid)
      drawnRevision = state.revision
      drawnTracks = shown
    }
    drawPictures(state, shown: shown, pictures: pictures, letterbox: theme.letterbox, on: &grid)
  }
}

/// The tracks whose picture is to be seen and is there.
private func shownTracks(_ state: ScreenState, _ pictures: (TrackID) -> RGBPicture?) -> Set<TrackID> {
  state.tracksInSight.filter { pictures($0) != nil }
}

private func drawChrome(_ state: ScreenState, shown: Set<TrackID>, pen: Pen, on grid: inout CellGrid) {
  pen.fill(grid.bounds, pen.theme[.screen], on: &grid)
  guard !state.layout.isTooSmall else {
    return drawTooSmall(columns: state.columns, rows: state.rows, pen: pen, on: &grid)
  }
  for tile in state.shown {
    let showsPicture = state.visibleTrack(of: tile.id).map(shown.contains) ?? false
    TileDrawing(state: state, place: tile, pen: pen).draw(showsPicture: showsPicture, on: &grid)
  }
  if state.layout.tiles.isEmpty { drawEmptyRoom(state, pen: pen, on: &grid) }
  // Tiles that scroll reach beyond the content; the lines around it lie over them.
  drawTitle(state, pen: pen, on: &grid)
  drawEvents(state, pen: pen, on: &grid)
  StatusBar(state).draw(pen: pen, on: &grid)
  if let toast = state.toast { drawToast(toast, in: state.layout.content, pen: pen, on: &grid) }
  drawOverlay(state, pen: pen, on: &grid)
}

private func drawOverlay(_ state: ScreenState, pen: Pen, on grid: inout CellGrid) {
  switch (state.overlay, state.layout.panel) {
  case (.help(let offset)?, _):
    HelpOverlay(for: state.subject).draw(from: offset, in: state.layout.content, pen: pen, on: &grid)
  case (.events(let offset)?, let panel?): EventsPanel.draw(state, offset: offset, in: panel, pen: pen, on: &grid)
  case (.inspector(let offset)?, let panel?):
    guard let selected = state.selected else {
      return pen.panel(panel, title: "Inspector", note: "nobody is selected", on: &grid)
    }
    InspectorPanel(report: InspectorReport(of: selected, in: state), panel: panel, offset: offset, pen: pen)
      .draw(on: &grid)
  case (.command(let prompt)?, _): CommandBar(prompt: prompt, state: state, pen: pen).draw(on: &grid)
  case (.events?, nil), (.inspector?, nil), (nil, _): break
  }
}

func drawTooSmall(columns: Int, rows: Int, pen: Pen, on grid: inout CellGrid) {
  let text: SanitizedText = """
    Terminal too small: needs at least \(ScreenLayout.minimumColumns)x\(ScreenLayout.minimumRows), \
    is \(columns)x\(rows)
    """
  let lines = text.wrapped(to: grid.columns, lines: grid.rows)
  let top = (grid.rows - lines.count) / 2
  for (index, line) in lines.enumerated() {
    pen.write(
      line, column: (grid.columns - line.width) / 2, row: top + index, limit: grid.columns,
      style: pen.theme[.tileWarning], on: &grid)
  }
}

private func drawEmptyRoom(_ state: ScreenState, pen: Pen, on grid: inout CellGrid) {
  let text: SanitizedText =
    switch state.room.connection {
    case .joining: "Joining the room"
    case .joined where state.hiddenCount > 0, .reconnecting where state.hiddenCount > 0:
      "Nobody here sends video; n shows everyone."
    case .joined, .reconnecting:
      state.events.contains { $0.kind == .left } ? "Nobody else is here any more." : "Nobody else is here yet."
    case .left: "You left the room."
    }
  let area = state.layout.content.centred(columns: text.width, rows: 1)
  pen.write(text, column: area.column, row: area.row, limit: area.columns, style: pen.theme[.tileDetail], on: &grid)
}

/// Puts the pictures into the cells that the chrome left to them.
private func drawPictures(
  _ state: ScreenState, shown: Set<TrackID>, pictures: (TrackID) -> RGBPicture?, letterbox: UInt32,
  on grid: inout CellGrid
) {
  grid.removePictures()
  for tile in state.shown {
    guard let id = state.visibleTrack(of: tile.id), shown.contains(id), let track = state.track(of: tile.id),
      let picture = pictures(id), !tile.video.isEmpty
    else { continue }
    if let area = state.pictureArea(of: tile, showing: id) {
      grid.place(picture, in: area)
      continue
    }
    let size = PixelSize.fitting(
      state.aspect(of: track), in: tile.video, cellAspect: state.cellAspect, density: state.pixelDensity)
    grid.put(picture.scaled(to: size), centredIn: tile.video, density: state.pixelDensity, letterbox: letterbox)
  }
}
