/// A failure that a person reads: a stable code, a sentence that says what happened and what to try, and the cause.
public struct ConferenceError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, in a form that programs match on; the raw values stand in the headless output.
  public enum Code: String, Sendable {
    case usage
    case serverUnreachable = "server_unreachable"
    case notTrusted = "not_trusted"
    case notAConferenceServer = "not_a_conference_server"
    case tokenMissing = "token_missing"
    case tokenMalformed = "token_malformed"
    case tokenExpired = "token_expired"
    case tokenNotAccepted = "token_not_accepted"
    case tokenForOtherRoom = "token_for_other_room"
    /// The room has a pin, and none was given.
    case pinMissing = "pin_missing"
    case pinNotAccepted = "pin_not_accepted"
    case joinRefused = "join_refused"
    case mediaFailed = "media_failed"
    case closedByServer = "closed_by_server"
    case nothingReceived = "nothing_received"
    case unreadableFile = "unreadable_file"
    case internalError = "internal_error"

    /// The exit code of the program for this failure.
    public var exitCode: Int32 {
      switch self {
      case .usage, .unreadableFile: 2
      case .serverUnreachable, .notTrusted, .notAConferenceServer: 3
      case .tokenMissing, .tokenMalformed, .tokenExpired, .tokenNotAccepted, .tokenForOtherRoom, .pinMissing,
        .pinNotAccepted:
        4
      case .joinRefused: 5
      case .mediaFailed: 6
      case .closedByServer: 7
      case .nothingReceived: 8
      case .internalError: 70
      }
    }
  }

  /// What went wrong.
  public let code: Code
  /// One or two sentences for a person.
  public let message: String
  /// The failure below this one, if there was one.
  public let cause: (any Error)?

  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message.
  public var description: String { message }
}
