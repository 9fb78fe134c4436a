/// Looks out for a key frame beyond a gap, since it makes everything before it unnecessary.
struct KeyFrameAhead: Sendable {
  private(set) var start: Int64?
  private(set) var isComplete = false
  private var scanned: Int64 = 0

  /// A newer one takes the place of one that is not complete yet.
  mutating func found(at number: Int64) {
    if let start, isComplete || number <= start { return }
    start = number
    scanned = number
  }

  mutating func passed(_ next: Int64) {
    guard let start, start < next else { return }
    self = KeyFrameAhead()
  }

  /// Goes on from where the last scan ended, so that each packet is looked at once.
  mutating func scan(_ window: PacketWindow) {
    guard start != nil else { return }
    while !isComplete, scanned < window.end, case .waiting(let packet) = window[scanned] {
      isComplete = packet.marker
      scanned += 1
    }
  }
}
