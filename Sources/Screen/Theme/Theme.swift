/// Colours and attributes of every role, and the grounds of tiles, as a terminal of some number of colours shows them.
public struct Theme: Equatable, Sendable {
  /// As people choose it.
  public let name: String
  /// Grounds by which tiles without a picture are told apart; never empty.
  public let placeholderGrounds: [CellColor]
  /// What lies around a picture that does not fill its tile, 0xRRGGBB.
  public let letterbox: UInt32
  private let styles: [ThemeRole: CellStyle]

  /// Roles without a style look like the nearest one before a dot that has one.
  public init(name: String, placeholderGrounds: [CellColor], letterbox: UInt32, styles: [ThemeRole: CellStyle]) {
    self.name = name
    self.placeholderGrounds = placeholderGrounds.isEmpty ? [CellColor(letterbox)] : placeholderGrounds
    self.letterbox = letterbox
    var complete = styles
    for role in ThemeRole.allCases where styles[role] == nil {
      var ancestor = role.parent
      while let next = ancestor, styles[next] == nil { ancestor = next.parent }
      complete[role] = ancestor.flatMap { styles[$0] } ?? CellStyle()
    }
    self.styles = complete
  }

  public subscript(role: ThemeRole) -> CellStyle { styles[role] ?? CellStyle() }

  /// The theme for whoever has chosen none and whose terminal is dark, in 24-bit colours.
  public static let night = ThemeLibrary.bundled.theme("night") ?? plain

  /// The terminal's own colours everywhere.
  static let plain = Theme(name: "plain", placeholderGrounds: [], letterbox: 0, styles: [:])

  /// The name of the theme for whoever has chosen none: `day` on a terminal that is known to be light, `night` on any
  /// other. Whoever works on white paper expects programs that fill the screen to stay white.
  ///
  /// - Parameter background: the terminal's, 0xRRGGBB; nil where it does not tell.
  public static func defaultName(background: UInt32?) -> String {
    guard let background else { return "night" }
    return Contrast.ratio(background, 0x000000) > Contrast.ratio(background, 0xFFFFFF) ? "day" : "night"
  }
}
