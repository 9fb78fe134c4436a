import RTCCore
import Screen
import TestKit
import Testing

@testable import Terminal

@Suite struct VideoPainterTests {
  /// A painter and the terminal it paints.
  struct Rig {
    var painter: VideoPainter
    var model: TerminalModel
    let glyphs: VideoGlyphs

    init(
      columns: Int, rows: Int, depth: ColorDepth = .trueColor, glyphs: VideoGlyphs = .half, tolerance: Int = 4,
      hasRepeat: Bool = false
    ) {
      painter = VideoPainter(
        columns: columns, rows: rows, capabilities: TerminalCapabilities(colorDepth: depth, hasRepeat: hasRepeat),
        glyphs: glyphs)
      painter.tolerance = tolerance
      model = TerminalModel(columns: columns, rows: rows)
      self.glyphs = glyphs
    }

    /// Bytes that were sent.
    @discardableResult
    mutating func show(_ grid: CellGrid, at milliseconds: Int, budget: Int = .max) -> Int {
      var buffer = ByteBuffer()
      painter.paint(grid, at: time(milliseconds), into: &buffer, budget: budget)
      let count = buffer.count
      model.execute("\u{1B}[m".utf8)
      model.execute(buffer.withBytes(Array.init))
      return count
    }

    func faults(_ grid: CellGrid, tolerance: Int, isMoving: Bool) -> [String] {
      PictureJudge(depth: painter.depth, glyphs: glyphs).faults(
        of: model, from: grid, tolerance: tolerance, isMoving: isMoving)
    }
  }

  @Test(arguments: UInt64(1)...120) func aModelShowsWhatIsWantedWithinTheToleranceAndExactlyOnceStill(seed: UInt64)
    throws
  {
    var generator = SeededGenerator(seed: seed)
    let columns = Int.random(in: 1...40, using: &generator)
    let rows = Int.random(in: 1...12, using: &generator)
    let depth = ColorDepth.allCases[Int(seed) % ColorDepth.allCases.count]
    let glyphs = VideoGlyphs.allCases[Int(seed) / 5 % VideoGlyphs.allCases.count]
    let tolerance = [0, 4, 8, 12].randomElement(using: &generator) ?? 0
    let budget = Bool.random(using: &generator) ? Int.max : Int.random(in: 1...4_000, using: &generator)
    var rig = Rig(
      columns: columns, rows: rows, depth: depth, glyphs: glyphs, tolerance: tolerance,
      hasRepeat: Bool.random(using: &generator))
    var picture = MovingPicture(seed: seed, columns: columns, rows: rows, density: glyphs.pixelsPerCell)
    var grid = CellGrid(columns: columns, rows: rows)
    for frame in 0..<16 {
      picture.advance()
      grid = CellGrid(columns: columns, rows: rows)
      // Tiles come, go and move; what is not video is somebody else's.
      let rect = CellRect(
        column: frame / 5 % columns, row: 0, columns: columns - frame / 5 % columns, rows: max(1, rows - frame / 7))
      picture.draw(into: &grid, rect: rect)
      var calls = 0
      repeat {
        rig.show(grid, at: frame * 33, budget: budget)
        calls += 1
      } while rig.painter.hasUnpaintedRows && calls < 1_000
      let faults = rig.faults(grid, tolerance: tolerance, isMoving: true)
      try #require(faults.isEmpty, "frame \(frame), \(depth), \(glyphs): \(faults.prefix(3))")
    }
    var frame = 16
    // The stillness, the refinement, and twice the rows for the least of budgets.
    while frame < 16 + 15 + 15 + rows * 2 {
      rig.show(grid, at: frame * 33, budget: budget)
      frame += 1
    }
    let faults = rig.faults(grid, tolerance: 0, isMoving: false)
    #expect(faults.isEmpty, "\(depth), \(glyphs): \(faults.prefix(3))")
    #expect(rig.show(grid, at: frame * 33) == 0)
    #expect(!rig.painter.hasInexactCells)
    #expect(rig.model.unknown.isEmpty)
    #expect(rig.model.scrolls == 0)
  }

