/// How the way to the terminal copes with what it is given.
public struct LinkState: Hashable, Sendable {
  /// 0 while nothing is held back; grows as less is asked of the link.
  public var step: Int
  public var level: PaceLevel
  /// Bytes a second that the link carries when it is at work; nil while it never was for long.
  public var bytesPerSecond: Int?
  /// Frames that left in the last second.
  public var framesPerSecond: Double
  /// From the beginning of the latest frame to its receipt, or to its last byte where no receipts are asked for.
  public var lag: Duration?

  public var isLimited: Bool { step > 0 }
}
