import Conference
import ConferenceClient
import Foundation
import RTCCore

/// Where to join, as whom, and with what token, from flags and environment.
struct JoinTarget {
  static let flags = [
    Flag("--token", "T", "access token; blanked from the process list"),
    Flag("--token-file", "F", "file with the access token, mode 0600 ($CONFAB_TOKEN)"),
    Flag("--room", "R", "the room; with --identity and an API key a token is made for it"),
    Flag("--identity", "I", "who to be, when a token is made"),
    Flag("--name", "N", "display name, when a token is made"),
    Flag("--dev", nil, "use the development key on a server on this machine"),
    Flag("--ca-file", "F", "trust the certificate authorities in this PEM file too"),
  ]

  let url: String
  let token: String
  /// The room that was named, to be checked against the token.
  let room: String?
  let options: JoinOptions

  init(_ flags: Options, publishes: Bool) throws {
    let environment = ProcessInfo.processInfo.environment
    let isDevelopment = flags.has("--dev")
    guard let url = try Self.address(flags, environment) else {
      throw UsageError("A URL to join is needed, such as ws://127.0.0.1:7880 (or LIVEKIT_URL).")
    }
    self.url = try Self.checked(url)
    room = flags.text("--room")
    token = try Self.token(flags, environment, isDevelopment: isDevelopment, publishes: publishes)
    options = Self.joinOptions(flags, publishes: publishes)
  }

  /// The address as given, or that of a server in development on this machine.
  static func address(_ flags: Options, _ environment: [String: String]) throws(UsageError) -> String? {
    guard flags.words.count <= 1 else { throw UsageError("One URL is joined at a time, not \(flags.words.count).") }
    return flags.words.first ?? environment["LIVEKIT_URL"] ?? (flags.has("--dev") ? "ws://127.0.0.1:7880" : nil)
  }

  static func joinOptions(_ flags: Options, publishes: Bool) -> JoinOptions {
    var options = JoinOptions()
    options.certificateAuthorityFile = flags.text("--ca-file")
    options.subscribes = !publishes
    return options
  }

  /// Schemes of systems that are known, whether or not they can be joined yet.
  static func checked(_ url: String) throws(UsageError) -> String {
    let components = URLComponents(string: url)
    guard let scheme = components?.scheme?.lowercased() else {
      throw UsageError("“\(url)” is not a URL. LiveKit rooms have ws://, wss://, livekit:// or livekits://.")
    }
    guard ["ws", "wss", "livekit", "livekits", "http", "https"].contains(scheme) else {
      throw UsageError(
        "Addresses with \(scheme):// cannot be joined. LiveKit rooms have ws://, wss://, livekit:// or livekits://.")
    }
    if let port = components?.port, !(1...65_535).contains(port) {
      throw UsageError("There is no port \(port): in “\(url)” it must be from 1 to 65535.")
    }
    return url
  }

  /// The token of the environment; a variable that is set to nothing is none.
  static func token(in environment: [String: String]) -> String? {
    environment["CONFAB_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func token(
    _ flags: Options, _ environment: [String: String], isDevelopment: Bool, publishes: Bool
  ) throws -> String {
    if let token = flags.text("--token") { return token }
    if let file = flags.text("--token-file") { return try SecretFile.read(file) }
    if let token = token(in: environment) { return token }
    guard isDevelopment || environment["LIVEKIT_API_SECRET"] != nil else {
      throw ConferenceError(
        .tokenMissing,
        "An access token is needed: --token, --token-file or CONFAB_TOKEN; `confab token` makes one, and so do --room and --identity with --dev."
      )
    }
    guard let room = flags.text("--room"), let identity = flags.text("--identity") else {
      throw UsageError("To make a token, --room and --identity are needed.")
    }
    let credentials = isDevelopment ? .development : try Credentials.find(key: nil, secretFile: nil)
    return try AccessTokenMint.make(
      room: room, identity: identity, name: flags.text("--name"), canPublish: publishes, canSubscribe: true,
      credentials: credentials)
  }
}
