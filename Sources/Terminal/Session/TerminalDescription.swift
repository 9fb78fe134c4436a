internal import CNcurses

/// The strings and numbers of one terminfo entry that the program uses outside of ncurses.
public struct TerminalDescription: Hashable, Sendable {
  /// The entry that is really used.
  public var name: String
  /// `max_colors`; 0 for monochrome.
  public var colors: Int
  /// The entry says that colours are 24-bit (`RGB` of ncurses or `Tc` of tmux).
  public var hasDirectColor: Bool
  /// It knows how to repeat a character.
  public var hasRepeat: Bool
  /// Alternate screen on and off, keypad on and off, cursor hidden and shown, attributes reset.
  var enterScreen, leaveScreen, enterKeypad, leaveKeypad, hideCursor, showCursor, resetAttributes: [UInt8]
  /// What a mouse report begins with; empty where the entry knows no mouse.
  var mouseReport: [UInt8]

  init(
    name: String, colors: Int = 256, hasDirectColor: Bool = false, hasRepeat: Bool = false, enterScreen: [UInt8] = [],
    leaveScreen: [UInt8] = [], enterKeypad: [UInt8] = [], leaveKeypad: [UInt8] = [], hideCursor: [UInt8] = [],
    showCursor: [UInt8] = [], resetAttributes: [UInt8] = [], mouseReport: [UInt8] = []
  ) {
    self.name = name
    self.colors = colors
    self.hasDirectColor = hasDirectColor
    self.hasRepeat = hasRepeat
    self.enterScreen = enterScreen
    self.leaveScreen = leaveScreen
    self.enterKeypad = enterKeypad
    self.leaveKeypad = leaveKeypad
    self.hideCursor = hideCursor
    self.showCursor = showCursor
    self.resetAttributes = resetAttributes
    self.mouseReport = mouseReport
  }

  /// Reads the entry `term`. A name that this machine does not know (a new terminal, reached over ssh) is read as
  /// `xterm-256color`, which nearly all of them follow. Throws when `term` is empty or cannot place its cursor.
  ///
  /// Not to be called while ncurses runs on another thread.
  public static func load(term: String) throws(TerminalError) -> TerminalDescription {
    guard !term.isEmpty, term != "dumb" else { throw .unusable(term: term) }
    for name in [term, "xterm-256color", "xterm"] {
      guard let description = read(name) else { continue }
      guard let description = description else { throw .unusable(term: term) }
      return description
    }
    throw .unusable(term: term)
  }

  /// Outer nil: no such entry. Inner nil: one without cursor addressing.
  private static func read(_ name: String) -> TerminalDescription?? {
    var status: Int32 = 0
    guard setupterm(name, 1, &status) == OK, status == 1 else { return nil }
    defer { del_curterm(set_curterm(nil)) }
    guard !string("cup").isEmpty else { return .some(nil) }
    return TerminalDescription(
      name: name, colors: max(0, Int(tigetnum("colors"))),
      hasDirectColor: tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || !string("RGB").isEmpty || tigetflag("Tc") > 0,
      hasRepeat: !string("rep").isEmpty, enterScreen: string("smcup"), leaveScreen: string("rmcup"),
      enterKeypad: string("smkx"), leaveKeypad: string("rmkx"), hideCursor: string("civis"),
      showCursor: string("cnorm"), resetAttributes: string("sgr0"), mouseReport: string("kmous"))
  }

  /// A capability without its padding; empty when the entry lacks it.
  private static func string(_ capability: String) -> [UInt8] {
    guard let found = tigetstr(capability), Int(bitPattern: found) != -1 else { return [] }
    return withoutPadding(Array(String(cString: found).utf8))
  }

  /// Cuts out the `$<5>` that ask for a pause on hardware terminals.
  static func withoutPadding(_ capability: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < capability.count {
      if capability[index] == UInt8(ascii: "$"), index + 1 < capability.count,
        capability[index + 1] == UInt8(ascii: "<"), let end = capability[index...].firstIndex(of: UInt8(ascii: ">"))
      {
        index = end + 1
      } else {
        result.append(capability[index])
        index += 1
      }
    }
    return result
  }
}