  @Test(arguments: UInt64(1)...20) func theDepthMayChangeWhileAPictureMoves(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var rig = Rig(columns: 30, rows: 10, glyphs: [.half, .quadrants][Int(seed % 2)])
    var picture = MovingPicture(seed: seed, columns: 30, rows: 10, density: rig.glyphs.pixelsPerCell)
    var grid = CellGrid(columns: 30, rows: 10)
    let depths = seed < 10 ? [ColorDepth.trueColor, .indexed256] : ColorDepth.allCases
    for frame in 0..<12 {
      picture.advance()
      picture.draw(into: &grid, rect: grid.bounds)
      if frame % 4 == 3 { rig.painter.setDepth(depths.randomElement(using: &generator) ?? .trueColor) }
      rig.show(grid, at: frame * 33)
    }
    for frame in 12..<45 { rig.show(grid, at: frame * 33) }
    // Finer colours that are still there from before are right too.
    let wanted = grid.video.map(ShownCell.init)
    let quantizer = CellQuantizer(depth: rig.painter.depth, glyphs: rig.glyphs)
    if rig.painter.depth == .indexed256 {
      let judge = PictureJudge(depth: .trueColor, glyphs: rig.glyphs)
      for (index, wanted) in wanted.enumerated() {
        let cell = rig.model[index % 30, index / 30]
        let shown = try #require(
          judge.parts(of: cell) ?? PictureJudge(depth: .indexed256, glyphs: rig.glyphs).parts(of: cell))
        let best = quantizer.error(of: quantizer.best(wanted).parts, against: wanted.parts)
        #expect(quantizer.error(of: shown, against: wanted.parts) <= best)
      }
    } else {
      #expect(rig.faults(grid, tolerance: 0, isMoving: false).isEmpty)
    }
    #expect(rig.show(grid, at: 45 * 33) == 0)
  }

  @Test func fewerColoursLeaveWhatStandsStill() {
    var rig = Rig(columns: 40, rows: 10)
    var picture = MovingPicture(seed: 3, columns: 40, rows: 10)
    var grid = CellGrid(columns: 40, rows: 10)
    picture.draw(into: &grid, rect: grid.bounds)
    rig.show(grid, at: 0)
    rig.painter.setDepth(.indexed256)
    #expect(rig.show(grid, at: 33) == 0)
    picture.advance()
    picture.draw(into: &grid, rect: grid.bounds)
    #expect(rig.show(grid, at: 66) > 0)
    rig.painter.setDepth(.trueColor)
    // What came in few colours is refined a share a frame, not all at once.
    let first = rig.show(grid, at: 99)
    #expect(first > 0)
    for frame in 4..<10 { rig.show(grid, at: frame * 33) }
    #expect(rig.faults(grid, tolerance: 0, isMoving: false).isEmpty)
  }

  @Test(arguments: [5, 10, 15, 30, 60]) func aStillPictureIsExactWithinASecondAtAnyRate(perSecond: Int) {
    var rig = Rig(columns: 200, rows: 60, tolerance: 12)
    var picture = MovingPicture(seed: 5, columns: 200, rows: 60)
    var grid = CellGrid(columns: 200, rows: 60)
    for frame in 0...2 {
      picture.advance()
      picture.draw(into: &grid, rect: grid.bounds)
      rig.show(grid, at: frame * 1000 / perSecond)
    }
    #expect(rig.painter.hasInexactCells)
    for frame in 3...(2 + perSecond) { rig.show(grid, at: frame * 1000 / perSecond) }
    #expect(rig.faults(grid, tolerance: 0, isMoving: false).isEmpty)
    #expect(!rig.painter.hasInexactCells)
  }

  @Test func aBudgetBoundsAFrameAndEveryRowGetsItsTurn() {
    var rig = Rig(columns: 40, rows: 20, tolerance: 0)
    var picture = MovingPicture(seed: 11, columns: 40, rows: 20)
    var grid = CellGrid(columns: 40, rows: 20)
    picture.draw(into: &grid, rect: grid.bounds)
    let row = rig.show(grid, at: 0, budget: 1)
    #expect(row > 0)
    #expect(rig.painter.hasUnpaintedRows)
    #expect(rig.painter.hasInexactCells)
    #expect(rig.painter.lastCellCount == 40)
    // The picture never stops moving, and still no row waits for more than twenty frames.
    for frame in 1...19 {
      picture.advance()
      picture.draw(into: &grid, rect: grid.bounds)
      let bytes = rig.show(grid, at: frame * 33, budget: 1)
      #expect(bytes < 40 * 45)
      #expect(rig.model[0, frame].block != 0 || rig.model[0, frame].style.background != .terminalDefault)
    }
    let whole = rig.show(grid, at: 700)
    #expect(whole > 10 * row)
    #expect(!rig.painter.hasUnpaintedRows)
  }

  @Test(arguments: [ColorDepth.indexed256, .indexed16, .none]) func noiseAtThePalettesBordersCostsNothing(
    depth: ColorDepth
  ) {
    var generator = SeededGenerator(seed: 4)
    var rig = Rig(columns: 60, rows: 20, depth: depth)
    let base = (0..<2400).map { UInt32($0 * 255 / 2399) }
    var bytes = 0
    for frame in 0..<30 {
      var grid = CellGrid(columns: 60, rows: 20)
      grid.markVideo(grid.bounds)
      let pixels = base.map { level in
        UInt32(min(255, max(0, Int(level) + Int.random(in: -2...2, using: &generator)))) * 0x010101
      }
      grid.put(RGBPicture(width: 60, height: 40, pixels: pixels), centredIn: grid.bounds, letterbox: 0)
      let sent = rig.show(grid, at: frame * 33)
      if frame > 10 { bytes += sent }
    }
    #expect(bytes < 20 * 20, "\(bytes) bytes in 19 frames")
  }

  @Test func aStillPictureBecomesExactWithinASecondAndThenCostsNothing() {
    var rig = Rig(columns: 40, rows: 20, tolerance: 12)
    var picture = MovingPicture(seed: 7, columns: 40, rows: 20)
    var grid = CellGrid(columns: 40, rows: 20)
    for frame in 0..<45 {
      if frame < 15 {
        picture.advance()
        picture.draw(into: &grid, rect: grid.bounds)
      }
      rig.show(grid, at: frame * 33)
      if frame == 14 {
        #expect(rig.painter.hasInexactCells)
        #expect(!rig.faults(grid, tolerance: 0, isMoving: true).isEmpty)
      }
    }
    #expect(rig.faults(grid, tolerance: 0, isMoving: false).isEmpty)
    #expect(!rig.painter.hasInexactCells)
    #expect(rig.painter.lastCellCount == 0)
  }

  @Test func aSmallErrorNeverAddsUp() {
    // The wanted colour creeps by 1 a frame: it is never further from the shown one than the tolerance.
    var rig = Rig(columns: 1, rows: 1)
    var sent = 0
    for level in 0..<200 {
      var grid = CellGrid(columns: 1, rows: 1)
      grid.markVideo(grid.bounds)
      grid.put(RGBPicture(width: 1, height: 2, fill: UInt32(level)), centredIn: grid.bounds, letterbox: 0)
      rig.show(grid, at: level * 33)
      sent += rig.painter.lastCellCount
      #expect(rig.faults(grid, tolerance: 4, isMoving: true).isEmpty)
    }
    #expect(sent < 50)
  }

  @Test func whatWasWrittenOverIsSentAgainAndOnlyThat() {
    var painter = VideoPainter(columns: 10, rows: 4, capabilities: TerminalCapabilities(colorDepth: .indexed256))
    var grid = CellGrid(columns: 10, rows: 4)
    grid.markVideo(grid.bounds)
    var buffer = ByteBuffer()
    painter.paint(grid, at: .zero, into: &buffer)
    #expect(painter.lastCellCount == 40)
    painter.invalidate(CellRect(column: 7, row: 2, columns: 9, rows: 1))
    painter.paint(grid, at: .zero, into: &buffer)
    #expect(painter.lastCellCount == 3)
    for row in [-1, 4] { painter.invalidate(CellRect(column: 0, row: row, columns: 10, rows: 1)) }
    painter.paint(grid, at: .zero, into: &buffer)
    #expect(painter.lastCellCount == 0)
  }

  @Test func aGridOfAnotherSizePaintsNothing() {
    var painter = VideoPainter(columns: 10, rows: 4, capabilities: TerminalCapabilities(colorDepth: .trueColor))
    var grid = CellGrid(columns: 11, rows: 4)
    grid.markVideo(grid.bounds)
    var buffer = ByteBuffer()
    painter.paint(grid, at: .zero, into: &buffer)
    let count = buffer.count
    #expect(count == 0)
  }

  @Test func oneColourIsRepeatedAndOneColourSetOnce() {
    var painter = VideoPainter(
      columns: 80, rows: 1, capabilities: TerminalCapabilities(colorDepth: .trueColor, hasRepeat: true))
    var grid = CellGrid(columns: 80, rows: 1)
    grid.markVideo(grid.bounds)
    grid.put(RGBPicture(width: 80, height: 2, fill: 0x102030), centredIn: grid.bounds, letterbox: 0)
    var buffer = ByteBuffer()
    painter.paint(grid, at: .zero, into: &buffer)
    let text = buffer.withBytes { String(decoding: $0, as: UTF8.self) }
    #expect(text == "\u{1B}[1H\u{1B}[48;2;16;32;48m \u{1B}[79b")
  }

  @Test func theCostOfAColourIsWhatIsWritten() {
    var generator = SeededGenerator(seed: 3)
    for depth in ColorDepth.allCases where depth != .none {
      var pen = ColorPen(depth: depth)
      var buffer = ByteBuffer()
      let palette: [UInt32] =
        switch depth {
        case .trueColor: (0..<100).map { _ in UInt32.random(in: 0...0xFF_FFFF, using: &generator) }
        case .indexed256: (16...255).map { Palette.rgb256($0) }
        default: Palette.rgb16
        }
      for _ in 0..<500 {
        let foreground = palette.randomElement(using: &generator) ?? 0
        let background = Bool.random(using: &generator) ? ColorPen.none : palette.randomElement(using: &generator) ?? 0
        let before = buffer.count
        let cost = pen.cost(foreground: foreground, background: background)
        pen.select(foreground: foreground, background: background, into: &buffer)
        let written = buffer.count - before
        #expect(written == cost)
      }
    }
  }

  @Test func thePaletteIsXtermsAndItsColoursAreTheirOwnNearest() {
    #expect(Palette.rgb256(16) == 0)
    #expect(Palette.rgb256(231) == 0xFFFFFF)
    #expect(Palette.rgb256(196) == 0xFF0000)
    #expect(Palette.rgb256(244) == 0x808080)
    for index in 16...255 {
      #expect(Palette.rgb256(Int(Palette.nearest256(Palette.rgb256(index)))) == Palette.rgb256(index))
    }
    for (index, color) in Palette.rgb16.enumerated() { #expect(Palette.nearest16(color) == UInt32(index)) }
    #expect(Palette.nearest8(0xFF0000) == 1)
    #expect(Palette.nearest8(0) == 0)
  }
}
