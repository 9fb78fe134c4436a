/// Where everything is on the connect screen.
struct ConnectLayout: Equatable {
  var title: CellRect
  var status: CellRect
  /// The frame around everything; empty where there is no room for one.
  var card: CellRect
  /// Lines for the program's name in large letters; empty where there is no room.
  var banner: CellRect
  /// The labels, from the top, and the boxes that are typed in.
  var labels: [CellRect]
  var fields: [CellRect]
  var button: CellRect
  /// What is said beside the button.
  var progress: CellRect
  var notice: CellRect
  /// The line above the list of rooms, and the list.
  var roomsTitle: CellRect
  var rooms: CellRect
  var isTooSmall: Bool

  private static let cardColumns = 76
  private static let margin = 4
  private static let buttonColumns = 13
  private static let bannerRows = 4
  /// Longest label and a gap.
  static let labelColumns = 10
  private static let nothing = CellRect(column: 0, row: 0, columns: 0, rows: 0)

  init(columns: Int, rows: Int, fields count: Int, rooms known: Int) {
    title = CellRect(column: 0, row: 0, columns: columns, rows: min(1, rows))
    status = CellRect(column: 0, row: rows - 1, columns: columns, rows: min(1, rows))
    (card, banner, button, progress, notice) = (Self.nothing, Self.nothing, Self.nothing, Self.nothing, Self.nothing)
    (roomsTitle, rooms) = (Self.nothing, Self.nothing)
    (labels, fields) = ([], [])
    isTooSmall = columns < ScreenLayout.minimumColumns || rows < ScreenLayout.minimumRows
    guard !isTooSmall else { return }
    let content = CellRect(column: 0, row: 1, columns: columns, rows: rows - 2)
    // Frame, a line of air above and below, fields with their labels, button, notice, the list with a line above it.
    let least = 4 + count * 3 + 4 + (known > 0 ? 4 : 0)
    if columns >= 60, content.rows >= least {
      placeCard(in: content, fields: count, rooms: known)
    } else {
      placeLines(in: content, fields: count, rooms: known)
    }
  }

  private mutating func placeCard(in content: CellRect, fields count: Int, rooms known: Int) {
    let inner = 2 + count * 3 + 4
    let list = known > 0 ? min(known, content.rows - 2 - inner - 2) : 0
    let height = 2 + inner + (list > 0 ? list + 2 : 0)
    let hasBanner = content.columns >= 60 && content.rows >= height + Self.bannerRows + 6
    let above = hasBanner ? Self.bannerRows + 2 : 0
    // A little above the middle looks like the middle.
    let top = content.row + max(0, (content.rows - height - above) * 2 / 5)
    card = CellRect(
      column: (content.columns - min(Self.cardColumns, content.columns - 4)) / 2, row: top + above,
      columns: min(Self.cardColumns, content.columns - 4), rows: height)
    if hasBanner { banner = CellRect(column: 0, row: top, columns: content.columns, rows: Self.bannerRows) }
    let left = card.column + Self.margin
    let width = card.columns - 2 * Self.margin
    var row = card.row + 2
    func line(_ rows: Int = 1) -> CellRect { CellRect(column: left, row: row, columns: width, rows: rows) }
    for _ in 0..<count {
      labels.append(line())
      row += 1
      fields.append(line())
      row += 2
    }
    placeButton(on: line())
    row += 2
    // The third line is the gap below, for the longest of sentences.
    notice = line(3)
    row += 2
    if list > 0 {
      row += 1
      roomsTitle = line()
      row += 1
      rooms = line(list)
    }
  }

  /// Everything close together, the labels beside the fields.
  private mutating func placeLines(in content: CellRect, fields count: Int, rooms known: Int) {
    let left = content.column + 1
    let width = content.columns - 2
    var rest = content.rows
    var row = content.row
    func line(_ rows: Int = 1) -> CellRect { CellRect(column: left, row: row, columns: width, rows: rows) }
    // Fields, button, notice and one room are needed; air is good.
    let needed = count + 1 + 3 + (known > 0 ? 1 : 0)
    var air = max(0, rest - needed)
    func breathe() {
      guard air > 0 else { return }
      air -= 1
      rest -= 1
      row += 1
    }
    breathe()
    for _ in 0..<count {
      labels.append(CellRect(column: left, row: row, columns: Self.labelColumns, rows: 1))
      fields.append(
        CellRect(column: left + Self.labelColumns, row: row, columns: width - Self.labelColumns, rows: 1))
      row += 1
    }
    if air > 1 { breathe() }
    placeButton(on: CellRect(column: left + Self.labelColumns, row: row, columns: width - Self.labelColumns, rows: 1))
    row += 1
    if air > 3 { breathe() }
    notice = line(min(3, content.endRow - row))
    row += notice.rows
    guard known > 0, row < content.endRow else { return }
    if content.endRow - row > 2 {
      roomsTitle = line()
      row += 1
    }
    rooms = line(min(known, content.endRow - row))
  }

  private mutating func placeButton(on line: CellRect) {
    button = CellRect(column: line.column, row: line.row, columns: min(Self.buttonColumns, line.columns), rows: 1)
    progress = CellRect(
      column: button.endColumn + 2, row: line.row, columns: line.columns - button.columns - 2, rows: 1)
  }

  /// The part of a field's box that text stands in: one cell is for the mark or a bracket at each end.
  static func text(in box: CellRect) -> CellRect {
    CellRect(column: box.column + 2, row: box.row, columns: box.columns - 4, rows: box.rows)
  }
}
