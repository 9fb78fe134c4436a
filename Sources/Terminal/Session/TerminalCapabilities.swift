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

  /// How many there are; 0 without colours.
  public var colors: Int {
    switch self {
    case .trueColor: 1 << 24
    case .indexed256: 256
    case .indexed16: 16
    case .indexed8: 8
    case .none: 0
    }
  }
}

/// What the terminal can do, as far as drawing on it depends on it (``TerminalFindings`` says why).
public struct TerminalCapabilities: Hashable, Sendable {
  public var colorDepth: ColorDepth
  /// Synchronised updates (private mode 2026): the terminal shows a frame whole.
  public var hasSynchronizedUpdates: Bool
  /// REP (ECMA-48 §8.3.103): the last glyph again, `n` times.
  public var hasRepeat: Bool

  public init(colorDepth: ColorDepth, hasSynchronizedUpdates: Bool = false, hasRepeat: Bool = false) {
    self.colorDepth = colorDepth
    self.hasSynchronizedUpdates = hasSynchronizedUpdates
    self.hasRepeat = hasRepeat
  }
}
