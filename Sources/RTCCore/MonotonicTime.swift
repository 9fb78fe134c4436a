/// A point on a clock that never goes back, in nanoseconds since an arbitrary start.
///
/// Pure code is told the time in this type and never asks a clock for it.
public struct MonotonicTime: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's start.
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The start of the clock; virtual time in tests begins here.
  public static let zero = MonotonicTime(nanoseconds: 0)

  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
  public static func + (time: Self, duration: Duration) -> Self {
    MonotonicTime(nanoseconds: time.nanoseconds &+ duration.inNanoseconds)
  }
  public static func - (time: Self, duration: Duration) -> Self {
    MonotonicTime(nanoseconds: time.nanoseconds &- duration.inNanoseconds)
  }
  /// Time that passed from `earlier` to `later`; negative when they are the other way round.
  public static func - (later: Self, earlier: Self) -> Duration {
    .nanoseconds(later.nanoseconds &- earlier.nanoseconds)
  }
}

extension Duration {
  /// Whole nanoseconds; durations beyond 292 years do not occur here.
  public var inNanoseconds: Int64 {
    components.seconds &* 1_000_000_000 &+ components.attoseconds / 1_000_000_000
  }
  /// Milliseconds with their fraction.
  public var inMilliseconds: Double { Double(inNanoseconds) / 1e6 }
  /// Seconds with their fraction.
  public var inSeconds: Double { Double(inNanoseconds) / 1e9 }
}
