extension NTPTime {
  /// Seconds from 1900-01-01 to 1970-01-01 (RFC 5905 §6).
  private static let secondsToUnixEpoch: Int64 = 2_208_988_800

  /// The NTP time of a wall-clock reading in nanoseconds since 1970-01-01 UTC, which the caller has taken.
  ///
  /// Wraps with NTP era 1 in 2036, as the wire format does.
  public init(unixNanoseconds: Int64) {
    let (quotient, remainder) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let seconds = remainder < 0 ? quotient - 1 : quotient
    let nanoseconds = UInt64(remainder < 0 ? remainder + 1_000_000_000 : remainder)
    let high = UInt64(truncatingIfNeeded: seconds &+ Self.secondsToUnixEpoch) << 32
    self.init(raw: high | ((nanoseconds << 32) / 1_000_000_000))
  }

  /// Time from `other` to `self`; exact to a nanosecond for spans under 68 years, era wrap included.
  public func interval(since other: NTPTime) -> Duration {
    let difference = Int64(bitPattern: raw &- other.raw)
    let seconds = difference >> 32
    let fraction = (difference & 0xFFFF_FFFF) * 1_000_000_000
    return .seconds(seconds) + .nanoseconds((fraction + (1 << 31)) >> 32)
  }

  public func advanced(by duration: Duration) -> NTPTime {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = attoseconds / 1_000_000_000
    return NTPTime(
      raw: raw &+ UInt64(bitPattern: seconds &<< 32)
        &+ UInt64(bitPattern: (nanoseconds &<< 32) / 1_000_000_000))
  }
}

/// Ties the monotonic clock to the wall clock, so that pure code can write NTP times. The caller reads both clocks at one
/// moment; later steps of the wall clock do not disturb the mapping.
public struct WallClock: Equatable, Sendable {
  private let reference: MonotonicTime
  private let referenceNTP: NTPTime

  /// - Parameters:
  ///   - unixNanoseconds: the wall clock at `now`, in nanoseconds since 1970-01-01 UTC.
  ///   - now: the other clock at the same moment.
  public init(unixNanoseconds: Int64, at now: MonotonicTime) {
    reference = now
    referenceNTP = NTPTime(unixNanoseconds: unixNanoseconds)
  }

  public func ntpTime(at time: MonotonicTime) -> NTPTime { referenceNTP.advanced(by: time - reference) }
  public func monotonicTime(of ntp: NTPTime) -> MonotonicTime { reference + ntp.interval(since: referenceNTP) }
}
