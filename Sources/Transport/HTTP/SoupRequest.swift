internal import CGnome
import RTCCore

/// One request of ours on a session of its own, with a deadline.
@NetworkActor
final class SoupRequest {
  let session: OpaquePointer
  let message: OpaquePointer
  let cancellable: UnsafeMutablePointer<GCancellable>
  private var deadline: NetworkTimer?
  private(set) var hasTimedOut = false

  /// - Parameter certificateAuthorityFile: PEM file of the authorities that are trusted instead of the system's.
  init(
    method: String, url: String, headers: [(String, String)], certificateAuthorityFile: String?, timeout: Duration,
    followsRedirects: Bool = true
  ) throws(TransportError) {
    guard let message = soup_message_new(method, Self.httpURL(url)) else {
      throw .other("“\(url)” is not an address of HTTP or WebSocket")
    }
    var database: UnsafeMutablePointer<GTlsDatabase>?
    if let certificateAuthorityFile {
      var error: UnsafeMutablePointer<GError>?
      guard let read = g_tls_file_database_new(certificateAuthorityFile, &error) else {
        g_object_unref(UnsafeMutableRawPointer(message))
        let reason = error.flatMap { $0.pointee.message.map { String(cString: $0) } } ?? "unreadable"
        g_clear_error(&error)
        throw .notTrusted("the file of authorities \(certificateAuthorityFile) cannot be used: \(reason)")
      }
      database = UnsafeMutableRawPointer(read).assumingMemoryBound(to: GTlsDatabase.self)
    }
    PacedConnection.install
    guard let session = soup_session_new() else { throw .other("libsoup cannot start") }
    guard let cancellable = g_cancellable_new() else { throw .other("libsoup cannot start") }
    if let database {
      soup_session_set_tls_database(session, database)
      g_object_unref(database)
    }
    // A small compressed message could grow without bound.
    soup_session_remove_feature_by_type(session, confab_websocket_manager_type())
    self.session = UnsafeMutableRawPointer(session).opaque
    self.message = message
    // We send our tokens ourselves; for another attempt with a password, the whole body of a 401 would be kept.
    soup_message_disable_feature(message, confab_auth_manager_type())
    if !followsRedirects { soup_message_add_flags(message, SOUP_MESSAGE_NO_REDIRECT) }
    self.cancellable = cancellable
    let fields = soup_message_get_request_headers(message)
    for (name, value) in headers where Self.isField(name, value) { soup_message_headers_append(fields, name, value) }
    deadline = NetworkTimer { [weak self] in self?.timeOut() }
    deadline?.schedule(at: NetworkActor.now + timeout)
  }

  isolated deinit {
    g_object_unref(UnsafeMutableRawPointer(message))
    g_object_unref(UnsafeMutableRawPointer(session))
    g_object_unref(cancellable)
  }

  var soupSession: UnsafeMutablePointer<SoupSession> {
    UnsafeMutableRawPointer(session).assumingMemoryBound(to: SoupSession.self)
  }

  var status: Int { Int(soup_message_get_status(message).rawValue) }

  func cancel() { g_cancellable_cancel(cancellable) }

  /// What has begun may take as long as it likes.
  func endDeadline() { deadline?.cancel() }

  private func timeOut() {
    hasTimedOut = true
    cancel()
  }

  /// libsoup takes only its own names of schemes for requests.
  private static func httpURL(_ url: String) -> String {
    for (scheme, other) in [("ws://", "http://"), ("wss://", "https://")] where url.lowercased().hasPrefix(scheme) {
      return other + url.dropFirst(scheme.count)
    }
    return url
  }

  /// A line break in a value would be a header field of somebody else's choice.
  private static func isField(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && (name + value).utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
  }
}

extension UnsafeMutableRawPointer {
  var opaque: OpaquePointer { OpaquePointer(self) }
}
