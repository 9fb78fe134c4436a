import Conference

extension Millicast.Address {
  /// What is said to a person when the director gives no direction.
  func sentence(for refusal: Millicast.Refusal, hasToken: Bool) -> (code: ConferenceError.Code, text: String) {
    let name = "\(account)/\(stream)".visibleLine
    switch refusal {
    case .unauthorized(let words) where hasToken:
      return (
        .tokenNotAccepted,
        "The director refused the token for \(name)\(said(words)). Ask for a subscribe token of this stream."
      )
    case .unauthorized(let words):
      return (
        .tokenMissing,
        "The stream \(name) is for holders of a token\(said(words)): give --token, --token-file or CONFAB_TOKEN."
      )
    case .notLive(let words):
      return (
        .joinRefused,
        "Nobody publishes \(name) now, or there is no such stream\(said(words)). Check the name, or try again later."
      )
    case .unavailable(let status, let words):
      return (.serverUnreachable, "The director cannot answer now (HTTP \(status))\(said(words)). Try again later.")
    case .notADirector(let status):
      return (
        .notAConferenceServer,
        "\(directorURL.visibleLine) answers, but not as a Millicast director does (HTTP \(status)). Check the address."
      )
    }
  }

  /// What is said to a person when the director or the server that it names is not reached.
  func sentence(for failure: LinkFailure, isDirector: Bool) -> (code: ConferenceError.Code, text: String) {
    let place = isDirector ? "The director (\(directorURL.visibleLine))" : "The server that the director named"
    switch failure {
    case .unreachable(let detail):
      return (.serverUnreachable, "\(place) cannot be reached: \(detail.visibleLine). Check the network.")
    case .timedOut:
      return (
        .serverUnreachable, "\(place) did not answer in time. Check the network, and that no firewall is between."
      )
    case .notTrusted(let detail):
      return (
        .notTrusted,
        "\(place) shows a certificate that is not trusted (\(detail.visibleLine)). "
          + "If it is your own authority's, name it with --ca-file."
      )
    case .refused(let status):
      return (.joinRefused, "\(place) does not let us in (HTTP \(status)). Try again; the direction may have expired.")
    case .notWebSocket:
      return (.notAConferenceServer, "\(place) answers, but does not speak as a Millicast server does.")
    }
  }

  private func said(_ words: String) -> String {
    let line = words.visibleLine
    return line.isEmpty ? "" : " (“\(line)”)"
  }
}
