/// A conference system whose rooms can be joined.
public enum RoomSystem: String, Sendable, CaseIterable {
  case liveKit = "livekit"
  case janus
  /// A stream over plain HTTP (draft-ietf-wish-whep).
  case whep
  case millicast

  /// The system that a URL's scheme belongs to; nil for one of nobody's.
  public init?(url: String) {
    guard let end = url.firstRange(of: "://")?.lowerBound else { return nil }
    let scheme = url[..<end].lowercased()
    guard let system = Self.allCases.first(where: { $0.schemes.contains(scheme) }) else { return nil }
    self = system
  }

  /// In lower case.
  public var schemes: [String] {
    switch self {
    case .liveKit: ["ws", "wss", "livekit", "livekits", "http", "https"]
    case .janus: ["janus", "januss"]
    case .whep: ["whep", "wheps"]
    case .millicast: ["millicast"]
    }
  }

  /// Whether nobody gets in without an access token.
  public var needsToken: Bool { self == .liveKit }
}
