/// Which of the last 1024 sequence numbers of a stream have arrived.
struct DuplicateWindow: Sendable {
  private static let size: Int64 = 1024
  private var bits = [UInt64](repeating: 0, count: Int(DuplicateWindow.size / 64))
  private var highest: Int64?

  /// What is known of a sequence number that has just arrived.
  enum Verdict: Equatable, Sendable {
    case new
    case duplicate
    /// Older than the window reaches.
    case tooOld
  }

  /// Marks an unwrapped number as arrived and says what it was.
  mutating func insert(_ number: Int64) -> Verdict {
    guard let highest else {
      self.highest = number
      set(number)
      return .new
    }
    if number > highest {
      if number - highest >= Self.size {
        for index in bits.indices { bits[index] = 0 }
      } else {
        for skipped in (highest + 1)..<number { clear(skipped) }
      }
      self.highest = number
      set(number)
      return .new
    }
    guard highest - number < Self.size else { return .tooOld }
    if isSet(number) { return .duplicate }
    set(number)
    return .new
  }

  private func slot(_ number: Int64) -> (word: Int, mask: UInt64) {
    let position = Int(number & (Self.size - 1))
    return (position / 64, 1 << UInt64(position % 64))
  }
  private func isSet(_ number: Int64) -> Bool {
    let (word, mask) = slot(number)
    return bits[word] & mask != 0
  }
  private mutating func set(_ number: Int64) {
    let (word, mask) = slot(number)
    bits[word] |= mask
  }
  private mutating func clear(_ number: Int64) {
    let (word, mask) = slot(number)
    bits[word] &= ~mask
  }
}
