/// Joins a theme with those that it inherits from, for one number of colours.
///
/// A theme holds over what it inherits, and what any of them says for fewer colours holds over what all say for more: a
/// theme that only changes colours keeps what its parent has found readable in sixteen.
struct ThemeJoin {
  private var palette: [String: ThemeSheet.Located<ColorWord>] = [:]
  private var roles: [ThemeRole: ThemeSheet.Located<StyleLine>] = [:]
  private var letterbox: ThemeSheet.Located<ColorWord>?
  private var placeholders: ThemeSheet.Located<[ColorWord]>?
  /// What cannot be resolved, with lines of the last theme. Those before it are expected to be sound but for names.
  private(set) var problems: [SettingsProblem] = []

  private let hasColors: Bool
  private var styles: [ThemeRole: CellStyle] = [:]
  /// Every word that a colour can be.
  private let known: [String]

  /// Names that stand for names; more is a mistake.
  private static let aliasLimit = 8

  /// - Parameter chain: the theme last.
  init(chain: [ThemeSheet], colors: Int) {
    hasColors = colors > 0
    for level in ThemeSheet.Level.allCases where level.rawValue >= colors {
      for (index, sheet) in chain.enumerated() {
        guard let layer = sheet.layers[level] else { continue }
        // Lines of other files would mislead.
        let line = index < chain.count - 1 ? chain.last?.parent?.line ?? 0 : nil
        palette.merge(layer.palette.mapValues { $0.moved(to: line) }) { $1 }
        roles.merge(layer.roles.mapValues { $0.moved(to: line) }) { $1 }
        letterbox = layer.letterbox?.moved(to: line) ?? letterbox
        placeholders = layer.placeholders?.moved(to: line) ?? placeholders
      }
    }
    known = palette.keys.sorted() + ["default"] + ColorWord.terminalNames
  }

  /// Colours that cannot be resolved are the terminal's own, and among ``problems``.
  mutating func theme(named name: String) -> Theme {
    for name in known {
      guard let entry = palette[name] else { continue }
      _ = color(.name(name), line: entry.line)
    }
    for role in ThemeRole.allCases { _ = style(of: role) }
    var grounds: [CellColor] = []
    if let placeholders {
      for word in placeholders.value { grounds.append(color(word, line: placeholders.line)) }
    }
    // A picture's pixels have no terminal to ask.
    let edge = letterbox.map { color($0.value, line: $0.line) }?.rgb ?? 0x000000
    let shown = hasColors ? grounds : [.terminalDefault]
    return Theme(name: name, placeholderGrounds: shown, letterbox: edge, styles: styles)
  }

  private mutating func style(of role: ThemeRole) -> CellStyle {
    if let style = styles[role] { return style }
    var style = role.parent.map { self.style(of: $0) } ?? CellStyle()
    if let line = roles[role] {
      if let foreground = line.value.foreground { style.foreground = color(foreground, line: line.line) }
      if let background = line.value.background { style.background = color(background, line: line.line) }
      style.attributes = line.value.attributes
    }
    if !hasColors {
      style.foreground = .terminalDefault
      style.background = .terminalDefault
    }
    styles[role] = style
    return style
  }

  private mutating func color(_ word: ColorWord, line: Int) -> CellColor {
    var word = word
    for _ in 0...Self.aliasLimit {
      switch word {
      case .color(let color): return color
      case .name(let name):
        guard let next = palette[name] else {
          let known = known
          report(.unknownColor, line) {
            "The palette has no \(SettingsProblem.quoted(name))\(SettingsProblem.hint(name, among: known))"
          }
          return .terminalDefault
        }
        word = next.value
      }
    }
    report(.loop, line) { "The names of colours go round in a circle." }
    return .terminalDefault
  }

  /// What comes after many others is not even put into words: finding what was meant takes time.
  private mutating func report(_ code: SettingsProblem.Code, _ line: Int, _ message: () -> String) {
    guard problems.count < SettingsText.problemLimit else { return }
    let problem = SettingsProblem(code, line: line, message())
    if !problems.contains(problem) { problems.append(problem) }
  }
}
