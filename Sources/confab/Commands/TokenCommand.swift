import Conference
import Foundation
import Signalling
import Transport

enum TokenCommand: Command {
  static let name = "token"
  static let synopsis = "--room R --identity I [options]"
  static let summary = "Makes an access token for a room and prints it."
  static let flags = [
    Flag("--room", "R", "the room that the token is for"),
    Flag("--identity", "I", "who joins with it; unique in the room"),
    Flag("--name", "N", "display name (the identity)"),
    Flag("--valid-for", "TIME", "such as 30m, 6h, 2d (6h)"),
    Flag("--no-publish", nil, "may not send"),
    Flag("--no-subscribe", nil, "may not receive"),
    Flag("--dev", nil, "sign with the development key, whatever the environment says"),
    Flag("--key", "K", "API key ($LIVEKIT_API_KEY, else devkey)"),
    Flag(
      "--secret-file", "F", "file with the key's secret, mode 0600 ($LIVEKIT_API_SECRET, else the development secret)"),
  ]

  static func run(_ options: Options) async throws -> Int32 {
    guard options.words.isEmpty else {
      throw UsageError("token takes options only, not “\(options.words[0].visibleLine)”.")
    }
    guard let room = options.text("--room"), let identity = options.text("--identity"), !room.isEmpty, !identity.isEmpty
    else { throw UsageError("A token needs --room and --identity.") }
    let isDevelopment = options.has("--dev")
    guard !isDevelopment || !(options.has("--key") || options.has("--secret-file")) else {
      throw UsageError("--dev brings its own key: leave out --key and --secret-file.")
    }
    let credentials =
      isDevelopment
      ? .development : try Credentials.find(key: options.text("--key"), secretFile: options.file("--secret-file"))
    let token = try AccessTokenMint.make(
      room: room, identity: identity, name: options.text("--name"), validFor: try validity(options.text("--valid-for")),
      canPublish: !options.has("--no-publish"), canSubscribe: !options.has("--no-subscribe"), credentials: credentials)
    return StandardOutput.writeLine(token) ? 0 : ConferenceError.Code.internalError.exitCode
  }

  /// A number and a unit; negative times make expired tokens, for tests of refusal.
  static func validity(_ text: String?) throws(UsageError) -> Duration {
    guard let text else { return .seconds(6 * 3_600) }
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let last = text.last, let unit = units[last], let number = Int(text.dropLast()),
      (-36_500...36_500).contains(number)
    else {
      throw UsageError("--valid-for takes a number and s, m, h or d, such as 6h, not “\(text.visibleLine)”.")
    }
    return .seconds(number * unit)
  }
}
