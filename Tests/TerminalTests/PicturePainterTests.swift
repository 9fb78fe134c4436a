import RTCCore
import Screen
import TestKit
import Testing

@testable import Terminal

/// Pictures on a grid and what a terminal with graphics shows of them.
private struct GraphicsScreen {
  let cell = PixelDensity(columns: 6, rows: 13)
  var grid: CellGrid
  var painter: PicturePainter
  var terminal: TerminalModel
  var graphics: GraphicsModel

  init(_ format: (PixelDensity) -> GraphicsFormat, columns: Int = 20, rows: Int = 8) {
    grid = CellGrid(columns: columns, rows: rows)
    painter = PicturePainter(format: format(cell))
    terminal = TerminalModel(columns: columns, rows: rows)
    graphics = GraphicsModel(columns: columns, rows: rows, cell: cell)
  }

  /// Paints the grid as it is; gives the bytes that took.
  mutating func paint(touched: [CellRect] = [], budget: Int = .max) -> Int {
    var buffer = ByteBuffer()
    painter.paint(grid, touched: touched, into: &buffer, budget: budget)
    let seen = terminal.controlStrings.count
    buffer.withBytes { terminal.execute($0) }
    graphics.execute(terminal.controlStrings[seen...])
    #expect(terminal.unknown.isEmpty && terminal.scrolls == 0)
    #expect(graphics.faults.isEmpty)
    return buffer.count
  }

  mutating func show(_ picture: RGBPicture, in area: CellRect) {
    grid.removePictures()
    grid.markPicture(area)
    grid.place(picture, in: area)
  }
}

private func noise(width: Int, height: Int, seed: UInt64) -> RGBPicture {
  var generator = SeededGenerator(seed: seed)
  let pixels = (0..<(width * height)).map { _ in UInt32.random(in: 0...0xFF_FFFF, using: &generator) }
  return RGBPicture(width: width, height: height, pixels: pixels)
}

private func row(_ row: Int) -> CellRect { CellRect(column: 0, row: row, columns: 20, rows: 1) }

private let area = CellRect(column: 3, row: 1, columns: 12, rows: 5)

@Suite struct KittyPictureTests {
  @Test(arguments: UInt64(1)...12) func aPictureArrivesPixelByPixel(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let picture = noise(
      width: Int.random(in: 1...90, using: &generator), height: Int.random(in: 1...70, using: &generator), seed: seed)
    var screen = GraphicsScreen({ _ in .kitty })
    screen.show(picture, in: area)
    _ = screen.paint()
    let placement = try #require(screen.graphics.placements.values.first)
    #expect(placement.area == area)
    #expect(placement.width == picture.width && placement.height == picture.height)
    #expect(placement.pixels == picture.pixels.map { $0 | 0xFF00_0000 })
  }

  @Test func theNewestPictureReplacesTheOneBefore() throws {
    var screen = GraphicsScreen({ _ in .kitty })
    for seed in UInt64(1)...5 {
      let picture = noise(width: 40, height: 30, seed: seed)
      screen.show(picture, in: area)
      _ = screen.paint()
      #expect(screen.graphics.placements.count == 1)
      #expect(screen.graphics.placements.values.first?.pixels == picture.pixels.map { $0 | 0xFF00_0000 })
    }
  }

  @Test func whatDoesNotChangeIsNotSentAgain() {
    var screen = GraphicsScreen({ _ in .kitty })
    screen.show(noise(width: 40, height: 30, seed: 1), in: area)
    #expect(screen.paint() > 0)
    #expect(screen.paint() == 0)
    #expect(screen.paint(touched: [row(0), row(7), CellRect(column: 0, row: 3, columns: 3, rows: 1)]) == 0)
    #expect(screen.paint(touched: [row(3)]) > 0)
    screen.painter.invalidateAll()
    #expect(screen.paint() > 0)
  }

  @Test func aPictureThatLeavesIsForgotten() {
    var screen = GraphicsScreen({ _ in .kitty })
    screen.show(noise(width: 40, height: 30, seed: 1), in: area)
    _ = screen.paint()
    screen.grid.removePictures()
    _ = screen.paint()
    #expect(screen.graphics.placements.isEmpty)
  }

  @Test func chromeOverAPictureIsLeftOut() throws {
    var screen = GraphicsScreen({ _ in .kitty })
    let picture = noise(width: 48, height: 50, seed: 1)
    screen.show(picture, in: area)
    screen.grid.put(Cell("x"), column: 3, row: 1)
    screen.grid.put(Cell("x"), column: 14, row: 5)
    _ = screen.paint()
    let placement = try #require(screen.graphics.placements.values.first)
    for y in 0..<50 {
      for x in 0..<48 {
        let isCovered = (x / 4, y / 10) == (0, 0) || (x / 4, y / 10) == (11, 4)
        #expect(placement.pixels[y * 48 + x] == picture.pixels[y * 48 + x] | (isCovered ? 0 : 0xFF00_0000))
      }
    }
    // And comes back when the chrome goes.
    screen.show(picture, in: area)
    #expect(screen.paint() > 0)
    #expect(screen.graphics.placements.values.first?.pixels == picture.pixels.map { $0 | 0xFF00_0000 })
  }
}

