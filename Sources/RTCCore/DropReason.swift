/// Why a packet or frame that arrived was not used. Every such packet is counted under one of these.
public enum DropReason: String, Hashable, Sendable, CaseIterable {
  /// Bytes that end too early or break their format.
  case malformed
  /// Neither STUN, DTLS, RTP nor RTCP by its first byte (RFC 7983).
  case notMultiplexed = "not_multiplexed"
  /// From an address that no connectivity check has vouched for.
  case unknownAddress = "unknown_address"
  /// STUN whose user name or integrity does not belong to any session.
  case stunUnauthorized = "stun_unauthorized"
  /// Media before the DTLS handshake has proved the fingerprint.
  case beforeHandshake = "before_handshake"
  /// SRTP authentication failed.
  case unauthenticated
  /// SRTP replay: the index was seen before.
  case replayed
  /// An SSRC that no track was announced for.
  case unknownSSRC = "unknown_ssrc"
  /// A payload type that was not negotiated.
  case unknownPayloadType = "unknown_payload_type"
  /// The same sequence number came twice.
  case duplicate
  /// Its frame was already given up or delivered.
  case tooLate = "too_late"
  /// Padding only, used by senders to probe the path.
  case padding
  /// A retransmission of something that nobody waits for.
  case retransmissionUnused = "retransmission_unused"
  /// Nothing can be decoded until a key frame comes.
  case awaitingKeyFrame = "awaiting_key_frame"
  /// Part of a frame of which other packets never came.
  case incompleteFrame = "incomplete_frame"
  /// Refers to a frame that was lost.
  case missingReference = "missing_reference"
  /// A newer frame took its place before it was decoded or drawn.
  case superseded
  /// A queue with a bound was full.
  case queueFull = "queue_full"
  /// The decoder refused it.
  case undecodable
  /// The track is muted, disabled or not subscribed.
  case trackDisabled = "track_disabled"
  /// SCTP data; channels are negotiated but nothing is carried on them yet.
  case dataChannelIdle = "data_channel_idle"
}

/// Counts of dropped packets or frames by reason.
public struct DropCounters: Equatable, Sendable {
  public private(set) var counts: [DropReason: Int] = [:]

  public init() {}

  public mutating func count(_ reason: DropReason, by amount: Int = 1) {
    if amount > 0 { counts[reason, default: 0] += amount }
  }
  public subscript(reason: DropReason) -> Int { counts[reason] ?? 0 }
  public var total: Int { counts.values.reduce(0, +) }
  /// Adds another counter's counts to this one's.
  public mutating func merge(_ other: DropCounters) {
    for (reason, amount) in other.counts { count(reason, by: amount) }
  }
}
