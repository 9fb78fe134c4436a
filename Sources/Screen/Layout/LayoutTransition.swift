import RTCCore

/// Tiles on the way from one layout to the next, so that the eye can follow. Told the time, it tells the places.
struct LayoutTransition: Equatable, Sendable {
  /// Long enough to be followed, short enough not to be waited for.
  static let duration: Duration = .milliseconds(180)

  private struct Move: Equatable, Sendable {
    var id: TileID
    var from: CellRect
    var to: CellRect
    var isFramed: Bool
  }

  /// In the order of drawing: what moves lies over what stands still.
  private let moves: [Move]
  let startedAt: MonotonicTime

  /// - Parameters:
  ///   - shown: where tiles are seen now, which another transition may have left half-way.
  ///   - old: the layout until now.
  ///   - new: the layout from now on.
  ///
  /// nil where nothing moves.
  init?(shown: [TilePlacement], from old: ScreenLayout, to new: ScreenLayout, at now: MonotonicTime) {
    let isSameKind = old.stage.flatMap { stage in new.stage.map(stage.isSameKind) } ?? false
    let seen = Dictionary(shown.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let known = Set(old.order)
    let remaining = Set(new.order)
    let arriving = new.tiles.map { tile in
      let from: CellRect =
        if let place = seen[tile.id] {
          place.frame
        } else if !known.contains(tile.id) {
          // A newcomer grows out of the middle of its place.
          tile.frame.centred(columns: tile.frame.columns / 2, rows: tile.frame.rows / 2)
        } else {
          // It comes from where it waited, or has stood there all the time, covered by others.
          (isSameKind ? old.hiddenFrame(of: tile.id) : nil) ?? tile.frame
        }
      return Move(id: tile.id, from: from, to: tile.frame, isFramed: tile.isFramed)
    }
    let leaving = shown.filter { new[$0.id] == nil && remaining.contains($0.id) }.map { tile in
      Move(
        id: tile.id, from: tile.frame, to: (isSameKind ? new.hiddenFrame(of: tile.id) : nil) ?? tile.frame,
        isFramed: tile.isFramed)
    }
    guard arriving.contains(where: { $0.from != $0.to }) || leaving.contains(where: { $0.from != $0.to }) else {
      return nil
    }
    func area(_ move: Move) -> Int {
      move.from == move.to ? 0 : max(move.from.columns * move.from.rows, move.to.columns * move.to.rows)
    }
    let ordered = arriving.enumerated().sorted { (area($0.element), $0.offset) < (area($1.element), $1.offset) }
    moves = leaving + ordered.map(\.element)
    startedAt = now
  }

  func isOver(at now: MonotonicTime) -> Bool { now - startedAt >= Self.duration }

  /// Where the tiles are at a time, in the order of drawing.
  func placements(at now: MonotonicTime) -> [TilePlacement] {
    let progress = Self.eased(max(0, min(1, (now - startedAt) / Self.duration)))
    return moves.map { move in
      let frame = move.from.interpolated(to: move.to, progress)
      // A frame needs a cell of picture in it.
      let isFramed = move.isFramed && frame.columns >= 3 && frame.rows >= 3
      return TilePlacement(id: move.id, frame: frame, isFramed: isFramed)
    }
  }

  /// Starts at once and comes to rest gently: a move that answers a key may not hesitate.
  private static func eased(_ time: Double) -> Double {
    let rest = 1 - time
    return 1 - rest * rest * rest
  }
}

extension CellRect {
  /// The rectangle on the way to another one, `progress` 0…1; each edge moves by itself.
  func interpolated(to other: CellRect, _ progress: Double) -> CellRect {
    func between(_ start: Int, _ end: Int) -> Int {
      let way = Int(nearest: Double(abs(end - start)) * progress)
      return end < start ? start - way : start + way
    }
    let column = between(self.column, other.column)
    let row = between(self.row, other.row)
    return CellRect(
      column: column, row: row, columns: between(endColumn, other.endColumn) - column,
      rows: between(endRow, other.endRow) - row)
  }
}
