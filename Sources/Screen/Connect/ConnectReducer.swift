import Conference
public import RTCCore

/// Everything that changes the connect screen.
public enum ConnectAction: Sendable {
  case key(Key)
  case resize(columns: Int, rows: Int)
  /// The time now, and the seconds since 1970; send it about four times a second.
  case tick(MonotonicTime, unixTime: Int64)
  /// The rooms that are remembered, newest first.
  case rooms([KnownRoom])
  /// The room let us in and is shown now.
  case joined
  /// The person has left the room, which is not closed yet.
  case leaving
  /// Back from a try to join or from a room, with what there is to say about it.
  case back(ConnectNotice?)
  /// Something that the person should read.
  case notice(ConnectNotice)
}

/// Everything that the connect screen wants done.
public enum ConnectEffect: Equatable, Sendable {
  case connect(ConnectRequest)
  /// Give up the join that is on its way.
  case cancel
  /// Take a room off the list.
  case forget(KnownRoom)
  /// The person wants out of the program.
  case quit
}

/// Applies one action to the connect screen and answers what is to be done about it.
public func reduce(_ state: inout ConnectState, _ action: ConnectAction) -> [ConnectEffect] {
  if case .tick(let now, let unixTime) = action {
    state.tick(now, unixTime)
    return []
  }
  state.revision &+= 1
  defer { state.scroll() }
  switch action {
  case .key(let key): return state.press(key)
  case .resize(let columns, let rows):
    state.columns = max(0, columns)
    state.rows = max(0, rows)
  case .tick: break
  case .rooms(let rooms):
    state.known = rooms
    if case .room(let index) = state.focus, index >= rooms.count {
      state.focus = rooms.isEmpty ? .field(.address) : .room(rooms.count - 1)
    }
  case .joined:
    state.phase = .editing
    state.notice = nil
  case .leaving:
    state.phase = .leaving
    state.notice = nil
  case .back(let notice):
    state.phase = .editing
    state.notice = notice
  case .notice(let notice): state.notice = notice
  }
  return []
}

extension ConnectState {
  var layout: ConnectLayout {
    ConnectLayout(columns: columns, rows: rows, fields: fields.count, rooms: known.count)
  }

  /// Time alone changes the seconds of a join once a second, and the ages of rooms once a minute.
  mutating func tick(_ time: MonotonicTime, _ unix: Int64) {
    func seconds(_ time: MonotonicTime) -> Int64 { time.nanoseconds / 1_000_000_000 }
    let isNewSecond = phase != .editing && seconds(time) != seconds(now)
    if isNewSecond || unix / 60 != unixTime / 60 { revision &+= 1 }
    now = time
    unixTime = unix
  }

  mutating func press(_ key: Key) -> [ConnectEffect] {
    if key == .control("c") { return [.quit] }
    switch phase {
    case .leaving: return []
    case .joining: return pressWhileJoining(key)
    case .editing: break
    }
    switch key {
    case .escape: return [.quit]
    case .tab: moveFocus(by: 1, stepsThroughRooms: false)
    case .backTab: moveFocus(by: -1, stepsThroughRooms: false)
    case .down: moveFocus(by: 1, stepsThroughRooms: true)
    case .up: moveFocus(by: -1, stepsThroughRooms: true)
    case .enter: return enter()
    case .mouse(let event): return press(event)
    case .paste(let text): paste(text)
    default: return pressOnFocus(key)
    }
    return []
  }

  private mutating func pressWhileJoining(_ key: Key) -> [ConnectEffect] {
    var isCancelled = key == .escape
    if case .mouse(let event) = key, event.button == .left {
      isCancelled = layout.button.contains(column: event.column, row: event.row)
    }
    guard isCancelled else { return [] }
    phase = .editing
    notice = ConnectNotice(.information, "The join was given up.")
    return [.cancel]
  }

  private mutating func pressOnFocus(_ key: Key) -> [ConnectEffect] {
    switch focus {
    case .field(let field):
      // What went wrong stays to be read while it is mended.
      if self[field].press(key), notice?.kind == .information { notice = nil }
    case .button:
      switch key {
      case .character(" "): return enter()
      case .character("q"): return [.quit]
      default: break
      }
    case .room(let index):
      switch key {
      case .character("q"): return [.quit]
      case .character("d"), .delete: return forget(index)
      case .pageUp, .home: focus = .room(0)
      case .pageDown, .end: focus = .room(known.count - 1)
      default: break
      }
    }
    return []
  }

  private mutating func forget(_ index: Int) -> [ConnectEffect] {
    guard known.indices.contains(index) else { return [] }
    let room = known.remove(at: index)
    focus = known.isEmpty ? .field(.address) : .room(min(index, known.count - 1))
    return [.forget(room)]
  }

  // MARK: Focus

  /// Every place that keys can go to, from the top.
  private var stops: [Focus] { fields.map { .field($0) } + [.button] + known.indices.map { .room($0) } }

