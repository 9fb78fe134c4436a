/// Decides which missing packets of one RTP stream to ask for again, and when (RFC 4585 §6.2.1).
///
/// Tell it every sequence number that arrives, by any way; ask it at ``nextDeadline`` which are due.
/// Memory and work are bounded by ``Configuration/maximumOutstanding``.
public struct NACKGenerator: Sendable {
  public struct Configuration: Equatable, Sendable {
    /// How long a packet may be overtaken before it is asked for. Raising it saves requests on paths that reorder and
    /// delays every repair by as much. Default 10 ms.
    public var reorderTolerance: Duration = .milliseconds(10)
    /// A packet is asked for at once when the stream has moved on to this many numbers beyond it. Default 2, the depth
    /// at which reordering becomes rarer than loss.
    public var reorderPackets = 2
    /// Requests for one packet before it is left alone. Default 10.
    public var maximumAttempts = 10
    /// Shortest time between two requests for one packet, when the round trip is shorter still. Default 15 ms.
    public var minimumInterval: Duration = .milliseconds(15)
    /// Missing packets kept in mind. A gap that would exceed it is an outage, not loss: nothing of it is asked for, since
    /// a new key frame costs less. Default 250.
    public var maximumOutstanding = 250

    public init() {}
  }

  /// How an arrival changed what is missing.
  public enum Arrival: Equatable, Sendable {
    /// The first number, or the one after the highest.
    case expected
    /// A number beyond the next one; so many before it are missing now.
    case gap(Int)
    /// A number that was missing and is no longer; `requested` says whether it had been asked for.
    case filled(requested: Bool)
    /// A number that was not missing: a duplicate, or one already forgotten.
    case unneeded
    /// The gap was too large; everything missing was forgotten.
    case outage
  }

  private struct Missing {
    var sequence: Int64
    var due: MonotonicTime
    var attempts: Int
  }

  private let configuration: Configuration
  private var unwrapper = SequenceUnwrapper()
  /// In rising order of sequence.
  private var missing: [Missing] = []
  private var interval: Duration = .milliseconds(100)
  /// Requests made so far, counted by sequence numbers.
  public private(set) var requested = 0

  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// Numbers missing now.
  public var outstanding: Int { missing.count }

  /// Requests for one packet are a round trip apart. Before it is told, 100 ms is assumed.
  public mutating func setRoundTrip(_ roundTrip: Duration) {
    interval = max(configuration.minimumInterval, min(roundTrip, .seconds(1)))
  }

  /// Takes note that a packet arrived, be it media, padding or a retransmission (with its original number).
  @discardableResult
  public mutating func received(_ sequence: SequenceNumber, at now: MonotonicTime) -> Arrival {
    let previous = unwrapper.highest
    let number = unwrapper.unwrap(sequence)
    guard let previous else { return .expected }
    guard number > previous else { return fill(number) }
    let skipped = Int(number - previous) - 1
    if missing.count + skipped > configuration.maximumOutstanding {
      missing.removeAll(keepingCapacity: true)
      return .outage
    }
    hasten(before: number, at: now)
    guard skipped > 0 else { return .expected }
    let due = now + configuration.reorderTolerance
    for lost in (previous + 1)..<number {
      let overtaken = number - lost >= Int64(configuration.reorderPackets)
      missing.append(Missing(sequence: lost, due: overtaken ? now : due, attempts: 0))
    }
    return .gap(skipped)
  }

  /// Stops asking for everything before `sequence`.
  public mutating func forget(before sequence: SequenceNumber) {
    let bound = unwrapper.peek(sequence)
    let count = missing.prefix { $0.sequence < bound }.count
    if count > 0 { missing.removeFirst(count) }
  }

  /// Stops asking for anything that is missing now.
  public mutating func forgetAll() { missing.removeAll(keepingCapacity: true) }

  /// Begins anew with the next number, after the sender has restarted its numbering.
  public mutating func restart() {
    forgetAll()
    unwrapper = SequenceUnwrapper()
  }

  /// When `takeDue` should be called next; nil while nothing is missing.
  public var nextDeadline: MonotonicTime? {
    guard var earliest = missing.first?.due else { return nil }
    for entry in missing.dropFirst() where entry.due < earliest { earliest = entry.due }
    return earliest
  }

  /// The numbers to ask for now, in rising order; each is not given again before a round trip has passed. Those whose
  /// last attempt has not helped either are forgotten.
  public mutating func takeDue(at now: MonotonicTime) -> [SequenceNumber] {
    guard !missing.isEmpty else { return [] }
    var due: [SequenceNumber] = []
    var spent = false
    for index in missing.indices where missing[index].due <= now {
      guard missing[index].attempts < configuration.maximumAttempts else {
        spent = true
        continue
      }
      missing[index].attempts += 1
      missing[index].due = now + interval
      due.append(SequenceNumber(unwrapped: missing[index].sequence))
    }
    if spent {
      missing.removeAll { $0.due <= now }
    }
    requested += due.count
    return due
  }

  /// Makes requests due for packets that enough later ones have overtaken by now.
  private mutating func hasten(before number: Int64, at now: MonotonicTime) {
    var index = missing.count
    while index > 0 {
      index -= 1
      // Entries that were asked for, or are due already, have only such ones before them.
      guard missing[index].attempts == 0, missing[index].due > now else { return }
      if number - missing[index].sequence >= Int64(configuration.reorderPackets) { missing[index].due = now }
    }
  }

  private mutating func fill(_ number: Int64) -> Arrival {
    var low = 0
    var high = missing.count
    while low < high {
      let middle = (low + high) / 2
      if missing[middle].sequence < number { low = middle + 1 } else { high = middle }
    }
    guard low < missing.count, missing[low].sequence == number else { return .unneeded }
    let entry = missing.remove(at: low)
    return .filled(requested: entry.attempts > 0)
  }
}
