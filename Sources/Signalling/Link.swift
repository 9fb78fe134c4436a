import RTCCore

/// Numbers a conference's connections to its server: one after the other, and two at a time while one takes over from the
/// other. What one of them receives replaces what those with lower numbers receive.
public struct LinkID: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let raw: Int
  public init(_ raw: Int) { self.raw = raw }
  public var description: String { "link \(raw)" }
  public static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }

  /// The connection of systems that have one for as long as the conference lasts.
  public static let only = LinkID(0)
}

/// What an adapter wants done with one of its links.
public enum LinkCommand: Equatable, Sendable {
  /// Make a media connection and open a WebSocket; ``LinkEvent/opened(_:)`` or ``LinkEvent/failed(_:)`` follows. The URL
  /// may carry a token.
  case open(url: String)
  /// A message for the WebSocket.
  case send([UInt8])
  case media(MediaCommand)
  /// Close the WebSocket and the media connection; nothing is told of this link any more.
  case close
}

/// Why a link could not be made or an HTTP request has no answer, as far as it matters for what to say and do.
public enum LinkFailure: Equatable, Sendable {
  /// No answer at all; the text is the system's.
  case unreachable(String)
  case timedOut
  /// The server's certificate is not trusted; the text says why.
  case notTrusted(String)
  /// The request to become a WebSocket was answered with this HTTP status.
  case refused(status: Int)
  /// Something answered that is no WebSocket.
  case notWebSocket
}

/// What became of a link.
public enum LinkEvent: Equatable, Sendable {
  case failed(LinkFailure)
  /// The WebSocket is open, and this is how our descriptions tell of the media connection made for it.
  case opened(LocalTransport)
  case message([UInt8])
  case closed
  case mediaConnected
  /// The media connection failed and will not recover; half a sentence says why.
  case mediaFailed(String)
}
