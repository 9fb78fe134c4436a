import Foundation

/// Where a stream is played over WHEP: `https://host/whep/cam1`, or the same as `wheps://`; `whep://` is plain HTTP.
public struct WHEPAddress: Equatable, Sendable {
  /// The endpoint, `http://` or `https://`, without user name and fragment.
  public let url: String
  /// What to call the stream.
  public let name: String
  /// Host and port, for messages.
  public let authority: String

  /// - Throws: ``AddressError/secretInQuery(_:)`` for a token in the query: addresses end up in histories.
  public init(_ text: String) throws(AddressError) {
    let address = try ServerAddress(text)
    let scheme: String
    switch address.scheme {
    case "whep", "http": scheme = "http"
    case "wheps", "https": scheme = "https"
    default: throw .unsupportedScheme(address.scheme)
    }
    try address.refuseSecrets()
    authority = address.authority
    // Path and query go to the server as they were typed; a slash at the end may mean something to it.
    let rest = text[text.index(text.startIndex, offsetBy: address.scheme.count)...].dropFirst(3)
    let end = rest.firstIndex(of: "#") ?? rest.endIndex
    let start = rest[..<end].firstIndex { "/?".contains($0) } ?? end
    let target = String(rest[start..<end])
    url = "\(scheme)://\(authority)\(target.hasPrefix("/") ? target : "/" + target)"
    name = Self.name(of: address)
  }

  /// The parameter that names the stream on some servers, else the last part of the path that is not the same for all.
  private static func name(of address: ServerAddress) -> String {
    for key in ["participant", "stream", "streamname"] {
      if let value = address.query.first(where: { $0.name.lowercased() == key })?.value, !value.isEmpty { return value }
    }
    let generic: Set<String> = ["whep", "play", "webrtc", "whip-play", "endpoint", "api", "rtc", "v1"]
    let last = address.path.split(separator: "/").last { !generic.contains($0.lowercased()) }
    return last.map { $0.removingPercentEncoding ?? String($0) } ?? address.authority
  }

  /// An address that the server at `base` gave, `Location` say; nil when it is no address of HTTP (RFC 3986 §5).
  static func resolve(_ reference: String, against base: String) -> String? {
    guard let base = URL(string: base), reference.utf8.count <= 4096,
      reference.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let url = URL(string: reference, relativeTo: base)?.absoluteURL, ["http", "https"].contains(url.scheme ?? ""),
      url.host != nil
    else { return nil }
    return url.absoluteString
  }

  static func isSecured(_ url: String) -> Bool { url.lowercased().hasPrefix("https://") }
}
