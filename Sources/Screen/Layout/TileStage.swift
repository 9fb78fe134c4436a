/// Where every tile of an arrangement stands, also those that are just out of sight. Tiles are told apart by their
/// index in the order.
enum TileStage: Equatable, Sendable {
  case paged(PagedStage)
  case scrolled(ScrolledStage)
  case spotlight(SpotlightStage)

  /// For at least one tile in an area that is not empty.
  init(_ wish: LayoutWish, in area: CellRect, cellAspect: Double) {
    let count = wish.tiles.count
    if wish.isZoomed {
      self = .paged(PagedStage(count: count, pageSize: 1, isZoom: true, area: area, cellAspect: cellAspect))
      return
    }
    switch wish.arrangement {
    case .grid:
      let pageSize = TileGrid.pageSize(
        count: count, columns: area.columns, rows: area.rows, cellAspect: cellAspect)
      self = .paged(PagedStage(count: count, pageSize: pageSize, isZoom: false, area: area, cellAspect: cellAspect))
    case .collection:
      self = .scrolled(ScrolledStage(count: count, inset: max(0, wish.inset), area: area, cellAspect: cellAspect))
    case .spotlight:
      let large = wish.large.flatMap { wish.tiles.firstIndex(of: $0) } ?? 0
      if let stage = SpotlightStage.best(count: count, large: large, area: area, cellAspect: cellAspect) {
        self = .spotlight(stage)
      } else {
        // No room for a strip: as if zoomed, with the others on pages.
        self = .paged(PagedStage(count: count, pageSize: 1, isZoom: true, area: area, cellAspect: cellAspect))
      }
    }
  }

  var position: Int {
    switch self {
    case .paged(let stage): stage.page
    case .scrolled(let stage): stage.first
    case .spotlight(let stage): stage.first
    }
  }

  var positions: Int {
    switch self {
    case .paged(let stage): stage.pages
    case .scrolled(let stage): stage.rows - min(stage.rows, stage.visibleRows) + 1
    case .spotlight(let stage): stage.lines - min(stage.lines, stage.along) + 1
    }
  }

  /// Goes to a position, and from there only as far as the selected tile needs to be in sight.
  mutating func show(_ selected: Int?, from position: Int) {
    let position = max(0, min(position, positions - 1))
    func scrolled(to line: Int, of visible: Int) -> Int { max(line - visible + 1, min(line, position)) }
    switch self {
    case .paged(var stage):
      stage.page = selected.map { $0 / stage.pageSize } ?? position
      self = .paged(stage)
    case .scrolled(var stage):
      stage.first = selected.map { scrolled(to: $0 / ScrolledStage.across, of: stage.visibleRows) } ?? position
      self = .scrolled(stage)
    case .spotlight(var stage):
      stage.first = selected.flatMap { stage.line(of: $0) }.map { scrolled(to: $0, of: stage.along) } ?? position
      self = .spotlight(stage)
    }
  }

  /// Tiles in sight, in order.
  var visible: [Int] {
    switch self {
    case .paged(let stage):
      Array(stage.page * stage.pageSize..<min(stage.count, (stage.page + 1) * stage.pageSize))
    case .scrolled(let stage): stage.visible
    case .spotlight(let stage): stage.visible
    }
  }

  func frame(of index: Int) -> CellRect {
    switch self {
    case .paged(let stage): stage.frame(of: index)
    case .scrolled(let stage): stage.frame(of: index)
    case .spotlight(let stage): stage.frame(of: index)
    }
  }

  func isFramed(_ index: Int) -> Bool {
    switch self {
    case .paged(let stage): stage.grid.isFramed
    case .scrolled(let stage): stage.grid.isFramed
    case .spotlight(let stage): index == stage.large && stage.isLargeFramed
    }
  }

