/// The table of keys over the tiles, in as many columns as fit; what does not fit is scrolled to.
enum HelpOverlay {
  private static let labelColumns = KeyBinding.all.map { SanitizedText($0.label).width }.max() ?? 0
  private static let helpColumns = KeyBinding.all.map { SanitizedText($0.help).width }.max() ?? 0
  private static let entryColumns = labelColumns + 2 + helpColumns
  private static let gap = 3

  /// Entries beside one another.
  private static func columns(in content: CellRect) -> Int {
    max(1, min(2, (content.columns - 6 + gap) / (entryColumns + gap)))
  }

  private static func lines(in content: CellRect) -> Int {
    let columns = columns(in: content)
    return (KeyBinding.all.count + columns - 1) / columns
  }

  /// Lines of the table that are seen at once.
  static func visibleLines(in content: CellRect) -> Int { max(1, min(lines(in: content), content.rows - 4)) }

  /// The nearest offset at which the last line is still in sight at the bottom.
  static func clamped(_ offset: Int, in content: CellRect) -> Int {
    max(0, min(offset, lines(in: content) - visibleLines(in: content)))
  }

  static func draw(from offset: Int, in content: CellRect, pen: Pen, on grid: inout CellGrid) {
    let columns = columns(in: content)
    let lines = lines(in: content)
    let visible = visibleLines(in: content)
    let offset = clamped(offset, in: content)
    let box = content.centred(columns: columns * entryColumns + (columns - 1) * gap + 6, rows: visible + 4)
    let theme = pen.theme
    pen.fill(box, theme[.help], on: &grid)
    pen.box(box, pen.signs.box, style: theme[.helpBorder], on: &grid)
    pen.write(
      " Keys ", column: box.column + 3, row: box.row, limit: box.columns - 6, style: theme[.helpTitle], on: &grid)
    let more: SanitizedText = lines > visible ? " more with PgDn, PgUp " : " close with ? or Esc "
    pen.write(
      more, column: box.endColumn - 3 - more.width, row: box.endRow - 1, limit: more.width, style: theme[.help],
      on: &grid)
    for line in 0..<visible {
      for column in 0..<columns {
        let index = column * lines + offset + line
        guard index < KeyBinding.all.count else { continue }
        let binding = KeyBinding.all[index]
        let left = box.column + 3 + column * (entryColumns + gap)
        let label = SanitizedText(binding.label)
        pen.write(
          label, column: left + labelColumns - label.width, row: box.row + 2 + line, limit: labelColumns,
          style: theme[.helpKey], on: &grid)
        pen.write(
          SanitizedText(binding.help), column: left + labelColumns + 2, row: box.row + 2 + line,
          limit: box.endColumn - 2 - (left + labelColumns + 2), style: theme[.help], on: &grid)
      }
    }
  }
}
