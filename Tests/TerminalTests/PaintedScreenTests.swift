import Glibc
import RTCCore
import Screen
import TestKit
import Testing

@testable import Terminal

/// ncurses keeps its state in globals: all tests that use it run one after another.
@Suite(.serialized) enum NcursesTests {}

extension NcursesTests {
  /// Chrome by the real ncurses and video by the painter, in the order in which a session sends them, on a model of the
  /// terminal.
  @Suite struct PaintedScreenTests {
    /// A screen without a terminal behind it.
    struct Rig {
      let chrome: ChromeScreen
      var painter: VideoPainter
      var model: TerminalModel
      let capabilities: TerminalCapabilities
      let isDirect: Bool

      init(term: String, depth: ColorDepth, columns: Int, rows: Int) throws {
        capabilities = TerminalCapabilities(
          colorDepth: depth, hasRepeat: try TerminalDescription.load(term: term).hasRepeat)
        let input = open("/dev/null", O_RDONLY)
        defer { close(input) }
        chrome = try ChromeScreen(
          term: term, capabilities: capabilities, terminal: nil, input: input, columns: columns, rows: rows,
          wantsMouse: true)
        painter = VideoPainter(columns: columns, rows: rows, capabilities: capabilities)
        model = TerminalModel(columns: columns, rows: rows)
        isDirect = chrome.colors.isDirect
      }

      mutating func show(_ grid: CellGrid, at milliseconds: Int) {
        var buffer = ByteBuffer()
        let update = chrome.update(grid)
        buffer.append(update.bytes)
        for area in update.touched { painter.invalidate(area) }
        painter.paint(grid, at: time(milliseconds), into: &buffer)
        if painter.lastCellCount > 0 { buffer.append("\u{1B}[m\u{1B}[H") }
        model.execute(buffer.withBytes(Array.init))
      }

      /// Places where the model does not show the grid's chrome.
      func wrongChrome(_ grid: CellGrid) -> [String] {
        var wrong: [String] = []
        for row in 0..<grid.rows {
          for column in 0..<grid.columns {
            let cell = grid[column, row]
            guard cell.plane == .chrome else { continue }
            let shown = model[column, row]
            let isSame =
              shown.glyph == (cell.width == 0 ? "" : String(cell.glyph))
              && shown.style.background == color(cell.style.background)
              // The colour of a space cannot be seen.
              && (cell.glyph == " " || shown.style.foreground == color(cell.style.foreground))
              && (cell.glyph == " " || shown.style.isBold == cell.style.attributes.contains(.bold))
            if !isSame { wrong.append("\(column),\(row): \(cell) shown as \(shown)") }
          }
        }
        return wrong
      }

      /// Places where the model does not show the grid's pictures.
      func wrongVideo(_ grid: CellGrid, tolerance: Int) -> [String] {
        PictureJudge(depth: capabilities.colorDepth, glyphs: .half).faults(
          of: model, from: grid, tolerance: tolerance, isMoving: true)
      }

      private func color(_ color: CellColor) -> TerminalModel.Color {
        guard let rgb = color.rgb else { return .terminalDefault }
        if isDirect { return .rgb(rgb < 16 ? 0x010101 : rgb) }
        if capabilities.colorDepth == .none { return .terminalDefault }
        let index =
          switch capabilities.colorDepth {
          case .indexed8, .indexed16: Palette.nearest8(rgb)
          default: Palette.nearest256(rgb)
          }
        return .indexed(Int(index))
      }
    }

    /// Frames, name plates, lines of text and wide glyphs over and beside moving video.
    static func grid(_ frame: Int, picture: MovingPicture, generator: inout SeededGenerator) -> CellGrid {
      let (columns, rows) = (picture.columns, picture.rows)
      var grid = CellGrid(columns: columns, rows: rows)
      let split = columns / 2 + frame / 8 % 3
      picture.draw(into: &grid, rect: CellRect(column: 1, row: 1, columns: split - 2, rows: rows - 3))
      picture.draw(
        into: &grid,
        rect: CellRect(column: split + 1, row: 1, columns: columns - split - 2, rows: rows - 2 - frame / 9 % 2))
      let styles = [
        CellStyle(), CellStyle(foreground: CellColor(0xFFCC00), background: CellColor(0x000003)),
        CellStyle(foreground: CellColor(0xFFFFFF), background: CellColor(0x203040), attributes: .bold),
        CellStyle(background: CellColor(0xFF0000)),
      ]
      for _ in 0..<6 {
        let style = styles[Int.random(in: 0..<styles.count, using: &generator)]
        let row = Int.random(in: 0..<rows, using: &generator)
        var column = Int.random(in: 0..<columns, using: &generator)
        let text = ["Ada", "漢字 name", "a longer line of text", "  ", "é▁│─"][Int.random(in: 0..<5, using: &generator)]
        for glyph in text {
          let isWide = glyph.unicodeScalars.first.map { $0.value > 0x2E80 } ?? false
          grid.put(Cell(glyph, width: isWide ? 2 : 1, style: style), column: column, row: row)
          column += isWide ? 2 : 1
        }
      }
      return grid
    }

