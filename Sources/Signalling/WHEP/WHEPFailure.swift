import Conference
import RTCCore

/// Why a stream does not play, for a person.
struct WHEPFailure: Equatable, Sendable {
  var code: ConferenceError.Code
  var message: String

  init(_ code: ConferenceError.Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// What is said where nothing that the stream has can be decoded.
  static let decoded =
    "Confab decodes VP8 video and Opus sound: ask for a stream that has them, or leave one out by --no-video or --no-audio"

  /// The server answered an offer with a failure. Codes that mean nothing particular here are told by their class
  /// (draft-ietf-wish-whep §4.1).
  static func refused(_ answer: HTTPAnswer, at authority: String, hasToken: Bool) -> WHEPFailure {
    let words = answer.explanation.visibleLine
    let reason = words.isEmpty ? "" : ": \(words.withoutStop)"
    // Servers that say themselves when to come back are not said after.
    let isAdvised = words.lowercased().contains("try again")
    func advice(_ sentence: String) -> String { isAdvised ? "" : " " + sentence }
    switch answer.status {
    case 401 where !hasToken:
      return WHEPFailure(
        .tokenMissing, "The stream needs a token\(reason). Give one with --token-file or CONFAB_TOKEN.")
    case 401, 403:
      return WHEPFailure(
        .tokenNotAccepted,
        "The server refused the token (HTTP \(answer.status)\(reason)). Ask for one that may watch this stream.")
    case 404, 410:
      return WHEPFailure(
        .joinRefused,
        "There is no such stream at \(authority), or it is not live (HTTP \(answer.status)\(reason)). Check the address."
      )
    case 409:
      return WHEPFailure(
        .joinRefused, "The stream is not live now (HTTP 409\(reason)).\(advice("Try again when it is."))")
    case 405, 501:
      return WHEPFailure(
        .notAConferenceServer,
        "\(authority) takes no offers at this address (HTTP \(answer.status)\(reason)). Check the address and its path."
      )
    case 400, 406, 415, 422:
      return WHEPFailure(
        .joinRefused, "The server cannot use our offer (HTTP \(answer.status)\(reason)). \(decoded).")
    case 429, 503:
      return WHEPFailure(
        .joinRefused,
        "The server has no room for another viewer now (HTTP \(answer.status)\(reason)).\(advice("Try again later."))")
    case 300..<400:
      return WHEPFailure(
        .notAConferenceServer,
        "\(authority) sends us elsewhere in a way that WHEP does not have (HTTP \(answer.status)\(answer["Location"].map { " to \($0.visibleLine)" } ?? "")). Join that address instead."
      )
    case 500...:
      return WHEPFailure(
        .joinRefused, "The server failed (HTTP \(answer.status)\(reason)). Try again later; its log says more.")
    default:
      return WHEPFailure(.joinRefused, "The server refused the offer (HTTP \(answer.status)\(reason)).")
    }
  }

  /// The server said yes, and then nothing that a player can use.
  static func notWHEP(_ authority: String, _ what: String) -> WHEPFailure {
    WHEPFailure(
      .notAConferenceServer,
      "\(authority) answers, but not as a WHEP server does: \(what). Check the address and its path.")
  }

  static func answer(_ error: WHEPOffer.AnswerError, at authority: String) -> WHEPFailure {
    switch error {
    case .unreadable(let reason): return notWHEP(authority, "its session description cannot be read (\(reason))")
    case .sections(let count, let offered):
      return notWHEP(authority, "it answers \(offered) offered sections with \(count)")
    case .otherKinds: return notWHEP(authority, "the sections of its answer are not those of our offer")
    case .noTransport: return notWHEP(authority, "its answer lacks ICE credentials or a SHA-256 fingerprint")
    case .nothingUsable(let codecs): return nothingUsable(codecs)
    }
  }

  static func nothingUsable(_ codecs: [String]) -> WHEPFailure {
    let names = codecs.prefix(4).map { $0.visibleLine.prefix(20) }.joined(separator: ", ")
    return WHEPFailure(
      .mediaFailed,
      names.isEmpty
        ? "The server takes none of what we can decode: its stream is probably H264. \(decoded)."
        : "The stream has \(names). \(decoded).")
  }

  /// The server took the offer, and its media never came through.
  static func noMedia(namesNoAddress: Bool) -> WHEPFailure {
    WHEPFailure(
      .mediaFailed,
      namesNoAddress
        ? "The server named no address for its media, and nothing came from it by itself, so media cannot pass."
        : "The server was reached, but media cannot pass: no path was found, or it could not be secured. A firewall may block UDP."
    )
  }

  /// A stream that played is over, and this is what came of looking for it.
  static func brokenOff(_ last: WHEPFailure) -> WHEPFailure {
    WHEPFailure(.closedByServer, "The stream broke off and did not come back. \(last.message)")
  }

  static func unreachable(_ failure: LinkFailure, at authority: String) -> WHEPFailure {
    switch failure {
    case .notTrusted(let reason):
      WHEPFailure(
        .notTrusted,
        "The certificate of \(authority) is not trusted (\(reason.visibleLine)). If it is your own authority's, name it with --ca-file."
      )
    case .timedOut:
      WHEPFailure(
        .serverUnreachable,
        "\(authority) did not answer in time. Check the address, and that no firewall is in between.")
    case .unreachable(let reason):
      WHEPFailure(
        .serverUnreachable,
        "\(authority) cannot be reached: \(reason.visibleLine). Check the address, and that the server runs.")
    case .refused(let status): notWHEP(authority, "it answers with HTTP \(status)")
    case .notWebSocket: notWHEP(authority, "it does not speak HTTP")
    }
  }
}
