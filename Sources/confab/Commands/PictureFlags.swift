import Screen
import Terminal

/// Flags of everything that draws: how the terminal is used.
struct PictureFlags: Sendable {
  private static let rates = 1...60
  static let noProbe = Flag(
    "--no-probe", nil, "ask the terminal nothing; go by TERM and the environment")
  static let flags = [
    Flag(
      "--colors", "C", "\(ColorDepth.allCases.map(\.rawValue).joined(separator: ", ")) (found out)",
      setting: .choice(of: ColorDepth.self)),
    Flag(
      "--glyphs", "G", "of pictures: \(GlyphWord.allCases.map(\.rawValue).joined(separator: ", ")) (auto: half blocks)",
      setting: .choice(of: GlyphWord.self)),
    Flag("--fps", "N", "draw at most N pictures a second, 1 to 60 (as they come)", setting: .number(rates)),
    Flag(
      "--cell-aspect", "R",
      "width of a cell over its height, \(TerminalSize.aspects.lowerBound) to \(TerminalSize.aspects.upperBound) (found out)",
      setting: .decimal(TerminalSize.aspects)),
    ThemeChoice.flag,
    Flag("--ascii", nil, "draw in ASCII alone", setting: .truth),
    Flag(
      "--mouse", "yes|no", "clicks and the wheel are for Confab, and Shift selects text (yes)",
      setting: .choice(of: MouseWord.self)),
    noProbe,
  ]

  private enum MouseWord: String, CaseIterable { case yes, no }

  /// `auto` and the names of all glyphs.
  private enum GlyphWord: String, CaseIterable {
    case auto, half, lower, upper, quadrants, sextants, ascii, kitty, sixel

    var glyphs: VideoGlyphs? { VideoGlyphs(rawValue: rawValue) }
    var graphics: TerminalGraphics? { TerminalGraphics(rawValue: rawValue) }
  }

  /// The themes to draw in.
  private(set) var themes = ThemeChoice()
  private var colors = ColorWishes()
  private var glyphs: VideoGlyphs?
  private var graphics: TerminalGraphics?
  private var rate: Int?
  private var cellAspect: Double?
  private var asksTerminal = true
  private var usesASCII = false
  private var usesMouse = true

  init() {}

  init(_ options: Options) throws(UsageError) {
    let depth = try options.choice("--colors", of: ColorDepth.self)
    colors = ColorWishes(depth, from: options.origin("--colors"))
    rate = try options.number("--fps", in: Self.rates)
    cellAspect = try options.decimal("--cell-aspect", in: TerminalSize.aspects)
    themes = try ThemeChoice(options)
    asksTerminal = !options.has("--no-probe")
    let word = try options.choice("--glyphs", of: GlyphWord.self)
    glyphs = word?.glyphs
    graphics = word?.graphics
    if graphics != nil, options.has("--no-probe") {
      throw UsageError("--glyphs \(word?.rawValue ?? "") needs the terminal's own word for it: leave --no-probe out.")
    }
    usesASCII = options.has("--ascii")
    usesMouse = try options.choice("--mouse", of: MouseWord.self) != .no
  }

  /// The signs that the chrome is drawn with.
  var signs: GlyphSet { showsUnicode ? .unicode : .ascii }

  /// Who asks for glyphs beyond ASCII knows that the terminal shows them.
  private var showsUnicode: Bool {
    if usesASCII { return false }
    return glyphs.map { $0 != .ascii } ?? TerminalLocale.showsUnicode.value
  }

  /// What is to be said once about how things are drawn; nil when nothing is.
  var notice: String? {
    guard !usesASCII, !showsUnicode, glyphs == nil else { return nil }
    return "Drawing in ASCII: \(TerminalLocale.showsUnicode.reason), not UTF-8; --glyphs half draws more."
  }

  func apply(to configuration: inout TerminalSession.Configuration) {
    configuration.colors = colors
    configuration.picturesPerSecond = rate
    configuration.cellAspect = cellAspect
    configuration.asksTerminal = asksTerminal
    configuration.graphics = graphics
    configuration.usesMouse = usesMouse
    configuration.glyphs = glyphs ?? (showsUnicode ? nil : .ascii)
  }
}
