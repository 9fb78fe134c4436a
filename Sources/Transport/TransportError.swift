/// Why a connection could not be made or was lost.
public enum TransportError: Error, Equatable, Sendable {
  /// No answer from the host: name not found, refused, no route. The text is the system's.
  case unreachable(String)
  /// The server's TLS certificate does not lead to a trusted authority, or is for another name.
  case notTrusted(String)
  /// The server answered with this HTTP status instead of what was asked for.
  case httpStatus(Int, body: String)
  /// Something answered, but not with the WebSocket handshake (RFC 6455 §4).
  case notWebSocket
  /// Nothing came in the time allowed.
  case timedOut
  /// No candidate pair answered connectivity checks in time, or the one in use stopped (RFC 8445, RFC 7675).
  case iceFailed
  /// The DTLS handshake failed, or its certificate is not the one that signalling announced (RFC 8827 §6.5).
  case dtlsFailed(String)
  /// The address to listen on belongs to another program.
  case addressInUse
  /// The address to listen on belongs to no interface of this machine, or is none.
  case addressNotLocal
  case other(String)
}

extension TransportError: CustomStringConvertible {
  /// Half a sentence, to be put behind one that says what was tried.
  public var description: String {
    switch self {
    case .unreachable(let detail), .notTrusted(let detail): detail
    case .httpStatus(let status, let body): "HTTP status \(status)\(body.isEmpty ? "" : ": \(body.prefix(200))")"
    case .notWebSocket: "no WebSocket at this address"
    case .timedOut: "no answer in time"
    case .iceFailed: "no network path for media was found"
    case .dtlsFailed(let detail): "the media connection could not be secured: \(detail)"
    case .addressInUse: "the address is in use"
    case .addressNotLocal: "the address is not one of this machine"
    case .other(let detail): detail
    }
  }
}
