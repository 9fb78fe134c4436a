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
    Flag("--name", "N", "display name, when a token is made and on Janus"),
    Flag("--pin-file", "F", "file with the pin of a Janus room, mode 0600 ($CONFAB_PIN)"),
    Flag("--via", "SYSTEM", "what an https address belongs to: livekit or whep"),
    Flag("--dev", nil, "use the development key on a server on this machine"),
    Flag("--ca-file", "F", "trust the certificate authorities in this PEM file too"),
  ]

  let url: String
  /// nil where none was given and none is needed.
  let token: String?
  /// The room that was named, to be checked against the token.
  let room: String?
  let options: JoinOptions

  init(_ flags: Options, publishes: Bool) throws {
    let environment = ProcessInfo.processInfo.environment
    let isDevelopment = flags.has("--dev")
    guard let url = try Self.address(flags, environment) else {
      throw UsageError("A URL to join is needed, such as ws://127.0.0.1:7880 (or LIVEKIT_URL).")
    }
    options = try Self.joinOptions(flags, environment, publishes: publishes)
    self.url = try Self.checked(url, options.system)
    try RoomConnection.inspect(url: url, options: options)
    room = flags.text("--room")
    let given = try Self.givenToken(flags, environment)
    let system = options.system ?? RoomSystem(url: url)
    if publishes, system == .whep || system == .millicast {
      throw UsageError("A stream of WHEP or Millicast can only be watched; publish into a room of LiveKit or Janus.")
    }
    // Our own server lets nobody watch without one, so who could make one means to.
    let isMade = system?.needsToken != false || system == .whep && flags.text("--identity") != nil
    token =
      try given
      ?? (isMade
        ? Self.made(flags, environment, isDevelopment: isDevelopment, publishes: publishes) : nil)
  }

  /// The address as given, or that of a server in development on this machine.
  static func address(_ flags: Options, _ environment: [String: String]) throws(UsageError) -> String? {
    guard flags.words.count <= 1 else { throw UsageError("One URL is joined at a time, not \(flags.words.count).") }
    return flags.words.first ?? environment.value("LIVEKIT_URL") ?? (flags.has("--dev") ? "ws://127.0.0.1:7880" : nil)
  }

  static func joinOptions(
    _ flags: Options, _ environment: [String: String], publishes: Bool
  ) throws -> JoinOptions {
    var options = JoinOptions()
    if let via = try flags.choice("--via", of: RoomSystem.self) { options.system = via }
    options.displayName = flags.text("--name")
    if let file = try flags.file("--pin-file") {
      options.pin = try SecretFile.read(file)
    } else {
      options.pin = environment.value("CONFAB_PIN")
    }
    options.apiSecret = environment.value("CONFAB_API_SECRET")
    options.certificateAuthorityFile = try flags.file("--ca-file").map { URL(fileURLWithPath: $0).path }
    options.subscribes = !publishes
    return options
  }

  private static let known =
    "LiveKit rooms have ws://, wss://, livekit:// or livekits://, rooms of Janus janus:// or januss://, WHEP streams whep:// or wheps:// (or https:// with --via whep), streams of Millicast millicast://."

  /// An address of a system that is known.
  static func checked(_ url: String, _ system: RoomSystem? = nil) throws(UsageError) -> String {
    let components = URLComponents(string: url)
    guard let scheme = components?.scheme?.lowercased() else {
      throw UsageError("“\(url.visibleAddress)” is not a URL. \(known)")
    }
    guard let own = RoomSystem(url: url) else {
      throw UsageError("Addresses with \(scheme.visibleLine):// cannot be joined. \(known)")
    }
    if let system, own != system, !["http", "https"].contains(scheme) || system == .janus {
      throw UsageError("Addresses with \(scheme.visibleLine):// are not for --via \(system.rawValue). \(known)")
    }
    if let port = components?.rangeOfPort.map({ url[$0] }), !port.isEmpty, !(1...65_535).contains(Int(port) ?? 0) {
      throw UsageError(
        "There is no port \(port.visibleLine): in “\(url.visibleAddress)” it must be from 1 to 65535.")
    }
    return url
  }

  /// The token of the environment.
  static func token(in environment: [String: String]) -> String? { environment.value("CONFAB_TOKEN") }

  static func givenToken(_ flags: Options, _ environment: [String: String]) throws -> String? {
    if let token = flags.text("--token") { return token }
    if let file = try flags.file("--token-file") { return try SecretFile.read(file) }
    return token(in: environment)
  }

  private static func made(
    _ flags: Options, _ environment: [String: String], isDevelopment: Bool, publishes: Bool
  ) throws -> String {
    guard isDevelopment || environment.value("LIVEKIT_API_SECRET") != nil else {
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
