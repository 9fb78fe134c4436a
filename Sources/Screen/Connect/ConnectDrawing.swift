import Conference
import RTCCore

/// Draws the connect screen.
public func draw(
  _ state: ConnectState, theme: Theme = .night, signs: GlyphSet = .unicode, on grid: inout CellGrid
) {
  let pen = Pen(theme: theme, signs: signs)
  pen.fill(grid.bounds, theme[.screen], on: &grid)
  let layout = state.layout
  guard !layout.isTooSmall else {
    return drawTooSmall(columns: state.columns, rows: state.rows, pen: pen, on: &grid)
  }
  ConnectDrawing(state: state, layout: layout, pen: pen).draw(on: &grid)
}

/// One drawing of the connect screen.
struct ConnectDrawing {
  let state: ConnectState
  let layout: ConnectLayout
  let pen: Pen

  private var theme: Theme { pen.theme }
  /// Without a frame everything stands on the screen's own ground.
  private var hasCard: Bool { !layout.card.isEmpty }

  private func style(_ role: ThemeRole) -> CellStyle {
    hasCard ? theme[role] : theme[role].on(theme[.screen].background)
  }

  func draw(on grid: inout CellGrid) {
    drawBars(on: &grid)
    drawBanner(on: &grid)
    if hasCard {
      pen.fill(layout.card, theme[.connect], on: &grid)
      pen.box(layout.card, pen.signs.box, style: theme[.connectBorder], on: &grid)
      pen.write(
        " Join a room ", column: layout.card.column + 3, row: layout.card.row, limit: layout.card.columns - 6,
        style: theme[.connectTitle], on: &grid)
    }
    for (index, field) in state.fields.enumerated() { draw(field, at: index, on: &grid) }
    drawButton(on: &grid)
    drawNotice(on: &grid)
    drawRooms(on: &grid)
  }

  private func drawBars(on grid: inout CellGrid) {
    pen.fill(layout.title, theme[.title], on: &grid)
    var spans = [Span("confab", theme[.titleProgram])]
    if !hasCard { spans.append(Span("  Join a room", theme[.titleRoom])) }
    pen.write(spans, column: 1, row: layout.title.row, limit: layout.title.columns - 2, on: &grid)
    pen.fill(layout.status, theme[.status], on: &grid)
    var column = layout.status.column + 1
    for hint in state.hints {
      let spans = [
        Span(SanitizedText(hint.label), theme[.statusKey]), Span(SanitizedText(" " + hint.text), theme[.status]),
      ]
      let width = pen.width(spans)
      guard column + width <= layout.status.endColumn - 1 else { break }
      pen.write(spans, column: column, row: layout.status.row, limit: width, on: &grid)
      column += width + 2
    }
  }

  private func drawBanner(on grid: inout CellGrid) {
    guard !layout.banner.isEmpty, !pen.signs.isASCII else { return }
    for (index, line) in PixelFont.lines(Array("CONFAB"), isLarge: false).enumerated() {
      pen.write(
        line, column: (layout.banner.columns - line.width) / 2, row: layout.banner.row + index, limit: line.width,
        style: theme[.connectBanner], on: &grid)
    }
  }

  // MARK: Fields

  private func isActive(_ focus: ConnectState.Focus) -> Bool { state.phase == .editing && state.focus == focus }

  private func draw(_ field: ConnectField, at index: Int, on grid: inout CellGrid) {
    guard layout.fields.indices.contains(index), layout.labels.indices.contains(index) else { return }
    let isActive = isActive(.field(field))
    let label = layout.labels[index]
    pen.write(
      Self.label(of: field), column: label.column, row: label.row, limit: label.columns,
      style: style(isActive ? .connectLabelActive : .connectLabel), on: &grid)
    let entry = state[field]
    if field == .token, hasCard, state.isHidden(field), !entry.isEmpty {
      let count: SanitizedText = entry.glyphs.count == 1 ? "1 character" : "\(entry.glyphs.count) characters"
      pen.write(
        count, column: label.endColumn - count.width, row: label.row, limit: count.width, style: style(.connectDetail),
        on: &grid)
    }
    drawBox(layout.fields[index], isActive: isActive, on: &grid)
    let text = ConnectLayout.text(in: layout.fields[index])
    if entry.isEmpty {
      pen.write(
        Self.example(of: field), column: text.column, row: text.row, limit: text.columns,
        style: theme[.connectPlaceholder].on(ground(isActive: isActive)), on: &grid)
    }
    drawText(of: field, in: text, isActive: isActive, on: &grid)
  }

  private func ground(isActive: Bool) -> CellColor {
    theme[isActive ? .connectFieldActive : .connectField].background
  }

