import Conference

/// What a tile shows without a picture: the participant's initials, large, on a dark ground of their own.
struct Placeholder {
  let name: SanitizedText
  let identity: ParticipantIdentity
  let reason: SanitizedText
  let pen: Pen

  func draw(in rect: CellRect, on grid: inout CellGrid) {
    let grounds = pen.theme.placeholderGrounds
    let ground = grounds[Int(hash % UInt64(grounds.count))]
    pen.fill(rect, pen.theme[.placeholder].on(ground), on: &grid)
    let reasonStyle = pen.theme[.placeholderReason].on(ground)
    let initialStyle = pen.theme[.placeholderInitials].on(ground)
    guard let letters = initials, !pen.signs.isASCII, rect.rows >= 5, rect.columns >= 13 else {
      let lines = [Span(name, initialStyle), Span(reason, reasonStyle)].prefix(rect.rows)
      let top = rect.row + (rect.rows - lines.count) / 2
      for (index, span) in lines.enumerated() {
        writeCentred(span.text, row: top + index, in: rect, style: span.style, on: &grid)
      }
      return
    }
    let isLarge = rect.rows >= 12 && rect.columns >= 26
    // Where there is no row to spare, half a one keeps the letters off the edge.
    let lines = PixelFont.lines(letters, isLarge: isLarge, isLowered: rect.rows == 5)
    let space = rect.rows >= lines.count + 4 ? 1 : 0
    let top = rect.row + max(0, (rect.rows - lines.count - space) / 2)
    for (index, line) in lines.enumerated() {
      writeCentred(line, row: top + index, in: rect, style: initialStyle, on: &grid)
    }
    writeCentred(reason, row: top + lines.count + space, in: rect, style: reasonStyle, on: &grid)
  }

  private func writeCentred(
    _ text: SanitizedText, row: Int, in rect: CellRect, style: CellStyle, on grid: inout CellGrid
  ) {
    guard row < rect.endRow else { return }
    let text = text.cut(to: max(0, rect.columns - 2), ellipsis: pen.signs.ellipsis)
    pen.write(
      text, column: rect.column + (rect.columns - text.width) / 2, row: row, limit: rect.columns, style: style,
      on: &grid)
  }

  /// The first letters of the first and last word, where the font has them.
  private var initials: [Character]? {
    let words = name.description.split(separator: " ")
    guard let first = words.first?.first.flatMap(PixelFont.letter) else { return nil }
    guard words.count > 1, let last = words.last?.first.flatMap(PixelFont.letter) else { return [first] }
    return [first, last]
  }

  /// FNV-1a: the same ground for the same participant in every run, which Swift's own hashing does not give.
  private var hash: UInt64 {
    identity.raw.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } >> 7
  }
}
