internal import CSRTP
import RTCCore

/// Both directions of one connection's SRTP and SRTCP (RFC 3711, RFC 7714), any number of streams.
struct SRTPSession: ~Copyable {
  private let inbound: srtp_t
  private let outbound: srtp_t
  /// Streams that packets were accepted from. libsrtp looks its streams up one after another, so a peer that makes up
  /// SSRCs would slow down everybody.
  private var inboundStreams: Set<UInt32> = []

  /// A room's worth of tracks with their retransmission streams.
  static let maximumInboundStreams = 1024
  /// Bytes that protection may add; callers leave this much room behind a packet.
  static let maximumTrailer = Int(SRTP_MAX_TAG_LEN) + Int(SRTP_MAX_MKI_LEN) + 4
  /// Packets that a retransmission may be older than the newest: two seconds of a fast video stream.
  private static let replayWindow: UInt = 2048

  private static let isInitialized: Bool = srtp_init() == srtp_err_status_ok

  init(keys: SRTPKeys) throws(TransportError) {
    guard Self.isInitialized else { throw .other("libsrtp cannot start") }
    guard keys.outbound.count == keys.profile.keyLength + keys.profile.saltLength,
      keys.inbound.count == keys.outbound.count
    else { throw .dtlsFailed("SRTP keys of the wrong length") }
    // libsrtp keeps one template for streams without a policy of their own, so each direction is a session of it.
    let inbound = try Self.create(keys.profile, keys.inbound, ssrc_any_inbound)
    let outbound: srtp_t
    do throws(TransportError) {
      outbound = try Self.create(keys.profile, keys.outbound, ssrc_any_outbound)
    } catch {
      srtp_dealloc(inbound)
      throw error
    }
    self.inbound = inbound
    self.outbound = outbound
  }

  deinit {
    srtp_dealloc(inbound)
    srtp_dealloc(outbound)
  }

  private static func create(
    _ profile: SRTPProfile, _ key: [UInt8], _ direction: srtp_ssrc_type_t
  ) throws(TransportError) -> srtp_t {
    var policy = policy(profile, direction)
    var key = key
    var handle: srtp_t?
    let status = key.withUnsafeMutableBufferPointer { key in
      policy.key = key.baseAddress
      return srtp_create(&handle, &policy)
    }
    guard status == srtp_err_status_ok, let handle else {
      throw .other("libsrtp refused the keys (\(status.rawValue))")
    }
    return handle
  }

  private static func policy(_ profile: SRTPProfile, _ direction: srtp_ssrc_type_t) -> srtp_policy_t {
    var policy = srtp_policy_t()
    policy.ssrc.type = direction
    profile.set(&policy.rtp)
    profile.set(&policy.rtcp)
    policy.window_size = replayWindow
    // A NACK without RTX is answered with the same packet again (RFC 4585 §6.2.1).
    policy.allow_repeat_tx = 1
    return policy
  }

  /// Protects the RTP packet in the first `length` bytes in place.
  /// - Parameter buffer: `length` and ``maximumTrailer`` bytes or more.
  /// - Returns: the length of the SRTP packet, nil when the bytes are no RTP packet.
  mutating func protectRTP(_ buffer: UnsafeMutableRawBufferPointer, length: Int) -> Int? {
    protect(buffer, length, minimum: 12) { srtp_protect($0, $1, $2) }
  }

  /// As ``protectRTP(_:length:)``, for a compound RTCP packet.
  mutating func protectRTCP(_ buffer: UnsafeMutableRawBufferPointer, length: Int) -> Int? {
    protect(buffer, length, minimum: 8) { srtp_protect_rtcp($0, $1, $2) }
  }

  /// Checks and decrypts an SRTP packet in place.
  /// - Returns: the length of the RTP packet.
  mutating func unprotectRTP(_ packet: UnsafeMutableRawBufferPointer) -> Result<Int, DropError> {
    guard packet.count >= 12 else { return .failure(DropError(.malformed)) }
    let ssrc = UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    let isNew = !inboundStreams.contains(ssrc)
    if isNew, inboundStreams.count >= Self.maximumInboundStreams { return .failure(DropError(.unknownSSRC)) }
    let result = unprotect(packet) { srtp_unprotect($0, $1, $2) }
    if isNew, case .success = result { inboundStreams.insert(ssrc) }
    return result
  }

  /// As ``unprotectRTP(_:)``, for a compound RTCP packet.
  mutating func unprotectRTCP(_ packet: UnsafeMutableRawBufferPointer) -> Result<Int, DropError> {
    guard packet.count >= 8 else { return .failure(DropError(.malformed)) }
    let ssrc = UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    let isNew = !inboundStreams.contains(ssrc)
    if isNew, inboundStreams.count >= Self.maximumInboundStreams { return .failure(DropError(.unknownSSRC)) }
    let result = unprotect(packet) { srtp_unprotect_rtcp($0, $1, $2) }
    if isNew, case .success = result { inboundStreams.insert(ssrc) }
    return result
  }

  private typealias Operation = (
    srtp_t, UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>
  ) -> srtp_err_status_t

  private func protect(
    _ buffer: UnsafeMutableRawBufferPointer, _ length: Int, minimum: Int, _ operation: Operation
  ) -> Int? {
    guard let base = buffer.baseAddress, length >= minimum, buffer.count >= length + Self.maximumTrailer else {
      return nil
    }
    var size = Int32(length)
    return operation(outbound, base, &size) == srtp_err_status_ok ? Int(size) : nil
  }

  private func unprotect(
    _ packet: UnsafeMutableRawBufferPointer, _ operation: Operation
  ) -> Result<Int, DropError> {
    guard let base = packet.baseAddress else { return .failure(DropError(.malformed)) }
    var size = Int32(packet.count)
    switch operation(inbound, base, &size) {
    case srtp_err_status_ok: return .success(Int(size))
    case srtp_err_status_replay_fail: return .failure(DropError(.replayed))
    case srtp_err_status_replay_old: return .failure(DropError(.tooLate))
    case srtp_err_status_auth_fail, srtp_err_status_cipher_fail: return .failure(DropError(.unauthenticated))
    default: return .failure(DropError(.malformed))
    }
  }
}

/// A packet that is not used, and why.
struct DropError: Error, Equatable {
  let reason: DropReason
  init(_ reason: DropReason) { self.reason = reason }
}
