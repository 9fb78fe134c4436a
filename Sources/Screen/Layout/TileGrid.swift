/// How tiles of equal size stand in an area: columns, rows and the size of each picture.
///
/// A tile is a picture and the lines around it: framed by a box whose upper line carries the name and whose lower line
/// carries the details, or, where rows are dear, with one line for both below it.
struct TileGrid: Equatable, Sendable {
  var columns: Int
  var rows: Int
  /// Cells of the picture.
  var videoColumns: Int
  var videoRows: Int
  var isFramed: Bool

  var tileColumns: Int { videoColumns + (isFramed ? 2 : 0) }
  var tileRows: Int { videoRows + (isFramed ? 2 : 1) }
  var area: Int { videoColumns * videoRows }

  /// The least picture worth showing; more participants than fit at this size are spread over pages. 18 x 5 cells are
  /// 18 x 10 pixels: a face is still a face, and with its name line twelve of them stand on 80 x 24.
  static let usefulVideoColumns = 18
  static let usefulVideoRows = 5
  /// Below this height a frame's second line costs more picture than its looks are worth.
  private static let framedVideoRows = 6

  var isUseful: Bool { videoColumns >= Self.usefulVideoColumns && videoRows >= Self.usefulVideoRows }

  /// The arrangement of `count` tiles with the largest pictures. `cellAspect` is a cell's width over its height.
  static func best(count: Int, columns: Int, rows: Int, cellAspect: Double) -> TileGrid {
    let framed = best(count: count, columns: columns, rows: rows, cellAspect: cellAspect, isFramed: true)
    let plain = best(count: count, columns: columns, rows: rows, cellAspect: cellAspect, isFramed: false)
    // A frame may cost up to three tenths of the picture.
    return framed.videoRows >= framedVideoRows && framed.area * 10 >= plain.area * 7 ? framed : plain
  }

  private static func best(count: Int, columns: Int, rows: Int, cellAspect: Double, isFramed: Bool) -> TileGrid {
    var best: TileGrid?
    for gridColumns in 1...max(1, min(count, columns)) {
      let gridRows = (max(1, count) + gridColumns - 1) / gridColumns
      let slotColumns = (columns - (gridColumns - 1)) / gridColumns
      let slotRows = rows / gridRows
      let size = videoSize(
        columns: slotColumns - (isFramed ? 2 : 0), rows: slotRows - (isFramed ? 2 : 1), cellAspect: cellAspect)
      let grid = TileGrid(
        columns: gridColumns, rows: gridRows, videoColumns: size.columns, videoRows: size.rows, isFramed: isFramed)
      // Of equal areas the one with fewer empty places wins, then the one with fewer columns.
      let isBetter =
        best.map {
          (grid.area, $0.columns * $0.rows) > ($0.area, gridColumns * gridRows)
        } ?? true
      if isBetter { best = grid }
    }
    return best ?? TileGrid(columns: 1, rows: 1, videoColumns: 1, videoRows: 1, isFramed: isFramed)
  }

  /// The largest 16:9 rectangle within so many cells, at least one cell.
  static func videoSize(columns: Int, rows: Int, cellAspect: Double) -> (columns: Int, rows: Int) {
    let columns = max(1, columns)
    let rows = max(1, rows)
    let columnsPerRow = 16.0 / 9 / cellAspect
    let wanted = Int(nearest: Double(rows) * columnsPerRow)
    if wanted <= columns { return (max(1, wanted), rows) }
    return (columns, max(1, min(rows, Int(nearest: Double(columns) / columnsPerRow))))
  }

  /// Tiles on one page when there are `count` in all: all of them if their pictures stay useful.
  static func pageSize(count: Int, columns: Int, rows: Int, cellAspect: Double) -> Int {
    // No more than this many of the least size could stand side by side.
    let bound = (columns / usefulVideoColumns + 1) * (rows / usefulVideoRows + 1)
    for size in stride(from: min(count, bound), to: 1, by: -1)
    where best(count: size, columns: columns, rows: rows, cellAspect: cellAspect).isUseful { return size }
    return 1
  }

  /// Where tile `index` of `count` stands: the block of all in the middle of `area`, a last row that is not full in its
  /// middle.
  func place(_ index: Int, of count: Int, in area: CellRect) -> CellRect {
    let gap = columns > 1 ? max(1, min(3, (area.columns - columns * tileColumns) / (columns + 1))) : 0
    let rowGap = rows > 1 ? max(0, min(1, (area.rows - rows * tileRows) / (rows - 1))) : 0
    let block = area.centred(
      columns: columns * tileColumns + (columns - 1) * gap, rows: rows * tileRows + (rows - 1) * rowGap)
    let row = index / columns
    let inRow = min(columns, count - row * columns)
    let shift = (columns - inRow) * (tileColumns + gap) / 2
    return CellRect(
      column: block.column + shift + index % columns * (tileColumns + gap),
      row: block.row + row * (tileRows + rowGap),
      columns: min(tileColumns, area.columns), rows: min(tileRows, area.rows))
  }
}
