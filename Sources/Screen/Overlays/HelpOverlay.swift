/// The table of keys over the tiles, under its headings, in as many columns as fit; what does not fit is scrolled to.
struct HelpOverlay {
  private enum Line {
    case heading(SanitizedText)
    case entry(label: SanitizedText, help: SanitizedText)
    case space
  }

  /// The headings with their lines, which stay together when they are spread over columns.
  private let blocks: [[Line]]

  /// The keys that have a meaning for what is shown.
  init(for subject: Subject) {
    blocks = KeyBinding.groups(for: subject).map { group in
      [.heading(SanitizedText(group.title))]
        + group.bindings.compactMap(\.entry).map {
          .entry(label: SanitizedText($0.label), help: SanitizedText($0.help))
        }
    }
  }

  private static let entries = KeyBinding.all.compactMap(\.entry)
  private static let labelColumns = entries.map { SanitizedText($0.label).width }.max() ?? 0
  private static let helpColumns = entries.map { SanitizedText($0.help).width }.max() ?? 0
  private static let entryColumns = labelColumns + 2 + helpColumns
  private static let gap = 4

  private func columns(in content: CellRect) -> Int {
    max(1, min(2, (content.columns - 6 + Self.gap) / (Self.entryColumns + Self.gap)))
  }

  /// The lines of each column: headings in order, both columns as equally long as headings that stay whole allow.
  private func arranged(in content: CellRect) -> [[Line]] {
    func joined(_ blocks: ArraySlice<[Line]>) -> [Line] { Array(blocks.joined(separator: [.space])) }
    guard columns(in: content) == 2 else { return [joined(blocks[...])] }
    let splits = blocks.indices.map { [joined(blocks[...$0]), joined(blocks[($0 + 1)...])] }
    func height(_ columns: [[Line]]) -> Int { columns.map(\.count).max() ?? 0 }
    return splits.min { height($0) < height($1) } ?? []
  }

  private func lineCount(in content: CellRect) -> Int { arranged(in: content).map(\.count).max() ?? 0 }

  /// Lines of the table that are seen at once.
  func visibleLines(in content: CellRect) -> Int { max(1, min(lineCount(in: content), content.rows - 2)) }

  /// The nearest offset at which the last line is still in sight at the bottom.
  func clamped(_ offset: Int, in content: CellRect) -> Int {
    max(0, min(offset, lineCount(in: content) - visibleLines(in: content)))
  }

  func draw(from offset: Int, in content: CellRect, pen: Pen, on grid: inout CellGrid) {
    let columns = arranged(in: content)
    let visible = visibleLines(in: content)
    let offset = clamped(offset, in: content)
    let width = columns.count * Self.entryColumns + (columns.count - 1) * Self.gap + 6
    // Room between the box and the text is the first thing that goes where lines are dear.
    let margin = content.rows >= visible + 4 ? 1 : 0
    let box = content.centred(columns: width, rows: visible + 2 + 2 * margin)
    let theme = pen.theme
    pen.fill(box, theme[.help], on: &grid)
    pen.box(box, pen.signs.box, style: theme[.helpBorder], on: &grid)
    pen.write(
      " Keys ", column: box.column + 2, row: box.row, limit: box.columns - 6, style: theme[.helpTitle], on: &grid)
    let more: SanitizedText =
      lineCount(in: content) > visible ? " more with PgDn, PgUp " : " close with ? or Esc "
    pen.write(
      more, column: box.endColumn - 2 - more.width, row: box.endRow - 1, limit: more.width, style: theme[.help],
      on: &grid)
    for (index, lines) in columns.enumerated() {
      let left = box.column + 3 + index * (Self.entryColumns + Self.gap)
      for (row, line) in lines.dropFirst(offset).prefix(visible).enumerated() {
        draw(line, column: left, row: box.row + 1 + margin + row, end: box.endColumn - 2, pen: pen, on: &grid)
      }
    }
  }

  private func draw(_ line: Line, column: Int, row: Int, end: Int, pen: Pen, on grid: inout CellGrid) {
    switch line {
    case .space: break
    case .heading(let text):
      pen.write(text, column: column, row: row, limit: end - column, style: pen.theme[.helpTitle], on: &grid)
    case .entry(let label, let help):
      pen.write(label, column: column, row: row, limit: Self.labelColumns, style: pen.theme[.helpKey], on: &grid)
      let start = column + Self.labelColumns + 2
      pen.write(help, column: start, row: row, limit: end - start, style: pen.theme[.help], on: &grid)
    }
  }
}
