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
    let addresses = try addresses(of: url, options: options)
    let media = try MediaConnections()
    let socket = try await open(addresses, named: url, token: token, options: options)
    let session = LiveKitSession(
      configuration: LiveKitSession.Configuration(
        subscriber: LocalTransport(media.subscriber), publisher: LocalTransport(media.publisher)),
      randomness: SystemRandomNumberGenerator(), openedAt: NetworkActor.now)
    return RoomConnection(session: session, channel: socket, media: media, options: options, startedAt: startedAt)
  }

  /// Where to open the signalling connection, and where to ask why that was refused.
  private struct Addresses {
    var join: String
    var validate: String
  }

  private static func addresses(of url: String, options: JoinOptions) throws(ConferenceError) -> Addresses {
    var introduction = LiveKit.JoinOptions()
    introduction.autoSubscribe = options.subscribes
    do throws(AddressError) {
      return Addresses(
        join: try LiveKit.joinURL(base: url, options: introduction),
        validate: try LiveKit.validateURL(base: url, options: introduction))
    } catch {
      throw ConferenceError(
        .usage, "“\(url)” cannot be joined. LiveKit servers have ws://, wss://, livekit:// or livekits://.",
        cause: error)
    }
  }

  /// Opens the signalling connection, and asks the server for its reason when it refuses.
  private static func open(
    _ addresses: Addresses, named name: String, token: String, options: JoinOptions
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
      throw JoinFailure.connecting(to: name, error, explanation: explanation)
    }
  }
}
