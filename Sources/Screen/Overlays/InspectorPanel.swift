/// What is known about the selected tile, in a panel beside the tiles.
struct InspectorPanel {
  let report: InspectorReport
  let panel: CellRect
  /// Fields at the beginning that are scrolled out of sight.
  let offset: Int
  let pen: Pen

  private static let labelColumns = 9
  /// Fields are spread over columns of at least this width.
  private static let fieldColumns = 36
  /// Lines of the curve, where there is room for more than its numbers.
  private static let curveRows = 3

  /// How much of a report has room in a panel.
  struct Fit {
    /// Lines of the sentence on top.
    let conditionLines: Int
    /// Every section has lines of its own.
    let isRoomy: Bool
    /// Fields in sight.
    let visible: Int
    /// Fields that are not.
    let limit: Int

    init(_ report: InspectorReport, in panel: CellRect) {
      let inside = panel.inset(columns: 2, rows: 1)
      let lines = report.condition.text.wrapped(to: inside.columns - 2, lines: inside.rows > 4 ? 2 : 1).count
      let rows = max(0, inside.rows - lines)
      let count = report.sections.reduce(0) { $0 + $1.fields.count }
      let headings = report.sections.count { !$0.fields.isEmpty }
      conditionLines = lines
      // Headings and spaces between the sections, the curve, and two lines more for values that need them.
      isRoomy = rows >= count + headings * 2 + InspectorPanel.curveRows + 2
      visible = isRoomy ? count : min(count, max(1, inside.columns / InspectorPanel.fieldColumns) * rows)
      limit = count - visible
    }
  }

  private var theme: Theme { pen.theme }
  private var inside: CellRect { panel.inset(columns: 2, rows: 1) }

  func draw(on grid: inout CellGrid) {
    let fit = Fit(report, in: panel)
    let identity = report.identity.map { " " + pen.sign(pen.signs.separator) + " " + $0 }
    pen.panel(
      panel, title: report.title, subtitle: identity ?? "",
      note: fit.limit > 0 ? "PgUp PgDn scroll, i closes" : "close with i or Esc", on: &grid)
    drawCondition(lines: fit.conditionLines, on: &grid)
    let rest = CellRect(
      column: inside.column, row: inside.row + fit.conditionLines, columns: inside.columns,
      rows: inside.rows - fit.conditionLines)
    if fit.isRoomy {
      drawSections(in: rest, on: &grid)
    } else {
      drawFields(report.sections.flatMap(\.fields).dropFirst(min(offset, fit.limit)), in: rest, on: &grid)
    }
  }

  private func drawCondition(lines: Int, on grid: inout CellGrid) {
    let (sign, role): (Character, ThemeRole) =
      switch report.condition.severity {
      case .fine: (pen.signs.dot, .panelGood)
      case .quiet: (pen.signs.hollowDot, .panelQuiet)
      case .trouble: (pen.signs.cross, .panelWarning)
      }
    pen.write(
      pen.sign(sign), column: inside.column, row: inside.row, limit: 1, style: theme[role], on: &grid)
    for (index, line) in report.condition.text.wrapped(to: inside.columns - 2, lines: lines).enumerated() {
      pen.write(
        line, column: inside.column + 2, row: inside.row + index, limit: inside.columns - 2, style: theme[role],
        on: &grid)
    }
  }

  /// All fields in as many columns as there is room for; the curve stands beside the rate.
  private func drawFields(_ fields: ArraySlice<InspectorReport.Field>, in area: CellRect, on grid: inout CellGrid) {
    guard area.rows > 0 else { return }
    let columns = max(1, area.columns / Self.fieldColumns)
    let width = (area.columns - (columns - 1) * 3) / columns
    for (index, field) in fields.enumerated().prefix(columns * area.rows) {
      let place = CellRect(
        column: area.column + index / area.rows * (width + 3), row: area.row + index % area.rows, columns: width,
        rows: 1)
      let used = draw(field, in: place, on: &grid)
      guard field.label == "Rate", place.columns - used >= 10 else { continue }
      drawCurve(
        in: CellRect(
          column: place.column + used + 2, row: place.row, columns: place.columns - used - 2, rows: 1), on: &grid)
    }
  }

  /// One section below the other, with its heading; the curve has some lines of its own.
  private func drawSections(in area: CellRect, on grid: inout CellGrid) {
    var row = area.row + 1
    for section in report.sections where !section.fields.isEmpty {
      pen.write(section.title, column: area.column, row: row, limit: area.columns, style: theme[.panelTitle], on: &grid)
      row += 1
      for field in section.fields {
        let lines = drawWrapped(field, row: row, in: area, on: &grid)
        guard field.label == "Rate", let peak = report.bitrates.max() else {
          row += lines
          continue
        }
        let used = Self.labelColumns + field.value.width + 2
        pen.write(
          SanitizedText("peak \(rateText(peak))"), column: area.column + used, row: row, limit: area.columns - used,
          style: theme[.panelQuiet], on: &grid)
        row += lines
        drawCurve(
          in: CellRect(
            column: area.column + Self.labelColumns, row: row, columns: area.columns - Self.labelColumns,
            rows: Self.curveRows), on: &grid)
        row += Self.curveRows
      }
      row += 1
    }
  }

  /// A field whose value goes on in further lines if it needs them; answers how many it took.
  private func drawWrapped(_ field: InspectorReport.Field, row: Int, in area: CellRect, on grid: inout CellGrid) -> Int
  {
    let lines = field.value.wrapped(to: area.columns - Self.labelColumns, lines: 3)
    for (index, line) in lines.enumerated() where row + index < area.endRow {
      let part = InspectorReport.Field(label: index == 0 ? field.label : "", value: line, role: field.role)
      draw(part, in: CellRect(column: area.column, row: row + index, columns: area.columns, rows: 1), on: &grid)
    }
    return max(1, lines.count)
  }

  /// Columns that it took.
  @discardableResult
  private func draw(_ field: InspectorReport.Field, in place: CellRect, on grid: inout CellGrid) -> Int {
    pen.write(
      field.label, column: place.column, row: place.row, limit: Self.labelColumns - 1, style: theme[.panelQuiet],
      on: &grid)
    return Self.labelColumns
      + pen.write(
        field.value, column: place.column + Self.labelColumns, row: place.row,
        limit: place.columns - Self.labelColumns, style: theme[field.role], on: &grid)
  }

  /// The last minute of the bit rate, now at the right, from 0 to its highest.
  private func drawCurve(in area: CellRect, on grid: inout CellGrid) {
    let steps = pen.signs.curve.count - 1
    let peak = max(1, report.bitrates.max() ?? 0)
    // A column stands for as many seconds as a minute needs to fit, and shows the highest of them.
    let seconds = (TrackHistory.length + area.columns - 1) / max(1, area.columns)
    let columns = min(area.columns, (TrackHistory.length + seconds - 1) / seconds)
    for column in 0..<columns {
      let end = report.bitrates.count - (columns - 1 - column) * seconds
      guard end > 0 else { continue }
      let value = report.bitrates[max(0, end - seconds)..<end].max() ?? 0
      // Something is always more than nothing.
      let height = value > 0 ? max(1, Int(nearest: Double(value) / Double(peak) * Double(steps * area.rows))) : 0
      for row in 0..<area.rows {
        let level = max(0, min(steps, height - (area.rows - 1 - row) * steps))
        guard level > 0 else { continue }
        grid.put(
          Cell(pen.signs.curve[level], style: theme[.panelAccent]), column: area.column + column, row: area.row + row)
      }
    }
  }
}
