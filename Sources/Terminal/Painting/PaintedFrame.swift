internal import Screen

/// The painting of one frame by ``VideoPainter``.
struct PaintedFrame {
  private let columns: Int
  private let quantizer: CellQuantizer
  private let hasRepeat: Bool
  private let tolerance: Int
  private let now: CellAge
  private var refinementsLeft: Int
  private let cells: UnsafeBufferPointer<Cell>
  private let video: UnsafeBufferPointer<VideoCell>
  /// What the terminal shows.
  private let shown: UnsafeMutableBufferPointer<ShownCell>
  /// What the latest grid wanted, in 24 bits, and when that last changed.
  private let wanted: UnsafeMutableBufferPointer<ShownCell>
  private let changedAt: UnsafeMutableBufferPointer<CellAge>
  private var pen: ColorPen
  private(set) var cellCount = 0
  private(set) var hasInexactCells = false
  /// Where the cursor stands; row −1 when that is not certain.
  private var cursorColumn = 0
  private var cursorRow = -1

  init(
    columns: Int, quantizer: CellQuantizer, hasRepeat: Bool, tolerance: Int, now: CellAge, refinementsLeft: Int,
    cells: UnsafeBufferPointer<Cell>, video: UnsafeBufferPointer<VideoCell>,
    shown: UnsafeMutableBufferPointer<ShownCell>, wanted: UnsafeMutableBufferPointer<ShownCell>,
    changedAt: UnsafeMutableBufferPointer<CellAge>
  ) {
    self.columns = columns
    self.quantizer = quantizer
    self.hasRepeat = hasRepeat
    self.tolerance = tolerance
    self.now = now
    self.refinementsLeft = refinementsLeft
    self.cells = cells
    self.video = video
    self.shown = shown
    self.wanted = wanted
    self.changedAt = changedAt
    pen = ColorPen(depth: quantizer.depth)
  }

