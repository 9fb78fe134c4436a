import Conference
import Screen

/// One flag that a command takes.
struct Flag: Sendable {
  /// With its dashes, as typed: `--seconds`.
  let name: String
  /// What stands for the value in the help; nil for a switch.
  let value: String?
  let help: String
  /// What the configuration takes under the flag's name without its dashes; nil when it is for command lines only.
  let setting: SettingKind?

  init(_ name: String, _ value: String? = nil, _ help: String, setting: SettingKind? = nil) {
    self.name = name
    self.value = value
    self.help = help
    self.setting = setting
  }

  /// The name as the configuration has it: `--hide-self` is `hide-self`, and `--no-motion` is `motion`, which is then `no`.
  var key: String { Self.key(name).key }

  /// The key of a flag's name, and whether the flag says no to it.
  static func key(_ name: String) -> (key: String, isNegated: Bool) {
    let negation = "--no-"
    let isNegated = name.hasPrefix(negation)
    return (String(isNegated ? name.dropFirst(negation.count) : name.drop { $0 == "-" }), isNegated)
  }
}

/// What is wrong with a command line, as a sentence that says what to type instead.
struct UsageError: Error {
  let message: String

  init(_ message: String) { self.message = message }
}

/// A parsed command line: the flags that were given, and the words that are not flags. Flags that were not given have
/// the values of the configuration.
struct Options {
  private(set) var words: [String] = []
  private var values: [String: String] = [:]
  /// What was given before the first word, and after each of them.
  private var scopes: [[String: String]] = [[:]]
  /// Switches that were turned off in so many words.
  private var denied: Set<String> = []
  private let configuration: Configuration

  /// Reads `arguments` against the flags of one command. `--flag value` and `--flag=value` both work; `--` ends the
  /// flags. A switch that the configuration may turn on is turned off by `--switch=no`.
  init(
    _ arguments: some Sequence<String>, flags: [Flag], configuration: Configuration = Configuration()
  ) throws(UsageError) {
    self.configuration = configuration
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        scopes += rest.map { _ in [:] }
        return
      }
      // A lone dash names standard input.
      guard argument.hasPrefix("-"), argument != "-" else {
        words.append(argument)
        scopes.append([:])
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let flag = flags.first(where: { $0.name == parts[0] }) else {
        throw Self.unknown(parts[0], known: flags.map(\.name))
      }
      if flag.value == nil {
        try turn(flag, to: parts.count == 1 ? nil : parts[1])
      } else if let value = parts.count == 2 ? parts[1] : rest.popFirst() {
        values[flag.name] = value
        scopes[scopes.count - 1][flag.name] = value
      } else {
        throw UsageError("\(flag.name) needs a value: \(flag.name) \(flag.value ?? "")")
      }
    }
  }

  private mutating func turn(_ flag: Flag, to word: String?) throws(UsageError) {
    var isOn = true
    if let word {
      guard flag.setting != nil else { throw UsageError("\(flag.name) takes no value.") }
      guard let truth = SettingKind.truth(word) else {
        throw UsageError("\(flag.name) takes yes or no, or nothing, which is yes; not “\(word.visibleLine)”.")
      }
      isOn = truth
    }
    values[flag.name] = isOn ? "" : nil
    if isOn { denied.remove(flag.name) } else { denied.insert(flag.name) }
  }

  /// The options of one word among several: flags with values hold for the word that they follow, and for all when they
  /// precede the first. Switches hold for all.
  func scoped(to word: Int) -> Options {
    guard words.count > 1, words.indices.contains(word) else { return self }
    var scoped = self
    scoped.words = [words[word]]
    scoped.values = values.filter { $0.value.isEmpty }.merging(scopes[0]) { $1 }.merging(scopes[word + 1]) { $1 }
    scoped.scopes = [[:], [:]]
    return scoped
  }

  /// A switch is on, or a flag has a value.
  func has(_ flag: String) -> Bool {
    guard values[flag] == nil else { return true }
    return !denied.contains(flag) && configuration.has(flag)
  }
  /// Given on the command line, whatever the configuration says.
  func isGiven(_ flag: String) -> Bool { values[flag] != nil || denied.contains(flag) }
  func text(_ flag: String) -> String? { values[flag] ?? configuration.text(flag) }
  /// Where the value of a flag comes from when not from the command line, to be named in messages.
  func origin(_ flag: String) -> String? { isGiven(flag) ? nil : configuration.origin(flag) }

  /// The name of a file, which is not empty.
  func file(_ flag: String) throws(UsageError) -> String? {
    let text = text(flag)
    guard text != "" else { throw UsageError("\(flag) takes the name of a file, not “”.") }
    return text
  }

  /// A whole number within `range`.
  func number(_ flag: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = text(flag) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(flag) takes a whole number from \(range.lowerBound) to \(range.upperBound), not “\(text.visibleLine)”.")
    }
    return number
  }

  /// A number within `range`, fractions allowed.
  func decimal(_ flag: String, in range: ClosedRange<Double>) throws(UsageError) -> Double? {
    guard let text = text(flag) else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw UsageError(
        "\(flag) takes a number from \(range.lowerBound) to \(range.upperBound), not “\(text.visibleLine)”.")
    }
    return number
  }

  /// A time in seconds, fractions allowed, above zero.
  func duration(_ flag: String) throws(UsageError) -> Duration? {
    guard let text = text(flag) else { return nil }
    guard let seconds = Double(text), seconds > 0, seconds <= 31_536_000 else {
      throw UsageError("\(flag) takes a number of seconds above 0, not “\(text.visibleLine)”.")
    }
    return .nanoseconds(Int64(seconds * 1e9))
  }

  /// One of a few words.
  func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ flag: String, of _: Value.Type
  ) throws(UsageError) -> Value? {
    guard let text = text(flag) else { return nil }
    guard let value = Value(rawValue: text) else {
      throw UsageError(
        "\(flag) takes \(Value.allCases.map(\.rawValue).joined(separator: ", ")), not “\(text.visibleLine)”.")
    }
    return value
  }

  private static func unknown(_ name: String, known: [String]) -> UsageError {
    guard let nearest = Nearest.match(name, among: known) else {
      return UsageError("There is no option \(name.visibleLine).")
    }
    return UsageError("There is no option \(name.visibleLine); did you mean \(nearest)?")
  }
}
