/// All themes that there are, by name. One that is added takes the place of an earlier one of its name, and may still
/// inherit from that.
public struct ThemeLibrary: Sendable {
  /// In the order of adding, earlier ones of a name first.
  private var sheets: [ThemeSheet] = []

  /// Themes between one and the last that it inherits from; more is a mistake.
  private static let ancestorLimit = 8

  /// The themes that come with the program.
  public static let bundled: ThemeLibrary = {
    var library = ThemeLibrary()
    for (name, bytes) in BundledThemes.files { library.add(ThemeSheet(name: name, bytes: bytes)) }
    return library
  }()

  /// The file of a bundled theme; empty when there is none of this name.
  public static func bundledText(_ name: String) -> [UInt8] {
    BundledThemes.files.first { $0.name == name }?.bytes ?? []
  }

  /// No themes.
  public init() {}

  public mutating func add(_ sheet: ThemeSheet) { sheets.append(sheet) }

  /// Every name once, in the order in which they came.
  public var names: [String] {
    var seen: Set<String> = []
    return sheets.map(\.name).filter { seen.insert($0).inserted }
  }

  /// One line about a theme; empty when it has none.
  public func summary(of name: String) -> String { sheets.last { $0.name == name }?.summary ?? "" }

  /// A theme as a terminal shows it that can be told so many colours: 1 << 24, 256, 16, 8 or 0. nil when there is none of
  /// this name, or when anything is ``problems(of:)`` with it.
  public func theme(_ name: String, colors: Int = 1 << 24) -> Theme? {
    guard problems(of: name).isEmpty, let chain = try? chain(of: name) else { return nil }
    var join = ThemeJoin(chain: chain, colors: colors)
    return join.theme(named: name)
  }

  /// Everything that is wrong with a theme, in the order of lines; for every number of colours, and with what it
  /// inherits.
  public func problems(of name: String) -> [SettingsProblem] {
    let chain: [ThemeSheet]
    do throws(SettingsProblem) { chain = try self.chain(of: name) } catch {
      guard let index = sheets.lastIndex(where: { $0.name == name }) else { return [error] }
      return (sheets[index].problems + [error] + unheardWords(of: index))
        .sorted { ($0.line, $0.message) < ($1.line, $1.message) }
    }
    guard let sheet = chain.last else { return [] }
    if let parent = chain.dropLast().last(where: { !$0.problems.isEmpty }) {
      let problem = SettingsProblem(
        .unknownParent, line: sheet.parent?.line ?? 0,
        "The theme \(SettingsProblem.quoted(parent.name)), which it inherits from, has mistakes itself.")
      return (sheet.problems + [problem]).sorted { $0.line < $1.line }
    }
    return (sheet.problems + Self.unresolved(in: chain)).sorted { ($0.line, $0.message) < ($1.line, $1.message) }
  }

  /// Colours of a theme that no theme names. What a parent that is missing would have named nobody knows, but its words
  /// are most likely those of the others.
  private func unheardWords(of index: Int) -> [SettingsProblem] {
    let sheet = sheets[index]
    let others = (sheets[..<index] + sheets[(index + 1)...]).filter(\.problems.isEmpty)
    return Self.unresolved(in: others + [sheet]).filter { $0.code == .unknownColor && $0.line != sheet.parent?.line }
  }

  /// What the join of a theme with those before it finds wrong, for every number of colours.
  private static func unresolved(in chain: [ThemeSheet]) -> Set<SettingsProblem> {
    var problems = Set<SettingsProblem>()
    for level in ThemeSheet.Level.allCases where problems.count < SettingsText.problemLimit {
      var join = ThemeJoin(chain: chain, colors: level.rawValue)
      _ = join.theme(named: "")
      problems.formUnion(join.problems)
    }
    return problems
  }

  /// The theme and all that it inherits from, the farthest first.
  private func chain(of name: String) throws(SettingsProblem) -> [ThemeSheet] {
    guard let top = sheets.lastIndex(where: { $0.name == name }) else {
      let hint = SettingsProblem.hint(name, among: names)
      throw SettingsProblem(.unknownParent, line: 0, "There is no theme \(SettingsProblem.quoted(name))\(hint)")
    }
    var indices = [top]
    while let last = indices.last, let parent = sheets[last].parent {
      // A theme of one's own may build on the bundled one of the same name.
      let candidates = parent.value == sheets[last].name ? sheets[..<last] : sheets[...]
      guard let index = candidates.lastIndex(where: { $0.name == parent.value }) else {
        let hint = SettingsProblem.hint(parent.value, among: names.filter { $0 != parent.value })
        throw SettingsProblem(
          .unknownParent, line: indices.count == 1 ? parent.line : sheets[top].parent?.line ?? 0,
          "There is no theme \(SettingsProblem.quoted(parent.value)) to inherit from\(hint)")
      }
      guard !indices.contains(index), indices.count <= Self.ancestorLimit else {
        let way = (indices.map { sheets[$0].name } + [parent.value]).map { "\(SanitizedText($0).cut(to: 20))" }
        throw SettingsProblem(
          .loop, line: sheets[top].parent?.line ?? 0,
          "It inherits from itself or from too many: \(way.joined(separator: ", then ")).")
      }
      indices.append(index)
    }
    return indices.reversed().map { sheets[$0] }
  }
}
