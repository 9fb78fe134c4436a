internal import CGnome

/// Files of certificate authorities that servers' certificates may lead to.
public enum CertificateAuthorities {
  /// Why a PEM file cannot be used, as half a sentence; nil when it can. Its path must be absolute.
  public static func problem(with file: String) -> String? {
    var error: UnsafeMutablePointer<GError>?
    if let database = g_tls_file_database_new(file, &error) {
      g_object_unref(UnsafeMutableRawPointer(database))
      return nil
    }
    defer { g_clear_error(&error) }
    let reason = error.flatMap { $0.pointee.message.map { String(cString: $0) } } ?? "it is unreadable"
    return reason.hasSuffix(".") ? String(reason.dropLast()) : reason
  }
}
