/// The line that is typed after `:`, with a cursor in it.
public struct CommandPrompt: Hashable, Sendable {
  public private(set) var characters: [Character] = []
  /// The character that the next one is put before, 0…count.
  public private(set) var cursor = 0
  /// Why the last try did nothing; until the next key.
  public var problem: SanitizedText?
  /// How many entries back in the history the line was taken from; 0 for a line of its own.
  private var historyDepth = 0
  /// What was typed before the history was looked into.
  private var draft: [Character] = []

  /// Nobody types more, and pasted floods are cut.
  static let limit = 200

  public init(_ text: String = "") {
    characters = Array(text.prefix(Self.limit))
    cursor = characters.count
  }

  public var text: String { String(characters) }
  /// What stands before the cursor.
  var head: String { String(characters[..<cursor]) }

  mutating func insert(_ character: Character) {
    guard characters.count < Self.limit else { return }
    characters.insert(character, at: cursor)
    cursor += 1
  }

  /// Puts `replacement` in the place of the last `count` characters before the cursor.
  mutating func replace(last count: Int, with replacement: String) {
    let start = max(0, cursor - count)
    characters.removeSubrange(start..<cursor)
    let inserted = replacement.prefix(max(0, Self.limit - characters.count))
    characters.insert(contentsOf: inserted, at: start)
    cursor = start + inserted.count
  }

  mutating func deleteBackward() {
    guard cursor > 0 else { return }
    cursor -= 1
    characters.remove(at: cursor)
  }

  mutating func deleteForward() {
    if cursor < characters.count { characters.remove(at: cursor) }
  }

  mutating func deleteToStart() {
    characters.removeFirst(cursor)
    cursor = 0
  }

  mutating func deleteToEnd() { characters.removeLast(characters.count - cursor) }

  /// The word before the cursor, and the spaces between.
  mutating func deleteWord() {
    var start = cursor
    while start > 0, characters[start - 1] == " " { start -= 1 }
    while start > 0, characters[start - 1] != " " { start -= 1 }
    characters.removeSubrange(start..<cursor)
    cursor = start
  }

  mutating func move(by change: Int) { cursor = max(0, min(characters.count, cursor + change)) }
  mutating func moveToStart() { cursor = 0 }
  mutating func moveToEnd() { cursor = characters.count }

  /// Older lines of `history` (newest last) for a positive change, newer ones and at last the draft for a negative one.
  mutating func recall(_ change: Int, in history: [String]) {
    let depth = max(0, min(history.count, historyDepth + change))
    guard depth != historyDepth else { return }
    if historyDepth == 0 { draft = characters }
    historyDepth = depth
    characters = depth == 0 ? draft : Array(history[history.count - depth].prefix(Self.limit))
    cursor = characters.count
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
    case .escape, .control("c"), .control("g"):
      overlay = nil
      return []
    case .enter: return run(prompt)
    case .tab: complete(&prompt)
    case .character(let character): prompt.insert(character)
    case .paste(let text): for character in SanitizedText(text).description { prompt.insert(character) }
    // Emptied and once more: out of it, as in other programs.
    case .backspace where prompt.characters.isEmpty:
      overlay = nil
      return []
    case .backspace, .control("h"): prompt.deleteBackward()
    case .delete, .control("d"): prompt.deleteForward()
    case .control("u"): prompt.deleteToStart()
    case .control("k"): prompt.deleteToEnd()
    case .control("w"): prompt.deleteWord()
    case .left, .control("b"): prompt.move(by: -1)
    case .right, .control("f"): prompt.move(by: 1)
    case .home, .control("a"): prompt.moveToStart()
    case .end, .control("e"): prompt.moveToEnd()
    case .up, .control("p"): prompt.recall(1, in: commandHistory)
    case .down, .control("n"): prompt.recall(-1, in: commandHistory)
    case .control, .backTab, .insert, .pageUp, .pageDown, .function, .mouse: break
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
