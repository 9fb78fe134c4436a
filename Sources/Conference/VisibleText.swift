extension StringProtocol {
  /// Words of a stranger, fit for a sentence on a terminal: one line of at most 120 characters, with spaces for control,
  /// format and other characters that have no glyph.
  public var visibleLine: String {
    // A character has a handful of scalars; one with hundreds is not worth reading to its end.
    let clean = unicodeScalars.prefix(2_000).map { scalar -> Character in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: " "
      default: Character(scalar)
      }
    }
    let trimmed = String(clean).drop { $0.isWhitespace }
    let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
    let line = trimmed[..<end]
    return line.count > 120 ? line.prefix(119) + "…" : String(line)
  }

  /// An address as it was typed, fit for a sentence: a ``visibleLine`` with dots for all places where secrets stand, which
  /// are the user name, the query, the fragment and whatever looks like a token.
  public var visibleAddress: String {
    let text = prefix(2_000)
    let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
    let host = text[start...].lastIndex(of: "@") ?? start
    let end = text[host...].firstIndex { "?#=".contains($0) || $0.isWhitespace } ?? text.endIndex
    let user = host > start ? "…" : ""
    return TokenTrace.masked(text[..<start] + user + text[host..<end] + (end < text.endIndex ? "…" : "")).visibleLine
  }

  /// Whether the body of an answer is a page for people, whose first words say nothing.
  public var isPage: Bool { first { !$0.isWhitespace } == "<" }

  /// Without the full stop of a sentence that goes on.
  public var withoutStop: String { String(hasSuffix(".") ? self[..<index(before: endIndex)] : self[...]) }
}
