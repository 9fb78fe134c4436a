/// Receiver's side of transport-wide congestion control: notes when each transport-wide sequence number arrived, and
/// writes that into feedback now and then (draft-holmer-rmcat-transport-wide-cc-extensions-01 §3).
public struct TransportFeedbackRecorder: Sendable {
  /// Numbers kept; the window of arrivals is a ring of this size.
  private static let capacity = 2_048
  /// Numbers in one feedback packet, so that it fits a datagram in the worst coding.
  private static let maximumStatuses = 400
  private static let tickNanoseconds: Int64 = 250_000
  private static let ticksPerReference: Int64 = 256

  private struct Arrival {
    var number: Int64
    /// Ticks of 250 µs on the local clock.
    var tick: Int64
  }

  private let localSSRC: SSRC
  private let interval: Duration
  private var unwrapper = SequenceUnwrapper()
  private var arrivals: [Arrival]
  /// Where the next feedback begins.
  private var unreported: Int64?
  private var mediaSSRC: SSRC
  private var feedbackCount: UInt8 = 0
  /// When the arrivals noted so far are to be reported.
  public private(set) var nextDeadline: MonotonicTime?

  /// - Parameters:
  ///   - localSSRC: in whose name is reported.
  ///   - interval: time from a first unreported arrival to its report. Shorter lets senders react sooner and costs more
  ///     upstream. Default 50 ms; 50…250 ms is usual.
  public init(localSSRC: SSRC, interval: Duration = .milliseconds(50)) {
    self.localSSRC = localSSRC
    self.interval = interval
    mediaSSRC = localSSRC
    arrivals = Array(repeating: Arrival(number: -1, tick: 0), count: Self.capacity)
  }

  /// Takes note of a packet. Only the first arrival of a number counts.
  public mutating func received(_ sequence: UInt16, media: SSRC, at now: MonotonicTime) {
    mediaSSRC = media
    let number = unwrapper.unwrap(SequenceNumber(sequence))
    guard let highest = unwrapper.highest, number > highest - Int64(Self.capacity) else { return }
    let index = Int(number % Int64(Self.capacity))
    guard arrivals[index].number != number else { return }
    arrivals[index] = Arrival(number: number, tick: now.nanoseconds / Self.tickNanoseconds)
    // A late packet is reported again together with what came after it.
    unreported = unreported.map { min($0, number) } ?? number
    if nextDeadline == nil { nextDeadline = now + interval }
  }

  /// The feedback that is due, usually none or one.
  public mutating func takeDue(at now: MonotonicTime) -> [TransportFeedback] {
    guard let deadline = nextDeadline, deadline <= now, let highest = unwrapper.highest, let start = unreported else {
      return []
    }
    nextDeadline = nil
    unreported = highest + 1
    var feedbacks: [TransportFeedback] = []
    var number = max(start, highest - Int64(Self.capacity) + 1)
    var found = number
    while found <= highest {
      guard let first = arrival(found) else {
        found += 1
        continue
      }
      // What is missing before the first arrival is listed too, as far as it fits.
      number = max(number, found - Int64(Self.maximumStatuses) + 1)
      feedbacks.append(makeFeedback(from: first, upTo: highest, next: &number))
      found = number
    }
    return feedbacks
  }

  private func arrival(_ number: Int64) -> Arrival? {
    let entry = arrivals[Int(number % Int64(Self.capacity))]
    return entry.number == number ? entry : nil
  }

  private mutating func makeFeedback(from first: Arrival, upTo highest: Int64, next number: inout Int64)
    -> TransportFeedback
  {
    let reference = first.tick >> 8
    var listed: [TransportFeedback.Arrival] = []
    var last = first.tick
    while number <= highest, listed.count < Self.maximumStatuses {
      let sequence = UInt16(truncatingIfNeeded: number)
      if let arrival = arrival(number) {
        guard Int16(exactly: arrival.tick - last) != nil else { break }
        last = arrival.tick
        listed.append(.init(sequence: sequence, offset: Int(arrival.tick - reference * Self.ticksPerReference)))
      } else {
        listed.append(.init(sequence: sequence, offset: nil))
      }
      number += 1
    }
    defer { feedbackCount &+= 1 }
    return TransportFeedback(
      sender: localSSRC, media: mediaSSRC, referenceTime: (Int32(truncatingIfNeeded: reference) << 8) >> 8,
      feedbackCount: feedbackCount, arrivals: listed)
  }
}
