import RTCCore

/// One direction of a bad network on virtual time: loses, delays, overtakes and doubles what is sent, the same way for the
/// same seed.
public struct SimulatedLink<Item: Sendable>: Sendable {
  /// Chance 0…1 that an item is lost.
  public var loss = 0.0
  /// Chance 0…1 that an item arrives twice.
  public var duplication = 0.0
  /// Time that every item takes.
  public var delay: Duration
  /// Further time, up to this and evenly spread, by which items overtake each other.
  public var jitter: Duration = .zero
  /// Spans in which everything sent is lost.
  public var outages: [Range<MonotonicTime>] = []

  public private(set) var lostCount = 0
  public private(set) var duplicatedCount = 0
  private var generator: SeededGenerator
  /// In order of arrival.
  private var underway: [(arrival: MonotonicTime, item: Item)] = []

  public init(seed: UInt64, delay: Duration) {
    generator = SeededGenerator(seed: seed)
    self.delay = delay
  }

  public mutating func send(_ item: Item, at now: MonotonicTime) {
    guard !outages.contains(where: { $0.contains(now) }), Double.random(in: 0..<1, using: &generator) >= loss else {
      lostCount += 1
      return
    }
    enqueue(item, at: now)
    if Double.random(in: 0..<1, using: &generator) < duplication {
      duplicatedCount += 1
      enqueue(item, at: now)
    }
  }

  /// When the next item arrives; nil while nothing is underway.
  public var nextArrival: MonotonicTime? { underway.first?.arrival }

  /// What has arrived by `now`, in order.
  public mutating func receive(at now: MonotonicTime) -> [Item] {
    let count = underway.prefix { $0.arrival <= now }.count
    defer { underway.removeFirst(count) }
    return underway.prefix(count).map(\.item)
  }

  private mutating func enqueue(_ item: Item, at now: MonotonicTime) {
    let extra = Double.random(in: 0...1, using: &generator) * Double(jitter.inNanoseconds)
    let arrival = now + delay + .nanoseconds(Int64(extra))
    var place = underway.count
    while place > 0, underway[place - 1].arrival > arrival { place -= 1 }
    underway.insert((arrival, item), at: place)
  }
}
