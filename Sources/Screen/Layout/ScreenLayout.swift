import Conference

/// Which picture a tile shows: a participant's camera, or one more video track of theirs, such as a shared screen.
public struct TileID: Hashable, Sendable {
  public var participant: ParticipantIdentity
  /// nil for the participant's main video.
  public var extraTrack: TrackID?

  public init(_ participant: ParticipantIdentity, extraTrack: TrackID? = nil) {
    self.participant = participant
    self.extraTrack = extraTrack
  }
}

/// How tiles share the screen.
public enum Arrangement: Hashable, Sendable {
  /// All on one page as long as they are large enough to be of use.
  case grid
  /// Four to a page, each the largest 16:9 rectangle in its quarter of the screen less so many cells on each side.
  case collection(inset: Int)
}

/// One tile on the screen.
public struct TilePlacement: Hashable, Sendable {
  public var id: TileID
  /// The whole tile with its lines.
  public var frame: CellRect
  /// The cells of its picture.
  public var video: CellRect
  /// Has a box around the picture; otherwise one line below it.
  public var isFramed: Bool
}

/// Where everything is on a screen of a certain size.
public struct ScreenLayout: Equatable, Sendable {
  public var title: CellRect
  public var content: CellRect
  /// What an overlay has taken from the tiles; nil while there is none.
  public var panel: CellRect?
  public var events: CellRect
  public var status: CellRect
  /// The tiles of the page that is shown, in order.
  public var tiles: [TilePlacement]
  /// From 0.
  public var page: Int
  /// At least 1.
  public var pages: Int
  /// Too few cells for anything but saying so.
  public var isTooSmall: Bool

  /// The least screen on which everything has its place.
  public static let minimumColumns = 40
  public static let minimumRows = 12

  /// - Parameters:
  ///   - tiles: all of them, in order; the page with the one at `selected` is shown.
  ///   - cellAspect: width of a cell over its height, commonly 0.5.
  ///   - isZoomed: show the selected tile alone.
  ///   - dock: the part of the space for tiles that goes to an overlay.
  public init(
    columns: Int, rows: Int, cellAspect: Double, tiles all: [TileID], selected: Int, isZoomed: Bool = false,
    arrangement: Arrangement = .grid, dock: Dock? = nil
  ) {
    title = CellRect(column: 0, row: 0, columns: columns, rows: min(1, rows))
    content = CellRect(column: 0, row: 1, columns: columns, rows: rows - 3)
    events = CellRect(column: 0, row: rows - 2, columns: columns, rows: 1)
    status = CellRect(column: 0, row: rows - 1, columns: columns, rows: 1)
    if let dock {
      let (rest, taken) = dock.split(content)
      content = rest
      panel = taken
    }
    isTooSmall = columns < Self.minimumColumns || rows < Self.minimumRows
    tiles = []
    page = 0
    pages = 1
    guard !isTooSmall, !all.isEmpty else { return }
    let selected = max(0, min(all.count - 1, selected))
    if isZoomed {
      page = selected
      pages = all.count
      place(all[selected...selected], pageSize: 1, cellAspect: cellAspect)
      return
    }
    let pageSize: Int
    switch arrangement {
    case .grid:
      pageSize = TileGrid.pageSize(
        count: all.count, columns: content.columns, rows: content.rows, cellAspect: cellAspect)
    case .collection: pageSize = 4
    }
    page = selected / pageSize
    pages = (all.count + pageSize - 1) / pageSize
    let shown = all[(page * pageSize)..<min(all.count, (page + 1) * pageSize)]
    switch arrangement {
    case .grid: place(shown, pageSize: min(pageSize, all.count), cellAspect: cellAspect)
    case .collection(let inset): placeInQuarters(shown, inset: max(0, inset), cellAspect: cellAspect)
    }
  }

  private mutating func place(_ shown: ArraySlice<TileID>, pageSize: Int, cellAspect: Double) {
    // A last page with fewer tiles keeps the size of the others, so that turning pages moves nothing else.
    let grid = TileGrid.best(count: pageSize, columns: content.columns, rows: content.rows, cellAspect: cellAspect)
    tiles = zip(shown, grid.places(count: shown.count, in: content)).map { id, frame in
      TilePlacement(id: id, frame: frame, video: grid.video(in: frame), isFramed: grid.isFramed)
    }
  }

  private mutating func placeInQuarters(_ shown: ArraySlice<TileID>, inset: Int, cellAspect: Double) {
    let quarter = CellRect(column: 0, row: 0, columns: content.columns / 2, rows: content.rows / 2)
    // An inset may not eat the tile.
    let inset = min(inset, max(0, quarter.rows / 2 - 2))
    let room = quarter.inset(columns: inset, rows: inset)
    let grid = TileGrid.best(count: 1, columns: room.columns, rows: room.rows, cellAspect: cellAspect)
    tiles = shown.enumerated().map { index, id in
      let place = CellRect(
        column: content.column + index % 2 * quarter.columns, row: content.row + index / 2 * quarter.rows,
        columns: quarter.columns, rows: quarter.rows)
      let frame = place.centred(columns: grid.tileColumns, rows: grid.tileRows)
      return TilePlacement(id: id, frame: frame, video: grid.video(in: frame), isFramed: grid.isFramed)
    }
  }

  /// The tile under a cell.
  public func tile(column: Int, row: Int) -> TileID? {
    tiles.first { $0.frame.contains(column: column, row: row) }?.id
  }

  public subscript(id: TileID) -> TilePlacement? { tiles.first { $0.id == id } }
}
