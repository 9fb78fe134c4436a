extension LiveKit {
  /// Why a text is no address of a room server.
  public enum AddressError: Error, Equatable, Sendable {
    /// Not `scheme://host…`, or with characters that no URL has.
    case malformed
    /// Not one of `ws`, `wss`, `http`, `https`, `livekit`, `livekits`.
    case unsupportedScheme(String)
  }

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
  public static func joinURL(base: String, options: JoinOptions = JoinOptions()) throws(AddressError) -> String {
    let address = try Address(base)
    return "\(address.isSecure ? "wss" : "ws")://\(address.authority)\(address.path)/rtc?\(options.query)"
  }

  /// The HTTP URL that answers why ``joinURL(base:options:)`` would be refused.
  public static func validateURL(base: String, options: JoinOptions = JoinOptions()) throws(AddressError) -> String {
    let address = try Address(base)
    return "\(address.isSecure ? "https" : "http")://\(address.authority)\(address.path)/rtc/validate?\(options.query)"
  }
}

/// The parts of a server's URL that count.
private struct Address {
  var isSecure: Bool
  /// Host and port.
  var authority: Substring
  /// Without a slash at its end.
  var path: Substring

  init(_ text: String) throws(LiveKit.AddressError) {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }),
      let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://"), colon > text.startIndex
    else { throw .malformed }
    let scheme = text[..<colon].lowercased()
    switch scheme {
    case "ws", "http", "livekit": isSecure = false
    case "wss", "https", "livekits": isSecure = true
    default: throw .unsupportedScheme(scheme)
    }
    let rest = text[colon...].dropFirst(3)
    let end = rest.firstIndex { "?#".contains($0) } ?? rest.endIndex
    let slash = rest[..<end].firstIndex(of: "/") ?? end
    authority = rest[..<slash]
    if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
    guard let first = authority.first, first != ":" else { throw .malformed }
    path = rest[slash..<end]
    while path.last == "/" { path.removeLast() }
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
