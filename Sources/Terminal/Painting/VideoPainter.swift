internal import RTCCore
internal import Screen

/// Brings the video cells of a grid to the terminal, sending only what differs from what is shown.
///
/// It keeps what each cell shows, so an approximation never adds up: a moving cell is sent again once it is further
/// than the tolerance from what is wanted, and a cell whose picture has stood still for ``stillness`` is brought to the
/// best that the terminal can show, a share of them at a time, so that a still picture ends exact and costs nothing.
/// Per cell it draws whichever of the glyphs that mean the same needs the fewest bytes with the colours that happen to
/// be selected.
struct VideoPainter {
  /// Largest difference of a channel that a moving cell may keep, 0…255. 4 saves about 40 % of the bytes of a call
  /// and costs nothing that the eye sees (45 dB); 8 and 12 save more and show. 0 sends exact colours always.
  ///
  /// It holds for 24-bit colours; with palettes a cell may stay that is nearly as good as the best.
  var tolerance = 4
  /// How long a cell's picture must not change before it is refined.
  static let stillness = Duration.milliseconds(350)
  /// How long all cells together take to be refined, at any frame rate: done at once it would be the largest frame of all.
  static let refinement = Duration.milliseconds(200)

  /// Cells that the latest frame sent.
  private(set) var lastCellCount = 0
  /// Some cells do not show the best that the terminal can, or were left for the next call; painting the same grid again
  /// later mends that.
  private(set) var hasInexactCells = false
  /// The part of the rows that the latest call had room for, 0…1.
  private(set) var lastPart = 1.0
  /// The latest call stopped at its budget.
  var hasUnpaintedRows: Bool { lastPart < 1 }

  let columns: Int
  let rows: Int
  private(set) var depth: ColorDepth
  private let glyphs: VideoGlyphs
  private let hasRepeat: Bool
  private var quantizer: CellQuantizer
  private var paintedAt: MonotonicTime?
  /// The row that the next call begins with.
  private var nextRow = 0
  private var shown: ContiguousArray<ShownCell>
  private var wanted: ContiguousArray<ShownCell>
  private var changedAt: ContiguousArray<CellAge>

  init(columns: Int, rows: Int, capabilities: TerminalCapabilities, glyphs: VideoGlyphs = .half) {
    self.columns = columns
    self.rows = rows
    self.glyphs = glyphs
    depth = capabilities.colorDepth
    hasRepeat = capabilities.hasRepeat
    quantizer = CellQuantizer(depth: depth, glyphs: glyphs)
    let count = columns * rows
    shown = ContiguousArray(repeating: ShownCell.unknown, count: count)
    wanted = shown
    changedAt = ContiguousArray(repeating: CellAge.settled, count: count)
  }

  /// Somebody else has written over these cells: their video is sent again.
  mutating func invalidate(_ area: CellRect) {
    let area = area.intersection(CellRect(column: 0, row: 0, columns: columns, rows: rows))
    for row in area.row..<area.endRow {
      for index in (row * columns + area.column)..<(row * columns + area.endColumn) { shown[index] = .unknown }
    }
  }

  /// Nothing is known of the terminal any more.
  mutating func invalidateAll() {
    for index in shown.indices { shown[index] = ShownCell.unknown }
  }

  /// Paints in other colours from now on.
  ///
  /// Between 24 bits and the fixed palette what is shown stays where it is good enough: cells that move change over at
  /// once, still ones a share a frame. The colours of other palettes are only guessed, so there all is sent again.
  mutating func setDepth(_ depth: ColorDepth) {
    guard depth != self.depth else { return }
    let isKnown = [self.depth, depth].allSatisfy { $0 == .trueColor || $0 == .indexed256 }
    self.depth = depth
    quantizer = CellQuantizer(depth: depth, glyphs: glyphs)
    if !isKnown { invalidateAll() }
    for index in changedAt.indices { changedAt[index] = .old }
  }

  /// Appends what brings the terminal's video cells to `grid`'s, which must have the painter's size (another paints
  /// nothing). The terminal must have its attributes reset; afterwards cursor and colours are anywhere.
  ///
  /// - Parameter budget: bytes after which no further row is begun. The next call goes on with the row after, so that
  ///   every row gets its turn however few bytes there are; a single row may exceed the budget.
  mutating func paint(_ grid: CellGrid, at now: MonotonicTime, into buffer: inout ByteBuffer, budget: Int = .max) {
    lastCellCount = 0
    hasInexactCells = false
    lastPart = 1
    guard grid.columns == columns, grid.rows == rows, rows > 0 else { return }
    let refinements = refinements(at: now)
    paintedAt = now
    let start = buffer.count
    var part = 1.0
    grid.cells.withUnsafeBufferPointer { cells in
      grid.video.withUnsafeBufferPointer { video in
        shown.withUnsafeMutableBufferPointer { shown in
          wanted.withUnsafeMutableBufferPointer { wanted in
            changedAt.withUnsafeMutableBufferPointer { changedAt in
              var frame = PaintedFrame(
                columns: columns, quantizer: quantizer, hasRepeat: hasRepeat, tolerance: tolerance,
                now: CellAge(now), refinementsLeft: refinements, cells: cells, video: video, shown: shown,
                wanted: wanted, changedAt: changedAt)
              var row = nextRow % rows
              for painted in 0..<rows {
                guard buffer.count - start < budget else {
                  part = Double(painted) / Double(rows)
                  break
                }
                frame.paint(row: row, into: &buffer)
                row = (row + 1) % rows
              }
              nextRow = part < 1 ? row : 0
              lastCellCount = frame.cellCount
              hasInexactCells = frame.hasInexactCells || part < 1
            }
          }
        }
      }
    }
    lastPart = part
  }

  /// How many still cells a call may refine.
  private func refinements(at now: MonotonicTime) -> Int {
    let elapsed = paintedAt.map { now - $0 } ?? .zero
    let share = min(elapsed / Self.refinement, Self.largestShare)
    return max(Self.fewestRefinements, Int(Double(columns * rows) * share))
  }

  /// After a pause, not everything at once either.
  private static let largestShare = 0.25
  /// A few cost nothing, however soon the next call comes.
  private static let fewestRefinements = 64
}

/// When a cell's picture changed, in milliseconds that wrap around after 24 days, or that it shows the best it can.
struct CellAge: Equatable {
  private let milliseconds: UInt32

  private init(milliseconds: UInt32) { self.milliseconds = milliseconds }

  init(_ time: MonotonicTime) {
    milliseconds = UInt32(truncatingIfNeeded: time.nanoseconds / 1_000_000) & 0x7FFF_FFFF
  }

  /// Nothing is left to do for the cell.
  static let settled = CellAge(milliseconds: .max)
  /// Still for long.
  static let old = CellAge(milliseconds: .max - 1)

  private static let stillness = UInt32(VideoPainter.stillness.inNanoseconds / 1_000_000)

  /// The picture has stood still long enough to be refined.
  func isStill(at now: CellAge) -> Bool {
    milliseconds > 0x7FFF_FFFF || (now.milliseconds &- milliseconds) & 0x7FFF_FFFF >= Self.stillness
  }
}
