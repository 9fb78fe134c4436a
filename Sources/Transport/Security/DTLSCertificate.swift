internal import COpenSSL

/// A self-signed certificate with its key, by which a media connection is recognised (RFC 8827 §6.5).
///
/// ECDSA on P-256, made in a millisecond. One may serve any number of connections.
public final class DTLSCertificate: Sendable {
  /// SHA-256 of the certificate, 32 bytes; what `a=fingerprint` carries.
  public let fingerprint: [UInt8]
  /// The settings of all sessions with this certificate. Only read after `init`, and OpenSSL counts its references
  /// with atomics.
  nonisolated(unsafe) let context: OpaquePointer

  public init() throws(TransportError) {
    guard let key = confab_generate_p256_key() else { throw .openSSL("key generation") }
    defer { EVP_PKEY_free(key) }
    guard let certificate = X509_new() else { throw .openSSL("certificate") }
    defer { X509_free(certificate) }
    // Random and positive; the common name says nothing about the machine.
    let serial = Randomness.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1
    let name = X509_get_subject_name(certificate)
    let yesterday = -24 * 60 * 60
    let inOneMonth = 30 * 24 * 60 * 60
    guard X509_set_version(certificate, 2) == 1,
      ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1,
      X509_gmtime_adj(X509_getm_notBefore(certificate), yesterday) != nil,
      X509_gmtime_adj(X509_getm_notAfter(certificate), inOneMonth) != nil,
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, "WebRTC", -1, -1, 0) == 1,
      X509_set_issuer_name(certificate, name) == 1,
      X509_set_pubkey(certificate, key) == 1,
      X509_sign(certificate, key, EVP_sha256()) > 0,
      let fingerprint = Self.fingerprint(of: certificate),
      let context = Self.makeContext(certificate: certificate, key: key)
    else { throw .openSSL("certificate") }
    self.fingerprint = fingerprint
    self.context = context
  }

  deinit { SSL_CTX_free(context) }

  /// SHA-256 over the DER form.
  static func fingerprint(of certificate: OpaquePointer?) -> [UInt8]? {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard X509_digest(certificate, EVP_sha256(), &digest, &length) == 1, length == 32 else { return nil }
    return Array(digest.prefix(32))
  }

  private static func makeContext(certificate: OpaquePointer, key: OpaquePointer) -> OpaquePointer? {
    guard let context = SSL_CTX_new(DTLS_method()) else { return nil }
    _ = SSL_CTX_set_options(context, confab_ssl_options())
    // Datagrams are read whole.
    SSL_CTX_ctrl(context, SSL_CTRL_SET_READ_AHEAD, 1, nil)
    let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"
    // OpenSSL's own list, and P-224, the curve of the certificates that ffmpeg makes when it was built with GnuTLS.
    let groups = "X25519:P-256:X448:P-521:P-384:P-224"
    guard SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(DTLS1_2_VERSION), nil) == 1,
      SSL_CTX_set_cipher_list(context, ciphers) == 1, confab_set_groups(context, groups) == 1,
      SSL_CTX_use_certificate(context, certificate) == 1,
      SSL_CTX_use_PrivateKey(context, key) == 1,
      // This one function answers 0 for success.
      SSL_CTX_set_tlsext_use_srtp(context, SRTPProfile.allCases.map(\.openSSLName).joined(separator: ":")) == 0
    else {
      SSL_CTX_free(context)
      return nil
    }
    return context
  }
}

extension TransportError {
  /// What OpenSSL last complained about, behind the name of what failed.
  static func openSSL(_ what: String) -> TransportError { .other("\(what): \(openSSLReason())") }

  static func openSSLReason() -> String {
    var text = [CChar](repeating: 0, count: 256)
    let code = ERR_get_error()
    guard code != 0 else { return "OpenSSL failed without a reason" }
    ERR_error_string_n(code, &text, text.count)
    return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }
}
