/// Text that may be printed on a terminal whoever wrote it, with its width in columns known.
///
/// Names, messages and room names come from strangers. Whatever they contain, the glyphs here neither move the cursor,
/// change colours, turn the direction of the line, nor take other columns than counted. The rule, character by
/// character:
/// - line ends, tabs and every kind of space become one plain space;
/// - other control characters are shown: U+0000…U+001F and DEL in caret notation (`^[`), the rest as `�`;
/// - characters that override or embed text direction become `�`; mere direction marks are dropped;
/// - what has no width of its own (joiners, zero-width spaces, variation selectors, tags, invisible fillers) is dropped;
/// - a glyph keeps at most two combining marks, and a mark with nothing to stand on is dropped;
/// - an emoji sequence is shown by its first emoji, a flag by its two letters, as terminals disagree on their widths;
/// - private, unassigned and very new characters, and those of disputed width, become `�`.
public struct SanitizedText: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// One grapheme and its columns, 1 or 2.
  public struct Glyph: Hashable, Sendable {
    public let character: Character
    public let width: Int
  }

  public private(set) var glyphs: [Glyph]
  /// Columns that the glyphs take together.
  public private(set) var width: Int

  /// Characters beyond this many glyphs are cut off: nobody reads a longer name, and nobody shall make us keep it.
  public static let glyphLimit = 256
  /// Scalars looked at in one text, whatever becomes of them.
  static let scalarLimit = 4096

  public init(_ raw: String) {
    var sanitizer = Sanitizer()
    for scalar in raw.unicodeScalars.prefix(Self.scalarLimit) {
      sanitizer.take(scalar)
      if sanitizer.isFull { break }
    }
    self.init(glyphs: sanitizer.finish())
  }

  public init(stringLiteral: String) { self.init(stringLiteral) }

  /// A name for a label: runs of spaces are one space and there are none at the ends; `fallback` if nothing is left.
  public init(name raw: String, fallback: SanitizedText = "unnamed") {
    var glyphs: [Glyph] = []
    for glyph in SanitizedText(raw).glyphs where glyph.character != " " || (glyphs.last?.character ?? " ") != " " {
      glyphs.append(glyph)
    }
    if glyphs.last?.character == " " { glyphs.removeLast() }
    self.init(glyphs: glyphs.isEmpty ? fallback.glyphs : glyphs)
  }

  private init(glyphs: [Glyph]) {
    self.glyphs = glyphs
    width = glyphs.reduce(0) { $0 + $1.width }
  }

  public var isEmpty: Bool { glyphs.isEmpty }
  public var description: String { String(glyphs.map(\.character)) }

  /// At most so many columns of it, an ellipsis at the end where something was cut.
  public func cut(to columns: Int, ellipsis: Character = "…") -> SanitizedText {
    if width <= columns { return self }
    guard columns > 0 else { return "" }
    var kept: [Glyph] = []
    var used = 1
    for glyph in glyphs {
      used += glyph.width
      if used > columns { break }
      kept.append(glyph)
    }
    kept.append(Glyph(character: ellipsis, width: 1))
    return SanitizedText(glyphs: kept)
  }

  /// At most the last so many columns of it, an ellipsis at the front where something was cut.
  public func cutFront(to columns: Int, ellipsis: Character = "…") -> SanitizedText {
    if width <= columns { return self }
    guard columns > 0 else { return "" }
    var kept: [Glyph] = []
    var used = 1
    for glyph in glyphs.reversed() {
      used += glyph.width
      if used > columns { break }
      kept.append(glyph)
    }
    kept.append(Glyph(character: ellipsis, width: 1))
    return SanitizedText(glyphs: kept.reversed())
  }

  /// Only ASCII, and as wide as before: marks that our own sentences have become plainer ones, every other glyph as many
  /// question marks as it has columns.
  public var inASCII: SanitizedText {
    SanitizedText(
      glyphs: glyphs.flatMap { glyph in
        if glyph.character.isASCII { return [glyph] }
        return Array(
          repeating: Glyph(character: Self.plainMarks[glyph.character] ?? "?", width: 1), count: glyph.width)
      })
  }

  private static let plainMarks: [Character: Character] = [
    "“": "\"", "”": "\"", "‘": "'", "’": "'", "…": ".", "–": "-", "—": "-", "·": "-", "×": "x",
  ]

  public static func + (left: Self, right: Self) -> Self { SanitizedText(glyphs: left.glyphs + right.glyphs) }
}

