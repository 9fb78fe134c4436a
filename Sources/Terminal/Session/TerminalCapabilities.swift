/// How many colours the terminal can be told.
public enum ColorDepth: String, Hashable, Sendable, CaseIterable {
  /// 24 bits, as `38;2;r;g;b`.
  case trueColor = "24bit"
  /// The 240 fixed colours of the 256-colour palette; the first 16 belong to the person's own scheme.
  case indexed256 = "256"
  /// The eight colours of ECMA-48 and their bright forms (aixterm's 90…97 and 100…107).
  case indexed16 = "16"
  /// The eight colours of ECMA-48, for terminals that know no more.
  case indexed8 = "8"
  /// No colours at all: brightness alone.
  case none = "none"
}

/// What the terminal can do, as far as it can be told without asking it.
public struct TerminalCapabilities: Hashable, Sendable {
  public var colorDepth: ColorDepth
  /// Synchronised updates (private mode 2026): the terminal shows a frame whole.
  public var hasSynchronizedUpdates: Bool
  /// REP (ECMA-48 §8.3.103): the last glyph again, `n` times.
  public var hasRepeat: Bool
  /// tmux or screen stands between us and the window; it takes 24-bit colours and turns them into what the outer
  /// terminal can show.
  public var isMultiplexed: Bool

  public init(
    colorDepth: ColorDepth, hasSynchronizedUpdates: Bool = false, hasRepeat: Bool = false, isMultiplexed: Bool = false
  ) {
    self.colorDepth = colorDepth
    self.hasSynchronizedUpdates = hasSynchronizedUpdates
    self.hasRepeat = hasRepeat
    self.isMultiplexed = isMultiplexed
  }

  /// From the environment and the terminfo entry. Order of trust for the colours: `depth` (a flag of the command
  /// line), `COLORTERM`, terminfo's `RGB` or `Tc`, its number of colours, the terminal's name.
  ///
  /// Inside tmux or screen `COLORTERM` is inherited from the outer terminal and still holds: they take 24-bit colours
  /// and reduce them for that terminal.
  public static func detect(
    environment: [String: String], terminfo: TerminalDescription, depth: ColorDepth? = nil
  ) -> TerminalCapabilities {
    let term = terminfo.name
    let isMultiplexed =
      environment["TMUX"] != nil || environment["STY"] != nil || term.hasPrefix("tmux") || term.hasPrefix("screen")
    let claim = environment["COLORTERM"]?.lowercased()
    let colorDepth: ColorDepth =
      if let depth {
        depth
      } else if claim == "truecolor" || claim == "24bit" || terminfo.hasDirectColor {
        .trueColor
      } else if terminfo.colors >= 256 || term.contains("256color") {
        .indexed256
      } else {
        .indexed8
      }
    return TerminalCapabilities(
      colorDepth: colorDepth,
      hasSynchronizedUpdates: !isMultiplexed && synchronizes(environment: environment, term: term),
      hasRepeat: terminfo.hasRepeat && !isMultiplexed && repeatsAsNamed(environment: environment, term: term),
      isMultiplexed: isMultiplexed)
  }

  /// REP for half blocks is trusted only to terminals that are what they call themselves. tmux 3.3 ignores it after
  /// anything but ASCII (seen; tmux#3687), mosh is reported not to know it (mosh#1064), and both, like many others, go by
  /// the name of xterm.
  private static func repeatsAsNamed(environment: [String: String], term: String) -> Bool {
    guard term == "xterm" || term.hasPrefix("xterm-") else { return true }
    // Neither passes through ssh or mosh; inside a multiplexer they are not looked at.
    return environment["XTERM_VERSION"] != nil || environment["VTE_VERSION"] != nil
  }

  /// Terminals that are known to take mode 2026; others are left alone, as an unknown one may print what it does not
  /// know. Variables of the outer terminal say nothing behind ssh or a multiplexer, the name of the type does.
  private static func synchronizes(environment: [String: String], term: String) -> Bool {
    let byName = ["xterm-kitty", "xterm-ghostty", "foot", "contour", "alacritty", "wezterm", "rio"]
    let byProgram = ["WezTerm", "iTerm.app", "ghostty", "contour", "rio"]
    return byName.contains { term.hasPrefix($0) } || byProgram.contains(environment["TERM_PROGRAM"] ?? "")
      || environment["KITTY_WINDOW_ID"] != nil || environment["WT_SESSION"] != nil
  }
}
