import Screen

/// What somebody has set for every run: values of flags from a file, and from the environment, which wins over it.
///
/// The file is `$XDG_CONFIG_HOME/confab/config`, else `~/.config/confab/config`. Its keys are the names of the flags
/// that have a ``Flag/setting``, alone or in the group `[viewer]`. In the environment the flag `--hide-self` is
/// `CONFAB_HIDE_SELF`.
struct Configuration: Sendable {
  private struct Value: Sendable {
    let text: String
    /// `line 3 of /home/ada/.config/confab/config`, or the variable.
    let origin: String
  }

  /// The file that was read; nil when there is none.
  private(set) var file: String?
  private var values: [String: Value] = [:]

  /// How many flags it sets.
  var count: Int { values.count }

  /// The group in which the keys may stand.
  static let group = "viewer"

  /// Nothing is set.
  init() {}

  /// Reads the file, if there is one, and the environment. Throws when anything in it is wrong: a mistake that is passed
  /// over leaves people wondering.
  ///
  /// - Parameter flags: of all commands; those without ``Flag/setting`` are left out.
  init(environment: [String: String], flags: [Flag]) throws(UsageError) {
    var kinds: [String: SettingKind] = [:]
    for flag in flags { kinds[flag.key] = kinds[flag.key] ?? flag.setting }
    if let path = ConfigurationFolder.path(environment).map({ $0 + "/config" }), let bytes = try Self.read(path) {
      file = path
      try take(SettingsText(bytes), kinds)
    }
    for (key, kind) in kinds.sorted(by: { $0.key < $1.key }) {
      let variable = Self.variable(key)
      guard let text = environment[variable], !text.isEmpty else { continue }
      if let complaint = kind.complaint(about: text) {
        throw UsageError("\(variable) takes \(complaint), not “\(SanitizedText(text).cut(to: 40))”.")
      }
      values[key] = Value(text: text, origin: variable)
    }
  }

  private static func read(_ path: String) throws(UsageError) -> [UInt8]? {
    do throws(SmallFile.Failure) { return try SmallFile.read(path, limit: SettingsText.sizeLimit) } catch {
      throw UsageError("The configuration \(path) cannot be read: \(error).")
    }
  }

  private mutating func take(_ text: SettingsText, _ kinds: [String: SettingKind]) throws(UsageError) {
    var problems = text.problems
    for (name, line) in text.groups.prefix(SettingsText.problemLimit) where name != Self.group {
      problems.append(
        SettingsProblem(.unknownGroup, line: line, "There is no group [\(name)]; keys stand in [\(Self.group)]."))
    }
    for entry in text.entries where entry.group == "" || entry.group == Self.group {
      guard problems.count < SettingsText.problemLimit else { break }
      guard let kind = kinds[entry.key] else {
        let hint = Nearest.match(entry.key, among: kinds.keys.sorted()).map { "; did you mean \($0)?" } ?? "."
        problems.append(SettingsProblem(.unknownKey, line: entry.line, "There is no key “\(entry.key)”\(hint)"))
        continue
      }
      if let complaint = kind.complaint(about: entry.value) {
        problems.append(
          SettingsProblem(.badValue, line: entry.line, "\(entry.key) takes \(complaint), not “\(entry.value)”."))
      } else if let before = values[entry.key] {
        problems.append(
          SettingsProblem(.repeatedKey, line: entry.line, "\(entry.key) is set in \(before.origin) already."))
      } else {
        values[entry.key] = Value(text: entry.value, origin: "line \(entry.line) of \(file ?? "the configuration")")
      }
    }
    guard problems.isEmpty else {
      let lines = problems.sorted { $0.line < $1.line }.map { "\n  \(SanitizedText($0.description))" }
      throw UsageError("The configuration \(file ?? "") has mistakes:\(lines.joined())\nIts keys are names of flags.")
    }
  }

  /// The variable of the environment that sets a key.
  static func variable(_ key: String) -> String {
    "CONFAB_" + String(key.map { $0 == "-" ? "_" : $0 }).uppercased()
  }

  /// Whether a switch is on.
  func has(_ flag: String) -> Bool {
    guard let value = value(flag) else { return false }
    return (SettingKind.truth(value.text) ?? true) != Flag.key(flag).isNegated
  }
  func text(_ flag: String) -> String? { value(flag)?.text }
  func origin(_ flag: String) -> String? { value(flag)?.origin }

  private func value(_ flag: String) -> Value? { values[Flag.key(flag).key] }
}

/// Where people keep their configuration and their themes.
enum ConfigurationFolder {
  /// `$XDG_CONFIG_HOME/confab`, else `~/.config/confab`; nil without a home. Relative paths do not count (XDG Base
  /// Directory Specification).
  static func path(_ environment: [String: String]) -> String? {
    if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") { return base + "/confab" }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/.config/confab"
  }
}
