/// One theme file as it stands, not yet joined with the theme that it inherits from.
///
/// Its groups: `[theme]` with `summary` and `inherits`; `[palette]` with names of colours; `[roles]` with a line for a
/// ``ThemeRole``; `[grounds]` with `letterbox` and `placeholders`. The last three may be said anew for terminals of
/// fewer colours, as in `[palette.16]`: for 256, 16, 8 and none, each of which holds for the smaller ones too.
public struct ThemeSheet: Sendable {
  /// From which number of colours downwards a group holds.
  enum Level: Int, CaseIterable, Sendable {
    case any = 0x1000000
    case indexed256 = 256
    case indexed16 = 16
    case indexed8 = 8
    case none = 0

    /// What follows the group's name.
    var suffix: String {
      switch self {
      case .any: ""
      case .none: ".none"
      default: ".\(rawValue)"
      }
    }
  }

  struct Located<Value: Sendable>: Sendable {
    let value: Value
    let line: Int

    /// The same as if it stood elsewhere; where it was for nil.
    func moved(to other: Int?) -> Located { Located(value: value, line: other ?? line) }
  }

  /// What one level says.
  struct Layer: Sendable {
    var palette: [String: Located<ColorWord>] = [:]
    var roles: [ThemeRole: Located<StyleLine>] = [:]
    var letterbox: Located<ColorWord>?
    var placeholders: Located<[ColorWord]>?
  }

  public let name: String
  /// One line about it; empty when it has none.
  public private(set) var summary = ""
  private(set) var parent: Located<String>?
  private(set) var layers: [Level: Layer] = [:]
  private var names = 0
  /// What is wrong in this file, taken alone.
  public private(set) var problems: [SettingsProblem]

  /// Grounds of placeholders that a theme may have; more are not told apart.
  static let placeholderLimit = 16
  /// Colours that a file may name, all its palettes together; the longest palette that comes with the program has a
  /// tenth of them.
  static let nameLimit = 512
  private static let sections = ["palette", "roles", "grounds"]
  private static let groups = ["theme"] + Level.allCases.flatMap { level in sections.map { $0 + level.suffix } }
  private static let roles = Dictionary(uniqueKeysWithValues: ThemeRole.allCases.map { ($0.rawValue, $0) })

  /// A file that says nothing, as it cannot be read.
  /// - Parameter reason: half a sentence.
  public init(name: String, unreadable reason: String) {
    self.name = name
    problems = [SettingsProblem(.unreadable, line: 0, "The theme file cannot be read: \(reason).")]
  }

  /// Reads a file. `bytes` may be anything: what is wrong with it becomes ``problems``.
  public init(name: String, bytes: [UInt8]) {
    self.name = name
    let text = SettingsText(bytes)
    problems = text.problems
    for (group, line) in text.groups where !Self.groups.contains(group) {
      guard problems.count < SettingsText.problemLimit else { break }
      let hint = SettingsProblem.hint(group, among: Self.groups)
      problems.append(
        SettingsProblem(.unknownGroup, line: line, "There is no group [\(SanitizedText(group).cut(to: 40))]\(hint)"))
    }
    for entry in text.entries {
      guard problems.count < SettingsText.problemLimit else { break }
      do throws(SettingsProblem) { try take(entry) } catch { problems.append(error) }
      if problems.last?.code == .tooMany { break }
    }
    problems.sort { $0.line < $1.line }
  }

  private mutating func take(_ entry: SettingsText.Entry) throws(SettingsProblem) {
    if entry.group == "theme" || entry.group == "" { return try takeHead(entry) }
    guard let section = Self.sections.first(where: { entry.group == $0 || entry.group.hasPrefix($0 + ".") }),
      let level = Level.allCases.first(where: { section + $0.suffix == entry.group })
    else { return }
    switch section {
    case "palette":
      guard ColorWord.isName(entry.key) else {
        throw SettingsProblem(
          .unknownKey, line: entry.line,
          "\(SettingsProblem.quoted(entry.key)) cannot name a colour; names are small letters, digits and dashes.")
      }
      names += 1
      guard names <= Self.nameLimit else {
        throw SettingsProblem(.tooMany, line: entry.line, "There are more than \(Self.nameLimit) names of colours.")
      }
      let color = try StyleLine.color(entry.value, line: entry.line)
      layers[level, default: Layer()].palette[entry.key] = Located(value: color, line: entry.line)
    case "roles":
      guard let role = Self.roles[entry.key] else {
        let hint = SettingsProblem.hint(entry.key, among: ThemeRole.allCases.map(\.rawValue))
        throw SettingsProblem(
          .unknownRole, line: entry.line, "There is no role \(SettingsProblem.quoted(entry.key))\(hint)")
      }
      let style = try StyleLine(entry.value, line: entry.line)
      layers[level, default: Layer()].roles[role] = Located(value: style, line: entry.line)
    default: try takeGround(entry, level)
    }
  }

  private mutating func takeHead(_ entry: SettingsText.Entry) throws(SettingsProblem) {
    switch entry.key {
    case "summary": summary = String(describing: SanitizedText(entry.value))
    case "inherits": parent = Located(value: entry.value, line: entry.line)
    default:
      let hint = SettingsProblem.hint(entry.key, among: ["summary", "inherits"])
      throw SettingsProblem(
        .unknownKey, line: entry.line, "A theme has no key \(SettingsProblem.quoted(entry.key))\(hint)")
    }
  }

  private mutating func takeGround(_ entry: SettingsText.Entry, _ level: Level) throws(SettingsProblem) {
    switch entry.key {
    case "letterbox":
      let color = try StyleLine.color(entry.value, line: entry.line)
      layers[level, default: Layer()].letterbox = Located(value: color, line: entry.line)
    case "placeholders":
      var colors: [ColorWord] = []
      for word in entry.value.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
        colors.append(try StyleLine.color(String(word), line: entry.line))
      }
      guard (1...Self.placeholderLimit).contains(colors.count) else {
        throw SettingsProblem(
          .badValue, line: entry.line, "placeholders takes 1 to \(Self.placeholderLimit) colours, not \(colors.count).")
      }
      layers[level, default: Layer()].placeholders = Located(value: colors, line: entry.line)
    default:
      let hint = SettingsProblem.hint(entry.key, among: ["letterbox", "placeholders"])
      throw SettingsProblem(
        .unknownKey, line: entry.line, "There is no ground \(SettingsProblem.quoted(entry.key))\(hint)")
    }
  }
}