  /// Goes on to the next place; Tab takes the list as one place and goes round, arrows go through it and end.
  private mutating func moveFocus(by step: Int, stepsThroughRooms: Bool) {
    var stops = stops
    if !stepsThroughRooms { stops.removeAll { if case .room(let index) = $0 { index > 0 } else { false } } }
    var current = focus
    if !stepsThroughRooms, case .room = focus { current = .room(0) }
    guard let index = stops.firstIndex(of: current) else { return }
    let next = index + step
    focus = stepsThroughRooms ? stops[max(0, min(next, stops.count - 1))] : stops[(next + stops.count) % stops.count]
  }

  /// Keeps the room that is selected in sight.
  mutating func scroll() {
    let visible = layout.rooms.rows
    var first = firstRoom
    if case .room(let index) = focus { first = max(index - visible + 1, min(first, index)) }
    firstRoom = max(0, min(first, known.count - visible))
  }

  // MARK: Joining

  /// The first field that has nothing in it and needs something.
  private var firstEmpty: ConnectField? {
    let isOpen = Invitation.needsNoToken(self[.address].text)
    return fields.first { self[$0].text.allSatisfy(\.isWhitespace) && !(isOpen && $0 != .address) }
  }

  private mutating func enter() -> [ConnectEffect] {
    guard case .room(let index) = focus else {
      // From one field to the next that needs something, and off when none does.
      guard let empty = firstEmpty else { return connect(expecting: nil) }
      if focus == .button || focus == .field(empty) { notice = ConnectNotice(.failure, Self.complaint(about: empty)) }
      focus = .field(empty)
      return []
    }
    guard known.indices.contains(index) else { return [] }
    return choose(known[index])
  }

  /// Fills in what is known of a room, and joins it when that is all that is needed.
  private mutating func choose(_ room: KnownRoom) -> [ConnectEffect] {
    self[.address].set(room.address)
    self[.room].set(room.name)
    guard let empty = firstEmpty else { return connect(expecting: room.name) }
    focus = .field(empty)
    notice = ConnectNotice(
      .information, empty == .token ? "Now a token for “\(room.name)”." : Self.complaint(about: empty))
    return []
  }

  private mutating func connect(expecting room: String?) -> [ConnectEffect] {
    // What was typed may hold the token as a link does.
    let invitation = Invitation(self[.address].text)
    if invitation.token != nil { fill(from: invitation, else: "", in: .address) }
    phase = .joining(since: now)
    notice = nil
    let admission: Admission =
      fields.contains(.token)
      ? .token(self[.token].text) : .identity(self[.identity].text, room: self[.room].text)
    return [.connect(ConnectRequest(address: self[.address].text, admission: admission, expectedRoom: room))]
  }

  private static func complaint(about field: ConnectField) -> String {
    switch field {
    case .address: "A URL to join is needed, such as ws://127.0.0.1:7880."
    case .token: "An access token is needed: paste it, or type @FILE for one in a file."
    case .room: "A room is needed: its name on the server."
    case .identity: "An identity is needed: who you are in the room."
    }
  }

  private mutating func paste(_ text: String) {
    let field: ConnectField
    if case .field(let focused) = focus { field = focused } else { field = .address }
    let before = (entries, fields)
    fill(from: Invitation(text), else: text, in: field)
    notice = nil
    // On to what is still needed, unless the text became part of what is being typed.
    guard before.1 != fields || fields.contains(where: { before.0[$0] != entries[$0] }) else { return }
    if let empty = firstEmpty {
      focus = .field(empty)
    } else if self[field] == before.0[field] || before.0[field]?.isEmpty != false {
      focus = .button
    }
  }

  // MARK: Mouse

  private mutating func press(_ event: MouseEvent) -> [ConnectEffect] {
    let layout = layout
    func hits(_ rect: CellRect) -> Bool { rect.contains(column: event.column, row: event.row) }
    switch event.button {
    case .wheelUp: firstRoom -= 1
    case .wheelDown: firstRoom += 1
    case .left:
      for (field, box) in zip(fields, layout.fields) where hits(box) {
        focus = .field(field)
        placeCursor(in: field, box: box, column: event.column)
      }
      if hits(layout.button) {
        focus = .button
        return enter()
      }
      let row = firstRoom + event.row - layout.rooms.row
      if hits(layout.rooms), known.indices.contains(row) {
        focus = .room(row)
        if event.isDouble { return enter() }
      }
    case .middle, .right: break
    }
    return []
  }

  private mutating func placeCursor(in field: ConnectField, box: CellRect, column: Int) {
    let text = ConnectLayout.text(in: box)
    let width = widthOfGlyphs(in: field)
    let range = self[field].visible(in: text.columns, width: width)
    var edge = text.column
    var index = range.lowerBound
    while index < range.upperBound, edge + width(self[field].glyphs[index]) <= column {
      edge += width(self[field].glyphs[index])
      index += 1
    }
    self[field].moveCursor(to: index)
  }

  /// A file's name is shown; a token is not.
  func isHidden(_ field: ConnectField) -> Bool {
    field == .token && !(self[.token].text.hasPrefix("@") && !TokenTrace.isIn(self[.token].text))
  }

  /// The columns that a glyph of a field takes on the screen, where each of a hidden one is a dot.
  func widthOfGlyphs(in field: ConnectField) -> (SanitizedText.Glyph) -> Int {
    isHidden(field) ? { _ in 1 } : { $0.width }
  }
}
