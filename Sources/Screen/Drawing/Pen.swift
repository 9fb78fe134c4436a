/// A piece of text in one style; lines of chrome are made of several.
struct Span {
  var text: SanitizedText
  var style: CellStyle

  init(_ text: SanitizedText, _ style: CellStyle) {
    self.text = text
    self.style = style
  }
}

/// Writes text and boxes with a theme's colours and a set of signs.
struct Pen {
  let theme: Theme
  let signs: GlyphSet

  /// Writes a text, cut to `limit` columns, and answers how many it took.
  @discardableResult
  func write(
    _ text: SanitizedText, column: Int, row: Int, limit: Int, style: CellStyle, on grid: inout CellGrid
  ) -> Int {
    let text = (signs.isASCII ? text.inASCII : text).cut(to: limit, ellipsis: signs.ellipsis)
    var column = column
    for glyph in text.glyphs {
      grid.put(Cell(glyph.character, width: UInt8(glyph.width), style: style), column: column, row: row)
      column += glyph.width
    }
    return text.width
  }

  /// Writes spans one after the other within `limit` columns.
  @discardableResult
  func write(_ spans: [Span], column: Int, row: Int, limit: Int, on grid: inout CellGrid) -> Int {
    var used = 0
    for span in spans where used < limit {
      used += write(span.text, column: column + used, row: row, limit: limit - used, style: span.style, on: &grid)
    }
    return used
  }

  /// Columns that spans take.
  func width(_ spans: [Span]) -> Int { spans.reduce(0) { $0 + $1.text.width } }

  func fill(_ rect: CellRect, _ style: CellStyle, on grid: inout CellGrid) {
    grid.fill(rect, with: Cell(" ", style: style))
  }

  func box(_ rect: CellRect, _ box: GlyphSet.Box, style: CellStyle, on grid: inout CellGrid) {
    guard rect.columns >= 2, rect.rows >= 2 else { return }
    for column in (rect.column + 1)..<(rect.endColumn - 1) {
      grid.put(Cell(box.horizontal, style: style), column: column, row: rect.row)
      grid.put(Cell(box.horizontal, style: style), column: column, row: rect.endRow - 1)
    }
    for row in (rect.row + 1)..<(rect.endRow - 1) {
      grid.put(Cell(box.vertical, style: style), column: rect.column, row: row)
      grid.put(Cell(box.vertical, style: style), column: rect.endColumn - 1, row: row)
    }
    grid.put(Cell(box.topLeft, style: style), column: rect.column, row: rect.row)
    grid.put(Cell(box.topRight, style: style), column: rect.endColumn - 1, row: rect.row)
    grid.put(Cell(box.bottomLeft, style: style), column: rect.column, row: rect.endRow - 1)
    grid.put(Cell(box.bottomRight, style: style), column: rect.endColumn - 1, row: rect.endRow - 1)
  }

  /// An empty panel with a title in its upper line and a note in its lower one.
  func panel(
    _ rect: CellRect, title: SanitizedText, subtitle: SanitizedText = "", note: SanitizedText, on grid: inout CellGrid
  ) {
    fill(rect, theme[.panel], on: &grid)
    box(rect, signs.box, style: theme[.panelBorder], on: &grid)
    let limit = rect.columns - 6
    write(
      [Span(" " + title, theme[.panelTitle]), Span(subtitle + " ", theme[.panelQuiet])], column: rect.column + 2,
      row: rect.row, limit: limit, on: &grid)
    let note = " " + note + " "
    guard note.width <= limit else { return }
    write(
      note, column: rect.endColumn - 2 - note.width, row: rect.endRow - 1, limit: limit, style: theme[.panelQuiet],
      on: &grid)
  }

  /// A sign as text.
  func sign(_ sign: Character) -> SanitizedText { SanitizedText(String(sign)) }
}

extension SanitizedText {
  /// Broken at spaces into lines of at most so many columns, within words only where they are longer than that.
  func wrapped(to columns: Int, lines limit: Int) -> [SanitizedText] {
    var lines: [SanitizedText] = []
    var line: SanitizedText = ""
    let words = description.split(separator: " ").flatMap { SanitizedText(String($0)).pieces(of: max(2, columns)) }
    for word in words {
      if !line.isEmpty, line.width + 1 + word.width > columns {
        lines.append(line)
        line = ""
      }
      line = line.isEmpty ? word : line + " " + word
    }
    if !line.isEmpty { lines.append(line) }
    guard lines.count > limit, limit > 0 else { return lines.map { $0.cut(to: columns) } }
    let rest = lines[(limit - 1)...].reduce("" as SanitizedText) { $0.isEmpty ? $1 : $0 + " " + $1 }
    return (lines[..<(limit - 1)] + [rest]).map { $0.cut(to: columns) }
  }

  /// The same in parts of at most so many columns, at least 2.
  private func pieces(of columns: Int) -> [SanitizedText] {
    guard width > columns else { return [self] }
    var pieces: [SanitizedText] = []
    var piece = ""
    var used = 0
    for glyph in glyphs {
      if used + glyph.width > columns {
        pieces.append(SanitizedText(piece))
        (piece, used) = ("", 0)
      }
      piece.append(glyph.character)
      used += glyph.width
    }
    return pieces + [SanitizedText(piece)]
  }
}

extension CellStyle {
  /// The same on another ground.
  func on(_ background: CellColor) -> CellStyle {
    CellStyle(foreground: foreground, background: background, attributes: attributes)
  }
}
