import Conference

/// Which picture a tile shows: a participant's camera, or one more video track of theirs, such as a shared screen.
public struct TileID: Hashable, Sendable {
  public var participant: ParticipantIdentity
  /// nil for the participant's main video.
  public var extraTrack: TrackID?

  public init(_ participant: ParticipantIdentity, extraTrack: TrackID? = nil) {
    self.participant = participant
    self.extraTrack = extraTrack
  }
}

/// One tile on the screen. While tiles move or scroll, a part of it may lie outside of the content.
public struct TilePlacement: Hashable, Sendable {
  public var id: TileID
  /// The whole tile with its lines.
  public var frame: CellRect
  /// Has a box around the picture; otherwise one line below it.
  public var isFramed: Bool

  init(id: TileID, frame: CellRect, isFramed: Bool) {
    self.id = id
    self.frame = frame
    self.isFramed = isFramed
  }

  /// The cells of its picture.
  public var video: CellRect {
    isFramed
      ? frame.inset(columns: 1, rows: 1)
      : CellRect(column: frame.column, row: frame.row, columns: frame.columns, rows: frame.rows - 1)
  }
}

/// Which tiles are to be laid out, and what the person wants to see of them.
public struct LayoutWish: Hashable, Sendable {
  /// All of them, in order.
  public var tiles: [TileID]
  /// Is always in sight.
  public var selected: TileID?
  /// The page, the first row or the first line of the strip that was shown last, from 0; it moves no further than the
  /// selected tile asks for.
  public var position = 0
  /// Shows the selected tile alone.
  public var isZoomed = false
  public var arrangement = Arrangement.grid
  /// As for ``ViewOptions/inset``.
  public var inset = 1
  /// The large tile of the spotlight; nil for the first.
  public var large: TileID?
  /// A tile of another page that takes the last place which none of ``seated`` has.
  public var guest: TileID?
  /// Tiles that keep their places when a guest comes.
  public var seated: Set<TileID> = []

  public init(tiles: [TileID], selected: TileID? = nil) {
    self.tiles = tiles
    self.selected = selected
  }
}

/// Where everything is on a screen of a certain size.
public struct ScreenLayout: Equatable, Sendable {
  public var title: CellRect
  public var content: CellRect
  /// What an overlay has taken from the tiles; nil while there is none.
  public var panel: CellRect?
  public var events: CellRect
  public var status: CellRect
  /// The tiles that are in sight, in order; in the spotlight the large one first.
  public var tiles: [TilePlacement] = []
  /// The tile whose place the guest took.
  public private(set) var displaced: TileID?
  /// Too few cells for anything but saying so.
  public var isTooSmall: Bool
  /// Every tile, in sight or not.
  let order: [TileID]
  private(set) var stage: TileStage?

  /// The least screen on which everything has its place.
  public static let minimumColumns = 40
  public static let minimumRows = 12

  /// - Parameters:
  ///   - cellAspect: width of a cell over its height, commonly 0.5.
  ///   - dock: the part of the space for tiles that goes to an overlay.
  public init(columns: Int, rows: Int, cellAspect: Double, wish: LayoutWish, dock: Dock? = nil) {
    title = CellRect(column: 0, row: 0, columns: columns, rows: min(1, rows))
    content = CellRect(column: 0, row: 1, columns: columns, rows: rows - 3)
    events = CellRect(column: 0, row: rows - 2, columns: columns, rows: 1)
    status = CellRect(column: 0, row: rows - 1, columns: columns, rows: 1)
    if let dock {
      let (rest, taken) = dock.split(content)
      content = rest
      panel = taken
    }
    isTooSmall = columns < Self.minimumColumns || rows < Self.minimumRows
    order = wish.tiles
    guard !isTooSmall, !content.isEmpty, !order.isEmpty else { return }
    let guest = wish.guest.flatMap { order.contains($0) ? $0 : nil }
    let selected = wish.selected.flatMap { order.firstIndex(of: $0) }
    let stage = TileStage(wish, in: content, cellAspect: cellAspect)
    // A guest that is selected is in sight where it is guest, and no page is turned for it.
    place(stage, showing: wish.selected == guest ? nil : selected, from: wish.position)
    if let guest, stage.hasGuests { seat(guest, apartFrom: wish.seated.union([wish.selected].compactMap { $0 })) }
    if let guest, wish.selected == guest, self[guest] == nil {
      place(stage, showing: selected, from: wish.position)
    }
  }

  private mutating func place(_ stage: TileStage, showing selected: Int?, from position: Int) {
    var stage = stage
    stage.show(selected, from: position)
    self.stage = stage
    tiles = stage.visible.map { TilePlacement(id: order[$0], frame: stage.frame(of: $0), isFramed: stage.isFramed($0)) }
  }

  private mutating func seat(_ guest: TileID, apartFrom seated: Set<TileID>) {
    guard self[guest] == nil, let seat = tiles.lastIndex(where: { !seated.contains($0.id) }) else { return }
    displaced = tiles[seat].id
    tiles[seat].id = guest
  }

  /// The page, the first row or the first line of the strip in sight, from 0.
  public var position: Int { stage?.position ?? 0 }
  /// Different values of ``position``, at least 1.
  public var positions: Int { stage?.positions ?? 1 }

  /// What of all tiles is in sight, as the status line says it; nil while all are.
  var whereabouts: String? { stage?.whereabouts }

  /// The tile under a cell.
  public func tile(column: Int, row: Int) -> TileID? {
    guard content.contains(column: column, row: row) else { return nil }
    return tiles.first { $0.frame.contains(column: column, row: row) }?.id
  }

  public subscript(id: TileID) -> TilePlacement? { tiles.first { $0.id == id } }

  /// Where a tile stands that is not in sight, just outside of the content.
  func hiddenFrame(of id: TileID) -> CellRect? {
    guard let stage, let index = order.firstIndex(of: id) else { return nil }
    return stage.frame(of: index)
  }
}
