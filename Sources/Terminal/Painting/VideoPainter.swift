internal import RTCCore
internal import Screen

/// Brings the video cells of a grid to the terminal, sending only what differs from what is shown.
///
/// It keeps the colours that each cell shows, so an approximation never adds up: a moving cell is sent again once it
/// is further than the tolerance from what is wanted, and a cell whose picture has stood still for ``stillness`` is
/// brought to its exact colours, a share of the cells a frame, so that a still picture ends exact and costs nothing.
/// Per cell it draws a lower or upper half block, a space or a full block, whichever needs the fewest bytes with the
/// colours that happen to be selected.
struct VideoPainter {
  /// Largest difference of a channel that a moving cell may keep, 0…255. 4 saves about 40 % of the bytes of a call
  /// and costs nothing that the eye sees (45 dB); 8 and 12 save more and show. 0 sends exact colours always.
  ///
  /// Colours of a palette are always sent exactly, as the palette's own steps are far coarser.
  var tolerance = 4
  /// How long a cell's picture must not change before it is refined.
  static let stillness = Duration.milliseconds(500)

  /// Cells that the latest frame sent.
  private(set) var lastCellCount = 0
  /// Some cells are still shown only within the tolerance; painting the same grid again later refines them.
  private(set) var hasInexactCells = false

  let columns: Int
  let rows: Int
  private(set) var depth: ColorDepth
  private let hasRepeat: Bool
  /// What the terminal shows, in the depth's own numbers; ``ColorPen/none`` where that is not known.
  private var shown: ContiguousArray<PixelPair>
  /// What the latest grid wanted, in 24 bits, and when it last changed (milliseconds, wrapping).
  private var wanted: ContiguousArray<PixelPair>
  private var changedAt: ContiguousArray<UInt32>

  init(columns: Int, rows: Int, capabilities: TerminalCapabilities) {
    self.columns = columns
    self.rows = rows
    depth = capabilities.colorDepth
    hasRepeat = capabilities.hasRepeat
    let count = columns * rows
    shown = ContiguousArray(repeating: PixelPair.unknown, count: count)
    wanted = shown
    changedAt = ContiguousArray(repeating: 0, count: count)
  }

  /// Somebody else may have written over this row: its video is sent again.
  mutating func invalidate(row: Int) {
    guard row >= 0, row < rows else { return }
    for index in (row * columns)..<((row + 1) * columns) { shown[index] = PixelPair.unknown }
  }

  /// Paints in other colours from now on; all is sent again, as what is shown is told in the depth's own numbers.
  mutating func setDepth(_ depth: ColorDepth) {
    guard depth != self.depth else { return }
    self.depth = depth
    invalidateAll()
  }

  /// Nothing is known of the terminal any more.
  mutating func invalidateAll() {
    for index in shown.indices { shown[index] = PixelPair.unknown }
  }

  /// Appends what brings the terminal's video cells to `grid`'s, which must have the painter's size (another paints
  /// nothing). The terminal must have its attributes reset; afterwards cursor and colours are anywhere.
  mutating func paint(_ grid: CellGrid, at now: MonotonicTime, into buffer: inout ByteBuffer) {
    lastCellCount = 0
    hasInexactCells = false
    guard grid.columns == columns, grid.rows == rows else { return }
    let milliseconds = UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000)
    grid.cells.withUnsafeBufferPointer { cells in
      grid.video.withUnsafeBufferPointer { video in
        shown.withUnsafeMutableBufferPointer { shown in
          wanted.withUnsafeMutableBufferPointer { wanted in
            changedAt.withUnsafeMutableBufferPointer { changedAt in
              var frame = Frame(
                columns: columns, depth: depth, hasRepeat: hasRepeat, tolerance: depth == .trueColor ? tolerance : 0,
                milliseconds: milliseconds,
                // Half the stillness again spreads the refinement over about 15 frames.
                refinementsLeft: max(64, columns * rows / 15), cells: cells, video: video, shown: shown,
                wanted: wanted, changedAt: changedAt, pen: ColorPen(depth: depth))
              for row in 0..<rows { frame.paint(row: row, into: &buffer) }
              lastCellCount = frame.cellCount
              hasInexactCells = frame.hasInexactCells
            }
          }
        }
      }
    }
  }
}

