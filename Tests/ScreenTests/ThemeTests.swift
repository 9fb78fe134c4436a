import Screen
import Testing

@Suite struct ThemeTests {
  @Test(arguments: ThemeRole.allCases) func everyRoleIsReadable(role: ThemeRole) {
    let style = Theme.night[role]
    guard let foreground = style.foreground.rgb, let background = style.background.rgb else {
      Issue.record("\(role) has no colours")
      return
    }
    // Lines need to be seen, texts to be read (WCAG asks 3:1 of large text and 4.5:1 of small).
    let least = role == .tileBorder ? 1.8 : role == .eventOld ? 3.5 : 4.5
    #expect(contrast(foreground, background) >= least, "\(role.rawValue)")
  }

  @Test func aRoleWithoutColoursTakesThoseBeforeItsLastDot() {
    let red = CellStyle(foreground: CellColor(0xFF0000))
    let theme = Theme(name: "bare", placeholderGrounds: [], letterbox: 0x123456, styles: [.tile: red])
    #expect(theme[.tileBorderSpeaking] == red)
    #expect(theme[.title] == CellStyle())
    #expect(theme.placeholderGrounds == [0x123456])
  }

  /// WCAG 2.1 contrast ratio, with the square standing in for the exact transfer curve.
  private func contrast(_ one: UInt32, _ other: UInt32) -> Double {
    func luminance(_ colour: UInt32) -> Double {
      func linear(_ value: UInt32) -> Double { Double(value & 255) / 255 * Double(value & 255) / 255 }
      return 0.2126 * linear(colour >> 16) + 0.7152 * linear(colour >> 8) + 0.0722 * linear(colour)
    }
    let pair = [luminance(one), luminance(other)].sorted()
    return (pair[1] + 0.05) / (pair[0] + 0.05)
  }
}
