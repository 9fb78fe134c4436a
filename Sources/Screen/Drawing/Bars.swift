import Conference
import RTCCore

/// The line at the top: room, how many are there, what it costs, how long, and how the connection is.
func drawTitle(_ state: ScreenState, pen: Pen, on grid: inout CellGrid) {
  let line = state.layout.title
  let theme = pen.theme
  pen.fill(line, theme[.title], on: &grid)
  var parts: [[Span]] = []
  if line.columns >= 60, state.receivedBitrate > 0 {
    parts.append([Span(SanitizedText(rateText(state.receivedBitrate)), theme[.title])])
  }
  let count = state.room.participants.count
  switch state.subject {
  case .room, .wall: parts.append([Span(SanitizedText("\(count) here"), theme[.title])])
  case .files: parts.append([Span(SanitizedText(count == 1 ? "1 file" : "\(count) files"), theme[.title])])
  }
  if let joinedAt = state.joinedAt {
    parts.append([Span(SanitizedText(durationText(state.now - joinedAt)), theme[.title])])
  }
  if state.subject == .room { parts.append(connectionSpans(state, pen: pen)) }
  let separator = Span(" " + pen.sign(pen.signs.separator) + " ", theme[.title])
  let right = Array(parts.joined(separator: [separator]))
  let rightWidth = pen.width(right)
  pen.write(right, column: line.endColumn - 1 - rightWidth, row: line.row, limit: rightWidth, on: &grid)
  let program: [Span] = line.columns >= 60 ? [Span("confab  ", theme[.titleProgram])] : []
  let limit = line.columns - rightWidth - 4
  let rooms =
    state.subject == .wall
    ? sectionSpans(state, limit: limit - pen.width(program), pen: pen)
    : [Span(SanitizedText(name: state.room.name, fallback: "room"), theme[.titleRoom])]
  pen.write(program + rooms, column: 1, row: line.row, limit: limit, on: &grid)
}

/// The number of a room, in its colour.
func roomBadge(_ room: RoomKey, pen: Pen) -> Span {
  Span(SanitizedText(" \(room.index + 1) "), pen.theme[ThemeRole.room(room)])
}

/// Every room of a wall: its number, its name, and how many are there or what is wrong with it. Names are shortened where
/// not all of them fit.
private func sectionSpans(_ state: ScreenState, limit: Int, pen: Pen) -> [Span] {
  let theme = pen.theme
  func spans(nameLimit: Int) -> [Span] {
    Array(
      state.room.sections.map { section -> [Span] in
        let name = SanitizedText(name: section.name, fallback: "room").cut(to: nameLimit, ellipsis: pen.signs.ellipsis)
        let (condition, role): (SanitizedText, ThemeRole) =
          switch section.connection {
          case .joined: (SanitizedText("\(section.count)"), .title)
          case .joining: ("joining", .titleWarning)
          case .reconnecting: ("reconnecting", .titleWarning)
          case .left: ("closed", .titleWarning)
          }
        return [
          roomBadge(section.id, pen: pen), Span(" ", theme[.title]), Span(name, theme[.titleRoom]),
          Span(" ", theme[.title]), Span(condition, theme[role]),
        ]
      }.joined(separator: [Span("  ", theme[.title])]))
  }
  return [24, 16, 12, 8, 4].lazy.map(spans(nameLimit:)).first { pen.width($0) <= limit } ?? spans(nameLimit: 2)
}

private func connectionSpans(_ state: ScreenState, pen: Pen) -> [Span] {
  let theme = pen.theme
  let dot = pen.sign(pen.signs.dot) + " "
  let hollow = pen.sign(pen.signs.hollowDot) + " "
  if state.isLeaving { return [Span(hollow + "leaving", theme[.titleWarning])] }
  return switch state.room.connection {
  case .joining: [Span(hollow + "joining", theme[.titleWarning])]
  case .joined: [Span(dot + "connected", theme[.titleGood])]
  case .reconnecting: [Span(hollow + "reconnecting", theme[.titleWarning])]
  case .left: [Span(hollow + "left", theme[.titleWarning])]
  }
}

