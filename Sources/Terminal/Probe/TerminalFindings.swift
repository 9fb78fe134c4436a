public import Screen

/// What was found out about the terminal, each with the reason to believe it.
///
/// Order of trust: what the person asked for (flag, then configuration, then `NO_COLOR`), what the terminal answered,
/// what the environment says, what terminfo says, what the terminal is called.
public struct TerminalFindings: Sendable {
  /// A value, and why it is taken for true, as words to stand in parentheses.
  public struct Finding<Value: Equatable & Sendable>: Equatable, Sendable {
    public var value: Value
    public var reason: String

    public init(_ value: Value, _ reason: String) {
      self.value = value
      self.reason = reason
    }
  }

  /// The program, as the terminal calls itself, or its type.
  public var terminal: Finding<String>
  public var multiplexer: Finding<Multiplexer?>
  public var remote: Finding<RemoteLink?>
  public var colors: Finding<ColorDepth>
  /// Synchronised updates (private mode 2026): the terminal shows a frame whole.
  public var synchronizedUpdates: Finding<Bool>
  /// REP (ECMA-48 §8.3.103) for every glyph.
  public var repeats: Finding<Bool>
  public var kittyGraphics: Finding<Bool>
  /// nil: none.
  public var sixel: Finding<SixelGraphics?>
  /// Pixels of a cell; nil where nobody tells.
  public var cellPixels: Finding<PixelSize?>
  /// 0xRRGGBB; nil where the terminal does not tell.
  public var background: Finding<UInt32?>
  /// The terminal shows UTF-8, as far as the locale knows.
  public var showsUnicode: Finding<Bool>

  /// What the screen needs to know of it.
  public var capabilities: TerminalCapabilities {
    TerminalCapabilities(
      colorDepth: colors.value, hasSynchronizedUpdates: synchronizedUpdates.value, hasRepeat: repeats.value)
  }
  /// Width of a cell divided by its height, where the terminal told it and it is within reason.
  public var cellAspect: Double? {
    guard let pixels = cellPixels.value else { return nil }
    return TerminalSize.reasonableAspect(width: Double(pixels.width), height: Double(pixels.height))
  }
}

/// Limits of a terminal's sixel graphics.
public struct SixelGraphics: Hashable, Sendable {
  /// Colour registers; 256 where the terminal does not say.
  public var colors: Int
  /// Largest picture; nil where it does not say.
  public var size: PixelSize?
}

/// What stands between the program and the window, and draws it anew.
public enum Multiplexer: Hashable, Sendable, CustomStringConvertible {
  /// With its version, where it said it.
  case tmux(String?)
  case screen(String?)
  case other(String)

  public var description: String {
    switch self {
    case .tmux(let version): ["tmux", version].compactMap(\.self).joined(separator: " ")
    case .screen(let version): ["GNU screen", version].compactMap(\.self).joined(separator: " ")
    case .other(let name): name
    }
  }
}

/// How the terminal is reached when it is on another machine.
public enum RemoteLink: String, Hashable, Sendable, CustomStringConvertible {
  case ssh
  /// Sends what the screen has become when it can, in 256 colours before version 1.4.
  case mosh

  public var description: String { rawValue }
}

/// What was asked for, which nothing that is found can overrule.
public struct ColorWishes: Sendable {
  /// nil: whatever the terminal can do.
  public var depth: ColorDepth?
  /// The variable or the line of a file that asks for it; nil for the flag `--colors`.
  public var origin: String?

  public init(_ depth: ColorDepth? = nil, from origin: String? = nil) {
    self.depth = depth
    self.origin = origin
  }
}