  private func drawBox(_ box: CellRect, isActive: Bool, on grid: inout CellGrid) {
    let style = theme[isActive ? .connectFieldActive : .connectField]
    pen.fill(box, style, on: &grid)
    if isActive {
      let mark = theme[.connectLabelActive].on(style.background)
      grid.put(Cell(pen.signs.selectionMark, style: mark), column: box.column, row: box.row)
    } else if pen.signs.isASCII {
      grid.put(Cell("[", style: style), column: box.column, row: box.row)
    }
    if pen.signs.isASCII { grid.put(Cell("]", style: style), column: box.endColumn - 1, row: box.row) }
  }

  private func drawText(of field: ConnectField, in text: CellRect, isActive: Bool, on grid: inout CellGrid) {
    let entry = state[field]
    let isHidden = state.isHidden(field)
    let width = state.widthOfGlyphs(in: field)
    let range = entry.visible(in: text.columns, width: width)
    // Somebody may have typed a token into the wrong field.
    let traces = isHidden ? [] : TokenTrace.ranges(in: entry.glyphs.map(\.character))
    let style = theme[isActive ? .connectFieldActive : .connectField]
    var column = text.column
    var cursor = column
    for index in range {
      if index == entry.cursor { cursor = column }
      let glyph = entry.glyphs[index]
      let isSecret = isHidden || traces.contains { $0.contains(index) }
      let isCut =
        (index == range.lowerBound && index > 0)
        || (index == range.upperBound - 1 && range.upperBound < entry.glyphs.count)
      let columns = width(glyph)
      let shown: Character =
        if isCut, index != entry.cursor || !isActive { pen.signs.ellipsis } else if isSecret {
          pen.signs.mask
        } else if pen.signs.isASCII && !glyph.character.isASCII { "?" } else { glyph.character }
      let isWide = columns == 2 && shown == glyph.character
      pen.fill(CellRect(column: column, row: text.row, columns: columns, rows: 1), style, on: &grid)
      grid.put(Cell(shown, width: isWide ? 2 : 1, style: style), column: column, row: text.row)
      column += columns
    }
    guard isActive else { return }
    if entry.cursor >= range.upperBound { cursor = column }
    var cell = grid[cursor, text.row]
    cell.style.attributes.insert(.reverse)
    grid.put(cell, column: cursor, row: text.row)
  }

  private static func label(of field: ConnectField) -> SanitizedText {
    switch field {
    case .address: "Server"
    case .token: "Token"
    case .room: "Room"
    case .identity: "Identity"
    }
  }

  /// What an empty field says of itself.
  private static func example(of field: ConnectField) -> SanitizedText {
    switch field {
    case .address: "wss://rooms.example"
    case .token: "paste it, or @FILE"
    case .room: "the room's name"
    case .identity: "who you are there"
    }
  }

  // MARK: Button and words

  private func drawButton(on grid: inout CellGrid) {
    let isJoining = if case .joining = state.phase { true } else { false }
    let isActive = isActive(.button) || isJoining
    let style = theme[isActive ? .connectButtonActive : .connectButton]
    let text: SanitizedText = isJoining ? "Cancel" : "Connect"
    let button = layout.button
    pen.fill(button, style, on: &grid)
    pen.write(
      text, column: button.column + (button.columns - text.width) / 2, row: button.row, limit: button.columns,
      style: style, on: &grid)
    if pen.signs.isASCII {
      grid.put(Cell("<", style: style), column: button.column, row: button.row)
      grid.put(Cell(">", style: style), column: button.endColumn - 1, row: button.row)
    } else if isActive {
      // Seen only where there are no colours.
      let mark = theme[.connectLabelActive].on(style.background)
      grid.put(Cell(pen.signs.selectionMark, style: mark), column: button.column, row: button.row)
    }
    pen.write(
      progress, column: layout.progress.column, row: layout.progress.row, limit: layout.progress.columns, on: &grid)
  }

  private var progress: [Span] {
    // Twelve columns are left of the smallest screen.
    let hollow = layout.progress.columns < 16 ? "" : pen.sign(pen.signs.hollowDot) + " "
    switch state.phase {
    case .editing: return []
    case .leaving: return [Span(hollow + "leaving", style(.connectState))]
    case .joining(let since):
      return [
        Span(hollow + "joining ", style(.connectState)),
        Span(SanitizedText(durationText(state.now - since)), style(.connectDetail)),
      ]
    }
  }

