/// What is known about the selected tile, in a panel beside the tiles.
struct InspectorPanel {
  let report: InspectorReport
  let panel: CellRect
  let pen: Pen

  private static let labelColumns = 9
  /// Fields are spread over columns of at least this width.
  private static let fieldColumns = 36
  /// Lines of the curve, where there is room for more than its numbers.
  private static let curveRows = 3

  private var theme: Theme { pen.theme }
  private var inside: CellRect { panel.inset(columns: 2, rows: 1) }

  func draw(on grid: inout CellGrid) {
    let identity = report.identity.map { " " + pen.sign(pen.signs.separator) + " " + $0 }
    pen.panel(panel, title: report.title, subtitle: identity ?? "", note: "close with i or Esc", on: &grid)
    let lines = drawCondition(on: &grid)
    let rest = CellRect(
      column: inside.column, row: inside.row + lines, columns: inside.columns, rows: inside.rows - lines)
    let fields = report.sections.flatMap(\.fields)
    // Headings and spaces between the sections, the curve, and two lines more for long lists of drops.
    let roomy = fields.count + report.sections.count * 2 + Self.curveRows + 2
    if rest.rows >= roomy { drawSections(in: rest, on: &grid) } else { drawFields(fields, in: rest, on: &grid) }
  }

  /// Lines that it took.
  private func drawCondition(on grid: inout CellGrid) -> Int {
    let (sign, role): (Character, ThemeRole) =
      switch report.condition.severity {
      case .fine: (pen.signs.dot, .panelGood)
      case .quiet: (pen.signs.hollowDot, .panelQuiet)
      case .trouble: (pen.signs.cross, .panelWarning)
      }
    let lines = report.condition.text.wrapped(to: inside.columns - 2, lines: inside.rows > 4 ? 2 : 1)
    pen.write(
      pen.sign(sign), column: inside.column, row: inside.row, limit: 1, style: theme[role], on: &grid)
    for (index, line) in lines.enumerated() {
      pen.write(
        line, column: inside.column + 2, row: inside.row + index, limit: inside.columns - 2, style: theme[role],
        on: &grid)
    }
    return lines.count
  }

  /// All fields in as many columns as there is room for; the curve stands beside the rate.
  private func drawFields(_ fields: [InspectorReport.Field], in area: CellRect, on grid: inout CellGrid) {
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