  /// A speaker who is out of sight gets a place; who is zoomed in wants to see that one tile, and the spotlight follows
  /// speakers by itself.
  var hasGuests: Bool {
    switch self {
    case .paged(let stage): !stage.isZoom
    case .scrolled: true
    case .spotlight: false
    }
  }

  /// Tiles that are out of sight here and in sight there have a way between the two.
  func isSameKind(as other: TileStage) -> Bool {
    switch (self, other) {
    case (.paged(let one), .paged(let two)): one.isZoom == two.isZoom
    case (.scrolled, .scrolled): true
    case (.spotlight(let one), .spotlight(let two)): one.isBeside == two.isBeside
    default: false
    }
  }

  var whereabouts: String? {
    guard positions > 1 else { return nil }
    switch self {
    case .paged(let stage): return "\(stage.isZoom ? "tile" : "page") \(stage.page + 1)/\(stage.pages)"
    case .scrolled(let stage): return "rows \(stage.first + 1)-\(stage.first + stage.visibleRows)/\(stage.rows)"
    case .spotlight(let stage):
      let first = stage.first * stage.across
      return "others \(first + 1)-\(min(stage.others, first + stage.across * stage.along))/\(stage.others)"
    }
  }
}

/// Pages of tiles of equal size, beside one another.
struct PagedStage: Equatable, Sendable {
  let count: Int
  let pageSize: Int
  /// One tile a page because the person wants to see that one.
  let isZoom: Bool
  let area: CellRect
  let grid: TileGrid
  var page = 0

  init(count: Int, pageSize: Int, isZoom: Bool, area: CellRect, cellAspect: Double) {
    self.count = count
    self.pageSize = pageSize
    self.isZoom = isZoom
    self.area = area
    // A last page with fewer tiles keeps the size of the others, so that turning pages changes no sizes.
    grid = TileGrid.best(
      count: min(pageSize, count), columns: area.columns, rows: area.rows, cellAspect: cellAspect)
  }

  var pages: Int { (count + pageSize - 1) / pageSize }

  func frame(of index: Int) -> CellRect {
    let own = index / pageSize
    var frame = grid.place(index % pageSize, of: min(pageSize, count - own * pageSize), in: area)
    // Pages further away wait where the next one does: what comes into sight comes from its side.
    frame.column += (own - page).signum() * area.columns
    return frame
  }
}

/// Rows of two tiles, each tile in a quarter of the area; the rows below and above are scrolled to.
struct ScrolledStage: Equatable, Sendable {
  let count: Int
  let area: CellRect
  let grid: TileGrid
  let visibleRows: Int
  private let rowHeight: Int
  /// The first row in sight.
  var first = 0

  static let across = 2

  init(count: Int, inset: Int, area: CellRect, cellAspect: Double) {
    self.count = count
    self.area = area
    // A tile has two lines at least.
    visibleRows = area.rows >= 4 ? 2 : 1
    rowHeight = area.rows / visibleRows
    // An inset may not eat the tile.
    let inset = min(inset, max(0, rowHeight / 2 - 2))
    let room = CellRect(column: 0, row: 0, columns: area.columns / Self.across, rows: rowHeight)
      .inset(columns: inset, rows: inset)
    grid = TileGrid.best(count: 1, columns: room.columns, rows: room.rows, cellAspect: cellAspect)
  }

  var rows: Int { (count + Self.across - 1) / Self.across }

  var visible: [Int] { Array(first * Self.across..<min(count, (first + visibleRows) * Self.across)) }

  func frame(of index: Int) -> CellRect {
    // Rows further away wait just out of sight, so that no way is longer than the screen.
    let row = max(-1, min(visibleRows, index / Self.across - first))
    let columns = area.columns / Self.across
    let quarter = CellRect(
      column: area.column + index % Self.across * columns, row: area.row + row * rowHeight, columns: columns,
      rows: rowHeight)
    return quarter.centred(columns: grid.tileColumns, rows: grid.tileRows)
  }
}
