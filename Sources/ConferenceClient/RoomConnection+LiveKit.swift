import Conference
import Foundation
import RTCCore
import Signalling
import Transport

extension RoomConnection {
  /// A connection to a LiveKit server, which has not let us in yet.
  static func joinLiveKit(
    url: String, token: String, room: String?, options: JoinOptions, startedAt: MonotonicTime
  ) async throws(ConferenceError) -> RoomConnection {
    try JoinFailure.inspect(token: token, room: room, now: Int64(Date().timeIntervalSince1970))
    let token = token.trimmingCharacters(in: .whitespacesAndNewlines)
    let addresses = try liveKitAddresses(of: url, options: options)
    let media = try MediaConnections()
    let socket = try await open(addresses, token: token, options: options)
    let session = LiveKitSession(
      configuration: LiveKitSession.Configuration(
        subscriber: LocalTransport(media.subscriber), publisher: LocalTransport(media.publisher)),
      randomness: SystemRandomNumberGenerator(), openedAt: NetworkActor.now)
    return RoomConnection(
      session: session, channel: socket,
      reopening: { (refreshedToken) throws(ConferenceError) in
        try await open(addresses, token: refreshedToken ?? token, options: options)
      },
      media: media, options: options, startedAt: startedAt)
  }

  /// Where to open the signalling connection, where to ask why that was refused, and what to call the server.
  struct LiveKitAddresses {
    fileprivate var join: String
    fileprivate var validate: String
    fileprivate var shown: String
  }

  nonisolated static func liveKitAddresses(
    of url: String, options: JoinOptions
  ) throws(ConferenceError) -> LiveKitAddresses {
    var introduction = LiveKit.JoinOptions()
    introduction.autoSubscribe = options.subscribes
    do throws(AddressError) {
      return LiveKitAddresses(
        join: try LiveKit.joinURL(base: url, options: introduction),
        validate: try LiveKit.validateURL(base: url, options: introduction), shown: try LiveKit.shownURL(base: url))
    } catch {
      throw JoinFailure.address(
        error, secrets: "a token goes into --token-file or CONFAB_TOKEN",
        otherwise:
          "“\(url.visibleAddress)” cannot be joined. LiveKit servers have ws://, wss://, livekit:// or livekits://.")
    }
  }

  /// Opens the signalling connection, and asks the server for its reason when it refuses.
  private static func open(
    _ addresses: LiveKitAddresses, token: String, options: JoinOptions
  ) async throws(ConferenceError) -> WebSocketConnection {
    let headers = [("Authorization", "Bearer \(token)")]
    do throws(TransportError) {
      return try await WebSocketClient.connect(
        url: addresses.join, headers: headers, certificateAuthorityFile: options.certificateAuthorityFile,
        timeout: options.timeout)
    } catch {
      var explanation: String?
      if case .httpStatus = error {
        let answer = try? await HTTPClient.send(
          url: addresses.validate, headers: headers,
          certificateAuthorityFile: options.certificateAuthorityFile, timeout: options.timeout)
        explanation = answer.flatMap { $0.status == 200 ? nil : String(decoding: $0.body, as: UTF8.self) }
      }
      throw JoinFailure.connecting(to: addresses.shown, error, explanation: explanation)
    }
  }
}
