import Conference
import ConferenceClient
import Foundation
import Screen

/// What is known of where to join when something is still missing, so that a person can be asked for the rest.
struct JoinDraft: Sendable {
  let address: String
  /// A token, or `@FILE`; empty when there is none.
  let token: String
  let room: String
  let identity: String
  /// Display name, when a token is made.
  let name: String?
  /// For making a token; nil when one has to be given.
  let credentials: Credentials?
  let options: JoinOptions

  /// nil when nothing is missing.
  init?(_ flags: Options) throws {
    let environment = ProcessInfo.processInfo.environment
    let isDevelopment = flags.has("--dev")
    let address = try JoinTarget.address(flags, environment)
    let file = try flags.file("--token-file").map { "@" + $0 }
    let token = flags.text("--token") ?? file ?? JoinTarget.token(in: environment)
    let hasKey = token == nil && (isDevelopment || environment.value("LIVEKIT_API_SECRET") != nil)
    let options = try JoinTarget.joinOptions(flags, environment, publishes: false)
    let isOpen = address.flatMap { options.system ?? RoomSystem(url: $0) }?.needsToken == false
    let hasAdmission =
      token != nil || isOpen || hasKey && flags.text("--room") != nil && flags.text("--identity") != nil
    guard address == nil || !hasAdmission else { return nil }
    if let address { _ = try JoinTarget.checked(address, options.system) }
    self.address = address ?? ""
    self.token = token ?? ""
    room = flags.text("--room") ?? ""
    identity = flags.text("--identity") ?? ""
    name = flags.text("--name")
    credentials =
      hasKey ? isDevelopment ? .development : try Credentials.find(key: nil, secretFile: nil) : nil
    self.options = options
  }

  /// The screen that asks for the rest.
  var state: ConnectState {
    ConnectState(
      hasKey: credentials != nil, address: address, token: token, room: room, identity: identity)
  }

  /// Joins as somebody asked for on the screen.
  func join(_ request: ConnectRequest, options: JoinOptions) async throws(ConferenceError) -> RoomConnection {
    let address: String
    do throws(UsageError) {
      address = try JoinTarget.checked(request.address.trimmingCharacters(in: .whitespaces), options.system)
    } catch {
      throw ConferenceError(.usage, error.message, cause: error)
    }
    // Who needs no token may have one all the same.
    let isOpen = (options.system ?? RoomSystem(url: address))?.needsToken == false
    return try await RoomConnection.join(
      url: address, token: try isOpen ? given(request.admission) : token(for: request.admission),
      room: request.expectedRoom, options: options)
  }

  private func given(_ admission: Admission) throws(ConferenceError) -> String? {
    guard case .token(let text) = admission, text.contains(where: { !$0.isWhitespace }) else { return nil }
    return try token(for: admission)
  }

  private func token(for admission: Admission) throws(ConferenceError) -> String {
    switch admission {
    case .token(let text) where text.hasPrefix("@"):
      return try SecretFile.read(NSString(string: String(text.dropFirst())).expandingTildeInPath)
    case .token(let text): return text
    case .identity(let identity, let room):
      return try AccessTokenMint.make(
        room: room, identity: identity, name: name, canPublish: false, canSubscribe: true,
        credentials: credentials ?? .development)
    }
  }
}
