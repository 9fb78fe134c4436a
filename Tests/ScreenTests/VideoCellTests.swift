import RTCCore
import Screen
import TestKit
import Testing

@Suite struct VideoCellTests {
  /// The colour that a cell shows in each of its sub-pixels.
  private func pixels(_ cell: VideoCell, density: PixelDensity) -> [UInt32] {
    (0..<(density.columns * density.rows)).map { pixel in
      let twelfth = pixel / density.columns * (6 / density.rows) * 2 + (density.columns == 1 ? 0 : pixel % 2)
      return cell.shape.twelfths >> UInt16(twelfth) & 1 == 1 ? cell.first : cell.second
    }
  }

  private func cell(_ pixels: [UInt32], density: PixelDensity) -> VideoCell {
    var grid = CellGrid(columns: 1, rows: 1)
    grid.markVideo(grid.bounds)
    let picture = RGBPicture(width: density.columns, height: density.rows, pixels: pixels)
    grid.put(picture, centredIn: grid.bounds, density: density, letterbox: 0)
    return grid.video[0]
  }

  private static let densities = [
    VideoGlyphs.half.pixelsPerCell, VideoGlyphs.quadrants.pixelsPerCell, VideoGlyphs.sextants.pixelsPerCell,
  ]

  @Test(arguments: densities) func twoColoursAreShownExactly(density: PixelDensity) {
    let count = density.columns * density.rows
    for mask in 0..<(1 << count) {
      for (dark, bright) in [(UInt32(0x102030), UInt32(0xF0E0D0)), (0x40FF40, 0x40FF41), (0xFF0000, 0x00FF00)] {
        let wanted = (0..<count).map { mask >> $0 & 1 == 1 ? bright : dark }
        let cell = cell(wanted, density: density)
        #expect(pixels(cell, density: density) == wanted)
        // Whatever is at the top left is the first colour, so that equal pictures make equal cells.
        #expect(cell.shape.twelfths & 1 == 1)
      }
    }
  }

  @Test(arguments: densities.dropFirst()) func ofManyColoursEachPartHasItsMean(density: PixelDensity) {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<200 {
      let wanted = (0..<(density.columns * density.rows)).map { _ in
        UInt32.random(in: 0...0xFF_FFFF, using: &generator)
      }
      let shown = pixels(cell(wanted, density: density), density: density)
      for color in Set(shown) {
        let members = wanted.indices.filter { shown[$0] == color }
        for shift: UInt32 in [0, 8, 16] {
          let mean = Double(members.reduce(0) { $0 + (wanted[$1] >> shift & 255) }) / Double(members.count)
          #expect(abs(mean - Double(color >> shift & 255)) <= 0.5)
        }
      }
    }
  }

  @Test func aPictureThatDoesNotFillItsPlaceStandsInItsMiddle() {
    for density in Self.densities {
      var grid = CellGrid(columns: 4, rows: 3)
      grid.markVideo(grid.bounds)
      let picture = RGBPicture(width: 2 * density.columns, height: density.rows, fill: 0xABCDEF)
      grid.put(picture, centredIn: grid.bounds, density: density, letterbox: 0x010203)
      for (index, cell) in grid.video.enumerated() {
        let expected: UInt32 = index == 5 || index == 6 ? 0xABCDEF : 0x010203
        #expect(Set(pixels(cell, density: density)) == [expected])
      }
    }
  }

  @Test func finerGlyphsAreGivenFinerPicturesOfTheSameShape() throws {
    let state = Fixture.state(1)
    let halves = try #require(state.videoTargets[Fixture.video(0)])
    for glyphs in VideoGlyphs.allCases {
      let density = glyphs.pixelsPerCell
      var finer = state
      _ = reduce(&finer, .pixelDensity(density))
      let size = try #require(finer.videoTargets[Fixture.video(0)])
      #expect(abs(size.width - halves.width * density.columns) <= density.columns)
      #expect(abs(2 * size.height - halves.height * density.rows) <= 2 * density.rows)
    }
    #expect(PixelDensity(columns: 0, rows: 10_000) == PixelDensity(columns: 1, rows: 64))
  }
}