  mutating func paint(row: Int, into buffer: inout ByteBuffer) {
    var column = 0
    while column < columns {
      let index = row * columns + column
      guard cells[index].plane == .video else {
        shown[index] = ShownCell.unknown
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

  // MARK: What to send

  /// What to send for a cell; nil when what is shown will do.
  private mutating func target(at index: Int) -> ShownCell? {
    let exact = ShownCell(video[index])
    let current = shown[index]
    if wanted[index] != exact {
      wanted[index] = exact
      changedAt[index] = now
    } else if changedAt[index] == .settled, current != .unknown {
      return nil
    }
    let best = quantizer.best(exact)
    if best == current {
      changedAt[index] = .settled
      return nil
    }
    if changedAt[index].isStill(at: now) { return refined(best, exact, current, at: index) }
    if current != .unknown, isTolerable(current, best, exact) {
      hasInexactCells = true
      return nil
    }
    let target = quantizer.depth == .trueColor ? snapped(best) : best
    if target != best { hasInexactCells = true }
    return target
  }

  /// A still cell waits for its turn, then gets the best there is.
  private mutating func refined(
    _ best: ShownCell, _ exact: ShownCell, _ current: ShownCell, at index: Int
  ) -> ShownCell? {
    if current == .unknown {
      changedAt[index] = .settled
      return best
    }
    // Something else may show it as well: palettes know several ways to a colour, and 24 bits may still stand there.
    let wanted = exact.parts
    if quantizer.depth != .trueColor,
      quantizer.error(of: current.parts, against: wanted) <= quantizer.error(of: best.parts, against: wanted)
    {
      changedAt[index] = .settled
      return nil
    }
    guard refinementsLeft > 0 else {
      hasInexactCells = true
      return nil
    }
    refinementsLeft -= 1
    changedAt[index] = .settled
    return best
  }

  /// A moving cell may go on showing what it does. One that may not is drawn as it should be as a whole: to keep one of its
  /// colours would save nothing, as both must be named.
  private func isTolerable(_ current: ShownCell, _ best: ShownCell, _ exact: ShownCell) -> Bool {
    guard quantizer.depth == .trueColor else {
      return quantizer.isTolerable(current.parts, insteadOf: best.parts, for: exact.parts)
    }
    guard best.shape == current.shape else {
      return best.parts.largest(current.parts, ColorDistance.channel) <= tolerance
    }
    return ColorDistance.channel(best.first, current.first) <= tolerance
      && ColorDistance.channel(best.second, current.second) <= tolerance
  }

  /// Takes the selected colours where they are so near that nobody sees it: most of a cell's bytes name colours.
  private func snapped(_ cell: ShownCell) -> ShownCell {
    let tolerance = tolerance / 2
    func snapped(_ color: UInt32) -> UInt32 {
      if pen.foreground != ColorPen.none, ColorDistance.channel(color, pen.foreground) <= tolerance {
        return pen.foreground
      }
      if pen.background != ColorPen.none, ColorDistance.channel(color, pen.background) <= tolerance {
        return pen.background
      }
      return color
    }
    let first = snapped(cell.first)
    var second = snapped(cell.second)
    if first != second, ColorDistance.channel(cell.second, first) <= tolerance { second = first }
    return cell.with(first: first, second: second)
  }

  // MARK: Sending

  /// Draws one cell in the form that costs least.
  private mutating func draw(_ cell: ShownCell, into buffer: inout ByteBuffer) -> CellGlyph {
    if cell.isSolid { return drawSolid(cell.first, into: &buffer) }
    let (glyph, inverse) = CellGlyph.pair(shape: cell.shape)
    guard isInverted(cell, hasInverse: inverse != nil), let inverse else {
      pen.select(foreground: cell.first, background: cell.second, into: &buffer)
      buffer.append(glyph)
      return glyph
    }
    pen.select(foreground: cell.second, background: cell.first, into: &buffer)
    buffer.append(inverse)
    return inverse
  }

  private func isInverted(_ cell: ShownCell, hasInverse: Bool) -> Bool {
    guard hasInverse else { return false }
    // Without colours to exchange there is but one glyph for a cell.
    if cell.shape == 0, quantizer.depth != .none {
      if quantizer.glyphs == .lower { return true }
      if quantizer.glyphs == .upper { return false }
    }
    let plain = pen.cost(foreground: cell.first, background: cell.second)
    let inverted = pen.cost(foreground: cell.second, background: cell.first)
    // At equal cost the lower block: fonts draw the upper one worse.
    return cell.shape == 0 ? inverted <= plain : inverted < plain
  }

  private mutating func drawSolid(_ color: UInt32, into buffer: inout ByteBuffer) -> CellGlyph {
    let asSpace = pen.cost(foreground: ColorPen.none, background: color) + 1
    let asBlock = pen.cost(foreground: color, background: ColorPen.none) + CellGlyph.full.length
    if asSpace <= asBlock || !hasFullBlock {
      pen.select(foreground: ColorPen.none, background: color, into: &buffer)
      buffer.append(CellGlyph.space)
      return .space
    }
    pen.select(foreground: color, background: ColorPen.none, into: &buffer)
    buffer.append(CellGlyph.full)
    return .full
  }

  /// Fonts with seams leave them at the full block too; a space has none.
  private var hasFullBlock: Bool {
    switch quantizer.glyphs {
    case .half, .quadrants, .sextants: true
    case .lower, .upper: quantizer.depth == .none
    case .ascii: false
    }
  }

  /// Draws the glyph just sent over the cells after it that want exactly the same, where REP is shorter than sending
  /// it again; returns how many cells that covered.
  private mutating func repeatGlyph(
    _ glyph: CellGlyph, showing cell: ShownCell, from index: Int, limit: Int, into buffer: inout ByteBuffer
  ) -> Int {
    var run = 0
    while run < limit, cells[index + run].plane == .video, shown[index + run] != cell,
      quantizer.best(ShownCell(video[index + run])) == cell
    {
      run += 1
    }
    guard run * glyph.length > 3 + ByteBuffer.digits(run) else { return 0 }
    buffer.append("\u{1B}[")
    buffer.append(decimal: run)
    buffer.append(UInt8(ascii: "b"))
    for covered in index..<(index + run) {
      shown[covered] = cell
      wanted[covered] = ShownCell(video[covered])
      changedAt[covered] = .settled
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
