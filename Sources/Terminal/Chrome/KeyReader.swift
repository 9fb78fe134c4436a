internal import CNcurses
internal import RTCCore
internal import Screen

/// Turns what ncurses reads into keys.
///
/// ncurses knows the sequences of the terminal's own entry. Others (modified arrows, answers to questions) arrive as
/// loose characters behind an Escape; they are swallowed whole, or their digits and letters would act as keys.
struct KeyReader {
  private var lastPress: (event: MouseEvent, time: MonotonicTime)?
  private static let doubleClick = Duration.milliseconds(400)

  /// The next key that is there already; nil when there is none. `next` gives ncurses' codes, nil for nothing there.
  mutating func read(at now: MonotonicTime, next: () -> Code?) -> Key? {
    while let code = next() {
      if paste != nil {
        if let key = continuePaste(with: code, at: now) { return key }
        continue
      }
      switch code {
      case .function(let number):
        if let key = functionKey(number, at: now) { return key }
      case .character(27):
        guard let following = next() else { return .escape }
        switch sequence(startingWith: following, next: next) {
        case .key(let key): return key
        case .swallowed: continue
        case .paste: paste = PastedText(at: now)
        case .none:
          pushedBack = following
          return .escape
        }
      case .character(let scalar):
        if let key = Self.key(for: scalar) { return key }
      }
    }
    return nil
  }

  /// What ncurses read: a character, or the number of a function key.
  enum Code: Equatable {
    case character(UInt32)
    case function(Int32)
  }

  /// A code that was read to see whether it belongs to a sequence, and does not.
  private var pushedBack: Code?

  /// As ``read(at:next:)``, and hands out first what the call before has read too far.
  mutating func key(at now: MonotonicTime, next: () -> Code?) -> Key? {
    guard let first = pushedBack else { return read(at: now, next: next) }
    pushedBack = nil
    var isFirst = true
    return read(at: now) {
      if isFirst {
        isFirst = false
        return first
      }
      return next()
    }
  }

  /// The text that is being pasted.
  private var paste: PastedText?

  /// What a code adds to the paste; the whole of it as a key when it is over.
  private mutating func continuePaste(with code: Code, at now: MonotonicTime) -> Key? {
    if let text = paste, text.isAbandoned(at: now) {
      paste = nil
      pushedBack = code
      return text.key
    }
    // ncurses takes escapes in the text for keys, which they are not.
    guard case .character(let scalar) = code, paste?.take(scalar, at: now) == true else { return nil }
    defer { paste = nil }
    return paste?.key
  }

  /// What followed an Escape.
  private enum Sequence {
    /// Nothing that belongs to it: Escape was a key by itself.
    case none
    case key(Key)
    /// A sequence without a meaning here.
    case swallowed
    /// The mark before pasted text.
    case paste
  }

  /// Reads the rest of a control sequence or string (ECMA-48 §5.4, §5.6) that ncurses did not know.
  private func sequence(startingWith code: Code, next: () -> Code?) -> Sequence {
    guard case .character(let introducer) = code else { return .none }
    switch introducer {
    case 0x5B:  // CSI: parameters, then one byte from 0x40
      var parameters = ""
      for length in 0..<64 {
        guard case .character(let scalar)? = next() else { return .swallowed }
        if scalar == 0x7E, parameters == PastedText.begin { return .paste }
        if scalar >= 0x40 { return length == 0 ? Self.cursorKey(scalar) : .swallowed }
        if let parameter = UnicodeScalar(scalar) { parameters.unicodeScalars.append(parameter) }
      }
      return .swallowed
    case 0x4F:  // SS3: one character
      guard case .character(let scalar)? = next() else { return .swallowed }
      return Self.cursorKey(scalar)
    case 0x50, 0x5D, 0x5F:  // DCS, OSC, APC: up to BEL or ST
      var previous: UInt32 = 0
      for _ in 0..<1024 {
        guard case .character(let scalar)? = next(), scalar != 7 else { return .swallowed }
        if previous == 27, scalar == 0x5C { return .swallowed }
        previous = scalar
      }
      return .swallowed
    default: return .none
    }
  }

  /// Cursor keys in the mode (normal or application) that the terminal's entry does not expect.
  private static func cursorKey(_ final: UInt32) -> Sequence {
    switch UnicodeScalar(final) {
    case "A": .key(.up)
    case "B": .key(.down)
    case "C": .key(.right)
    case "D": .key(.left)
    case "H": .key(.home)
    case "F": .key(.end)
    case "Z": .key(.backTab)
    default: .swallowed
    }
  }

  /// A character as typed.
  static func key(for scalar: UInt32) -> Key? {
    switch scalar {
    case 9: return .tab
    case 10, 13: return .enter
    case 8, 127: return .backspace
    case 1...26: return Unicode.Scalar(scalar + 96).map { .control(Character($0)) }
    case 32...: return Unicode.Scalar(scalar).map { .character(Character($0)) }
    default: return nil
    }
  }

  private mutating func functionKey(_ code: Int32, at now: MonotonicTime) -> Key? {
    switch code {
    case KEY_UP: return .up
    case KEY_DOWN: return .down
    case KEY_LEFT: return .left
    case KEY_RIGHT: return .right
    case KEY_PPAGE: return .pageUp
    case KEY_NPAGE: return .pageDown
    case KEY_HOME: return .home
    case KEY_END: return .end
    case KEY_BTAB: return .backTab
    case KEY_ENTER: return .enter
    case KEY_BACKSPACE: return .backspace
    case KEY_DC: return .delete
    case KEY_IC: return .insert
    case KEY_MOUSE: return mouse(at: now)
    case KEY_F0...(KEY_F0 + 63): return .function(Int(code - KEY_F0))
    default: return nil
    }
  }

  private mutating func mouse(at now: MonotonicTime) -> Key? {
    var column: Int32 = 0
    var row: Int32 = 0
    var state: UInt32 = 0
    guard confab_mouse_event(&column, &row, &state) != 0 else { return nil }
    let buttons: [MouseEvent.Button] = [.left, .middle, .right, .wheelUp, .wheelDown]
    let number = Int(confab_mouse_button(state)) - 1
    guard buttons.indices.contains(number) else { return nil }
    return .mouse(press(MouseEvent(button: buttons[number], column: Int(column), row: Int(row)), at: now))
  }

  /// Marks the second of two presses on one cell.
  mutating func press(_ event: MouseEvent, at now: MonotonicTime) -> MouseEvent {
    var event = event
    if let last = lastPress, last.event == event, now - last.time <= Self.doubleClick,
      event.button != .wheelUp, event.button != .wheelDown
    {
      event.isDouble = true
      lastPress = nil
    } else {
      lastPress = (event, now)
    }
    return event
  }
}
