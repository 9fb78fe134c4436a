import RTCCore
import Screen
import TestKit
import Testing

@testable import Terminal

/// A grid of video that changes a little from frame to frame, with chrome lying over it here and there.
struct MovingPicture {
  var generator: SeededGenerator
  let columns: Int
  let rows: Int
  private var pixels: [UInt32]

  init(seed: UInt64, columns: Int, rows: Int) {
    generator = SeededGenerator(seed: seed)
    self.columns = columns
    self.rows = rows
    pixels = []
    for _ in 0..<(columns * rows * 2) { pixels.append(UInt32.random(in: 0...0xFF_FFFF, using: &generator)) }
  }

  /// Changes about a third of the pixels: some by a little, some to a neighbour's colour, some to any.
  mutating func advance() {
    for index in pixels.indices {
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: pixels[index] = UInt32.random(in: 0...0xFF_FFFF, using: &generator)
      case 1: pixels[index] = pixels[max(0, index - 1)]
      case 2, 3:
        let blue = Int(pixels[index] & 255) + Int.random(in: -6...6, using: &generator)
        pixels[index] = pixels[index] & 0xFF_FF00 | UInt32(min(max(0, blue), 255))
      default: break
      }
    }
  }

  /// Draws the part of the picture that lies under `rect`.
  func draw(into grid: inout CellGrid, rect: CellRect) {
    grid.markVideo(rect)
    let visible = rect.intersection(grid.bounds)
    var part: [UInt32] = []
    for y in (visible.row * 2)..<(visible.endRow * 2) {
      part += pixels[(y * columns + visible.column)..<(y * columns + visible.endColumn)]
    }
    grid.put(
      RGBPicture(width: visible.columns, height: visible.rows * 2, pixels: part), centredIn: visible, letterbox: 0)
  }
}

/// The colours that a model shows in a cell, as far as it is video, against what the grid wants.
func worstDifference(of model: TerminalModel, from grid: CellGrid, depth: ColorDepth) -> Int? {
  var worst = 0
  for row in 0..<grid.rows {
    for column in 0..<grid.columns where grid[column, row].plane == .video {
      let wanted = grid.video[row * grid.columns + column]
      guard let shown = model[column, row].pixels else {
        Issue.record("\(column),\(row) shows \(model[column, row])")
        return nil
      }
      for (color, wanted) in [(shown.upper, wanted.first), (shown.lower, wanted.second)] {
        switch (color, depth) {
        case (.rgb(let rgb), .trueColor): worst = max(worst, Palette.difference(rgb, wanted))
        case (.indexed(let index), .indexed256): if UInt32(index) != Palette.nearest256(wanted) { return nil }
        case (.indexed(let index), _): if UInt32(index) != Palette.nearest8(wanted) { return nil }
        default: return nil
        }
      }
    }
  }
  return worst
}

func time(_ milliseconds: Int) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

@Suite struct VideoPainterTests {
  @Test(arguments: UInt64(1)...40) func whatIsShownIsWithinTheToleranceOfWhatIsWanted(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let columns = Int.random(in: 1...40, using: &generator)
    let rows = Int.random(in: 1...12, using: &generator)
    let depth = [ColorDepth.trueColor, .indexed256, .indexed8][Int(seed % 3)]
    let tolerance = [0, 4, 8, 12][Int(seed / 3 % 4)]
    var painter = VideoPainter(
      columns: columns, rows: rows, capabilities: TerminalCapabilities(colorDepth: depth, hasRepeat: seed % 2 == 0))
    painter.tolerance = tolerance
    var model = TerminalModel(columns: columns, rows: rows)
    var picture = MovingPicture(seed: seed, columns: columns, rows: rows)
    var buffer = ByteBuffer()
    for frame in 0..<20 {
      picture.advance()
      var grid = CellGrid(columns: columns, rows: rows)
      // Tiles come, go and move; what is not video is somebody else's.
      let rect = CellRect(
        column: frame / 5 % columns, row: 0, columns: columns - frame / 5 % columns, rows: max(1, rows - frame / 7))
      picture.draw(into: &grid, rect: rect)
      buffer.removeAll()
      buffer.append("\u{1B}[m")
      painter.paint(grid, at: time(frame * 33), into: &buffer)
      model.execute(buffer.withBytes(Array.init))
      let worst = try #require(worstDifference(of: model, from: grid, depth: depth))
      #expect(worst <= tolerance)
    }
    #expect(model.unknown.isEmpty)
    #expect(model.scrolls == 0)
  }

