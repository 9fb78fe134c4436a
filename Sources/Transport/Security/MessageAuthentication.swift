internal import COpenSSL

/// Keyed hashes (RFC 2104).
public enum MessageAuthentication {
  /// 20 bytes; STUN's MESSAGE-INTEGRITY (RFC 8489 §14.5).
  public static func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] { code(EVP_sha1(), key, message) }

  /// 32 bytes; the HS256 of access tokens (RFC 7518 §3.2).
  public static func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] { code(EVP_sha256(), key, message) }

  private static func code(_ hash: OpaquePointer?, _ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    _ = HMAC(hash, key, Int32(key.count), message, message.count, &code, &length)
    return Array(code.prefix(Int(length)))
  }
}
