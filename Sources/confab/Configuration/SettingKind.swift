/// What values a key of the configuration takes.
enum SettingKind: Hashable, Sendable {
  /// `yes` or `no`, for a switch.
  case truth
  /// One of a few words.
  case choice([String])
  /// A whole number within a range.
  case number(ClosedRange<Int>)
  /// A number within a range, fractions allowed.
  case decimal(ClosedRange<Double>)
  /// Anything that is not empty.
  case text

  static func choice<Value: RawRepresentable<String> & CaseIterable>(of _: Value.Type) -> SettingKind {
    .choice(Value.allCases.map(\.rawValue))
  }

  /// The words for yes and no that people write.
  static func truth(_ word: String) -> Bool? {
    switch word.lowercased() {
    case "yes", "true", "on", "1": true
    case "no", "false", "off", "0": false
    default: nil
    }
  }

  /// What the key takes, to end a sentence, if it does not take `value`.
  func complaint(about value: String) -> String? {
    switch self {
    case .truth: Self.truth(value) == nil ? "yes or no" : nil
    case .choice(let words): words.contains(value) ? nil : words.joined(separator: ", ")
    case .number(let range):
      Int(value).map(range.contains) ?? false
        ? nil : "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .decimal(let range):
      Double(value).map(range.contains) ?? false ? nil : "a number from \(range.lowerBound) to \(range.upperBound)"
    case .text: value.isEmpty ? "a value" : nil
    }
  }
}
