import Conference
import Screen
import Testing

@Suite struct LayoutTests {
  static let sizes = [(40, 12), (80, 24), (100, 30), (120, 40), (200, 60), (60, 60), (300, 20)]

  private func layout(
    _ count: Int, _ size: (Int, Int), aspect: Double = 0.5, selected: Int = 0, zoomed: Bool = false,
    arrangement: Arrangement = .grid
  ) -> ScreenLayout {
    ScreenLayout(
      columns: size.0, rows: size.1, cellAspect: aspect, tiles: (0..<count).map { Fixture.tile($0) },
      selected: selected, isZoomed: zoomed, arrangement: arrangement)
  }

  @Test(arguments: sizes) func tilesStayInsideAndApart(size: (Int, Int)) {
    for arrangement in [Arrangement.grid, .collection(inset: 1), .collection(inset: 50)] {
      for aspect in [0.4, 0.5, 0.6, 1] {
        for count in 1...30 {
          let layout = layout(count, size, aspect: aspect, arrangement: arrangement)
          #expect(!layout.tiles.isEmpty)
          for (index, tile) in layout.tiles.enumerated() {
            #expect(tile.frame.intersection(layout.content) == tile.frame)
            #expect(tile.video.intersection(tile.frame) == tile.video)
            #expect(!tile.video.isEmpty)
            for other in layout.tiles[..<index] { #expect(tile.frame.intersection(other.frame).isEmpty) }
          }
          #expect(Set(layout.tiles.map(\.video.columns)).count == 1)
        }
      }
    }
  }

  @Test(arguments: sizes, [0.4, 0.5, 0.6]) func picturesAreSixteenByNineInTheCellsShape(
    size: (Int, Int), aspect: Double
  ) {
    for count in 1...12 {
      for tile in layout(count, size, aspect: aspect).tiles {
        let exactColumns = Double(tile.video.rows) * 16 / 9 / aspect
        // The nearest whole number of cells in one direction, given the other.
        let offColumns = abs(Double(tile.video.columns) - exactColumns)
        let offRows = abs(Double(tile.video.rows) - Double(tile.video.columns) * 9 / 16 * aspect)
        #expect(offColumns <= 0.5 || offRows <= 0.5)
      }
    }
  }

  @Test func thirtyTwoByNineCellsAreSixteenByNine() {
    let tile = layout(9, (120, 37)).tiles[0]
    #expect(tile.video.rows == 9)
    #expect(tile.video.columns == 32)
  }

  @Test func moreThanFitUsefullyAreSpreadOverPages() {
    let first = layout(30, (80, 24))
    #expect(first.tiles.count == 12)
    #expect(first.pages == 3)
    #expect(first.tiles.allSatisfy { $0.video.columns >= 18 && $0.video.rows >= 5 })
    let last = layout(30, (80, 24), selected: 29)
    #expect(last.page == 2)
    #expect(last.tiles.map(\.id) == (24..<30).map { Fixture.tile($0) })
    // Turning pages does not change sizes.
    #expect(last.tiles[0].video.columns == first.tiles[0].video.columns)
    #expect(layout(30, (200, 60)).pages == 1)
  }

  @Test func zoomShowsOneTileAsLargeAsPossible() {
    let zoomed = layout(9, (120, 40), selected: 4, zoomed: true)
    #expect(zoomed.tiles.map(\.id) == [Fixture.tile(4)])
    #expect(zoomed.tiles[0].video.columns == 118)
    #expect(zoomed.tiles[0].video == layout(1, (120, 40)).tiles[0].video)
  }

  @Test func collectionPutsFourInQuartersWithTheirInset() {
    let layout = layout(6, (120, 43), arrangement: .collection(inset: 1))
    #expect(layout.tiles.count == 4)
    #expect(layout.pages == 2)
    let quarter = CellRect(column: 60, row: 1, columns: 60, rows: 20).inset(columns: 1, rows: 1)
    #expect(layout.tiles[1].frame.intersection(quarter) == layout.tiles[1].frame)
    #expect(layout.tiles[1].frame.rows == quarter.rows)
  }

  @Test func aSmallScreenHasNoTiles() {
    #expect(layout(3, (39, 12)).isTooSmall)
    #expect(layout(3, (40, 11)).tiles.isEmpty)
    #expect(!layout(3, (40, 12)).isTooSmall)
  }

  @Test func nonsenseShapesOfCellsAreTheCommonShape() {
    for aspect in [0, -1, .infinity, .nan, 50] {
      #expect(ScreenState(columns: 80, rows: 24, cellAspect: aspect).cellAspect == 0.5)
    }
  }
}
