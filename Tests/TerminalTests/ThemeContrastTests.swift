import Testing

@testable import Screen
@testable import Terminal

/// What is written can be read, in every bundled theme and on every kind of terminal.
@Suite struct ThemeContrastTests {
  struct Case: CustomTestStringConvertible {
    let theme: String
    let depth: ColorDepth
    var testDescription: String { "\(theme) \(depth.rawValue)" }
  }

  static let cases = ThemeLibrary.bundled.names.flatMap { name in
    ColorDepth.allCases.map { Case(theme: name, depth: $0) }
  }

  /// xterm's values of the sixteen colours, which other terminals have in shades of their own.
  private static let sixteen: [UInt32] = [
    0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF0000, 0x00FF00,
    0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
  ]

  /// 0xRRGGBB of what the terminal is told; nil for its own foreground and background, which nobody knows: whoever has
  /// set them can read the one on the other, as in every other program.
  private static func shown(_ color: CellColor, _ depth: ColorDepth) -> UInt32? {
    let isDirect = depth == .trueColor
    let colors = ChromeColors(isDirect: isDirect, depth: depth, paletteSize: depth.colors, pairLimit: 0)
    return switch colors.index(of: color) {
    case ..<0: nil
    case let index where index < 16: sixteen[Int(index)]
    case let index where isDirect: UInt32(index)
    case let index: Palette.rgb256(Int(index))
    }
  }

  @Test(arguments: cases) func everyRoleIsReadableOnEveryGround(of: Case) throws {
    let colors = of.depth.colors
    let theme = try #require(ThemeLibrary.bundled.theme(of.theme, colors: colors))
    let contrasts = theme.contrasts { Self.shown($0, of.depth) }
    // Themes in the terminal's own foreground and background leave nothing to measure.
    if of.theme != "terminal", colors > 0 { #expect(contrasts.count >= ThemeRole.allCases.count) }
    for contrast in contrasts { #expect(contrast.ratio >= contrast.least, "\(contrast)") }
  }

  @Test func theHighContrastThemeKeepsSevenToOne() throws {
    let theme = try #require(ThemeLibrary.bundled.theme("high-contrast"))
    for contrast in theme.contrasts(as: \.rgb) where !contrast.role.isLine {
      #expect(contrast.ratio >= 7, "\(contrast)")
    }
  }

  @Test func theTerminalsOwnColoursStayItsOwn() {
    for depth in [ColorDepth.trueColor, .indexed256] {
      let colors = ChromeColors(isDirect: depth == .trueColor, depth: depth, paletteSize: depth.colors, pairLimit: 0)
      #expect((0..<16).map { colors.index(of: .terminal(UInt8($0))) } == Array(0..<16))
      #expect(colors.index(of: .terminalDefault) == -1)
    }
    let eight = ChromeColors(isDirect: false, depth: .indexed8, paletteSize: 8, pairLimit: 0)
    #expect(eight.index(of: .terminal(9)) == 1)
  }
}
