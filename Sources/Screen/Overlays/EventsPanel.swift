/// The history of what happened, newest at the bottom, in a panel beside the tiles.
enum EventsPanel {
  /// The columns of a time and the space after it.
  private static let timeColumns = 10

  private struct Line {
    /// Only on the first line of an event.
    var time: SanitizedText?
    var text: SanitizedText
    var kind: EventNote.Kind
  }

  private static func textColumns(in panel: CellRect) -> Int { max(8, panel.columns - 4 - timeColumns) }

  /// Lines of events that are seen at once.
  static func visibleLines(in panel: CellRect?) -> Int { max(1, (panel?.rows ?? 0) - 2) }

  /// The nearest offset at which the panel is still full.
  static func clamped(_ offset: Int, of state: ScreenState) -> Int {
    guard let panel = state.layout.panel else { return 0 }
    return max(0, min(offset, lines(of: state, in: panel).count - visibleLines(in: panel)))
  }

  /// Lines that an event takes in the panel that is open.
  static func height(of event: EventNote, in state: ScreenState) -> Int {
    guard let panel = state.layout.panel else { return 1 }
    return wrapped(event, in: panel).count
  }

  private static func wrapped(_ event: EventNote, in panel: CellRect) -> [SanitizedText] {
    event.fullText.wrapped(to: textColumns(in: panel), lines: .max)
  }

  private static func lines(of state: ScreenState, in panel: CellRect) -> [Line] {
    state.events.flatMap { event in
      wrapped(event, in: panel).enumerated().map { index, text in
        Line(time: index == 0 ? SanitizedText(state.timeText(of: event)) : nil, text: text, kind: event.kind)
      }
    }
  }

  static func draw(_ state: ScreenState, offset: Int, in panel: CellRect, pen: Pen, on grid: inout CellGrid) {
    let lines = lines(of: state, in: panel)
    let visible = visibleLines(in: panel)
    let offset = clamped(offset, of: state)
    pen.panel(
      panel, title: "Events", note: offset > 0 ? SanitizedText("\(offset) newer below") : "close with e or Esc",
      on: &grid)
    let end = lines.count - offset
    for (row, line) in lines[max(0, end - visible)..<end].enumerated() {
      let left = panel.column + 2
      if let time = line.time {
        pen.write(
          time, column: left, row: panel.row + 1 + row, limit: timeColumns - 1, style: pen.theme[.panelQuiet], on: &grid
        )
      }
      pen.write(
        line.text, column: left + timeColumns, row: panel.row + 1 + row, limit: textColumns(in: panel),
        style: pen.theme[role(of: line.kind)], on: &grid)
    }
  }

  private static func role(of kind: EventNote.Kind) -> ThemeRole {
    switch kind {
    case .joined: .panelGood
    case .left, .setting: .panelQuiet
    case .track: .panel
    case .connection: .panelWarning
    }
  }
}