/// The two colours of a cell. (Screen's own type would be compared by a call into another module.)
private struct PixelPair: Equatable {
  var upper: UInt32
  var lower: UInt32
  static let unknown = PixelPair(upper: ColorPen.none, lower: ColorPen.none)
}

/// The painting of one frame.
private struct Frame {
  let columns: Int
  let depth: ColorDepth
  let hasRepeat: Bool
  let tolerance: Int
  let milliseconds: UInt32
  var refinementsLeft: Int
  let cells: UnsafeBufferPointer<Cell>
  let video: UnsafeBufferPointer<VideoCell>
  let shown: UnsafeMutableBufferPointer<PixelPair>
  let wanted: UnsafeMutableBufferPointer<PixelPair>
  let changedAt: UnsafeMutableBufferPointer<UInt32>
  var pen: ColorPen
  var cellCount = 0
  var hasInexactCells = false
  /// Where the cursor stands; row −1 when that is not certain.
  var cursorColumn = 0
  var cursorRow = -1

  mutating func paint(row: Int, into buffer: inout ByteBuffer) {
    var column = 0
    while column < columns {
      let index = row * columns + column
      guard cells[index].plane == .video else {
        shown[index] = PixelPair.unknown
        column += 1
        continue
      }
      guard let target = target(at: index) else {
        column += 1
        continue
      }
      move(toColumn: column, row: row, into: &buffer)
      let glyph = draw(target, into: &buffer)
      shown[index] = target
      cellCount += 1
      column += 1
      if hasRepeat {
        column += repeatGlyph(glyph, showing: target, from: index + 1, limit: columns - column, into: &buffer)
      }
      cursorColumn = column
      // Past the last column the cursor waits to wrap: where it stands then differs between terminals.
      cursorRow = column < columns ? row : -1
    }
  }

  /// The colours to send for a cell; nil when what is shown will do.
  private mutating func target(at index: Int) -> PixelPair? {
    let exact = quantized(video[index])
    let current = shown[index]
    guard tolerance > 0 else { return exact == current ? nil : exact }
    if wanted[index] != exact {
      wanted[index] = exact
      changedAt[index] = milliseconds
    }
    if exact == current { return nil }
    let isStill = milliseconds &- changedAt[index] >= UInt32(VideoPainter.stillness.inNanoseconds / 1_000_000)
    if isStill, refinementsLeft > 0 {
      refinementsLeft -= 1
      return exact
    }
    var target = exact
    if current != PixelPair.unknown {
      let keepsUpper = Palette.difference(exact.upper, current.upper) <= tolerance
      let keepsLower = Palette.difference(exact.lower, current.lower) <= tolerance
      if keepsUpper && keepsLower {
        hasInexactCells = true
        return nil
      }
      if keepsUpper { target.upper = current.upper }
      if keepsLower { target.lower = current.lower }
    }
    snapToSelected(&target, exact: exact, tolerance: tolerance / 2)
    if target != exact { hasInexactCells = true }
    return target
  }

  /// Takes the selected colours where they are so near that nobody sees it: most of a cell's bytes name colours.
  private func snapToSelected(_ target: inout PixelPair, exact: PixelPair, tolerance: Int) {
    func snapped(_ color: UInt32, exact: UInt32) -> UInt32 {
      if pen.foreground != ColorPen.none, Palette.difference(exact, pen.foreground) <= tolerance {
        return pen.foreground
      }
      if pen.background != ColorPen.none, Palette.difference(exact, pen.background) <= tolerance {
        return pen.background
      }
      return color
    }
    target.upper = snapped(target.upper, exact: exact.upper)
    target.lower = snapped(target.lower, exact: exact.lower)
    if target.upper != target.lower, Palette.difference(exact.lower, target.upper) <= tolerance {
      target.lower = target.upper
    }
  }