/// Builds glyphs from scalars by the rule above.
private struct Sanitizer {
  private var glyphs: [SanitizedText.Glyph] = []
  private var base: Unicode.Scalar?
  private var marks: [Unicode.Scalar] = []
  private var isJoined = false

  static let marksLimit = 2
  /// Terminals and C libraries know characters up to this version of Unicode well enough to agree on their widths.
  static let newestUnicode = 14

  var isFull: Bool { glyphs.count > SanitizedText.glyphLimit }

  mutating func take(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x20...0x7E: begin(scalar)
    case 0x09...0x0D, 0x85, 0x2028, 0x2029: begin(" ")
    case 0x00...0x1F, 0x7F:
      begin("^")
      begin(Unicode.Scalar(scalar.value ^ 0x40) ?? "�")
    // Regional indicators, the two letters of a flag.
    case 0x1F1E6...0x1F1FF: begin(Unicode.Scalar(0x41 + scalar.value - 0x1F1E6) ?? "�")
    // Braille without dots looks like a space and passes for none.
    case 0x2800: begin(" ")
    case 0x200D: isJoined = base?.properties.isEmoji ?? false
    // Direction marks change nothing but the order of their neighbours; overrides, embeddings and isolates reach further.
    case 0x061C, 0x200E, 0x200F: break
    case 0x202A...0x202E, 0x2066...0x2069: begin("�")
    default: takeOther(scalar)
    }
  }

  private mutating func takeOther(_ scalar: Unicode.Scalar) {
    let properties = scalar.properties
    if properties.isDefaultIgnorableCodePoint { return }
    if ColumnWidth.isDisputed(scalar) || (properties.age?.major ?? .max) > Self.newestUnicode { return begin("�") }
    switch properties.generalCategory {
    case .format: return
    case .control, .surrogate, .privateUse, .unassigned: return begin("�")
    case .spaceSeparator: return begin(" ")
    case .enclosingMark: return
    default: break
    }
    if ColumnWidth.isAttached(scalar) {
      if base != nil, base != " ", marks.count < Self.marksLimit { marks.append(scalar) }
    } else if properties.isEmojiModifier, base?.properties.isEmojiModifierBase ?? false {
      return
    } else {
      begin(scalar)
    }
  }

  private mutating func begin(_ scalar: Unicode.Scalar) {
    let continuesEmoji = isJoined && scalar.value > 0x7F && scalar.properties.isEmoji
    isJoined = false
    if continuesEmoji { return }
    flush()
    base = scalar
  }

  private mutating func flush() {
    guard let base else { return }
    var text = String(Character(base))
    text.unicodeScalars.append(contentsOf: marks)
    // Marks that do not join their base into one grapheme would become a glyph of unknown width.
    let character = text.count == 1 ? Character(text) : Character(base)
    glyphs.append(SanitizedText.Glyph(character: character, width: ColumnWidth.of(base)))
    self.base = nil
    marks.removeAll(keepingCapacity: true)
  }

  mutating func finish() -> [SanitizedText.Glyph] {
    flush()
    if glyphs.count > SanitizedText.glyphLimit {
      glyphs.removeSubrange((SanitizedText.glyphLimit - 1)...)
      glyphs.append(SanitizedText.Glyph(character: "…", width: 1))
    }
    return glyphs
  }
}
