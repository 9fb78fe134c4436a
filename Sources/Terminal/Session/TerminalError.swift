/// Why the terminal could not be taken, or was lost.
public enum TerminalError: Error, Equatable, CustomStringConvertible {
  /// Standard input or output is a file or a pipe; nothing can be drawn on it.
  case notInteractive
  /// `TERM` is unset, or names a terminal that cannot move its cursor.
  case unusable(term: String)
  /// ncurses would not start on this terminal.
  case screenRefused(term: String)
  /// The terminal has not proved that it can show pictures in its own pixels.
  case noGraphics(TerminalGraphics, terminal: String)
  /// Sixels have to be made for the size of a cell, which nobody tells.
  case noCellPixels(terminal: String)
  /// This process draws on its terminal already.
  case alreadyOpen
  /// A system call failed; `code` is its errno.
  case system(call: String, code: Int32)

  /// A sentence for a person: what is wrong and what to do.
  public var description: String {
    switch self {
    case .notInteractive:
      "\(TerminalSession.obstacle ?? "This is not a terminal")."
    case .unusable(let term):
      term.isEmpty
        ? "The variable TERM is not set. Set it to the name of your terminal, for example TERM=xterm-256color."
        : "The terminal type “\(term)” cannot place text on the screen. Set TERM to your terminal's real type."
    case .screenRefused(let term):
      "The screen could not be opened on a terminal of type “\(term)”. Set TERM to your terminal's real type."
    case .noGraphics(.kitty, let terminal):
      "This terminal (\(terminal)) does not say that it knows Kitty's graphics, as Kitty, Ghostty, WezTerm and Konsole do outside of tmux and screen. Leave --glyphs out."
    case .noGraphics(.sixel, let terminal):
      "This terminal (\(terminal)) does not say that it knows sixels, as foot, WezTerm and xterm -ti vt340 do. Leave --glyphs out."
    case .noCellPixels(let terminal):
      "This terminal (\(terminal)) does not tell how many pixels a cell has, which sixels are made for. Leave --glyphs out."
    case .alreadyOpen:
      "The screen is already open."
    case .system(let call, let code):
      "The terminal failed in \(call): error \(code)."
    }
  }
}
