import RTCCore

/// How one source's sequence numbers map to outgoing ones.
///
/// An offset holds from the source number at which it began, so that a late packet is mapped as its neighbours were. Real
/// losses stay gaps; a packet that is not forwarded closes its gap if nothing after it was seen before.
struct SequenceMap: Equatable, Sendable {
  private struct Stretch: Equatable {
    var start: Int64
    var offset: Int64
  }

  /// Offsets are forgotten beyond this many, oldest first: a packet so late is of no use to anybody.
  private static let maximumStretches = 128

  /// In rising order of start; never empty.
  private var stretches: [Stretch]
  /// The highest source number seen.
  private(set) var highest: Int64

  /// A map in which `source` becomes `outgoing`; numbers before `source` are not mapped.
  init(from source: Int64, to outgoing: Int64) {
    stretches = [Stretch(start: source, offset: outgoing &- source)]
    highest = source
  }

  /// The outgoing number of a source number; nil for one before the map began.
  mutating func map(_ source: Int64) -> Int64? {
    if source > highest { highest = source }
    var index = stretches.count
    while index > 0 {
      index -= 1
      if stretches[index].start <= source { return source &+ stretches[index].offset }
    }
    return nil
  }

  /// Leaves `source` out: the numbers after it move down by one. A late one leaves its gap.
  mutating func skip(_ source: Int64) {
    guard source > highest, let last = stretches.last else { return }
    highest = source
    let next = Stretch(start: source &+ 1, offset: last.offset &- 1)
    if last.start == source {
      stretches[stretches.count - 1] = next
    } else {
      stretches.append(next)
      if stretches.count > Self.maximumStretches { stretches.removeFirst() }
    }
  }
}
