import Conference
import Foundation
import Signalling
import Transport

/// An API key and its secret.
struct Credentials: Sendable {
  let key: String
  let secret: String

  /// What servers in development mode take; known to everybody.
  static let development = Credentials(
    key: EmbeddedServer.developmentKey, secret: EmbeddedServer.developmentSecret)

  /// From the flags, else LiveKit's environment variables, else the development pair.
  static func find(key: String?, secretFile: String?) throws(ConferenceError) -> Credentials {
    let environment = ProcessInfo.processInfo.environment
    let secret: String
    if let secretFile {
      secret = try SecretFile.read(secretFile)
    } else if let given = environment.value("LIVEKIT_API_SECRET") {
      secret = given
    } else if key == nil, environment.value("LIVEKIT_API_KEY") == nil {
      return development
    } else {
      throw ConferenceError(.usage, "The key has no secret: give --secret-file or set LIVEKIT_API_SECRET.")
    }
    return Credentials(
      key: key ?? environment.value("LIVEKIT_API_KEY") ?? EmbeddedServer.developmentKey, secret: secret)
  }
}

extension [String: String] {
  /// A variable of the environment; one that is set to nothing is none.
  func value(_ variable: String) -> String? { self[variable].flatMap { $0.isEmpty ? nil : $0 } }
}
