/// A rectangle of cells, counted from the top left; sizes are never negative.
public struct CellRect: Hashable, Sendable {
  public var column: Int
  public var row: Int
  public var columns: Int
  public var rows: Int

  public init(column: Int, row: Int, columns: Int, rows: Int) {
    self.column = column
    self.row = row
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }

  /// The first column to the right of it.
  public var endColumn: Int { column + columns }
  /// The first row below it.
  public var endRow: Int { row + rows }
  public var isEmpty: Bool { columns == 0 || rows == 0 }

  public func contains(column: Int, row: Int) -> Bool {
    column >= self.column && column < endColumn && row >= self.row && row < endRow
  }

  /// What two rectangles have in common; empty when they do not meet.
  public func intersection(_ other: CellRect) -> CellRect {
    let column = max(column, other.column)
    let row = max(row, other.row)
    return CellRect(
      column: column, row: row, columns: min(endColumn, other.endColumn) - column,
      rows: min(endRow, other.endRow) - row)
  }

  /// Smaller by so many cells on each side.
  public func inset(columns horizontally: Int, rows vertically: Int) -> CellRect {
    CellRect(
      column: column + min(horizontally, columns / 2), row: row + min(vertically, rows / 2),
      columns: columns - 2 * horizontally, rows: rows - 2 * vertically)
  }

  /// A rectangle of the given size, no larger than this one, in its middle.
  public func centred(columns wanted: Int, rows wantedRows: Int) -> CellRect {
    let size = CellRect(column: 0, row: 0, columns: min(wanted, columns), rows: min(wantedRows, rows))
    return CellRect(
      column: column + (columns - size.columns) / 2, row: row + (rows - size.rows) / 2, columns: size.columns,
      rows: size.rows)
  }
}
