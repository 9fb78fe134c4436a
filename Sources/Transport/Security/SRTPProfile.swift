internal import COpenSSL
internal import CSRTP

/// The protection profiles that DTLS may choose from, the cheapest for us first (RFC 5764 §4.1.2, RFC 7714 §14.2).
enum SRTPProfile: CaseIterable, Sendable {
  case aes128GCM
  case aes256GCM
  case aes128CMWithSHA1

  var openSSLName: String {
    switch self {
    case .aes128GCM: "SRTP_AEAD_AES_128_GCM"
    case .aes256GCM: "SRTP_AEAD_AES_256_GCM"
    case .aes128CMWithSHA1: "SRTP_AES128_CM_SHA1_80"
    }
  }

  /// The number that the `use_srtp` extension carries.
  init?(identifier: UInt) {
    switch identifier {
    case 0x0001: self = .aes128CMWithSHA1
    case 0x0007: self = .aes128GCM
    case 0x0008: self = .aes256GCM
    default: return nil
    }
  }

  /// Bytes of the master key.
  var keyLength: Int { self == .aes256GCM ? 32 : 16 }
  /// Bytes of the master salt.
  var saltLength: Int { self == .aes128CMWithSHA1 ? 14 : 12 }

  func set(_ policy: inout srtp_crypto_policy_t) {
    switch self {
    case .aes128GCM: srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy)
    case .aes256GCM: srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy)
    // 80-bit tags for RTCP too (RFC 5764 §4.1.2).
    case .aes128CMWithSHA1: srtp_crypto_policy_set_rtp_default(&policy)
    }
  }
}

/// What a DTLS handshake gives to SRTP: for each direction the master key followed by the master salt.
struct SRTPKeys: Equatable, Sendable {
  var profile: SRTPProfile
  var outbound: [UInt8]
  var inbound: [UInt8]
}
