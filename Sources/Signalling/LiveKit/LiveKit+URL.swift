extension LiveKit {
  /// How a client introduces itself in the URL (protocol sheet §2.2). The token never goes there: URLs end up in logs.
  public struct JoinOptions: Equatable, Sendable {
    /// Subscribe to everything that is published.
    public var autoSubscribe = true
    /// Start video at the lowest layer, because the client will ask for what its tiles need.
    public var adaptiveStream = false
    /// The program's version.
    public var version = ""

    public init() {}

    fileprivate var query: String {
      "protocol=\(LiveKit.protocolVersion)&client_protocol=0&sdk=confab&version=\(percentEncoded(version))"
        + "&auto_subscribe=\(autoSubscribe ? 1 : 0)&adaptive_stream=\(adaptiveStream ? 1 : 0)"
    }
  }

  /// The WebSocket URL of a room server: `ws` or `wss`, the path prefix of `base` kept, `/rtc` and the options added.
  /// User name, query and fragment of `base` are left out.
  /// - Throws: ``AddressError/secretInQuery(_:)`` for a token in the query: addresses end up in histories.
  public static func joinURL(base: String, options: JoinOptions = JoinOptions()) throws(AddressError) -> String {
    let (address, isSecure) = try server(base)
    return "\(isSecure ? "wss" : "ws")://\(address.authority)\(address.path)/rtc?\(options.query)"
  }

  /// The HTTP URL that answers why ``joinURL(base:options:)`` would be refused.
  public static func validateURL(base: String, options: JoinOptions = JoinOptions()) throws(AddressError) -> String {
    let (address, isSecure) = try server(base)
    return "\(isSecure ? "https" : "http")://\(address.authority)\(address.path)/rtc/validate?\(options.query)"
  }

  /// The address of a room server for messages: without what ``joinURL(base:options:)`` leaves out.
  public static func shownURL(base: String) throws(AddressError) -> String {
    let (address, _) = try server(base)
    return "\(address.scheme)://\(address.authority)\(address.path)"
  }

  private static func server(_ text: String) throws(AddressError) -> (address: ServerAddress, isSecure: Bool) {
    let address = try ServerAddress(text)
    try address.refuseSecrets()
    switch address.scheme {
    case "ws", "http", "livekit": return (address, false)
    case "wss", "https", "livekits": return (address, true)
    default: throw .unsupportedScheme(address.scheme)
    }
  }
}

/// Everything but RFC 3986's unreserved characters as `%XX`.
private func percentEncoded(_ text: String) -> String {
  var encoded = ""
  for byte in text.utf8 {
    let character = Character(UnicodeScalar(byte))
    if byte < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) {
      encoded.append(character)
    } else {
      encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }
  return encoded
}
