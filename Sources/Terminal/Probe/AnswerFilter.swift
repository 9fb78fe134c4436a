internal import RTCCore

/// Parts what comes from a terminal into keys, which go on to ncurses as they are, and answers to questions, which do
/// not: their letters and digits would act as keys.
///
/// Answers come late and in pieces, so a sequence that has begun is held until it is whole, and what is not followed by
/// its rest in time is judged by what it is: an Escape alone was the Escape key, the beginning of an answer is dropped.
/// Told the time with every call; ``deadline`` says when to call ``advance(to:into:)``.
struct AnswerFilter {
  /// What came of some bytes.
  struct Yield: Equatable {
    /// For ncurses.
    var keys: [UInt8] = []
    var answers: [TerminalAnswer] = []
  }

  /// An Escape without more behind it for this long was the key. Terminals send their sequences in one piece; this is
  /// for links that cut them.
  static let escapePatience = Duration.milliseconds(50)
  /// The same while answers are due, when an Escape is far more likely to begin one of them.
  static let expectantPatience = Duration.milliseconds(300)
  /// How long a sequence may pause. Nobody types so far into one by hand.
  static let sequencePatience = Duration.seconds(1)
  /// Bytes of a sequence that are kept; of a longer one the rest is dropped unseen.
  static let longestSequence = 1024

  private enum State {
    case ground
    case escape
    /// After `ESC O` or `ESC [ [`: one byte more.
    case oneMore
    /// After an X10 mouse report's `ESC [ M`: so many bytes of any kind.
    case raw(Int)
    case control
    /// A string, and whether its last byte was an Escape.
    case string(afterEscape: Bool)
  }

  private var state = State.ground
  private var held: [UInt8] = []
  private var isOverlong = false
  /// When the sequence under way is given up; nil when there is none.
  private(set) var deadline: MonotonicTime?
  private var answersDueUntil: MonotonicTime?
  /// An Escape was taken for the key; until then the rest of an answer may still follow.
  private var orphanUntil: MonotonicTime?

  init() {}

  /// Questions were sent: until then, or until the device attributes have arrived, answers are due.
  mutating func expectAnswers(until time: MonotonicTime) { answersDueUntil = time }

  /// Questions were sent, and the device attributes, which are asked last, have not arrived whole.
  var awaitsAnswers: Bool { answersDueUntil != nil }

  /// Takes bytes as they were read.
  mutating func feed(_ bytes: some Sequence<UInt8>, at now: MonotonicTime) -> Yield {
    var yield = Yield()
    advance(to: now, into: &yield)
    var bytes = Array(bytes)[...]
    if adoptsOrphan(bytes, at: now) {
      state = .escape
      held = [0x1B]
    }
    while let byte = bytes.popFirst() { take(byte, into: &yield) }
    if case .ground = state { deadline = nil } else { deadline = now + patience(at: now) }
    return yield
  }

  /// Gives up what has waited for its rest too long.
  mutating func advance(to now: MonotonicTime) -> Yield {
    var yield = Yield()
    advance(to: now, into: &yield)
    return yield
  }

  private mutating func advance(to now: MonotonicTime, into yield: inout Yield) {
    guard let deadline, now >= deadline else { return }
    switch state {
    case .ground, .control, .string: break
    case .escape:
      yield.keys += held
      orphanUntil = now + Self.sequencePatience
    case .oneMore, .raw: yield.keys += held
    }
    finish()
  }

  private func patience(at now: MonotonicTime) -> Duration {
    switch state {
    case .escape, .oneMore: answersDueUntil.map { now < $0 } == true ? Self.expectantPatience : Self.escapePatience
    case .ground, .raw, .control, .string: Self.sequencePatience
    }
  }

  private mutating func finish() {
    state = .ground
    held.removeAll(keepingCapacity: true)
    isOverlong = false
    deadline = nil
  }

  // MARK: Bytes

  private mutating func take(_ byte: UInt8, into yield: inout Yield) {
    switch state {
    case .ground:
      if byte == 0x1B { begin() } else { yield.keys.append(byte) }
    case .escape: takeIntroducer(byte, into: &yield)
    case .oneMore:
      held.append(byte)
      pass(into: &yield)
    case .raw(let count):
      held.append(byte)
      if count == 1 { pass(into: &yield) } else { state = .raw(count - 1) }
    case .control: takeControl(byte, into: &yield)
    case .string(let afterEscape): takeString(byte, afterEscape: afterEscape, into: &yield)
    }
  }

