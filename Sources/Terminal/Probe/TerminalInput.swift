internal import Glibc
internal import RTCCore

/// The terminal's input while a session runs: keys go to ncurses, answers to whoever waits for them.
final class TerminalInput {
  private let descriptor: Int32
  private let keys: KeyPipe
  private var filter: AnswerFilter
  /// Few enough that their keys are dealt with before other things have to wait.
  private static let bytesPerTurn = 256

  init(descriptor: Int32, keys: KeyPipe, filter: AnswerFilter) {
    self.descriptor = descriptor
    self.keys = keys
    self.filter = filter
  }

  /// When ``expire(at:)`` is to be called if nothing comes until then; nil when nothing is held.
  var deadline: MonotonicTime? { filter.deadline }

  /// Answers to the questions of the beginning are still to come.
  var awaitsAnswers: Bool { filter.awaitsAnswers }

  /// Reads what is there, hands the keys on, and gives the answers. Only while the descriptor is readable.
  func read(at now: MonotonicTime) -> [TerminalAnswer] {
    var bytes = [UInt8](repeating: 0, count: Self.bytesPerTurn)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    let yield = filter.feed(bytes.prefix(max(0, count)), at: now)
    keys.put(yield.keys)
    return yield.answers
  }

  /// Gives up what has waited too long for its rest; true when that made keys.
  func expire(at now: MonotonicTime) -> Bool {
    let yield = filter.advance(to: now)
    keys.put(yield.keys)
    return !yield.keys.isEmpty
  }
}
