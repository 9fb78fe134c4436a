internal import Screen

extension TerminalFindings {
  /// Weighs everything that is known. Pure: the same knowledge gives the same findings.
  ///
  /// - Parameters:
  ///   - environment: the variables of ``TerminalSurroundings/variables`` that are set.
  ///   - window: a cell's pixels as the kernel knows them.
  ///   - silence: why the terminal was not asked; nil when it was.
  init(
    surroundings: TerminalSurroundings, terminfo: TerminalDescription, answers: TerminalAnswers = TerminalAnswers(),
    window: PixelSize? = nil, wishes: ColorWishes = ColorWishes(), silence: String? = nil
  ) {
    let environment = surroundings.environment
    let multiplexer = Self.multiplexer(environment, terminfo, answers)
    self.multiplexer = multiplexer
    terminal = Self.terminal(environment, terminfo, answers, silence)
    remote = Self.remote(surroundings, answers)
    colors =
      Self.wished(wishes, environment) ?? Self.colors(environment, terminfo, answers, multiplexer.value)
    synchronizedUpdates = Self.synchronizedUpdates(environment, terminfo, answers, multiplexer.value)
    repeats = Self.repeats(environment, terminfo, answers, multiplexer.value)
    kittyGraphics =
      switch answers.hasKittyGraphics {
      case true?: Finding(true, "the terminal took a test picture")
      case false?: Finding(false, "the terminal refused a test picture")
      case nil: Finding(false, answers.asked.contains(.kittyGraphics) ? "no answer" : "not asked")
      }
    sixel = Self.sixel(answers)
    cellPixels =
      if let window {
        Finding(window, "the window's size in pixels")
      } else if let told = answers.cellPixels {
        Finding(told, "the terminal's answer")
      } else {
        Finding(nil, "the terminal does not tell; cells are taken to be twice as high as wide")
      }
    background = Finding(
      answers.background, answers.background == nil ? "the terminal does not tell" : "the terminal's answer")
    showsUnicode = surroundings.showsUnicode
  }

  /// What the terminal is called, which this machine's terminfo need not know.
  private static func type(_ environment: [String: String], _ terminfo: TerminalDescription) -> String {
    environment["TERM"] ?? terminfo.name
  }

  private static func terminal(
    _ environment: [String: String], _ terminfo: TerminalDescription, _ answers: TerminalAnswers, _ silence: String?
  ) -> Finding<String> {
    let heard =
      if let duration = answers.duration {
        "answers within \(max(1, Int(duration.inMilliseconds.rounded()))) ms"
      } else if let silence {
        "not asked: \(silence)"
      } else if answers.asked.isEmpty {
        "not asked: terminals of this type print questions"
      } else if answers == TerminalAnswers(asked: answers.asked) {
        "no answer to any question"
      } else {
        "not all questions answered in time"
      }
    let term = SanitizedText(type(environment, terminfo)).description
    let known = term == terminfo.name ? "TERM=\(term)" : "TERM=\(term), taken for \(terminfo.name)"
    return Finding([answers.name, known].compactMap(\.self).joined(separator: ", "), heard)
  }

  // MARK: Surroundings

  private static func multiplexer(
    _ environment: [String: String], _ terminfo: TerminalDescription, _ answers: TerminalAnswers
  ) -> Finding<Multiplexer?> {
    let name = answers.name ?? ""
    let version = name.split(separator: " ").dropFirst().first.map(String.init)
    if name.hasPrefix("tmux") { return Finding(.tmux(version), "its answer") }
    if name.lowercased().hasPrefix("zellij") { return Finding(.other(name), "its answer") }
    switch answers.secondaryAttributes?.first {
    // 40900 is 4.9.0.
    case 83:
      let number = answers.secondaryAttributes?.dropFirst().first ?? 0
      return Finding(.screen("\(number / 10_000).\(number / 100 % 100).\(number % 100)"), "its answer")
    case 84: return Finding(.tmux(nil), "its answer")
    default: break
    }
    // A window that was opened from inside of a multiplexer still has its variables.
    if answers.name != nil { return Finding(nil, "the terminal's answer") }
    let term = Self.type(environment, terminfo)
    if term.hasPrefix("tmux") { return Finding(.tmux(nil), "TERM=\(term)") }
    if environment["STY"] != nil { return Finding(.screen(nil), "STY is set") }
    if environment["TMUX"] != nil { return Finding(.tmux(nil), "TMUX is set") }
    if environment["ZELLIJ"] != nil { return Finding(.other("Zellij"), "ZELLIJ is set") }
    return term.hasPrefix("screen") ? Finding(.screen(nil), "TERM=\(term)") : Finding(nil, "no sign of one")
  }

