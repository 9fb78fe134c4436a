/// Turns 16-bit sequence numbers into 64-bit ones that never wrap.
///
/// Each number is taken as the nearest one to the highest so far, so numbers may arrive out of order by up to 32 767.
public struct SequenceUnwrapper: Sendable {
  /// The highest unwrapped number so far; nil before the first.
  public private(set) var highest: Int64?

  public init() {}

  /// The unwrapped number; the first one maps to itself plus 2^16, so that earlier ones stay positive.
  public mutating func unwrap(_ sequence: SequenceNumber) -> Int64 {
    let value = peek(sequence)
    if value > highest ?? Int64.min { highest = value }
    return value
  }

  /// What `unwrap` would give, without moving on.
  public func peek(_ sequence: SequenceNumber) -> Int64 {
    guard let highest else { return Int64(sequence.raw) &+ 65_536 }
    let reference = SequenceNumber(UInt16(truncatingIfNeeded: highest))
    return highest &+ Int64(sequence.distance(from: reference))
  }
}

extension SequenceNumber {
  /// The wire form of an unwrapped sequence number.
  public init(unwrapped: Int64) { self.init(UInt16(truncatingIfNeeded: unwrapped)) }
}

/// Turns 32-bit RTP timestamps into 64-bit ones that never wrap, each taken as the nearest to the one before.
public struct TimestampUnwrapper: Sendable {
  private var last: Int64?

  public init() {}

  public mutating func unwrap(_ timestamp: RTPTimestamp) -> Int64 {
    let value: Int64
    if let last {
      let reference = RTPTimestamp(UInt32(truncatingIfNeeded: last))
      value = last &+ Int64(timestamp.distance(from: reference))
    } else {
      value = Int64(timestamp.raw)
    }
    last = value
    return value
  }
}
