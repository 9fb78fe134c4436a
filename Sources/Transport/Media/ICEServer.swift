/// A STUN or TURN server, as signalling announces it (RFC 7064, RFC 7065).
public struct ICEServer: Equatable, Sendable {
  /// `stun:host:port`, `turn:host:port?transport=tcp`, `turns:host:port`.
  public var urls: [String]
  public var username: String
  public var credential: String

  public init(urls: [String], username: String = "", credential: String = "") {
    self.urls = urls
    self.username = username
    self.credential = credential
  }

  enum Kind: Equatable { case stun, turnUDP, turnTCP, turnTLS }

  /// One URL taken apart.
  struct Endpoint: Equatable {
    var kind: Kind
    var host: String
    var port: UInt16
  }

  /// The endpoints of the URLs that can be used; others (`stuns:`, malformed) are left out.
  var endpoints: [Endpoint] { urls.compactMap(Self.endpoint) }

  private static func endpoint(_ url: String) -> Endpoint? {
    let parts = url.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    let address = parts[1].split(separator: "?", maxSplits: 1)
    guard let authority = address.first else { return nil }
    let isTCP = address.count == 2 && address[1].lowercased() == "transport=tcp"
    let kind: Kind
    switch parts[0].lowercased() {
    case "stun": kind = .stun
    case "turn": kind = isTCP ? .turnTCP : .turnUDP
    case "turns": kind = .turnTLS
    default: return nil
    }
    let standardPort: UInt16 = kind == .turnTLS ? 5349 : 3478
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      let host = authority[authority.index(after: authority.startIndex)..<end]
      let rest = authority[authority.index(after: end)...]
      guard !host.isEmpty, rest.isEmpty || rest.hasPrefix(":") else { return nil }
      guard !rest.isEmpty else { return Endpoint(kind: kind, host: String(host), port: standardPort) }
      return UInt16(rest.dropFirst()).map { Endpoint(kind: kind, host: String(host), port: $0) }
    }
    let pieces = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard let host = pieces.first, !host.isEmpty, pieces.count <= 2 else { return nil }
    guard pieces.count == 2 else { return Endpoint(kind: kind, host: String(host), port: standardPort) }
    return UInt16(pieces[1]).map { Endpoint(kind: kind, host: String(host), port: $0) }
  }
}