/// On a slow link.
@Suite struct PictureBudgetTests {
  /// Four areas of which each has a picture of its own in every round.
  private static let areas = (0..<4).map { CellRect(column: 1 + $0 % 2 * 9, row: $0 / 2 * 4, columns: 8, rows: 3) }

  private func show(_ round: UInt64, on screen: inout GraphicsScreen) {
    screen.grid.removePictures()
    for (index, area) in Self.areas.enumerated() {
      screen.grid.markPicture(area)
      screen.grid.place(noise(width: 40, height: 30, seed: round * 10 + UInt64(index)), in: area)
    }
  }

  private func shown(_ round: UInt64, on screen: GraphicsScreen) -> [Int] {
    Self.areas.indices.filter { index in
      let wanted = noise(width: 40, height: 30, seed: round * 10 + UInt64(index)).pixels.map { $0 | 0xFF00_0000 }
      return screen.graphics.placements.values.contains { $0.area == Self.areas[index] && $0.pixels == wanted }
    }
  }

  @Test func eachPictureGetsItsTurn() {
    var screen = GraphicsScreen({ _ in .kitty })
    show(1, on: &screen)
    let whole = screen.paint()
    #expect(screen.painter.lastPart == 1 && !screen.painter.hasUnsentPictures)
    var turns: [Int] = []
    for round in UInt64(2)...9 {
      show(round, on: &screen)
      #expect(screen.paint(budget: 1_000) < whole / 3)
      #expect(screen.painter.lastPart == 0.25)
      turns += shown(round, on: screen)
      // The others show what they did.
      #expect(screen.graphics.placements.count == 4)
    }
    #expect(turns == [0, 1, 2, 3, 0, 1, 2, 3])
  }

  @Test func theRestOfTheSamePicturesFollows() {
    var screen = GraphicsScreen({ _ in .kitty })
    show(1, on: &screen)
    for count in 1...4 {
      _ = screen.paint(budget: 1)
      #expect(shown(1, on: screen).count == count)
      #expect(screen.painter.hasUnsentPictures == (count < 4))
    }
    #expect(screen.paint(budget: 1) == 0)
  }

  @Test func whatIsWrittenOverCannotWait() {
    var screen = GraphicsScreen({ _ in .kitty })
    show(1, on: &screen)
    _ = screen.paint()
    show(2, on: &screen)
    screen.grid.put(Cell("x"), column: Self.areas[3].column, row: Self.areas[3].row)
    _ = screen.paint(touched: [row(Self.areas[0].row)], budget: 1)
    // Both of the upper row, and the one under the letter.
    #expect(shown(2, on: screen) == [0, 1])
    #expect(
      screen.graphics.placements.values.first { $0.area == Self.areas[3] }?.pixels.contains { $0 >> 24 == 0 } == true)
    #expect(screen.painter.hasUnsentPictures)
  }
}

@Suite struct SixelPictureTests {
  private func shown(_ screen: GraphicsScreen, x: Int, y: Int) -> UInt32? {
    let left = area.column * screen.cell.columns
    let top = area.row * screen.cell.rows
    return screen.graphics.canvas[(top + y) * screen.graphics.canvasWidth + left + x]
  }

  @Test(arguments: [(8, 255), (27, 128), (125, 64), (256, 51)])
  func eachPixelIsOneOfTheNearestSteps(colors: Int, step: Int) throws {
    var screen = GraphicsScreen({ .sixel(cell: $0, colors: colors, largest: nil) })
    let size = (width: area.columns * 6, height: area.rows * 13)
    let picture = noise(width: size.width, height: size.height, seed: 7)
    screen.show(picture, in: area)
    _ = screen.paint()
    for y in 0..<size.height {
      for x in 0..<size.width {
        let color = try #require(shown(screen, x: x, y: y))
        #expect(ColorDistance.channel(color, picture.pixels[y * size.width + x]) <= step)
      }
    }
    // Nothing outside of it.
    #expect(screen.graphics.canvas.count { $0 != nil } == size.width * size.height)
  }

  @Test(arguments: [0, 20, 51, 77, 128, 200, 254, 255] as [UInt32]) func aPlainColourKeepsItsBrightness(grey: UInt32) {
    var screen = GraphicsScreen({ .sixel(cell: $0, colors: 256, largest: nil) })
    screen.show(RGBPicture(width: 72, height: 65, fill: grey * 0x010101), in: area)
    _ = screen.paint()
    // Over whole patterns of 8x8.
    var sum = 0
    for y in 0..<64 { for x in 0..<64 { sum += Int((shown(screen, x: x, y: y) ?? 0) & 255) } }
    #expect(abs(Double(sum) / 4096 - Double(grey)) < 1)
  }

