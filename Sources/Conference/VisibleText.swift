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
    return String(trimmed[..<end].prefix(120))
  }
}