    static let terminals: [(String, ColorDepth)] = [
      ("xterm-256color", .trueColor), ("xterm-256color", .indexed256), ("tmux-256color", .trueColor),
      ("tmux-256color", .indexed256), ("screen-256color", .indexed256), ("linux", .indexed8), ("xterm", .trueColor),
      ("xterm", .indexed16), ("xterm", .indexed256), ("screen", .indexed256), ("vt100", .indexed8),
      ("xterm-256color", .indexed8), ("xterm-256color", .none), ("vt100", .none),
    ]

    @Test(arguments: terminals, [UInt64(1), 2, 3])
    func chromeAndVideoDoNotHarmEachOther(terminal: (String, ColorDepth), seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      let columns = Int.random(in: 20...100, using: &generator)
      let rows = Int.random(in: 8...30, using: &generator)
      var rig = try Rig(term: terminal.0, depth: terminal.1, columns: columns, rows: rows)
      var picture = MovingPicture(seed: seed, columns: columns, rows: rows)
      for frame in 0..<25 {
        picture.advance()
        let grid = Self.grid(frame, picture: picture, generator: &generator)
        rig.show(grid, at: frame * 33)
        let faults = rig.wrongVideo(grid, tolerance: 4)
        try #require(faults.isEmpty, "frame \(frame): \(faults.prefix(3))")
        try #require(rig.wrongChrome(grid).first == nil, "frame \(frame)")
        try #require((rig.model.cursorColumn, rig.model.cursorRow) == (0, 0))
      }
      #expect(rig.model.unknown.isEmpty)
      #expect(rig.model.scrolls == 0)
    }

    @Test func nothingChangedCostsNothing() throws {
      var rig = try Rig(term: "xterm-256color", depth: .indexed256, columns: 40, rows: 10)
      var generator = SeededGenerator(seed: 5)
      let grid = Self.grid(
        0, picture: MovingPicture(seed: 5, columns: 40, rows: 10), generator: &generator)
      rig.show(grid, at: 0)
      #expect(rig.chrome.update(grid).bytes.isEmpty)
      #expect(rig.chrome.update(grid).touched.isEmpty)
    }

    /// Who begins to speak has another frame; the pictures in it, and beside it, need not be sent again.
    @Test(arguments: [("xterm-256color", ColorDepth.trueColor), ("tmux-256color", .indexed256), ("linux", .indexed8)])
    func chromeThatChangesLeavesTheVideoAroundItAlone(terminal: (String, ColorDepth)) throws {
      var rig = try Rig(term: terminal.0, depth: terminal.1, columns: 80, rows: 10)
      let picture = MovingPicture(seed: 3, columns: 80, rows: 10)
      func grid(_ style: CellStyle) -> CellGrid {
        var grid = CellGrid(columns: 80, rows: 10)
        for column in [1, 41] {
          picture.draw(into: &grid, rect: CellRect(column: column, row: 1, columns: 38, rows: 8))
        }
        for row in 0..<10 {
          for column in [0, 39] { grid.put(Cell("|", style: style), column: column, row: row) }
        }
        return grid
      }
      var milliseconds = 0
      repeat {
        rig.show(grid(CellStyle()), at: milliseconds)
        milliseconds += 100
      } while rig.painter.lastCellCount > 0 && milliseconds < 10_000
      let speaking = grid(CellStyle(foreground: CellColor(0xFFCC00), attributes: .bold))
      rig.show(speaking, at: milliseconds)
      #expect(rig.painter.lastCellCount == 0)
      #expect(rig.wrongChrome(speaking).isEmpty)
      #expect(rig.wrongVideo(speaking, tolerance: 0).isEmpty)
    }

    @Test func whatNcursesWroteIsReadFromItsBytes() {
      func runs(_ text: String, isUTF8: Bool = true) -> [CellRect]? {
        WrittenCells.runs(in: Array(text.utf8), columns: 20, rows: 5, isUTF8: isUTF8)
      }
      func run(_ column: Int, _ row: Int, _ columns: Int) -> CellRect {
        CellRect(column: column, row: row, columns: columns, rows: 1)
      }
      #expect(runs("") == [])
      #expect(
        runs("ab\u{1B}[1m\u{1B}[3;5Hc\u{1B}(B\u{1B}[md\u{1B}[H\u{1B}[2Hé\u{301}") == [
          run(0, 0, 2), run(4, 2, 2), run(0, 1, 1),
        ])
      #expect(runs("\u{1B}[5;19H漢") == [run(18, 4, 2)])
      for other in [
        "\u{1B}[K", "\u{1B}[3C", "\r", "\u{1B}M", "\u{1B}[6;1Hx", "\u{1B}[1;20Hxy", "\u{1B}[", "\u{1B}[1;2;3H",
      ] {
        #expect(runs(other) == nil, "\(other.debugDescription)")
      }
      #expect(runs("é", isUTF8: false) == nil)
    }

