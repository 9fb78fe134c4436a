import Conference

/// What a person is told when a Janus server refuses something, with the code that decides the exit code.
struct JanusRefusal: Equatable, Sendable {
  var code: ConferenceError.Code
  var message: String

  /// What we were about to do.
  enum Step: Equatable, Sendable {
    /// Sessions and handles.
    case connecting
    /// The room, with or without a pin.
    case joining(room: String, hasPin: Bool)
    case publishing
  }

  var event: ConferenceEvent { .refused(code, message) }

  private init(_ code: ConferenceError.Code, _ message: String) {
    self.code = code
    self.message = message
  }

  init(_ failure: JanusFailure, during step: Step, credentials: JanusCredentials) {
    if let core = Self.core(failure, credentials) {
      self = core
    } else if case .joining(let room, let hasPin) = step {
      self = Self.joining(failure, room: room.visibleLine, hasPin: hasPin)
    } else {
      self = Self.general(failure)
    }
  }

  /// Errors of Janus itself (fact sheet §1); nil for those of the plugin.
  private static func core(_ failure: JanusFailure, _ credentials: JanusCredentials) -> JanusRefusal? {
    switch failure.code {
    case JanusFailure.unauthorized:
      if credentials.apiSecret == nil, credentials.token == nil {
        return JanusRefusal(
          .tokenMissing,
          "The Janus server lets nobody in without its API secret or a token: set CONFAB_API_SECRET, or give --token-file."
        )
      }
      return JanusRefusal(
        .tokenNotAccepted,
        "The Janus server does not take this \(credentials.apiSecret == nil ? "token" : "API secret"). Ask its operator for the right one."
      )
    case 405:
      return JanusRefusal(
        .tokenNotAccepted, "The token is good, but not for VideoRoom. Ask the operator for one that covers it.")
    case 470:
      return JanusRefusal(.tokenNotAccepted, "The Janus server does not know this token. Ask for a new one.")
    case JanusFailure.noSuchPlugin:
      return JanusRefusal(
        .notAConferenceServer, "This Janus server has no VideoRoom plugin, so there are no rooms to join on it.")
    case 461:
      return JanusRefusal(
        .joinRefused, "The VideoRoom plugin takes nobody in\(words(failure)). The server's log says more.")
    case JanusFailure.notAcceptingSessions:
      return JanusRefusal(
        .serverUnreachable,
        "The Janus server takes no new sessions at the moment, as before a shutdown. Try again later.")
    case JanusFailure.noSuchSession, JanusFailure.noSuchHandle:
      return JanusRefusal(.closedByServer, "The Janus server forgot this session. Join again.")
    case 468:
      return JanusRefusal(.joinRefused, "The Janus server has another session under this number. Join again.")
    case 450...498:
      return JanusRefusal(
        .joinRefused, "The Janus server refused a request with error \(failure.code)\(words(failure)).")
    default: return nil
    }
  }

  /// Errors of VideoRoom at the door (fact sheet §3).
  private static func joining(_ failure: JanusFailure, room: String, hasPin: Bool) -> JanusRefusal {
    let names = failure.reason.lowercased()
    switch failure.code {
    case JanusFailure.noSuchRoom:
      return JanusRefusal(
        .joinRefused, "There is no room \(room) on this server. `confab rooms` lists those that there are.")
    case JanusFailure.missingElement where names.contains("pin"):
      return JanusRefusal(
        .pinMissing, "The room \(room) has a pin: give it in a file with --pin-file, or in CONFAB_PIN.")
    case 433 where names.contains("pin") || (hasPin && !names.contains("list")):
      return JanusRefusal(.pinNotAccepted, "That is not the pin of the room \(room).")
    case 433:
      return JanusRefusal(
        .tokenNotAccepted,
        "The room \(room) is only for those on its list\(words(failure)). Ask for a token of the room: --token-file.")
    case 432: return full(room: room)
    case JanusFailure.invalidElement:
      return JanusRefusal(
        .joinRefused, "“\(room)” is no name that rooms have on this server\(words(failure)).")
    case 425, 436:
      return JanusRefusal(.joinRefused, "The room \(room) has somebody under our number\(words(failure)). Join again.")
    default: return general(failure)
    }
  }

  private static func full(room: String) -> JanusRefusal {
    JanusRefusal(.joinRefused, "The room \(room) is full: as many publish as it allows.")
  }

  private static func general(_ failure: JanusFailure) -> JanusRefusal {
    switch failure.code {
    case 432: JanusRefusal(.joinRefused, "The room is full: as many publish as it allows.")
    case 433: JanusRefusal(.joinRefused, "The room does not allow that\(words(failure)).")
    case 437: JanusRefusal(.joinRefused, "The room takes nothing of what was offered\(words(failure)).")
    default: JanusRefusal(.joinRefused, "VideoRoom refused a request with error \(failure.code)\(words(failure)).")
    }
  }

  /// What the server said, to be put before the end of a sentence.
  private static func words(_ failure: JanusFailure) -> String {
    let reason = failure.reason.visibleLine
    return reason.isEmpty ? "" : " (\(reason))"
  }
}
