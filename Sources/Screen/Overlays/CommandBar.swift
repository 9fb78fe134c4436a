/// The command line in the place of the events, and below it what could be typed or what was wrong.
struct CommandBar {
  let prompt: CommandPrompt
  let state: ScreenState
  let pen: Pen

  func draw(on grid: inout CellGrid) {
    drawLine(on: &grid)
    drawHint(on: &grid)
  }

  private func drawLine(on grid: inout CellGrid) {
    let line = state.layout.events
    let theme = pen.theme
    pen.fill(line, theme[.command], on: &grid)
    pen.write(":", column: line.column + 1, row: line.row, limit: 1, style: theme[.commandPrompt], on: &grid)
    let room = line.columns - 4
    let behind = prompt.entry.glyphs.dropFirst(prompt.entry.cursor).map(\.character)
    let under = behind.first.map(String.init) ?? " "
    let tail = SanitizedText(String(behind.dropFirst()))
    // Some of what follows stays in sight while the line is longer than the screen is wide.
    let head = SanitizedText(prompt.head).cutFront(
      to: room - 1 - min(tail.width, 8), ellipsis: pen.signs.ellipsis)
    pen.write(
      [
        Span(head, theme[.command]), Span(SanitizedText(under), theme[.commandCursor]), Span(tail, theme[.command]),
      ], column: line.column + 2, row: line.row, limit: room, on: &grid)
  }

  private func drawHint(on grid: inout CellGrid) {
    let line = state.layout.status
    let theme = pen.theme
    pen.fill(line, theme[.command], on: &grid)
    let room = line.columns - 2
    if let problem = prompt.problem {
      pen.write(problem, column: line.column + 1, row: line.row, limit: room, style: theme[.commandProblem], on: &grid)
      return
    }
    let candidates = ScreenCommand.completions(of: prompt.head, in: state).candidates
    var spans: [Span] = []
    if let command = ScreenCommand.begun(in: prompt.text, for: state.subject) {
      let obstacle = command.obstacle(for: state.subject).map { [Span(SanitizedText($0), theme[.commandHint])] }
      spans =
        obstacle ?? [
          Span(SanitizedText(command.usage), theme[.commandPrompt]),
          Span(SanitizedText("  " + command.help), theme[.commandHint]),
        ]
    }
    let isName = !prompt.head.contains(" ")
    if spans.isEmpty || (!isName && candidates.count > 1) {
      for (index, candidate) in candidates.enumerated() {
        let text = SanitizedText(name: candidate)
        // Before the last one there must be room for the sign that there are more.
        let behind = index == candidates.count - 1 ? 0 : 3
        guard pen.width(spans) + 2 + text.width + behind <= room else {
          spans.append(Span("  " + pen.sign(pen.signs.ellipsis), theme[.commandHint]))
          break
        }
        if !spans.isEmpty { spans.append(Span("  ", theme[.commandHint])) }
        spans.append(Span(text, theme[.command]))
      }
    }
    if spans.isEmpty { spans = [Span("no such command; Esc closes", theme[.commandHint])] }
    pen.write(spans, column: line.column + 1, row: line.row, limit: room, on: &grid)
  }
}
