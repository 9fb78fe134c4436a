/// 16-bit RTP sequence number. Ordering wraps at 2^16 (RFC 3550 §A.1).
public struct SequenceNumber: Hashable, Sendable, CustomStringConvertible {
  public let raw: UInt16

  public init(_ raw: UInt16) { self.raw = raw }

  /// Signed steps from `other` to `self`, −32 768 … 32 767.
  public func distance(from other: Self) -> Int { Int(Int16(bitPattern: raw &- other.raw)) }
  public func advanced(by steps: Int) -> Self { Self(raw &+ UInt16(truncatingIfNeeded: steps)) }
  public var next: Self { advanced(by: 1) }
  public var description: String { String(raw) }
}

/// 32-bit RTP media timestamp, in ticks of the payload's clock rate. Ordering wraps at 2^32.
public struct RTPTimestamp: Hashable, Sendable, CustomStringConvertible {
  public let raw: UInt32

  public init(_ raw: UInt32) { self.raw = raw }

  /// Signed ticks from `other` to `self`.
  public func distance(from other: Self) -> Int { Int(Int32(bitPattern: raw &- other.raw)) }
  public func advanced(by ticks: Int) -> Self { Self(raw &+ UInt32(truncatingIfNeeded: ticks)) }
  public var description: String { String(raw) }
}

/// Synchronisation source of an RTP stream (RFC 3550 §3).
public struct SSRC: Hashable, Sendable, CustomStringConvertible {
  public let raw: UInt32

  public init(_ raw: UInt32) { self.raw = raw }
  public var description: String { String(raw) }
}

/// What a track carries.
public enum MediaKind: String, Hashable, Sendable, CaseIterable { case audio, video }

/// A video compression format, by its name in SDP in lower case.
public enum VideoCodec: String, Hashable, Sendable, CaseIterable { case vp8 }

/// RTP clock rates in ticks a second: 90 kHz for all video (RFC 3551 §5), 48 kHz for Opus (RFC 7587 §4.1).
public enum ClockRate {
  public static let video = 90_000
  public static let opus = 48_000
}