    @Test func invalidatingPaintsEverythingAgain() throws {
      var rig = try Rig(term: "tmux-256color", depth: .indexed256, columns: 40, rows: 10)
      var generator = SeededGenerator(seed: 6)
      let grid = Self.grid(
        0, picture: MovingPicture(seed: 6, columns: 40, rows: 10), generator: &generator)
      rig.show(grid, at: 0)
      // Somebody else has used the terminal.
      rig.model.execute("\u{1B}[2J\u{1B}[5;5Hgarbage\u{1B}[H".utf8)
      rig.chrome.invalidate()
      rig.show(grid, at: 33)
      #expect(rig.wrongChrome(grid).isEmpty)
      #expect(rig.wrongVideo(grid, tolerance: 0).isEmpty)
    }

    @Test func resizingPaintsTheNewSizeWhole() throws {
      var rig = try Rig(term: "xterm-256color", depth: .trueColor, columns: 80, rows: 24)
      var generator = SeededGenerator(seed: 8)
      for (columns, rows) in [(80, 24), (120, 40), (30, 9), (1, 1), (81, 25)] {
        rig.chrome.resize(columns: columns, rows: rows)
        rig.painter = VideoPainter(columns: columns, rows: rows, capabilities: rig.capabilities)
        rig.model = TerminalModel(columns: columns, rows: rows)
        guard columns > 20 else {
          rig.show(CellGrid(columns: columns, rows: rows), at: 0)
          continue
        }
        let grid = Self.grid(
          0, picture: MovingPicture(seed: 8, columns: columns, rows: rows), generator: &generator)
        rig.show(grid, at: 0)
        #expect(rig.wrongChrome(grid).isEmpty)
        #expect(rig.wrongVideo(grid, tolerance: 4).isEmpty)
      }
    }

    @Test func aGlyphOfAnotherWidthThanSaidKeepsTheRowInPlace() throws {
      var rig = try Rig(term: "xterm-256color", depth: .indexed256, columns: 10, rows: 1)
      var grid = CellGrid(columns: 10, rows: 1)
      grid.put(Cell("漢"), column: 0, row: 0)
      grid.put(Cell("x", width: 2), column: 1, row: 0)
      grid.put(Cell("\u{1B}"), column: 3, row: 0)
      grid.put(Cell("\u{202E}"), column: 4, row: 0)
      grid.put(Cell("z"), column: 5, row: 0)
      rig.show(grid, at: 0)
      #expect(rig.model[0, 0].glyph == "?")
      #expect(rig.model[1, 0].glyph == "?")
      #expect(["?", "\u{FFFD}"].contains(rig.model[3, 0].glyph))
      #expect(rig.model[5, 0].glyph == "z")
      #expect(rig.model.unknown.isEmpty)
    }

    @Test func moreColoursThanPairsAreStillPainted() throws {
      // The entry has 65 536 pairs; a long session with gradients in the chrome goes through more.
      var rig = try Rig(term: "xterm-256color", depth: .trueColor, columns: 80, rows: 24)
      try #require(rig.isDirect, "tic is needed")
      var generator = SeededGenerator(seed: 9)
      var grid = CellGrid(columns: 80, rows: 24)
      for frame in 0..<40 {
        for row in 0..<24 {
          for column in 0..<80 {
            let style = CellStyle(
              foreground: CellColor(UInt32.random(in: 0...0xFF_FFFF, using: &generator)),
              background: CellColor(UInt32.random(in: 0...0xFF_FFFF, using: &generator)))
            grid.put(Cell("x", style: style), column: column, row: row)
          }
        }
        rig.show(grid, at: frame * 33)
      }
      // The update that ran out of pairs shows some cells without colours; the next one mends it.
      rig.show(grid, at: 40 * 33)
      let wrong = rig.wrongChrome(grid)
      #expect(wrong.isEmpty, "\(wrong.count) \(wrong.prefix(3))")
    }

    @Test func aScreenThatNeedsMorePairsThanThereAreIsNotPaintedAnewEachTime() throws {
      // "linux" has 64 pairs, eight colours and the terminal's own make 80.
      var rig = try Rig(term: "linux", depth: .indexed8, columns: 81, rows: 2)
      var grid = CellGrid(columns: 81, rows: 2)
      let colors = Palette.rgb16.prefix(8).map { CellColor($0) } + [.terminalDefault]
      for index in 0..<81 {
        let style = CellStyle(foreground: colors[index / 9], background: colors[index % 9])
        grid.put(Cell("x", style: style), column: index, row: 0)
      }
      var repaints = 0
      for frame in 0..<60 {
        rig.show(grid, at: frame * 33)
        if frame > 0, !rig.chrome.update(grid).bytes.isEmpty { repaints += 1 }
      }
      #expect(repaints <= 5)
      #expect((0..<81).allSatisfy { rig.model[$0, 0].glyph == "x" })
    }
  }
}
