internal import COpenSSL

/// Random numbers that nobody can guess.
public enum Randomness {
  /// `count` bytes from OpenSSL's generator.
  public static func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    // It only fails when the system has no entropy source at all; going on with zeros would be worse than stopping.
    precondition(RAND_bytes(&bytes, Int32(count)) == 1, "the system gives no random numbers")
    return bytes
  }

  /// `count` characters of the 64 that ICE allows in a user fragment or password (RFC 8839 §5.4); 6 bits each.
  static func iceCharacters(_ count: Int) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    return String(decoding: bytes(count).map { alphabet[Int($0 & 63)] }, as: UTF8.self)
  }
}
