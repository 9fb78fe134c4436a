internal import RTCCore
internal import Screen

/// What a terminal answered.
struct TerminalAnswers: Equatable, Sendable {
  var name: String?
  var primaryAttributes: [Int]?
  var secondaryAttributes: [Int]?
  /// DECRPM's setting of mode 2026.
  var synchronizedUpdates: Int?
  /// A colour of 24 bits was selected, and it is what is selected.
  var keepsDirectColor: Bool?
  /// XTGETTCAP knows `RGB`.
  var hasColorCapability: Bool?
  var cellPixels: PixelSize?
  var background: UInt32?
  var hasKittyGraphics: Bool?
  var sixelColors: Int?
  var sixelSize: PixelSize?
  /// What was asked; empty when nothing was.
  var asked: [TerminalQuestion] = []
  /// From the first question to the last answer; nil when the device attributes did not come in time.
  var duration: Duration?

  /// Remembers the first answer of each kind.
  mutating func note(_ answer: TerminalAnswer) {
    switch answer {
    case .name(let text): name = name ?? text
    case .primaryAttributes(let values): primaryAttributes = primaryAttributes ?? values
    case .secondaryAttributes(let values): secondaryAttributes = secondaryAttributes ?? values
    case .mode(2026, let setting): synchronizedUpdates = synchronizedUpdates ?? setting
    case .foreground(let color): keepsDirectColor = keepsDirectColor ?? (color == TerminalQuestion.testColor)
    case .capability("RGB", let isKnown): hasColorCapability = hasColorCapability ?? isKnown
    case .cellPixels(let width, let height): cellPixels = cellPixels ?? PixelSize(width: width, height: height)
    case .background(let color): background = background ?? color
    case .kittyGraphics(let isTaken): hasKittyGraphics = hasKittyGraphics ?? isTaken
    case .sixelLimit(item: 1, let values): sixelColors = sixelColors ?? values.first
    case .sixelLimit(item: 2, let values) where values.count >= 2:
      sixelSize = sixelSize ?? PixelSize(width: values[0], height: values[1])
    case .mode, .capability, .sixelLimit, .ready, .unknown: break
    }
  }
}

/// A talk with the terminal before the first frame: questions out, bytes and times in, answers when it is over.
///
/// It is over when the device attributes, asked last, have arrived, or when ``limit`` has passed. Keys that come
/// meanwhile are dropped: there is no screen yet that they could be meant for.
struct TerminalProbe {
  /// A terminal across the world answers within it; a mute one costs it once.
  static let limit = Duration.milliseconds(250)
  /// Whoever gives the terminal back sooner than this after the questions waits so long for what is still to come: the
  /// shell would take it for typed text.
  static let patience = Duration.seconds(1)
  /// Answers later than this after the questions do not come any more.
  private static let lateness = Duration.seconds(5)

  private(set) var answers = TerminalAnswers()
  /// Goes on with the session's input: the rest of a late answer belongs to what it holds.
  private(set) var filter = AnswerFilter()
  private var outgoing: [UInt8] = []
  private var attributesDue = 0
  private let start: MonotonicTime

  /// Asks `questions`, of which ``TerminalQuestion/primaryAttributes`` must be the last.
  init(questions: [TerminalQuestion], at now: MonotonicTime) {
    start = now
    ask(questions)
  }

  var deadline: MonotonicTime { start + Self.limit }

  func isFinished(at now: MonotonicTime) -> Bool { attributesDue == 0 || now >= deadline }

  /// The bytes to send now.
  mutating func takeOutput() -> [UInt8] {
    defer { outgoing = [] }
    return outgoing
  }

  mutating func receive(_ bytes: some Sequence<UInt8>, at now: MonotonicTime) {
    for answer in filter.feed(bytes, at: now).answers {
      answers.note(answer)
      guard case .primaryAttributes = answer, attributesDue > 0 else { continue }
      attributesDue -= 1
      if answers.asked.contains(.synchronizedUpdates), !answers.asked.contains(.kittyGraphics), mayKnowKittyGraphics {
        ask([.kittyGraphics, .primaryAttributes])
      }
      if attributesDue == 0 { answers.duration = now - start }
    }
  }

  /// Those who do not say their name, or only hand things on to another terminal, are not asked: what they make of the
  /// question cannot be known.
  private var mayKnowKittyGraphics: Bool {
    guard let name = answers.name?.lowercased() else { return false }
    return !["tmux", "screen", "zellij", "xterm(", "vte("].contains { name.hasPrefix($0) }
  }

  private mutating func ask(_ questions: [TerminalQuestion]) {
    guard !questions.isEmpty else { return }
    outgoing += questions.flatMap(\.bytes)
    answers.asked += questions
    attributesDue += 1
    filter.expectAnswers(until: start + Self.lateness)
  }
}