  @Test func chromeOverAPictureIsLeftOut() {
    var screen = GraphicsScreen({ .sixel(cell: $0, colors: 256, largest: nil) })
    screen.show(noise(width: 72, height: 65, seed: 2), in: area)
    screen.grid.fill(CellRect(column: 5, row: 2, columns: 3, rows: 2), with: .blank)
    _ = screen.paint()
    for y in 0..<65 {
      for x in 0..<72 {
        let isCovered = (2..<5).contains(x / 6) && (1..<3).contains(y / 13)
        #expect((shown(screen, x: x, y: y) == nil) == isCovered)
      }
    }
  }

  @Test func aPictureLargerThanTheTerminalTakesIsSentInPieces() {
    var screen = GraphicsScreen({ .sixel(cell: $0, colors: 256, largest: PixelSize(width: 31, height: 40)) })
    screen.show(RGBPicture(width: 72, height: 65, fill: 0xFF0000), in: area)
    _ = screen.paint()
    // 5 and 3 cells at most: three pieces across, two down.
    #expect(screen.terminal.controlStrings.count == 6)
    #expect(screen.graphics.canvas.count { $0 == 0xFF0000 } == 72 * 65)
  }

  @Test func aPictureOfAnotherSizeIsStretched() {
    var screen = GraphicsScreen({ .sixel(cell: $0, colors: 256, largest: nil) })
    screen.show(RGBPicture(width: 2, height: 1, pixels: [0xFF0000, 0x0000FF]), in: area)
    _ = screen.paint()
    #expect(shown(screen, x: 35, y: 64) == 0xFF0000)
    #expect(shown(screen, x: 36, y: 0) == 0x0000FF)
  }
}

@Suite struct GraphicsFormatTests {
  private let cell = PixelDensity(columns: 6, rows: 13)
  private let silent = TerminalFindings(
    surroundings: TerminalSurroundings(environment: [:]), terminfo: TerminalDescription(name: "xterm"))

  @Test(arguments: TerminalGraphics.allCases) func whatIsNotProvedIsRefusedWithASentence(graphics: TerminalGraphics) {
    let error = #expect(throws: TerminalError.self) {
      try GraphicsFormat(graphics, findings: silent, cell: cell)
    }
    #expect(error == .noGraphics(graphics, terminal: silent.terminal.value))
    #expect(error?.description.contains("Leave --glyphs out.") == true)
  }

  @Test func whatIsProvedIsUsed() throws {
    var findings = silent
    findings.kittyGraphics.value = true
    findings.sixel.value = SixelGraphics(colors: 256, size: PixelSize(width: 1000, height: 800))
    #expect(try GraphicsFormat(.kitty, findings: findings, cell: nil) == .kitty)
    #expect(
      try GraphicsFormat(.sixel, findings: findings, cell: cell)
        == .sixel(cell: cell, colors: 256, largest: PixelSize(width: 1000, height: 800)))
    #expect(throws: TerminalError.noCellPixels(terminal: findings.terminal.value)) {
      try GraphicsFormat(.sixel, findings: findings, cell: nil)
    }
  }

  @Test func kittyIsSentAQuarterOfThePixelsButMoreThanGlyphsShow() {
    #expect(
      TerminalGraphics.kitty.pixelsPerCell(of: PixelDensity(columns: 10, rows: 20))
        == PixelDensity(columns: 5, rows: 10))
    #expect(TerminalGraphics.kitty.pixelsPerCell(of: PixelDensity(columns: 2, rows: 4)).exceedsGlyphs)
    #expect(TerminalGraphics.sixel.pixelsPerCell(of: cell) == cell)
  }

  @Test func anotherFontIsAnotherCell() {
    var screen = GraphicsScreen({ .sixel(cell: $0, colors: 256, largest: nil) })
    screen.show(noise(width: 72, height: 65, seed: 1), in: area)
    let bytes = screen.paint()
    let hasSameCells = screen.painter.setCell(screen.cell)
    #expect(!hasSameCells && screen.paint() == 0)
    let hasOtherCells = screen.painter.setCell(PixelDensity(columns: 3, rows: 6))
    #expect(hasOtherCells)
    var buffer = ByteBuffer()
    screen.painter.paint(screen.grid, touched: [], into: &buffer)
    #expect(buffer.count > 0 && buffer.count < bytes)
  }

  /// What the terminal is given back with, after a picture that was cut off somewhere.
  @Test(arguments: [0, 10, 3_000, 4_200, 9_000]) func picturesAreTakenOffInTheEnd(sent: Int) {
    var screen = GraphicsScreen({ _ in .kitty })
    screen.show(noise(width: 40, height: 60, seed: 1), in: area)
    _ = screen.paint()
    screen.show(noise(width: 40, height: 60, seed: 2), in: area)
    var buffer = ByteBuffer()
    screen.painter.paint(screen.grid, touched: [], into: &buffer)
    let seen = screen.terminal.controlStrings.count
    buffer.withBytes { screen.terminal.execute($0.prefix(sent)) }
    let given = TerminalDevice.giveBackBytes(
      TerminalDescription(name: "xterm-kitty"), isSynchronized: true, mouse: false, hasKittyPictures: true)
    screen.terminal.execute(given)
    screen.graphics.execute(screen.terminal.controlStrings[seen...])
    #expect(screen.graphics.placements.isEmpty)
  }
}
