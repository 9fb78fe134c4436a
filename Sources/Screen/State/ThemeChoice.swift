import RTCCore

extension ScreenState {
  /// Long enough to read a name, short enough to be gone when the new colours are looked at.
  private static let themeToast: Duration = .seconds(2)

  /// The next theme, or the one before, round and round.
  mutating func turnTheme(_ change: Int) -> [ScreenEffect] {
    guard !themes.isEmpty else { return [] }
    let index = themes.firstIndex(of: theme).map { $0 + change } ?? 0
    return choose(theme: themes[(index + themes.count) % themes.count])
  }

  /// The theme of this name; a message says so when there is none.
  mutating func choose(theme name: String) -> [ScreenEffect] {
    guard themes.contains(name) else {
      let hint = Nearest.match(name, among: themes).map { "; did you mean \($0)?" } ?? "."
      show(SanitizedText("There is no theme “\(SanitizedText(name).cut(to: 40))”\(hint)"))
      return []
    }
    theme = name
    toast = Toast(text: SanitizedText("Theme \(name)"), until: now + Self.themeToast)
    return [.showTheme(name)]
  }
}
