/// How long to wait before something that failed is tried again: each time twice as long, so that whoever has trouble is
/// not run down by those who wait for it.
public struct Backoff: Equatable, Sendable {
  /// After the first failure.
  public var first: Duration
  public var longest: Duration

  public init(from first: Duration, upTo longest: Duration) {
    self.first = first
    self.longest = longest
  }

  /// - Parameter failures: how often it has failed before the time that is waited for now.
  public func pause(after failures: Int) -> Duration {
    // More doublings than any use has, and few enough never to overflow.
    min(first * (1 << min(max(failures, 0), 20)), longest)
  }
}
