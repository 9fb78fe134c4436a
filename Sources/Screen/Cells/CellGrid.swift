public import RTCCore

/// The whole screen as cells, row by row from the top left.
///
/// Everything drawn goes through here, chrome and video alike, so that a screen can be tested as text and painted by
/// whoever suits each plane best. Writing outside the grid is clipped, never an error.
public struct CellGrid: Equatable, Sendable {
  public let columns: Int
  public let rows: Int
  /// `columns * rows` cells.
  public private(set) var cells: ContiguousArray<Cell>
  /// `columns * rows` parts of pictures, meaningful where the cell's plane is ``CellPlane/video``.
  ///
  /// Apart from the cells, so that a frame of video costs eight bytes a cell and touches no glyph.
  public private(set) var video: ContiguousArray<VideoCell>

  /// Pictures for a terminal that shows them in its own pixels, over cells of the plane ``CellPlane/picture``.
  public private(set) var pictures: [PlacedPicture] = []

  /// A grid of blank cells; negative sizes count as 0.
  public init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    cells = ContiguousArray(repeating: .blank, count: self.columns * self.rows)
    video = ContiguousArray(repeating: VideoCell(upper: 0, lower: 0), count: self.columns * self.rows)
  }

  /// The whole grid as a rectangle.
  public var bounds: CellRect { CellRect(column: 0, row: 0, columns: columns, rows: rows) }

  /// The index of a cell in ``cells`` and ``video``; nil outside the grid.
  public func index(column: Int, row: Int) -> Int? {
    guard column >= 0, column < columns, row >= 0, row < rows else { return nil }
    return row * columns + column
  }

  /// The cell at a place; blank outside the grid.
  public subscript(column: Int, row: Int) -> Cell {
    index(column: column, row: row).map { cells[$0] } ?? .blank
  }

  /// Puts a glyph into one cell, or into two if it is wide. A wide glyph that does not fit whole becomes a space, and
  /// so does the other half of a wide glyph that is overwritten.
  public mutating func put(_ cell: Cell, column: Int, row: Int) {
    guard let index = index(column: column, row: row) else { return }
    guard cell.width == 2 else { return replace(index, with: cell) }
    guard column + 1 < columns else { return replace(index, with: Cell(" ", style: cell.style)) }
    replace(index, with: cell)
    replace(index + 1, with: .continuation(style: cell.style))
  }

  /// Fills a rectangle with one narrow cell.
  public mutating func fill(_ rect: CellRect, with cell: Cell) {
    let rect = rect.intersection(bounds)
    for row in rect.row..<rect.endRow {
      for column in rect.column..<rect.endColumn { replace(row * columns + column, with: cell) }
    }
  }

  /// Gives the cells of a rectangle to the video plane, black until pixels are set.
  public mutating func markVideo(_ rect: CellRect) {
    let rect = rect.intersection(bounds)
    for row in rect.row..<rect.endRow {
      for index in (row * columns + rect.column)..<(row * columns + rect.endColumn) {
        replace(index, with: .video)
        video[index] = VideoCell(upper: 0, lower: 0)
      }
    }
  }

  /// Gives the cells of a rectangle to the pictures in the terminal's own pixels.
  public mutating func markPicture(_ rect: CellRect) { fill(rect, with: .picture) }

  /// Lays a picture over the cells of `area`, stretched to it; one that is not whole within the grid is left out.
  public mutating func place(_ picture: RGBPicture, in area: CellRect) {
    guard !area.isEmpty, area.intersection(bounds) == area else { return }
    pictures.append(PlacedPicture(area: area, picture: picture))
  }

  public mutating func removePictures() { pictures.removeAll(keepingCapacity: true) }

  /// Changes the picture's part of every cell of the grid; those of the chrome plane, which `body` gets to see beside
  /// them, keep what they have without anybody seeing it.
  mutating func withVideo(_ body: (UnsafeBufferPointer<Cell>, UnsafeMutableBufferPointer<VideoCell>) -> Void) {
    cells.withUnsafeBufferPointer { cells in
      video.withUnsafeMutableBufferPointer { video in body(cells, video) }
    }
  }

  private mutating func replace(_ index: Int, with cell: Cell) {
    // A wide glyph loses its other half with the half that is overwritten.
    if cells[index].width == 2, (index + 1) % columns != 0, cells[index + 1].width == 0 {
      cells[index + 1] = Cell(" ", style: cells[index + 1].style)
    } else if cells[index].width == 0, index % columns != 0, cells[index - 1].width == 2 {
      cells[index - 1] = Cell(" ", style: cells[index - 1].style)
    }
    cells[index] = cell
  }

  /// The glyphs of one row; video cells as `▀`, those under pictures as `▒`, the right half of a wide glyph as nothing.
  public func text(row: Int) -> String {
    guard row >= 0, row < rows else { return "" }
    var line = ""
    for cell in cells[(row * columns)..<((row + 1) * columns)] where cell.width > 0 { line.append(cell.glyph) }
    return line
  }

  /// All rows, without spaces at their ends, joined by line feeds.
  public var text: String {
    (0..<rows).map { row in
      let line = text(row: row)
      return String(line[..<(line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex)])
    }.joined(separator: "\n")
  }
}
