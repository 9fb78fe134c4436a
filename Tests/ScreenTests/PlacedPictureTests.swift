import Conference
import RTCCore
import Screen
import Testing

/// Pictures in the terminal's own pixels: the same layout, other cells.
@Suite struct PlacedPictureTests {
  private let density = PixelDensity(columns: 5, rows: 10)

  private func state(_ count: Int, columns: Int = 120, rows: Int = 40) -> ScreenState {
    var state = Fixture.state(count, columns: columns, rows: rows)
    _ = reduce(&state, .pixelDensity(density))
    return state
  }

  @Test(arguments: [1, 2, 6, 9], [(40, 12), (80, 24), (120, 40), (200, 60)])
  func everyTileGetsAPictureOfWholeCells(count: Int, size: (Int, Int)) throws {
    let state = state(count, columns: size.0, rows: size.1)
    let grid = Fixture.drawn(state)
    #expect(grid.pictures.count == state.layout.tiles.count)
    for (tile, placed) in zip(state.layout.tiles, grid.pictures) {
      #expect(placed.area.intersection(tile.video) == placed.area && !placed.area.isEmpty)
      #expect(placed.picture.width == placed.area.columns * density.columns)
      #expect(placed.picture.height == placed.area.rows * density.rows)
      // The shape of the source, to a cell: 160x90 in cells that are half as wide as high.
      let shape = Double(placed.area.columns) / Double(placed.area.rows) * 0.5 / (16.0 / 9)
      let tolerance = 1 / Double(min(placed.area.columns, placed.area.rows))
      #expect(abs(shape - 1) <= tolerance)
    }
    #expect(!grid.cells.contains { $0.plane == .video })
  }

  @Test func theChromeIsThatOfGlyphs() {
    let glyphs = Fixture.drawn(Fixture.state(6, columns: 120, rows: 40))
    let pictures = Fixture.drawn(state(6))
    for (cell, other) in zip(glyphs.cells, pictures.cells) where cell.plane == .chrome { #expect(cell == other) }
  }

  @Test func helpLiesOnThePictures() throws {
    var state = state(1)
    state.type(.character("?"))
    let grid = Fixture.drawn(state)
    let placed = try #require(grid.pictures.first)
    let row = (0..<grid.rows).first { grid.text(row: $0).contains("Keys") }
    let covered = try #require(row)
    let planes = Set((placed.area.column..<placed.area.endColumn).map { grid[$0, covered].plane })
    #expect(planes == [.chrome, .picture])
  }

  @Test func aPictureThatDoesNotFitIsLeftOut() {
    var grid = CellGrid(columns: 10, rows: 4)
    let picture = RGBPicture(width: 1, height: 1)
    grid.place(picture, in: CellRect(column: 5, row: 0, columns: 6, rows: 2))
    grid.place(picture, in: CellRect(column: -1, row: 0, columns: 2, rows: 2))
    grid.place(picture, in: CellRect(column: 0, row: 0, columns: 0, rows: 2))
    #expect(grid.pictures.isEmpty)
    grid.place(picture, in: grid.bounds)
    #expect(grid.pictures.count == 1)
    grid.removePictures()
    #expect(grid.pictures.isEmpty)
  }
}
