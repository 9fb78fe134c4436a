internal import RTCCore
internal import Screen

/// Brings the pictures of a grid to a terminal that shows them in its own pixels, sending only those that changed.
struct PicturePainter {
  /// Pictures that the latest frame sent or removed.
  private(set) var lastPictureCount = 0
  /// The part of the pictures to be sent that the latest call had room for, 0…1.
  private(set) var lastPart = 1.0
  /// The latest call stopped at its budget.
  var hasUnsentPictures: Bool { lastPart < 1 }

  private var format: GraphicsFormat
  private var encoder: SixelEncoder?
  /// What the terminal shows, by where it is.
  private var shown: [CellRect: Shown] = [:]
  private var nextNumber: UInt32 = 0
  /// The picture of the grid that the next call begins with.
  private var nextIndex = 0

  private struct Shown {
    let picture: RGBPicture
    let holes: CellHoles
    /// Kitty's number of it; 0 with sixels.
    let number: UInt32
  }

  init(format: GraphicsFormat) {
    self.format = format
    encoder = SixelEncoder(format)
  }

  /// Tells the pixels of a cell; true when they are other ones than before, as with another size of the font, and matter.
  mutating func setCell(_ cell: PixelDensity) -> Bool {
    guard case .sixel(let before, let colors, let largest) = format, before != cell else { return false }
    format = .sixel(cell: cell, colors: colors, largest: largest)
    encoder = SixelEncoder(format)
    invalidateAll()
    return true
  }

  /// Nothing is known of the terminal any more.
  mutating func invalidateAll() { shown = [:] }

  /// Appends what brings the terminal's pictures to `grid`'s, after its chrome: pictures that are new or uncovered, and
  /// those under `touched` cells, where somebody else has written. Afterwards the cursor is anywhere.
  ///
  /// - Parameter budget: bytes after which no other picture is begun that can wait. The next call goes on with the first
  ///   that had to, so that every picture gets its turn; a single one may exceed the budget. One that chrome came over, or
  ///   was written over, cannot wait.
  mutating func paint(
    _ grid: CellGrid, touched: [CellRect], into buffer: inout ByteBuffer, budget: Int = .max
  ) {
    lastPictureCount = 0
    let start = buffer.count
    var next: [CellRect: Shown] = [:]
    var (sent, firstUnsent, unsent) = (0, 0, 0)
    let count = grid.pictures.count
    for step in 0..<count {
      let index = (nextIndex + step) % count
      let placed = grid.pictures[index]
      let area = placed.area
      let holes = CellHoles(in: area, of: grid)
      let old = shown.removeValue(forKey: area)
      let isSound = old.map { $0.holes == holes && touched.allSatisfy { $0.intersection(area).isEmpty } } ?? true
      if let old, isSound, old.picture == placed.picture {
        next[area] = old
        continue
      }
      guard !isSound || buffer.count - start < budget else {
        next[area] = old
        if unsent == 0 { firstUnsent = index }
        unsent += 1
        continue
      }
      sent += 1
      let number = send(placed, holes: holes, into: &buffer)
      if let old { remove(old, into: &buffer) }
      next[area] = Shown(picture: placed.picture, holes: holes, number: number)
      lastPictureCount += 1
    }
    for gone in shown.values {
      remove(gone, into: &buffer)
      lastPictureCount += 1
    }
    shown = next
    nextIndex = firstUnsent
    lastPart = unsent > 0 ? Double(sent) / Double(sent + unsent) : 1
  }

  /// Shows a picture under a new number: the one before stays until this one is whole.
  private mutating func send(_ placed: PlacedPicture, holes: CellHoles, into buffer: inout ByteBuffer) -> UInt32 {
    guard encoder == nil else {
      encoder?.show(placed.picture, over: placed.area, holes: holes, into: &buffer)
      return 0
    }
    nextNumber = (nextNumber + 1) % KittyGraphics.numbers
    KittyGraphics.show(placed.picture, number: nextNumber, over: placed.area, holes: holes, into: &buffer)
    return nextNumber
  }

  /// Sixels go by themselves when the cells are written; Kitty's pictures lie above the cells.
  private func remove(_ old: Shown, into buffer: inout ByteBuffer) {
    if format == .kitty { KittyGraphics.forget(number: old.number, into: &buffer) }
  }
}

/// The cells of a picture's area that chrome lies on: there the picture is left out.
struct CellHoles: Equatable {
  /// Row by row from the top left of the area; empty when nothing lies on it.
  private let isHole: [Bool]
  private let columns: Int

  init(in area: CellRect, of grid: CellGrid) {
    columns = area.columns
    var isHole: [Bool] = []
    for row in area.row..<area.endRow {
      for column in area.column..<area.endColumn { isHole.append(grid[column, row].plane == .chrome) }
    }
    self.isHole = isHole.contains(true) ? isHole : []
  }

  var isEmpty: Bool { isHole.isEmpty }

  /// Whether the cell at a place of the area is left out.
  func contains(column: Int, row: Int) -> Bool {
    let index = row * columns + column
    return isHole.indices.contains(index) && isHole[index]
  }
}