  private static func remote(
    _ surroundings: TerminalSurroundings, _ answers: TerminalAnswers
  ) -> Finding<RemoteLink?> {
    if surroundings.isUnderMosh { return Finding(.mosh, "mosh-server started this") }
    for variable in ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"]
    where surroundings.environment[variable]?.isEmpty == false {
      return Finding(.ssh, "\(variable) is set")
    }
    return Finding(nil, "no sign of one")
  }

  // MARK: Colours

  private static func wished(_ wishes: ColorWishes, _ environment: [String: String]) -> Finding<ColorDepth>? {
    if let depth = wishes.depth {
      return Finding(depth, wishes.origin.map { "asked for by \($0)" } ?? "asked for with --colors")
    }
    // no-color.org: any value but an empty one.
    if environment["NO_COLOR"].map({ !$0.isEmpty }) == true { return Finding(.none, "NO_COLOR is set") }
    return nil
  }

  private static func colors(
    _ environment: [String: String], _ terminfo: TerminalDescription, _ answers: TerminalAnswers,
    _ multiplexer: Multiplexer?
  ) -> Finding<ColorDepth> {
    // Before version 5 it reads the numbers of a 24-bit colour as attributes; later ones do unless told otherwise.
    // COLORTERM comes from the window around it.
    if case .screen(let version) = multiplexer {
      let isSure = version != nil || environment["STY"] != nil || terminfo.colors >= 256
      if isSure { return Finding(.indexed256, "\(Multiplexer.screen(version)) fits 256 colours to its window") }
    }
    if answers.keepsDirectColor == true { return Finding(.trueColor, "the terminal repeated a 24-bit colour") }
    if answers.hasColorCapability == true { return Finding(.trueColor, "the terminal says that it has RGB") }
    if let name = answers.name, directColorNames.contains(where: { name.lowercased().hasPrefix($0) }) {
      return Finding(.trueColor, "the terminal is \(name)")
    }
    if answers.keepsDirectColor == false, terminfo.colors >= 256, !terminfo.hasDirectColor {
      return Finding(.indexed256, "the terminal did not keep a 24-bit colour")
    }
    let claim = environment["COLORTERM"]?.lowercased() ?? ""
    if claim == "truecolor" || claim == "24bit" { return Finding(.trueColor, "COLORTERM=\(claim)") }
    let term = Self.type(environment, terminfo)
    if terminfo.hasDirectColor { return Finding(.trueColor, "terminfo of \(terminfo.name) has 24-bit colours") }
    if multiplexer == nil, directColorTerms.contains(where: { term.hasPrefix($0) }) {
      return Finding(.trueColor, "TERM=\(term)")
    }
    let count = "terminfo of \(terminfo.name) has \(terminfo.colors) colours"
    if terminfo.colors >= 256 { return Finding(.indexed256, count) }
    if case .tmux = multiplexer { return Finding(.indexed256, "tmux fits 256 colours to its window") }
    if term.contains("256color") { return Finding(.indexed256, "TERM=\(term)") }
    switch terminfo.colors {
    case 16...: return Finding(.indexed16, count)
    case 8...: return Finding(.indexed8, count)
    default: return Finding(.none, "terminfo of \(terminfo.name) has no colours")
    }
  }

