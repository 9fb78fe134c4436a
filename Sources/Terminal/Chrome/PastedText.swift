internal import RTCCore
internal import Screen

/// Text on its way in between the marks of a bracketed paste (xterm's mode 2004), in as many pieces as it takes.
struct PastedText {
  /// What a terminal sends before the text, as parameter of a sequence that ends with `~`; 201 comes after it.
  static let begin = "200"
  private static let endMark = Array("\u{1B}[201~".unicodeScalars)
  /// Characters kept of one paste; what follows is read and dropped. Room for the longest token and more.
  static let limit = 16_384
  /// A paste whose end never comes is over when nothing came for so long. Slow links have shorter pauses.
  private static let patience = Duration.seconds(2)

  private var text = String.UnicodeScalarView()
  private var length = 0
  private var matched = 0
  private var lastTaken: MonotonicTime

  init(at now: MonotonicTime) { lastTaken = now }

  var key: Key { .paste(String(text)) }

  func isAbandoned(at now: MonotonicTime) -> Bool { now - lastTaken > Self.patience }

  /// Takes the next character; true when it completes the end mark.
  mutating func take(_ value: UInt32, at now: MonotonicTime) -> Bool {
    lastTaken = now
    guard let scalar = Unicode.Scalar(value) else { return false }
    if scalar == Self.endMark[matched] {
      matched += 1
      return matched == Self.endMark.count
    }
    // The mark begins with Escape and has no second one, so what matched so far was text.
    for held in Self.endMark[..<matched] { append(held) }
    matched = 0
    if scalar == Self.endMark[0] { matched = 1 } else { append(scalar) }
    return false
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    guard length < Self.limit else { return }
    text.append(scalar)
    length += 1
  }
}
