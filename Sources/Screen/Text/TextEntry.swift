/// One line of text that somebody types, with a cursor.
///
/// Only characters that a screen can show as they are come in; control characters, escapes and line ends are left out,
/// whether typed or pasted.
public struct TextEntry: Hashable, Sendable {
  private(set) var glyphs: [SanitizedText.Glyph] = []
  /// The glyph before which the next one comes, 0…count.
  public private(set) var cursor = 0
  /// Characters at most; more are left out.
  public let limit: Int

  public init(_ text: String = "", limit: Int) {
    self.limit = limit
    insert(text)
  }

  public var text: String { String(glyphs.map(\.character)) }
  public var isEmpty: Bool { glyphs.isEmpty }

  /// Puts text in at the cursor, which moves behind it.
  public mutating func insert(_ text: String) {
    var added: [SanitizedText.Glyph] = []
    for character in text where glyphs.count + added.count < limit {
      let shown = SanitizedText(String(character)).glyphs
      if shown.count == 1, shown[0].character == character { added.append(shown[0]) }
    }
    glyphs.insert(contentsOf: added, at: cursor)
    cursor += added.count
  }

  /// Replaces everything.
  public mutating func set(_ text: String) {
    glyphs = []
    cursor = 0
    insert(text)
  }

  /// Puts the cursor before a glyph, or at the end when there are fewer.
  public mutating func moveCursor(to index: Int) { cursor = max(0, min(index, glyphs.count)) }

  /// Edits as the usual line editors do; false for a key that has no meaning here.
  public mutating func press(_ key: Key) -> Bool {
    switch key {
    case .character(let character): insert(String(character))
    case .left, .control("b"): moveCursor(to: cursor - 1)
    case .right, .control("f"): moveCursor(to: cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = glyphs.count
    case .backspace, .control("h"): remove(max(0, cursor - 1)..<cursor)
    case .delete, .control("d"): remove(cursor..<min(glyphs.count, cursor + 1))
    case .control("u"): remove(0..<cursor)
    case .control("k"): remove(cursor..<glyphs.count)
    case .control("w"): remove(startOfWord..<cursor)
    default: return false
    }
    return true
  }

  private mutating func remove(_ range: Range<Int>) {
    glyphs.removeSubrange(range)
    cursor = range.lowerBound
  }

  /// Where the word before the cursor begins: what is between two signs of punctuation is a word of an address.
  private var startOfWord: Int {
    var index = cursor
    func isWord(_ glyph: SanitizedText.Glyph) -> Bool { glyph.character.isLetter || glyph.character.isNumber }
    while index > 0, !isWord(glyphs[index - 1]) { index -= 1 }
    while index > 0, isWord(glyphs[index - 1]) { index -= 1 }
    return index
  }

  /// The glyphs that are seen in so many columns: all of them, or those around the cursor.
  ///
  /// The cursor needs a column too, also behind the last glyph; `width` answers the columns of a glyph as it is drawn.
  func visible(in columns: Int, width: (SanitizedText.Glyph) -> Int) -> Range<Int> {
    guard columns > 1 else { return cursor..<cursor }
    // The cursor stays out of the last quarter, so that what comes next is seen too.
    var start = 0
    var used = glyphs[..<cursor].reduce(0) { $0 + width($1) }
    let rest = glyphs[cursor...].reduce(0) { $0 + width($1) }
    if used + rest + 1 > columns {
      let goal = max(columns - 1 - rest, columns - 1 - columns / 4)
      while used > goal, start < cursor {
        used -= width(glyphs[start])
        start += 1
      }
    }
    var end = start
    var room = columns - 1
    while end < glyphs.count, width(glyphs[end]) <= room {
      room -= width(glyphs[end])
      end += 1
    }
    return start..<max(end, cursor)
  }
}
