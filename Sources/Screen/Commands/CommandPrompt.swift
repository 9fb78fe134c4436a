/// The line that is typed after `:`, with a cursor in it.
public struct CommandPrompt: Hashable, Sendable {
  public private(set) var entry: TextEntry
  /// Why the last try did nothing; until the next key.
  public var problem: SanitizedText?
  /// How many entries back in the history the line was taken from; 0 for a line of its own.
  private var historyDepth = 0
  /// What was typed before the history was looked into.
  private var draft = ""

  /// Nobody types more, and pasted floods are cut.
  static let limit = 200

  public init(_ text: String = "") {
    entry = TextEntry(text, limit: Self.limit)
  }

  public var text: String { entry.text }
  /// What stands before the cursor.
  var head: String { String(entry.glyphs.prefix(entry.cursor).map(\.character)) }

  /// Puts text in at the cursor; what cannot be shown as it is, is there as it is shown.
  mutating func insert(_ text: String) { entry.insert(SanitizedText(text).description) }

  /// Puts `replacement` in the place of the last `count` characters before the cursor.
  mutating func replace(last count: Int, with replacement: String) {
    for _ in 0..<count { _ = entry.press(.backspace) }
    entry.insert(replacement)
  }

  /// Edits the line; false for a key that has no meaning in it.
  mutating func press(_ key: Key) -> Bool { entry.press(key) }

  /// Older lines of `history` (newest last) for a positive change, newer ones and at last the draft for a negative one.
  mutating func recall(_ change: Int, in history: [String]) {
    let depth = max(0, min(history.count, historyDepth + change))
    guard depth != historyDepth else { return }
    if historyDepth == 0 { draft = text }
    historyDepth = depth
    entry.set(depth == 0 ? draft : history[history.count - depth])
  }
}

extension ScreenState {
  /// Lines kept for the up key.
  private static let commandHistoryLimit = 50

  /// Gives a key to the open command line.
  mutating func edit(_ prompt: CommandPrompt, with key: Key) -> [ScreenEffect] {
    var prompt = prompt
    prompt.problem = nil
    switch key {
    case .escape, .control("g"):
      overlay = nil
      return []
    case .enter: return run(prompt)
    case .tab: complete(&prompt)
    case .character(let character): prompt.insert(String(character))
    case .paste(let text): prompt.insert(text)
    // Emptied and once more: out of it, as in other programs.
    case .backspace where prompt.entry.isEmpty:
      overlay = nil
      return []
    case .up, .control("p"): prompt.recall(1, in: commandHistory)
    case .down, .control("n"): prompt.recall(-1, in: commandHistory)
    default: _ = prompt.press(key)
    }
    overlay = .command(prompt)
    return []
  }

  /// Runs the line; one that cannot be run stays, with the reason.
  private mutating func run(_ prompt: CommandPrompt) -> [ScreenEffect] {
    let line = prompt.text.split(separator: " ").joined(separator: " ")
    overlay = nil
    guard !line.isEmpty else { return [] }
    if commandHistory.last != line { commandHistory.append(line) }
    if commandHistory.count > Self.commandHistoryLimit { commandHistory.removeFirst() }
    do throws(CommandProblem) {
      return try ScreenCommand.run(line, on: &self)
    } catch {
      var failed = prompt
      failed.problem = error.text
      overlay = .command(failed)
      return []
    }
  }

  private func complete(_ prompt: inout CommandPrompt) {
    let (typed, candidates) = ScreenCommand.completions(of: prompt.head, in: self)
    guard let first = candidates.first else { return }
    let common = candidates.dropFirst().reduce(first) { common, next in
      String(zip(common, next).prefix { $0.lowercased() == $1.lowercased() }.map(\.0))
    }
    // A whole word is followed by the space that the next one needs.
    let isWhole = candidates.count == 1
    guard isWhole || common.count > typed.count else { return }
    prompt.replace(last: typed.count, with: common + (isWhole ? " " : ""))
  }
}