  /// How programs call themselves that have had 24-bit colours for years, in lower case.
  private static let directColorNames = [
    "xterm(", "vte(", "kitty", "foot", "wezterm", "ghostty", "konsole", "iterm2", "contour", "mintty", "alacritty",
    "rio", "xterm.js", "windows terminal", "mlterm", "terminology", "warp", "tabby",
  ]
  /// The same for types of terminals.
  private static let directColorTerms = [
    "xterm-kitty", "xterm-ghostty", "ghostty", "foot", "alacritty", "wezterm", "contour", "rio", "konsole", "vte",
    "mintty", "mlterm", "st-256color", "iterm2",
  ]

  // MARK: Drawing

  private static func synchronizedUpdates(
    _ environment: [String: String], _ terminfo: TerminalDescription, _ answers: TerminalAnswers,
    _ multiplexer: Multiplexer?
  ) -> Finding<Bool> {
    switch answers.synchronizedUpdates {
    case 1?, 2?, 3?: return Finding(true, "the terminal knows mode 2026")
    case _?: return Finding(false, "the terminal does not know mode 2026")
    case nil: break
    }
    if answers.asked.contains(.synchronizedUpdates), answers.duration != nil {
      return Finding(false, "the terminal does not answer about modes")
    }
    guard multiplexer == nil else { return Finding(false, "not known through a multiplexer") }
    // Variables of the outer terminal say nothing behind ssh or a multiplexer, the name of the type does.
    let term = Self.type(environment, terminfo)
    let terms = ["xterm-kitty", "xterm-ghostty", "foot", "contour", "alacritty", "wezterm", "rio"]
    if terms.contains(where: { term.hasPrefix($0) }) { return Finding(true, "TERM=\(term)") }
    let program = environment["TERM_PROGRAM"] ?? ""
    if ["WezTerm", "iTerm.app", "ghostty", "contour", "rio"].contains(program) {
      return Finding(true, "TERM_PROGRAM=\(program)")
    }
    for variable in ["KITTY_WINDOW_ID", "WT_SESSION"] where environment[variable] != nil {
      return Finding(true, "\(variable) is set")
    }
    return Finding(false, "no sign of it")
  }

  /// REP for half blocks is trusted only to terminals that are what they call themselves. tmux 3.3 ignores it after
  /// anything but ASCII (seen; tmux#3687), mosh is reported not to know it (mosh#1064), and both, like many others, go by
  /// the name of xterm.
  private static func repeats(
    _ environment: [String: String], _ terminfo: TerminalDescription, _ answers: TerminalAnswers,
    _ multiplexer: Multiplexer?
  ) -> Finding<Bool> {
    if let multiplexer { return Finding(false, "\(multiplexer) does not do it for every glyph") }
    let known = ["xterm(", "vte(", "kitty", "foot", "ghostty", "wezterm", "contour", "mintty"]
    if let name = answers.name, known.contains(where: { name.lowercased().hasPrefix($0) }) {
      return Finding(true, "the terminal is \(name)")
    }
    let term = Self.type(environment, terminfo)
    guard terminfo.hasRepeat else { return Finding(false, "terminfo of \(terminfo.name) does not have it") }
    if term == terminfo.name, term != "xterm", !term.hasPrefix("xterm-") {
      return Finding(true, "terminfo of \(terminfo.name)")
    }
    // Neither passes through ssh or mosh; inside a multiplexer they are not looked at.
    for variable in ["XTERM_VERSION", "VTE_VERSION"] where environment[variable] != nil {
      return Finding(true, "\(variable) is set")
    }
    return Finding(false, "many terminals call themselves \(term)")
  }

  private static func sixel(_ answers: TerminalAnswers) -> Finding<SixelGraphics?> {
    guard let attributes = answers.primaryAttributes else {
      return Finding(nil, answers.asked.isEmpty ? "not asked" : "no answer")
    }
    // The first number is the level, or the whole answer of a terminal without attributes.
    guard attributes.dropFirst().contains(4) else { return Finding(nil, "not among the terminal's attributes") }
    let colors = answers.sixelColors.map { min(max(2, $0), 65_536) } ?? 256
    let size = answers.sixelSize.flatMap { $0.width > 0 && $0.height > 0 ? $0 : nil }
    return Finding(SixelGraphics(colors: colors, size: size), "among the terminal's attributes")
  }
}
