import Conference
import Foundation
import RTCCore
import Signalling
import Transport

extension RoomConnection {
  /// A viewer of a Millicast stream, which has not let us in yet.
  static func joinMillicast(
    url: String, token: String?, options: JoinOptions, startedAt: MonotonicTime
  ) throws(ConferenceError) -> RoomConnection {
    let token = token?.trimmingCharacters(in: .whitespacesAndNewlines)
    // It goes into a header, where a line break would begin another one.
    guard token?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) != false else {
      throw ConferenceError(
        .tokenMalformed, "What was given is not a subscribe token: it has blanks or odd characters. Copy it whole.")
    }
    var configuration = MillicastSession.Configuration(
      address: try millicastAddress(url), token: token.flatMap { $0.isEmpty ? nil : $0 })
    configuration.subscribes = options.subscribes
    configuration.timeout = options.timeout
    configuration.kinds = []
    if options.receivesVideo { configuration.kinds.insert(.video) }
    if options.receivesAudio { configuration.kinds.insert(.audio) }
    let session = MillicastSession(
      configuration: configuration, randomness: SystemRandomNumberGenerator(), startedAt: NetworkActor.now)
    return RoomConnection(
      session: session, channel: nil, media: try MediaConnections(), options: options, startedAt: startedAt)
  }

  nonisolated static func millicastAddress(_ url: String) throws(ConferenceError) -> Millicast.Address {
    do throws(Millicast.AddressError) {
      return try Millicast.Address(parsing: url)
    } catch {
      let sentence =
        switch error {
        case .malformed:
          "“\(url.visibleAddress)” is not the address of a stream. Those look like millicast://ACCOUNT/STREAM."
        case .directorNotSecure(let director):
          "“\(director.visibleAddress)” cannot be the director: it must be an https:// URL, or http:// on this machine."
        case .unknownOption("token"):
          "Addresses end up in histories, so a token does not belong into one: use --token-file or CONFAB_TOKEN."
        case .unknownOption(let name):
          "“\(name.visibleLine)” cannot stand in the address of a stream. There are director=URL, pin=SOURCE and exclude=SOURCE."
        }
      throw ConferenceError(.usage, sentence, cause: error)
    }
  }
}
