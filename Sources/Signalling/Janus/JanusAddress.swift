/// Where a Janus server and a room on it are: `janus://HOST:PORT/PATH?room=ROOM`, `januss://` with TLS.
public struct JanusAddress: Equatable, Sendable {
  /// The WebSocket to open.
  public let socketURL: String
  /// As the address has it; nil where it names none.
  public let room: String?
  /// Host and port, for messages.
  public let authority: String

  /// Ports of Janus's own sample configuration, for addresses that name none.
  private static let ports = (plain: 8188, secured: 8989)

  /// - Throws: ``AddressError/secretInQuery(_:)`` for a pin, token or secret in the query: addresses end up in histories.
  public init(_ text: String) throws(AddressError) {
    let address = try ServerAddress(text)
    let isSecured: Bool
    switch address.scheme {
    case "janus": isSecured = false
    case "januss": isSecured = true
    default: throw .unsupportedScheme(address.scheme)
    }
    try address.refuseSecrets(besides: ["pin", "secret", "apisecret"])
    let port = address.hasPort ? "" : ":\(isSecured ? Self.ports.secured : Self.ports.plain)"
    authority = address.authority + port
    socketURL = "\(isSecured ? "wss" : "ws")://\(authority)\(address.path.isEmpty ? "/" : address.path)"
    room = address.query.first { $0.name == "room" && !$0.value.isEmpty }?.value
  }
}
