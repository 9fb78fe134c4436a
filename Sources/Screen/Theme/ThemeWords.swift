/// A colour as a theme writes it.
enum ColorWord: Hashable, Sendable {
  case color(CellColor)
  /// A name of the palette.
  case name(String)

  /// The terminal's own sixteen colours, in their order.
  static let terminalNames = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "bright-black", "bright-red", "bright-green",
    "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan", "bright-white",
  ].map { "terminal." + $0 }

  /// `#RRGGBB`, `default`, `terminal.NAME`, or a name of the palette; nil when it can be none of these.
  init?(_ word: String) {
    if word == "default" {
      self = .color(.terminalDefault)
    } else if word.first == "#" {
      let digits = word.dropFirst()
      guard digits.utf8.count == 6, let value = UInt32(digits, radix: 16), digits.first != "+" else { return nil }
      self = .color(CellColor(value))
    } else if let index = Self.terminalNames.firstIndex(of: word) {
      self = .color(.terminal(UInt8(index)))
    } else if Self.isName(word) {
      self = .name(word)
    } else {
      return nil
    }
  }

  /// Letters, digits and dashes, beginning with a letter, and none of the words that mean something else.
  static func isName(_ word: String) -> Bool {
    guard let first = word.utf8.first, (0x61...0x7A).contains(first), word.utf8.count <= 32 else { return false }
    let isPlain = word.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    return isPlain && word != "on" && word != "default" && StyleLine.attributes[word] == nil
  }
}

/// The value of a role: `COLOUR on COLOUR bold`, each part of which may be left out.
struct StyleLine: Hashable, Sendable {
  /// nil: as the role before the last dot.
  var foreground: ColorWord?
  /// nil: as the role before the last dot.
  var background: ColorWord?
  var attributes: CellAttributes = []

  static let attributes: [String: CellAttributes] = [
    "bold": .bold, "dim": .dim, "underline": .underline, "reverse": .reverse,
  ]

  init(_ text: String, line: Int) throws(SettingsProblem) {
    var words = text.split { $0 == " " || $0 == "\t" }.map(String.init)[...]
    guard let first = words.first else {
      throw SettingsProblem(.badStyle, line: line, "The role has no value; write it like “text on ground bold”.")
    }
    if first != "on", Self.attributes[first] == nil {
      foreground = try Self.color(first, line: line)
      words.removeFirst()
    }
    while let word = words.popFirst() {
      if let attribute = Self.attributes[word] {
        attributes.insert(attribute)
      } else if word == "on", background == nil {
        guard let color = words.popFirst() else {
          throw SettingsProblem(.badStyle, line: line, "After “on” the colour of the ground is missing.")
        }
        background = try Self.color(color, line: line)
      } else {
        let hint = SettingsProblem.hint(word, among: Self.attributes.keys.sorted())
        throw SettingsProblem(
          .badAttribute, line: line,
          "\(SettingsProblem.quoted(word)) is none of bold, dim, underline and reverse\(hint)")
      }
    }
  }

  static func color(_ word: String, line: Int) throws(SettingsProblem) -> ColorWord {
    if let color = ColorWord(word) { return color }
    let hint =
      word.hasPrefix("terminal.")
      ? SettingsProblem.hint(word, among: ColorWord.terminalNames)
      : "; write #RRGGBB, default, or a name of the palette."
    throw SettingsProblem(.unknownColor, line: line, "\(SettingsProblem.quoted(word)) is no colour\(hint)")
  }
}
