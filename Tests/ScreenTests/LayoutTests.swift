import Conference
import Screen
import Testing

@Suite struct LayoutTests {
  private func layout(
    _ count: Int, _ size: (Int, Int), aspect: Double = 0.5, selected: Int = 0, zoomed: Bool = false
  ) -> ScreenLayout {
    var wish = LayoutWish(tiles: (0..<count).map { Fixture.tile($0) }, selected: Fixture.tile(selected))
    wish.isZoomed = zoomed
    return ScreenLayout(columns: size.0, rows: size.1, cellAspect: aspect, wish: wish)
  }

  @Test func thirtyTwoByNineCellsAreSixteenByNine() {
    let tile = layout(9, (120, 37)).tiles[0]
    #expect(tile.video.rows == 9)
    #expect(tile.video.columns == 32)
  }

  @Test func moreThanFitUsefullyAreSpreadOverPages() {
    let first = layout(30, (80, 24))
    #expect(first.tiles.count == 12)
    #expect(first.positions == 3)
    #expect(first.tiles.allSatisfy { $0.video.columns >= 18 && $0.video.rows >= 5 })
    let last = layout(30, (80, 24), selected: 29)
    #expect(last.position == 2)
    #expect(last.tiles.map(\.id) == (24..<30).map { Fixture.tile($0) })
    // Turning pages does not change sizes.
    #expect(last.tiles[0].video.columns == first.tiles[0].video.columns)
    #expect(layout(30, (200, 60)).positions == 1)
  }

  @Test func zoomShowsOneTileAsLargeAsPossible() {
    let zoomed = layout(9, (120, 40), selected: 4, zoomed: true)
    #expect(zoomed.tiles.map(\.id) == [Fixture.tile(4)])
    #expect(zoomed.tiles[0].video.columns == 118)
    #expect(zoomed.tiles[0].video == layout(1, (120, 40)).tiles[0].video)
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
