import RTCCore
import Screen
import Testing

@Suite struct CellGridTests {
  @Test func overwritingHalfAWideGlyphBlanksTheOtherHalf() {
    var grid = CellGrid(columns: 6, rows: 1)
    grid.put(Cell("山", width: 2), column: 1, row: 0)
    #expect(grid[2, 0].width == 0)
    grid.put(Cell("x"), column: 2, row: 0)
    #expect(grid.text == "  x")
    grid.put(Cell("山", width: 2), column: 1, row: 0)
    grid.put(Cell("x"), column: 1, row: 0)
    #expect(grid.text == " x")
    #expect(grid[2, 0].width == 1)
    grid.put(Cell("山", width: 2), column: 1, row: 0)
    grid.put(Cell("田", width: 2), column: 2, row: 0)
    #expect(grid.text == "  田")
    #expect((0..<6).reduce(0) { $0 + Int(grid[$1, 0].width) } == 6)
  }

  @Test func aWideGlyphAtTheEdgeBecomesASpace() {
    var grid = CellGrid(columns: 3, rows: 2)
    grid.put(Cell("山", width: 2), column: 2, row: 0)
    #expect(grid.text == "\n")
    #expect(grid[0, 1] == .blank)
  }

  @Test func writingOutsideIsClipped() {
    var grid = CellGrid(columns: 2, rows: 2)
    for (column, row) in [(-1, 0), (0, -1), (2, 0), (0, 2), (Int.max, Int.max)] {
      grid.put(Cell("x"), column: column, row: row)
    }
    grid.fill(CellRect(column: -5, row: -5, columns: 3, rows: 30), with: Cell("y"))
    grid.markVideo(CellRect(column: 4, row: 0, columns: 3, rows: 3))
    #expect(grid == CellGrid(columns: 2, rows: 2))
    #expect(CellGrid(columns: -3, rows: 4).cells.isEmpty)
  }

  @Test func pixelsReachOnlyCellsOfTheVideoPlane() {
    var grid = CellGrid(columns: 4, rows: 1)
    grid.markVideo(CellRect(column: 1, row: 0, columns: 3, rows: 1))
    grid.put(Cell("?"), column: 2, row: 0)
    grid.put(
      RGBPicture(width: 5, height: 2, pixels: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
      centredIn: CellRect(column: 0, row: 0, columns: 5, rows: 1), letterbox: 0)
    #expect(grid.text == " ▀?▀")
    #expect(grid.video[1] == VideoCell(upper: 2, lower: 7))
    #expect(grid.video[2] == VideoCell(upper: 0, lower: 0))
    #expect(grid.video[3] == VideoCell(upper: 4, lower: 9))
  }

  @Test func aControlCharacterNeverBecomesACell() {
    #expect(Cell("\u{1B}").glyph == "�")
    #expect(Cell("\u{202E}", width: 2) == Cell("�"))
  }
}