  private func quantized(_ cell: VideoCell) -> PixelPair {
    switch depth {
    case .trueColor: PixelPair(upper: cell.first, lower: cell.second)
    case .indexed256: PixelPair(upper: Palette.nearest256(cell.first), lower: Palette.nearest256(cell.second))
    case .indexed16, .indexed8, .none:
      PixelPair(upper: Palette.nearest8(cell.first), lower: Palette.nearest8(cell.second))
    }
  }

  private enum Glyph { case space, full, upper, lower }

  /// Draws one cell in the form that costs least.
  private mutating func draw(_ cell: PixelPair, into buffer: inout ByteBuffer) -> Glyph {
    let glyph: Glyph
    if cell.upper == cell.lower {
      let asSpace = pen.cost(foreground: ColorPen.none, background: cell.upper) + 1
      let asBlock = pen.cost(foreground: cell.upper, background: ColorPen.none) + 3
      glyph = asSpace <= asBlock ? .space : .full
    } else {
      let asUpper = pen.cost(foreground: cell.upper, background: cell.lower)
      let asLower = pen.cost(foreground: cell.lower, background: cell.upper)
      // At equal cost the lower block: fonts draw the upper one worse.
      glyph = asLower <= asUpper ? .lower : .upper
    }
    switch glyph {
    case .space: pen.select(foreground: ColorPen.none, background: cell.upper, into: &buffer)
    case .full: pen.select(foreground: cell.upper, background: ColorPen.none, into: &buffer)
    case .upper: pen.select(foreground: cell.upper, background: cell.lower, into: &buffer)
    case .lower: pen.select(foreground: cell.lower, background: cell.upper, into: &buffer)
    }
    write(glyph, into: &buffer)
    return glyph
  }

  private func write(_ glyph: Glyph, into buffer: inout ByteBuffer) {
    switch glyph {
    case .space: buffer.append(UInt8(ascii: " "))
    case .full: buffer.append("█")
    case .upper: buffer.append("▀")
    case .lower: buffer.append("▄")
    }
  }

  /// Draws the glyph just sent over the cells after it that want exactly the same, where REP is shorter than sending
  /// it again; returns how many cells that covered.
  private mutating func repeatGlyph(
    _ glyph: Glyph, showing cell: PixelPair, from index: Int, limit: Int,
    into buffer: inout ByteBuffer
  ) -> Int {
    var run = 0
    while run < limit, cells[index + run].plane == .video, shown[index + run] != cell,
      quantized(video[index + run]) == cell
    {
      run += 1
    }
    guard run * (glyph == .space ? 1 : 3) > 3 + ByteBuffer.digits(run) else { return 0 }
    buffer.append("\u{1B}[")
    buffer.append(decimal: run)
    buffer.append(UInt8(ascii: "b"))
    for covered in index..<(index + run) {
      shown[covered] = cell
      if tolerance > 0, wanted[covered] != cell {
        wanted[covered] = cell
        changedAt[covered] = milliseconds
      }
    }
    cellCount += run
    return run
  }

  private func move(toColumn column: Int, row: Int, into buffer: inout ByteBuffer) {
    if cursorRow == row, cursorColumn == column { return }
    buffer.append("\u{1B}[")
    if cursorRow == row, cursorColumn < column {
      let distance = column - cursorColumn
      if distance > 1 { buffer.append(decimal: distance) }
      buffer.append(UInt8(ascii: "C"))
    } else {
      buffer.append(decimal: row + 1)
      if column > 0 {
        buffer.append(UInt8(ascii: ";"))
        buffer.append(decimal: column + 1)
      }
      buffer.append(UInt8(ascii: "H"))
    }
  }
}