  @Test func aStillPictureBecomesExactWithinASecondAndThenCostsNothing() throws {
    var painter = VideoPainter(columns: 40, rows: 20, capabilities: TerminalCapabilities(colorDepth: .trueColor))
    painter.tolerance = 12
    var model = TerminalModel(columns: 40, rows: 20)
    var picture = MovingPicture(seed: 7, columns: 40, rows: 20)
    var grid = CellGrid(columns: 40, rows: 20)
    var buffer = ByteBuffer()
    for frame in 0..<45 {
      if frame < 15 {
        picture.advance()
        picture.draw(into: &grid, rect: grid.bounds)
      }
      buffer.removeAll()
      buffer.append("\u{1B}[m")
      painter.paint(grid, at: time(frame * 33), into: &buffer)
      model.execute(buffer.withBytes(Array.init))
      if frame == 14 {
        #expect(painter.hasInexactCells)
        #expect(try #require(worstDifference(of: model, from: grid, depth: .trueColor)) > 0)
      }
    }
    #expect(worstDifference(of: model, from: grid, depth: .trueColor) == 0)
    #expect(!painter.hasInexactCells)
    #expect(painter.lastCellCount == 0)
  }

  @Test func aSmallErrorNeverAddsUp() throws {
    // The wanted colour creeps by 1 a frame: it is never further from the shown one than the tolerance.
    var painter = VideoPainter(columns: 1, rows: 1, capabilities: TerminalCapabilities(colorDepth: .trueColor))
    var model = TerminalModel(columns: 1, rows: 1)
    var buffer = ByteBuffer()
    var sent = 0
    for level in 0..<200 {
      var grid = CellGrid(columns: 1, rows: 1)
      grid.markVideo(grid.bounds)
      grid.put(RGBPicture(width: 1, height: 2, fill: UInt32(level)), centredIn: grid.bounds, letterbox: 0)
      buffer.removeAll()
      painter.paint(grid, at: time(level * 33), into: &buffer)
      sent += painter.lastCellCount
      model.execute(buffer.withBytes(Array.init))
      #expect(try #require(worstDifference(of: model, from: grid, depth: .trueColor)) <= 4)
    }
    #expect(sent < 50)
  }

  @Test func anInvalidatedRowIsSentAgainAndOnlyThatRow() {
    var painter = VideoPainter(columns: 10, rows: 4, capabilities: TerminalCapabilities(colorDepth: .indexed256))
    var grid = CellGrid(columns: 10, rows: 4)
    grid.markVideo(grid.bounds)
    var buffer = ByteBuffer()
    painter.paint(grid, at: .zero, into: &buffer)
    #expect(painter.lastCellCount == 40)
    painter.invalidate(row: 2)
    painter.paint(grid, at: .zero, into: &buffer)
    #expect(painter.lastCellCount == 10)
    painter.invalidate(row: -1)
    painter.invalidate(row: 4)
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
    for depth in [ColorDepth.trueColor, .indexed256, .indexed8] {
      var pen = ColorPen(depth: depth)
      var buffer = ByteBuffer()
      for _ in 0..<500 {
        let limit: UInt32 = depth == .trueColor ? 0xFF_FFFF : depth == .indexed256 ? 255 : 7
        func color() -> UInt32 {
          Bool.random(using: &generator) ? ColorPen.none : UInt32.random(in: 0...limit, using: &generator)
        }
        let (foreground, background) = (color(), color())
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
      let rgb = Palette.rgb256(index)
      #expect(Palette.difference(rgb, Palette.rgb256(Int(Palette.nearest256(rgb)))) <= 10)
    }
    #expect(Palette.nearest8(0xFF0000) == 1)
    #expect(Palette.nearest8(0) == 0)
  }
}
