/// One flag that a command takes.
struct Flag: Sendable {
  /// With its dashes, as typed: `--seconds`.
  let name: String
  /// What stands for the value in the help; nil for a switch.
  let value: String?
  let help: String

  init(_ name: String, _ value: String? = nil, _ help: String) {
    self.name = name
    self.value = value
    self.help = help
  }
}

/// What is wrong with a command line, as a sentence that says what to type instead.
struct UsageError: Error {
  let message: String

  init(_ message: String) { self.message = message }
}

/// A parsed command line: the flags that were given, and the words that are not flags.
struct Options {
  private(set) var words: [String] = []
  private var values: [String: String] = [:]

  /// Reads `arguments` against the flags of one command. `--flag value` and `--flag=value` both work; `--` ends the flags.
  init(_ arguments: some Sequence<String>, flags: [Flag]) throws(UsageError) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        return
      }
      // A lone dash names standard input.
      guard argument.hasPrefix("-"), argument != "-" else {
        words.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let flag = flags.first(where: { $0.name == parts[0] }) else {
        throw Self.unknown(parts[0], known: flags.map(\.name))
      }
      if flag.value == nil {
        guard parts.count == 1 else { throw UsageError("\(flag.name) takes no value.") }
        values[flag.name] = ""
      } else if parts.count == 2 {
        values[flag.name] = parts[1]
      } else if let value = rest.popFirst() {
        values[flag.name] = value
      } else {
        throw UsageError("\(flag.name) needs a value: \(flag.name) \(flag.value ?? "")")
      }
    }
  }

  func has(_ flag: String) -> Bool { values[flag] != nil }
  func text(_ flag: String) -> String? { values[flag] }

  /// A whole number within `range`.
  func number(_ flag: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = values[flag] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError("\(flag) takes a whole number from \(range.lowerBound) to \(range.upperBound), not “\(text)”.")
    }
    return number
  }

  /// A time in seconds, fractions allowed, above zero.
  func duration(_ flag: String) throws(UsageError) -> Duration? {
    guard let text = values[flag] else { return nil }
    guard let seconds = Double(text), seconds > 0, seconds <= 31_536_000 else {
      throw UsageError("\(flag) takes a number of seconds above 0, not “\(text)”.")
    }
    return .nanoseconds(Int64(seconds * 1e9))
  }

  /// One of a few words.
  func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ flag: String, of _: Value.Type
  ) throws(UsageError) -> Value? {
    guard let text = values[flag] else { return nil }
    guard let value = Value(rawValue: text) else {
      throw UsageError("\(flag) takes \(Value.allCases.map(\.rawValue).joined(separator: ", ")), not “\(text)”.")
    }
    return value
  }

  private static func unknown(_ name: String, known: [String]) -> UsageError {
    guard let nearest = Nearest.match(name, among: known) else {
      return UsageError("There is no option \(name).")
    }
    return UsageError("There is no option \(name); did you mean \(nearest)?")
  }
}

/// Finds the word that somebody most likely meant.
enum Nearest {
  /// The closest of `candidates` by edits, if it is close enough to be worth naming.
  static func match(_ word: String, among candidates: [String]) -> String? {
    let scored = candidates.map { (word: $0, edits: edits(word, $0)) }.min { $0.edits < $1.edits }
    guard let scored, scored.edits <= max(2, word.count / 2) else { return nil }
    return scored.word
  }

  /// Levenshtein distance.
  static func edits(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first), Array(second))
    var row = Array(0...b.count)
    for i in 0..<a.count {
      var diagonal = row[0]
      row[0] = i + 1
      for j in 0..<b.count {
        let replaced = diagonal + (a[i] == b[j] ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[b.count]
  }
}
