import Conference
import Foundation
import Signalling
import Transport

/// Turns what can go wrong while joining into sentences that say what to try.
enum JoinFailure {
  /// What can be told about a token before anybody is asked.
  /// - Parameter room: the room that the person named besides the token, if any.
  static func inspect(token: String, room: String?, now: Int64) throws(ConferenceError) {
    let parsed: LiveKit.AccessToken
    do throws(LiveKit.AccessTokenError) {
      parsed = try LiveKit.AccessToken(parsing: token.trimmingCharacters(in: .whitespacesAndNewlines))
    } catch .empty {
      throw ConferenceError(
        .tokenMissing,
        "An access token is needed: give --token, --token-file or CONFAB_TOKEN, or make one with confab token.")
    } catch {
      throw ConferenceError(
        .tokenMalformed,
        "What was given is not an access token. A token has three parts with dots between; copy it whole.",
        cause: error)
    }
    if let expiry = parsed.claims.expiresAt, expiry + LiveKit.AccessToken.leeway <= now {
      throw ConferenceError(.tokenExpired, "The token expired \(ago(now - expiry)) ago. Ask for a new one.")
    }
    if let room, let granted = parsed.claims.grant?.room, granted != room {
      throw ConferenceError(
        .tokenForOtherRoom,
        "The token is for the room “\(granted.visibleLine)”, not “\(room.visibleLine)”. Ask for one for this room.")
    }
  }

  /// What was given is no address of a room.
  /// - Parameters:
  ///   - secrets: half a sentence that says where a secret goes, for an address that has one.
  ///   - otherwise: what is said of any other address that cannot be used.
  static func address(_ error: AddressError, secrets: String, otherwise: String) -> ConferenceError {
    guard case .secretInQuery(let name) = error else { return ConferenceError(.usage, otherwise, cause: error) }
    return ConferenceError(
      .usage, "Addresses end up in histories, so “\(name.visibleLine)” does not belong into one: \(secrets).",
      cause: error)
  }

  /// The connection could not be opened. `explanation` is what the server's validation endpoint said, if it answered.
  static func connecting(to address: String, _ error: TransportError, explanation: String?) -> ConferenceError {
    switch error {
    case .httpStatus(let status, let body):
      answered(status, explanation ?? body, at: address, cause: error)
    case .notWebSocket:
      ConferenceError(
        .notAConferenceServer, "\(address) answers, but is not a LiveKit server. Check the address and its path.",
        cause: error)
    default: reaching(address, error)
    }
  }

  /// The server answered with a status and a few words instead of a WebSocket.
  private static func answered(
    _ status: Int, _ body: String, at address: String, cause: TransportError
  ) -> ConferenceError {
    let words = body.isPage ? "" : body
    return switch status {
    case 401, 403: refused(words, cause: cause)
    // A token that leaves out who or where is answered with 400 (protocol sheet §2.4).
    case 400 where ["identity", "room"].contains { words.contains($0) }: refused(words, cause: cause)
    case 404 where words.contains("requested room does not exist"):
      ConferenceError(.joinRefused, "The room does not exist, and the server makes none by itself.", cause: cause)
    case 404, 400, 405, 200..<400:
      ConferenceError(
        .notAConferenceServer,
        "\(address) answers, but is not a LiveKit server (HTTP \(status)). Check the address and its path; streams over WHEP are joined with --via whep.",
        cause: cause)
    default:
      ConferenceError(
        .joinRefused,
        "The server refused the join with HTTP \(status)\(reason(words)).",
        cause: cause)
    }
  }

  /// The WebSocket of a Janus server could not be opened.
  static func connectingToJanus(at address: String, _ error: TransportError) -> ConferenceError {
    switch error {
    case .httpStatus(let status, _):
      ConferenceError(
        .notAConferenceServer,
        "\(address) answers HTTP \(status) instead of the WebSocket that Janus speaks on, which usually has port 8188.",
        cause: error)
    case .notWebSocket:
      ConferenceError(
        .notAConferenceServer,
        "\(address) answers, but not with the WebSocket that Janus speaks on, which usually has port 8188.",
        cause: error)
    default: reaching(address, error)
    }
  }

  /// Nobody was reached, or nobody who can be trusted.
  private static func reaching(_ address: String, _ error: TransportError) -> ConferenceError {
    switch error {
    case .notTrusted(let detail):
      ConferenceError(
        .notTrusted,
        "The certificate of \(address) is not trusted (\(detail)). If it is your own authority's, name it with --ca-file.",
        cause: error)
    case .timedOut:
      ConferenceError(
        .serverUnreachable, "\(address) did not answer in time. Check the address, and that no firewall is in between.",
        cause: error)
    default:
      ConferenceError(
        .serverUnreachable, "\(address) cannot be reached: \(error). Check the address, and that the server runs.",
        cause: error)
    }
  }

  /// The connection was open, and ended before the room let us in; nil for reasons that the server gave itself.
  static func entering(_ reason: LeaveReason, system: String) -> ConferenceError? {
    switch reason {
    case .connectionLost:
      ConferenceError(
        .serverUnreachable,
        "The server took the connection, then closed it or fell silent before it let us in. Try again; its log says more."
      )
    case .protocolBroken:
      ConferenceError(
        .notAConferenceServer,
        "What answered does not speak as a \(system) server does. Check the address and its path.")
    default: nil
    }
  }

  static var givenUp: ConferenceError { ConferenceError(.joinRefused, "The join was given up.") }

  /// Which of the refusals of a token this was; servers say it in words.
  private static func refused(_ words: String, cause: any Error) -> ConferenceError {
    let text = words.lowercased()
    if text.contains("expired") {
      return ConferenceError(.tokenExpired, "The server says that the token expired. Ask for a new one.", cause: cause)
    }
    if text.contains("signature") || text.contains("key") || text.contains("crypto") {
      return ConferenceError(
        .tokenNotAccepted,
        "The token was signed with a key or secret that this server does not have. Ask for one made for it; --dev is for servers without keys of their own.",
        cause: cause)
    }
    return ConferenceError(
      .tokenNotAccepted,
      "The server refused the token\(reason(words)). Ask for one that may join.",
      cause: cause)
  }

  /// What the server said, to be put before the end of a sentence.
  private static func reason(_ words: String) -> String {
    let line = words.visibleLine
    return line.isEmpty ? " and did not say why" : ": \(line.withoutStop)"
  }

  private static func ago(_ seconds: Int64) -> String {
    switch seconds {
    case ..<120: "\(seconds) seconds"
    case ..<7_200: "\(seconds / 60) minutes"
    case ..<172_800: "\(seconds / 3_600) hours"
    default: "\(seconds / 86_400) days"
    }
  }
}