  private mutating func begin() {
    finish()
    held = [0x1B]
    state = .escape
  }

  /// What is held is for ncurses.
  private mutating func pass(into yield: inout Yield) {
    yield.keys += held
    finish()
  }

  private mutating func answer(into yield: inout Yield) {
    let answer = isOverlong ? .unknown : TerminalAnswer(held)
    if case .primaryAttributes = answer { answersDueUntil = nil }
    yield.answers.append(answer)
    finish()
  }

  private mutating func keep(_ byte: UInt8) {
    if held.count < Self.longestSequence { held.append(byte) } else { isOverlong = true }
  }

  private mutating func takeIntroducer(_ byte: UInt8, into yield: inout Yield) {
    switch byte {
    case 0x1B:
      yield.keys += held
      begin()
      return
    case UInt8(ascii: "["): state = .control
    case UInt8(ascii: "O"): state = .oneMore
    case UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "_"): state = .string(afterEscape: false)
    default:
      held.append(byte)
      pass(into: &yield)
      return
    }
    held.append(byte)
  }

  /// ECMA-48 §5.4: parameters and intermediates from 0x20 to 0x3F, then one byte from 0x40.
  private mutating func takeControl(_ byte: UInt8, into yield: inout Yield) {
    switch byte {
    case 0x1B: begin()
    case ..<0x20, 0x7F...:
      // Broken; what broke it is a key.
      finish()
      yield.keys.append(byte)
    case UInt8(ascii: "$") where held.last.map { (0x30...0x39).contains($0) } == true && !hasPrivateLead:
      // rxvt ends the sequences of keys with Shift so.
      held.append(byte)
      pass(into: &yield)
    case ..<0x40: keep(byte)
    case UInt8(ascii: "[") where held.count == 2:
      held.append(byte)
      state = .oneMore
    case UInt8(ascii: "M") where held.count == 2:
      held.append(byte)
      state = .raw(3)
    default:
      keep(byte)
      if hasPrivateLead || Self.answerFinals.contains(byte) || isOverlong {
        answer(into: &yield)
      } else {
        pass(into: &yield)
      }
    }
  }

  /// `?`, `>` and `=` begin answers only; `<` begins mouse reports.
  private var hasPrivateLead: Bool { held.count > 2 && (0x3D...0x3F).contains(held[2]) }
  /// Device attributes, status, window, mode and parameter reports.
  private static let answerFinals = Set("cntxy".utf8)

  private mutating func takeString(_ byte: UInt8, afterEscape: Bool, into yield: inout Yield) {
    if afterEscape {
      guard byte == UInt8(ascii: "\\") else {
        // Another sequence: the string was broken off.
        begin()
        takeIntroducer(byte, into: &yield)
        return
      }
      keep(byte)
      answer(into: &yield)
      return
    }
    if held.count == 2, !Self.begins(held[1], byte) {
      // A key with Alt, and the next key.
      pass(into: &yield)
      take(byte, into: &yield)
      return
    }
    switch byte {
    case 0x1B:
      keep(byte)
      state = .string(afterEscape: true)
    case 7:
      keep(byte)
      answer(into: &yield)
    case ..<0x20:
      finish()
      yield.keys.append(byte)
    default: keep(byte)
    }
  }

  /// An answer's string of the kind `introducer` can begin with this byte.
  private static func begins(_ introducer: UInt8, _ byte: UInt8) -> Bool {
    switch introducer {
    case UInt8(ascii: "P"): (0x30...0x39).contains(byte) || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "!")
    case UInt8(ascii: "]"): (0x30...0x39).contains(byte)
    default: byte == UInt8(ascii: "G")
    }
  }

  // MARK: Orphans

  /// How answers go on behind their Escape.
  private static let continuations = ["[?", "[>", "[0n", "[6;", "P>", "P0", "P1", "]1", "_G"].map { Array($0.utf8) }

  /// The bytes of one read go on where an Escape, taken for the key, left off. Keys come one by one.
  private mutating func adoptsOrphan(_ bytes: ArraySlice<UInt8>, at now: MonotonicTime) -> Bool {
    guard case .ground = state, let limit = orphanUntil, !bytes.isEmpty else { return false }
    orphanUntil = nil
    return now < limit && Self.continuations.contains { bytes.starts(with: $0) }
  }
}
