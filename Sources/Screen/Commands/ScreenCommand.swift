import Conference

/// One line of the table of commands, which runs what is typed after `:`, completes it and explains it.
///
/// A new command is one more entry in a table such as ``viewing``, and a table is named in ``all``.
struct ScreenCommand: Sendable {
  /// Lower case, one word.
  var name: String
  var arguments: [CommandArgument]
  var help: String
  /// A key of the same kind, if the command can do something only where that can.
  var key: KeyCommand?
  /// Does it, with one string for each argument that was given.
  var run: @Sendable (inout ScreenState, [String]) throws(CommandProblem) -> [ScreenEffect]

  init(
    _ name: String, _ arguments: [CommandArgument] = [], _ help: String, like key: KeyCommand? = nil,
    run: @escaping @Sendable (inout ScreenState, [String]) throws(CommandProblem) -> [ScreenEffect]
  ) {
    self.name = name
    self.arguments = arguments
    self.help = help
    self.key = key
    self.run = run
  }

  /// `layer low|medium|high|auto [NAME|all]`.
  var usage: String { ([name] + arguments.map(\.usage)).joined(separator: " ") }

  /// Every command, in the order in which they are offered.
  static let all: [ScreenCommand] = viewing + hearing + general

  static func named(_ name: String) -> ScreenCommand? { all.first { $0.name == name.lowercased() } }

  /// Those that can do something there.
  static func offered(for subject: Subject) -> [ScreenCommand] { all.filter { $0.obstacle(for: subject) == nil } }

  /// Why it can do nothing there, in a sentence; nil where it can.
  func obstacle(for subject: Subject) -> String? {
    guard let key, !key.applies(to: subject) else { return nil }
    return subject == .files ? "\(name) is not for clips." : "There is one room only."
  }
}

/// A word, or the rest of the line for the last one, that a command takes.
struct CommandArgument: Sendable {
  /// As the usage shows it, without the brackets of an optional one.
  var label: String
  var isOptional = false
  /// What it can be; empty where anything goes.
  var choices: @Sendable (ScreenState) -> [String] = { _ in [] }
  /// Other text than the choices is refused before the command runs.
  var isStrict = false

  var usage: String { isOptional ? "[\(label)]" : label }

  /// One of some words.
  static func word(_ words: [String], isOptional: Bool = false) -> CommandArgument {
    CommandArgument(
      label: words.joined(separator: "|"), isOptional: isOptional, choices: { _ in words }, isStrict: true)
  }

  /// One of names that the state knows.
  static func choice(
    _ label: String, isOptional: Bool = false, of choices: @escaping @Sendable (ScreenState) -> [String]
  ) -> CommandArgument {
    CommandArgument(label: label, isOptional: isOptional, choices: choices, isStrict: true)
  }

  /// Somebody's tile by name, or one of some other words. Takes the rest of the line, as names have spaces.
  static func tile(or words: [String] = [], isOptional: Bool = true) -> CommandArgument {
    CommandArgument(
      label: (["NAME"] + words).joined(separator: "|"), isOptional: isOptional,
      choices: { state in state.tiles.map { state.label(of: $0).description } + words })
  }

  /// Whatever is typed.
  static func text(_ label: String, isOptional: Bool = false) -> CommandArgument {
    CommandArgument(label: label, isOptional: isOptional)
  }
}

/// Why a command did nothing, in a sentence.
struct CommandProblem: Error, Equatable {
  var text: SanitizedText

  init(_ text: String) { self.text = SanitizedText(text) }
}

extension ScreenCommand {
  /// Runs one line without spaces at its ends.
  static func run(_ line: String, on state: inout ScreenState) throws(CommandProblem) -> [ScreenEffect] {
    var words = line.split(separator: " ").map(String.init)
    guard !words.isEmpty else { return [] }
    let name = words.removeFirst()
    guard let command = named(name) else {
      let names = offered(for: state.subject).map(\.name)
      let nearest = Nearest.match(name.lowercased(), among: names).map { "; did you mean \($0)?" }
      throw CommandProblem("There is no command \(name)\(nearest ?? ". Tab lists them.")")
    }
    if let obstacle = command.obstacle(for: state.subject) { throw CommandProblem(obstacle) }
    return try command.run(&state, command.values(of: words, in: state))
  }

  /// One string for each argument; the last one gets all words that are left.
  private func values(of words: [String], in state: ScreenState) throws(CommandProblem) -> [String] {
    guard !arguments.isEmpty || words.isEmpty else { throw CommandProblem("\(name) takes nothing more.") }
    var words = words[...]
    var values: [String] = []
    for (index, argument) in arguments.enumerated() {
      let isLast = index == arguments.count - 1
      let value = isLast ? words.joined(separator: " ") : words.popFirst() ?? ""
      guard !value.isEmpty else {
        if argument.isOptional { break }
        throw CommandProblem("Something is missing: \(usage)")
      }
      values.append(argument.isStrict ? try Self.chosen(value, among: argument.choices(state), for: self) : value)
    }
    return values
  }

  /// The choice that was meant: in full, or a beginning that only one has.
  private static func chosen(
    _ value: String, among choices: [String], for command: ScreenCommand
  ) throws(CommandProblem) -> String {
    let wanted = value.lowercased()
    if let exact = choices.first(where: { $0.lowercased() == wanted }) { return exact }
    let beginning = choices.filter { $0.lowercased().hasPrefix(wanted) }
    if beginning.count == 1 { return beginning[0] }
    if let nearest = Nearest.match(wanted, among: choices) {
      throw CommandProblem("\(command.name) does not know \(value); did you mean \(nearest)?")
    }
    throw CommandProblem("\(command.name) does not know \(value): \(command.usage)")
  }

  /// What the word that ends `head` can become, and how much of it is typed already.
  static func completions(of head: String, in state: ScreenState) -> (typed: String, candidates: [String]) {
    let start = head.drop { $0 == " " }
    guard let space = start.firstIndex(of: " ") else {
      let typed = String(start)
      return (typed, offered(for: state.subject).map(\.name).filter { $0.hasPrefix(typed.lowercased()) })
    }
    guard let command = named(String(start[..<space])), !command.arguments.isEmpty,
      command.obstacle(for: state.subject) == nil
    else { return ("", []) }
    var rest = start[space...].drop { $0 == " " }
    var index = 0
    while index < command.arguments.count - 1, let end = rest.firstIndex(of: " ") {
      rest = rest[end...].drop { $0 == " " }
      index += 1
    }
    let typed = String(rest)
    let choices = command.arguments[index].choices(state)
    return (typed, choices.filter { $0.lowercased().hasPrefix(typed.lowercased()) })
  }

  /// The command that a line begins with, once its name is followed by a space or complete and alone.
  static func begun(in line: String, for subject: Subject) -> ScreenCommand? {
    let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    guard let first = words.first else { return nil }
    let name = String(first).lowercased()
    let isAlone = !line.drop(while: { $0 == " " }).contains(" ")
    let beginning = isAlone ? offered(for: subject).filter { $0.name.hasPrefix(name) } : []
    return beginning.count > 1 ? nil : named(name) ?? beginning.first
  }
}
