/// One large tile and a strip of the others: beside it where the area is wide, below it where it is narrow.
///
/// The strip is made of lines across its direction, each of `across` tiles; it scrolls by lines.
struct SpotlightStage: Equatable, Sendable {
  let count: Int
  /// Index of the large tile.
  let large: Int
  let area: CellRect
  let isBeside: Bool
  let isLargeFramed: Bool
  let largeFrame: CellRect
  /// Cells of one tile of the strip, with its line.
  private let tileColumns: Int
  private let tileRows: Int
  /// Tiles in a line.
  let across: Int
  /// Lines in sight.
  let along: Int
  /// The first line in sight.
  var first = 0

  /// Below this the large tile would not be the large one any more: its picture keeps so much of what a strip of the
  /// smallest tiles would leave it…
  private static let leastShareOfLarge = (6, 10)
  /// …and is so many times as large as one of the strip.
  private static let leastRatio = 4
  /// A strip beside is the calmer one, as screens are wide and names stand in a column: it may cost some picture.
  private static let besideAtPercent = 85
  private static let gap = 1

  /// The division with the most picture; nil where a strip has no room.
  static func best(count: Int, large: Int, area: CellRect, cellAspect: Double) -> SpotlightStage? {
    guard count > 1 else {
      let grid = TileGrid.best(count: 1, columns: area.columns, rows: area.rows, cellAspect: cellAspect)
      return SpotlightStage(count: count, large: large, area: area, division: Division(alone: grid))
    }
    // The least useful tile of the strip decides on which side it is, so that it stays there when people come and go.
    for rows in stride(from: TileGrid.usefulVideoRows, to: 0, by: -1) {
      let beside = Division(isBeside: true, rows: rows, across: 1, area: area, cellAspect: cellAspect)
      let below = Division(isBeside: false, rows: rows, across: 1, area: area, cellAspect: cellAspect)
      let isWide = (beside?.grid.area ?? 0) * 100 >= (below?.grid.area ?? 0) * besideAtPercent
      guard let base = isWide ? beside : below else { continue }
      let division = Self.widest(from: base, rows: rows, others: count - 1, area: area, cellAspect: cellAspect)
      return SpotlightStage(count: count, large: large, area: area, division: division)
    }
    return nil
  }

  /// Tries larger strips as long as the large tile stays large.
  private static func widest(
    from base: Division, rows least: Int, others: Int, area: CellRect, cellAspect: Double
  ) -> Division {
    var best = base
    for rows in least...max(least, area.rows / 3) {
      for across in 1...max(1, min(others, (base.isBeside ? area.columns : area.rows) / 4)) {
        guard
          let next = Division(
            isBeside: base.isBeside, rows: rows, across: across, area: area, cellAspect: cellAspect),
          next.grid.area * leastShareOfLarge.1 >= base.grid.area * leastShareOfLarge.0
        else { break }
        let gain = next.pictureArea(others: others) - best.pictureArea(others: others)
        if gain > 0 || gain == 0 && next.video.rows > best.video.rows { best = next }
      }
    }
    return best
  }

  /// How the area is divided.
  private struct Division {
    var grid: TileGrid
    /// Cells of a picture of the strip.
    var video: (columns: Int, rows: Int)
    var across: Int
    var along: Int
    var isBeside: Bool

    /// For one tile alone.
    init(alone grid: TileGrid) {
      self.grid = grid
      (video, across, along, isBeside) = ((0, 0), 1, 1, true)
    }

    /// With pictures of so many rows in the strip; nil where the parts do not fit, or the large tile would not be the
    /// large one.
    init?(isBeside: Bool, rows: Int, across: Int, area: CellRect, cellAspect: Double) {
      let columns = max(1, Int(nearest: Double(rows) * 16 / 9 / cellAspect))
      let roomColumns = isBeside ? area.columns - across * (columns + SpotlightStage.gap) : area.columns
      let roomRows = isBeside ? area.rows : area.rows - across * (rows + 1)
      along =
        isBeside ? area.rows / (rows + 1) : (area.columns + SpotlightStage.gap) / (columns + SpotlightStage.gap)
      guard along > 0, roomColumns > 0, roomRows > 1 else { return nil }
      grid = TileGrid.best(count: 1, columns: roomColumns, rows: roomRows, cellAspect: cellAspect)
      guard grid.area >= columns * rows * SpotlightStage.leastRatio else { return nil }
      video = (columns, rows)
      self.across = across
      self.isBeside = isBeside
    }

    func pictureArea(others: Int) -> Int { grid.area + min(others, across * along) * video.columns * video.rows }
  }

  private init(count: Int, large: Int, area: CellRect, division: Division) {
    self.count = count
    self.large = large
    self.area = area
    isBeside = division.isBeside
    isLargeFramed = division.grid.isFramed
    tileColumns = division.video.columns
    tileRows = division.video.rows + 1
    across = division.across
    along = division.along
    let (columns, rows) = (division.grid.tileColumns, division.grid.tileRows)
    let thickness =
      count == 1 ? 0 : isBeside ? across * (tileColumns + Self.gap) : across * tileRows
    // The two stand in the middle together.
    largeFrame =
      isBeside
      ? CellRect(
        column: area.column + (area.columns - columns - thickness) / 2, row: area.row + (area.rows - rows) / 2,
        columns: columns, rows: rows)
      : CellRect(
        column: area.column + (area.columns - columns) / 2, row: area.row + (area.rows - rows - thickness) / 2,
        columns: columns, rows: rows)
  }

  var others: Int { count - 1 }
  var lines: Int { max(1, (others + across - 1) / across) }

  /// The line of a tile in the strip; nil for the large one.
  func line(of index: Int) -> Int? { index == large ? nil : (index < large ? index : index - 1) / across }

  var visible: [Int] {
    let strip = (first * across..<max(first * across, min(others, (first + along) * across)))
    return [large] + strip.map { $0 < large ? $0 : $0 + 1 }
  }

  func frame(of index: Int) -> CellRect {
    guard index != large else { return largeFrame }
    let place = index < large ? index : index - 1
    let shown = min(lines, along)
    // Lines further away wait just out of sight.
    let line = max(-1, min(shown, place / across - first))
    let cross = place % across
    if isBeside {
      let spare = area.rows - shown * tileRows
      let rowGap = shown > 1 ? min(1, spare / (shown - 1)) : 0
      let top = area.row + (area.rows - shown * tileRows - (shown - 1) * rowGap) / 2
      return CellRect(
        column: largeFrame.endColumn + Self.gap + cross * (tileColumns + Self.gap),
        row: line < 0 ? area.row - tileRows : line == shown ? area.endRow : top + line * (tileRows + rowGap),
        columns: tileColumns, rows: tileRows)
    }
    let step = tileColumns + Self.gap
    let left = area.column + (area.columns - shown * step + Self.gap) / 2
    return CellRect(
      column: line < 0 ? area.column - tileColumns : line == shown ? area.endColumn : left + line * step,
      row: largeFrame.endRow + cross * tileRows, columns: tileColumns, rows: tileRows)
  }
}