  private func drawNotice(on grid: inout CellGrid) {
    guard let notice = state.notice ?? state.advice else { return }
    let isAdvice = state.notice == nil
    let style = style(isAdvice ? .connectDetail : notice.kind == .failure ? .connectError : .connectState)
    let indent = notice.kind == .failure ? 2 : 0
    let area = layout.notice
    if indent > 0 {
      pen.write(pen.sign(pen.signs.cross), column: area.column, row: area.row, limit: 1, style: style, on: &grid)
    }
    for (index, line) in notice.text.wrapped(to: area.columns - indent, lines: area.rows).enumerated() {
      pen.write(
        line, column: area.column + indent, row: area.row + index, limit: area.columns - indent, style: style, on: &grid
      )
    }
  }

  // MARK: Rooms

  private func drawRooms(on grid: inout CellGrid) {
    guard !layout.rooms.isEmpty else { return }
    if !layout.roomsTitle.isEmpty {
      pen.write(
        "Rooms you were in", column: layout.roomsTitle.column, row: layout.roomsTitle.row,
        limit: layout.roomsTitle.columns, style: style(.connectLabel), on: &grid)
      drawScrollHint(on: &grid)
    }
    let seen = state.known.indices.dropFirst(state.firstRoom).prefix(layout.rooms.rows)
    for (row, index) in seen.enumerated() { drawRoom(index, row: layout.rooms.row + row, on: &grid) }
  }

  private func drawScrollHint(on grid: inout CellGrid) {
    guard state.known.count > layout.rooms.rows else { return }
    let last = min(state.known.count, state.firstRoom + layout.rooms.rows)
    let text: SanitizedText = "\(state.firstRoom + 1)-\(last) of \(state.known.count)"
    pen.write(
      text, column: layout.roomsTitle.endColumn - text.width, row: layout.roomsTitle.row, limit: text.width,
      style: style(.connectDetail), on: &grid)
  }

  private func drawRoom(_ index: Int, row: Int, on grid: inout CellGrid) {
    let room = state.known[index]
    let isActive = isActive(.room(index))
    let line = CellRect(column: layout.rooms.column, row: row, columns: layout.rooms.columns, rows: 1)
    let ground = isActive ? theme[.connectRoomSelected].background : style(.connectRoom).background
    pen.fill(line, theme[.connectRoom].on(ground), on: &grid)
    if isActive {
      let mark = theme[.connectLabelActive].on(ground)
      grid.put(Cell(pen.signs.selectionMark, style: mark), column: line.column, row: row)
    }
    let age = Self.age(state.unixTime - room.joinedAt)
    let ageColumn = line.endColumn - 1 - age.width
    let nameColumns = max(10, line.columns * 3 / 10)
    let detail = theme[isActive ? .connectRoom : .connectDetail].on(ground)
    pen.write(
      SanitizedText(room.name), column: line.column + 2, row: row, limit: nameColumns,
      style: theme[isActive ? .connectRoomSelected : .connectRoom].on(ground), on: &grid)
    let addressColumn = line.column + 2 + nameColumns + 2
    pen.write(
      SanitizedText(room.address), column: addressColumn, row: row, limit: ageColumn - 2 - addressColumn, style: detail,
      on: &grid)
    pen.write(age, column: ageColumn, row: row, limit: age.width, style: detail, on: &grid)
  }

  /// How long ago, in seconds; a clock that went back makes it now.
  static func age(_ seconds: Int64) -> SanitizedText {
    switch seconds {
    case ..<60: "just now"
    case ..<3_600: "\(seconds / 60) min ago"
    case ..<86_400: "\(seconds / 3_600) h ago"
    case ..<172_800: "yesterday"
    default: "\(min(seconds / 86_400, 9_999)) days ago"
    }
  }
}

extension ConnectState {
  /// Something to know for those who are here for the first time.
  var advice: ConnectNotice? {
    guard known.isEmpty, phase == .editing, fields.contains(.token) else { return nil }
    return ConnectNotice(.information, "A link with a token in it can be pasted as it is: both fields are filled in.")
  }

  /// Keys that mean something now, the most useful ones first.
  var hints: [KeyBinding.Hint] {
    func hint(_ label: String, _ text: String) -> KeyBinding.Hint { KeyBinding.Hint(label: label, text: text) }
    switch (phase, focus) {
    case (.joining, _): return [hint("Esc", "cancel"), hint("Ctrl-C", "quit")]
    case (.leaving, _): return [hint("Ctrl-C", "quit")]
    case (.editing, .field):
      return [hint("Enter", "connect"), hint("Tab", "next"), hint("Esc", "quit"), hint("Ctrl-U", "clear")]
        + (known.isEmpty ? [] : [hint("Down", "rooms")])
    case (.editing, .button): return [hint("Enter", "connect"), hint("Tab", "next"), hint("q", "quit")]
    case (.editing, .room):
      return [hint("Enter", "choose"), hint("d", "forget"), hint("Tab", "back"), hint("q", "quit")]
    }
  }
}
