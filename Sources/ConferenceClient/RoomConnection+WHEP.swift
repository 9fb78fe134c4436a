import Conference
import RTCCore
import Signalling
import Transport

extension RoomConnection {
  /// A connection to a WHEP server, which has not taken our offer yet.
  static func joinWHEP(
    url: String, token: String?, options: JoinOptions, startedAt: MonotonicTime
  ) throws(ConferenceError) -> RoomConnection {
    let address = try whepAddress(url)
    guard options.receivesVideo || options.receivesAudio else {
      throw ConferenceError(.usage, "Without video and without audio nothing is left of a WHEP stream.")
    }
    let media = try MediaConnections()
    var configuration = WHEPSession.Configuration(
      address: address, token: token?.trimmed, local: LocalTransport(media.subscriber))
    configuration.receivesVideo = options.receivesVideo
    configuration.receivesAudio = options.receivesAudio
    configuration.joinTimeout = options.timeout
    let session = WHEPSession(
      configuration: configuration, randomness: SystemRandomNumberGenerator(), openedAt: NetworkActor.now)
    return RoomConnection(session: session, channel: nil, media: media, options: options, startedAt: startedAt)
  }

  nonisolated static func whepAddress(_ url: String) throws(ConferenceError) -> WHEPAddress {
    do throws(AddressError) {
      return try WHEPAddress(url)
    } catch {
      throw JoinFailure.address(
        error, secrets: "a token goes into --token-file or CONFAB_TOKEN",
        otherwise:
          "“\(url.visibleAddress)” cannot be played. WHEP streams have addresses such as wheps://host/path, or https:// with --via whep."
      )
    }
  }
}

extension String {
  /// Without white space around it; nil when nothing is left.
  fileprivate var trimmed: String? {
    let text = trimmingPrefix { $0.isWhitespace }
    let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
    return end == text.startIndex ? nil : String(text[..<end])
  }
}
