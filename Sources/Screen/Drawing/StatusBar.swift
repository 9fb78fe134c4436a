/// The line at the bottom: keys to the left, the state of things to the right.
struct StatusBar {
  private let state: ScreenState

  /// A part of a hint, and what a click on it does.
  private struct Piece {
    var text: SanitizedText
    var column: Int
    var isKey: Bool
    var command: KeyCommand?
  }

  init(_ state: ScreenState) { self.state = state }

  private var line: CellRect { state.layout.status }

  func draw(pen: Pen, on grid: inout CellGrid) {
    let theme = pen.theme
    pen.fill(line, theme[.status], on: &grid)
    let right = stateSpans(state, pen: pen)
    let rightWidth = min(pen.width(right), line.columns - 2)
    pen.write(right, column: line.endColumn - 1 - rightWidth, row: line.row, limit: rightWidth, on: &grid)
    for piece in pieces(besides: rightWidth) {
      pen.write(
        piece.text, column: piece.column, row: line.row, limit: piece.text.width,
        style: theme[piece.isKey ? .statusKey : .status], on: &grid)
    }
  }

  /// What a click on a hint does; nil beside them.
  func command(column: Int, row: Int) -> KeyCommand? {
    guard line.contains(column: column, row: row) else { return nil }
    // Every set of signs is one column wide, so any will do to measure.
    let pen = Pen(theme: .night, signs: .ascii)
    return pieces(besides: min(pen.width(stateSpans(state, pen: pen)), line.columns - 2)).last {
      $0.column <= column && column < $0.column + $0.text.width
    }?.command
  }

  /// As many hints as there is room for.
  private func pieces(besides rightWidth: Int) -> [Piece] {
    var pieces: [Piece] = []
    var column = line.column + 1
    for binding in KeyBinding.hinted where binding.command.applies(to: state.subject) {
      guard let hint = binding.hint else { continue }
      let keys = hint.label.split(separator: " ").map(String.init)
      let width = SanitizedText(hint.label + " " + hint.text).width
      guard column + width + 2 <= line.endColumn - 1 - rightWidth else { break }
      for key in keys {
        let text = SanitizedText(key)
        // Of several keys each does its own; the word behind them is about all, and does nothing.
        let command = keys.count == 1 ? binding.command : key.first.flatMap { KeyBinding.command(for: .character($0)) }
        pieces.append(Piece(text: text, column: column, isKey: true, command: command))
        column += text.width + 1
      }
      let text = SanitizedText(hint.text)
      pieces.append(
        Piece(text: text, column: column, isKey: false, command: keys.count == 1 ? binding.command : nil))
      column += text.width + 2
    }
    return pieces
  }
}