/// What happened last, newest first.
func drawEvents(_ state: ScreenState, pen: Pen, on grid: inout CellGrid) {
  let line = state.layout.events
  let theme = pen.theme
  pen.fill(line, theme[.screen], on: &grid)
  let separator = "  " + pen.sign(pen.signs.separator) + "  "
  var column = line.column + 1
  for event in state.events.reversed() where !event.isQuiet {
    let isNewest = column == line.column + 1
    let room = line.endColumn - 1 - column - (isNewest ? 0 : separator.width)
    // The newest is cut if need be, an older one that does not fit whole is left out.
    guard isNewest || event.fullText.width <= room else { break }
    if !isNewest {
      column += pen.write(
        separator, column: column, row: line.row, limit: separator.width, style: theme[.eventOld], on: &grid)
    }
    let age = state.now - event.at
    let role: ThemeRole = age < .seconds(6) ? .eventRecent : age < .seconds(30) ? .event : .eventOld
    column += pen.write(event.fullText, column: column, row: line.row, limit: room, style: theme[role], on: &grid)
  }
}

/// The right end of the status line: what differs from the usual.
func stateSpans(_ state: ScreenState, pen: Pen) -> [Span] {
  let theme = pen.theme
  var parts: [[Span]] = []
  if let link = state.link { parts.append([Span(SanitizedText(linkText(link)), theme[.titleWarning])]) }
  if state.targetsAll { parts.append([Span("all tiles", theme[.titleWarning])]) }
  let note = pen.sign(pen.signs.note) + " "
  let cross = pen.sign(pen.signs.cross) + " "
  switch state.audio {
  case .starting: break
  case .off: parts.append([Span("no sound", theme[.status])])
  case .silent: parts.append([Span(cross + "no sound device", theme[.titleWarning])])
  case .playing where state.isAllMuted: parts.append([Span(cross + "muted", theme[.titleWarning])])
  case .playing where state.subject == .wall:
    let room: SanitizedText =
      state.hearsAllRooms ? "all rooms" : state.heardRoom.map { "room \($0.index + 1)" } ?? "all rooms"
    let volume: SanitizedText = state.masterVolume == 100 ? "" : " \(state.masterVolume)"
    parts.append([Span(note + room + volume, theme[.statusState])])
  case .playing(let device):
    let name = SanitizedText(name: device, fallback: "sound").cut(to: 16, ellipsis: pen.signs.ellipsis)
    let volume: SanitizedText = state.masterVolume == 100 ? "" : " \(state.masterVolume)"
    parts.append([Span(note + name + volume, theme[.statusState])])
  }
  if state.hiddenCount > 0 { parts.append([Span("\(state.hiddenCount) hidden", theme[.statusState])]) }
  if let whereabouts = state.layout.whereabouts {
    parts.append([Span(SanitizedText(whereabouts), theme[.statusState])])
  }
  return Array(parts.joined(separator: [Span("  ", theme[.status])]))
}

/// `slow link: 256 colours, 12 fps`.
private func linkText(_ link: LinkStatus) -> String {
  let colors =
    switch link.colors {
    case .full: ""
    case .coarse: "coarse colours, "
    case .palette(let count): "\(count) colours, "
    }
  return "slow link: \(colors)\(link.framesPerSecond) fps"
}

/// A message over the lower part of the tiles.
func drawToast(_ toast: Toast, in content: CellRect, pen: Pen, on grid: inout CellGrid) {
  let lines = toast.text.wrapped(to: min(64, content.columns - 8), lines: max(1, min(3, content.rows - 4)))
  let width = lines.map(\.width).max() ?? 0
  let box = CellRect(
    column: content.column + (content.columns - width - 4) / 2, row: content.endRow - lines.count - 3,
    columns: width + 4, rows: lines.count + 2)
  pen.fill(box, pen.theme[.toast], on: &grid)
  pen.box(box, pen.signs.box, style: pen.theme[.toastBorder], on: &grid)
  for (index, line) in lines.enumerated() {
    pen.write(
      line, column: box.column + 2, row: box.row + 1 + index, limit: width, style: pen.theme[.toast], on: &grid)
  }
}

extension ScreenState {
  /// Bits received in the last second, all tracks together.
  var receivedBitrate: Int { statistics.values.reduce(0) { $0 + max(0, min($1.bitrate, 1 << 40)) } }
}

/// `1.2 Mbit/s`, `340 kbit/s`.
func rateText(_ bits: Int) -> String {
  if bits < 1_000_000 { return "\(bits / 1000) kbit/s" }
  let tenths = bits / 100_000
  return tenths < 100 ? "\(tenths / 10).\(tenths % 10) Mbit/s" : "\(tenths / 10) Mbit/s"
}

/// `0:42`, `12:05`, `1:02:03`.
func durationText(_ duration: Duration) -> String {
  let seconds = max(0, Int(duration.components.seconds))
  func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
  let minutes = seconds / 60
  return minutes < 60
    ? "\(minutes):\(two(seconds % 60))" : "\(minutes / 60):\(two(minutes % 60)):\(two(seconds % 60))"
}
