import RTCCore

/// The last packets sent to one subscriber, so that a lost one can be sent again (RFC 4585 §6.2.1).
struct ResendCache: Sendable {
  private struct Entry {
    var sequence: Int64
    var packet: RTPPacket
    var lastSent: MonotonicTime
  }

  /// Shortest time between two sendings of one packet: repeated requests within a round trip ask for the same loss.
  static let minimumInterval: Duration = .milliseconds(10)

  private var entries: [Entry?]

  /// `capacity` packets are kept: 500 of video are some seconds at low rates, 200 of audio are four.
  init(capacity: Int) { entries = Array(repeating: nil, count: max(1, capacity)) }

  /// Keeps a packet that is being sent, or says why it must not be: it was sent before, or is older than what is kept.
  mutating func insert(_ packet: RTPPacket, sequence: Int64, at now: MonotonicTime) -> DropReason? {
    let slot = position(sequence)
    if let old = entries[slot], old.sequence >= sequence { return old.sequence == sequence ? .duplicate : .tooLate }
    entries[slot] = Entry(sequence: sequence, packet: packet, lastSent: now)
    return nil
  }

  /// The packet with this number, if it is kept and was not sent a moment ago.
  mutating func take(_ sequence: Int64, at now: MonotonicTime) -> RTPPacket? {
    let slot = position(sequence)
    guard let entry = entries[slot], entry.sequence == sequence, now - entry.lastSent >= Self.minimumInterval else {
      return nil
    }
    entries[slot]?.lastSent = now
    return entry.packet
  }

  private func position(_ sequence: Int64) -> Int {
    let remainder = Int(sequence % Int64(entries.count))
    return remainder < 0 ? remainder + entries.count : remainder
  }
}
