/// Something that a terminal can be asked.
///
/// Terminals print what they do not know, or do something else. Seen or reported: GNU screen 4.9 hands device control
/// strings to the window around it, which prints `$qm` (seen); tmux 3.3 takes Kitty's question for the pane's title
/// (seen); the Linux console prints that question and takes `CSI q` for its keyboard lights; Terminal.app prints the
/// end of DECRQM, QTerminal device control strings (neovim#28776, neovim#41709). So each kind of terminal is asked only
/// what it is known to bear, and whatever is printed all the same is erased before the first frame.
enum TerminalQuestion: String, Sendable, CaseIterable {
  case name, secondaryAttributes, synchronizedUpdates, directColor, colorCapability, cellPixels, background,
    sixelColors,
    sixelSize, kittyGraphics, primaryAttributes

  var bytes: [UInt8] {
    let text =
      switch self {
      case .name: "\u{1B}[>q"
      case .secondaryAttributes: "\u{1B}[>c"
      case .synchronizedUpdates: "\u{1B}[?2026$p"
      // A colour that no palette has, its read-back, and the default again.
      case .directColor: "\u{1B}[38;2;1;2;3m\u{1B}P$qm\u{1B}\\\u{1B}[m"
      case .colorCapability: "\u{1B}P+q524742\u{1B}\\"
      case .cellPixels: "\u{1B}[16t"
      case .background: "\u{1B}]11;?\u{1B}\\"
      case .sixelColors: "\u{1B}[?1;1;0S"
      case .sixelSize: "\u{1B}[?2;1;0S"
      // One pixel of three bytes, to be looked at and forgotten.
      case .kittyGraphics: "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
      case .primaryAttributes: "\u{1B}[c"
      }
    return Array(text.utf8)
  }

  /// The colour of ``directColor``, as it must come back.
  static let testColor: UInt32 = 0x010203

  /// What the terminal of this environment may be asked at once, the device attributes last, as every answer before theirs has
  /// then been given. ``kittyGraphics`` is for later, when the terminal has said its name.
  static func safe(environment: [String: String]) -> [TerminalQuestion] {
    let plain: [TerminalQuestion] = [.name, .secondaryAttributes, .cellPixels, .background]
    switch Family(term: environment["TERM"] ?? "", environment: environment) {
    case .mute: return []
    // Neither knows more than its attributes; screen is told by them.
    case .screen, .hardware: return [.secondaryAttributes, .primaryAttributes]
    case .terminalApp: return plain + [.primaryAttributes]
    case .tmux: return plain + [.synchronizedUpdates, .primaryAttributes]
    case .modern:
      return plain + [
        .synchronizedUpdates, .directColor, .colorCapability, .sixelColors, .sixelSize, .primaryAttributes,
      ]
    }
  }

  private enum Family {
    case mute, hardware, screen, tmux, terminalApp, modern

    init(term: String, environment: [String: String]) {
      // Consoles that print what they do not know, and types that no terminal program goes by.
      let mute = ["dumb", "unknown", "linux", "cons", "wsvt", "sun", "emacs", "eterm"]
      let hardware = ["vt", "ansi", "pcansi", "wy", "hp", "ibm", "tvi", "minitel", "hurd", "mach"]
      func isOne(of names: [String]) -> Bool { names.contains { term.hasPrefix($0) } }
      if term.isEmpty || isOne(of: mute) {
        self = .mute
      } else if term.hasPrefix("tmux")
        || term.hasPrefix("screen") && environment["STY"] == nil && environment["TMUX"] != nil
      {
        self = .tmux
      } else if term.hasPrefix("screen") || environment["STY"] != nil {
        self = .screen
      } else if environment["TMUX"] != nil {
        self = .tmux
      } else if isOne(of: hardware) {
        self = .hardware
      } else {
        self = environment["TERM_PROGRAM"] == "Apple_Terminal" ? .terminalApp : .modern
      }
    }
  }
}
