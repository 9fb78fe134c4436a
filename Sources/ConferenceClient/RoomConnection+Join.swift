import Conference
import Foundation
import Media
import RTCCore
import Signalling
import Transport

extension RoomConnection {
  /// Joins a LiveKit room and returns when it has let us in; media starts to flow right after.
  ///
  /// - Parameters:
  ///   - url: `ws://`, `wss://`, `livekit://` or `livekits://` address of the server, with a path prefix if it has one.
  ///   - token: an access token for the room.
  ///   - room: the room that is expected; a token for another one is refused before the server is asked.
  /// - Throws: ``ConferenceError`` with a code for each way in which this fails.
  public static func join(
    url: String, token: String, room: String? = nil, options: JoinOptions = JoinOptions()
  ) async throws(ConferenceError) -> RoomConnection {
    let startedAt = NetworkActor.now
    try JoinFailure.inspect(token: token, room: room, now: Int64(Date().timeIntervalSince1970))
    let token = token.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let base = LiveKit.ServerAddress(url) else {
      throw ConferenceError(
        .usage,
        "“\(url)” is not an address that can be joined. LiveKit servers have ws://, wss://, livekit:// or livekits://.")
    }
    let transports: (MediaTransport, MediaTransport)
    do throws(TransportError) {
      let certificate = try DTLSCertificate()
      transports = (
        try MediaTransport.client(certificate: certificate, iceServers: [], controlling: true),
        try MediaTransport.client(certificate: certificate, iceServers: [], controlling: false)
      )
    } catch {
      throw ConferenceError(.internalError, "The media path could not be made: \(error).", cause: error)
    }
    let socket = try await open(base, token: token, options: options)
    let room = RoomConnection(
      socket: socket, publisher: transports.0, subscriber: transports.1, options: options, startedAt: startedAt)
    try await room.waitForJoin()
    return room
  }

  /// Opens the signalling connection, and asks the server for its reason when it refuses.
  private static func open(
    _ address: LiveKit.ServerAddress, token: String, options: JoinOptions
  ) async throws(ConferenceError) -> WebSocketConnection {
    let headers = [("Authorization", "Bearer \(token)")]
    do throws(TransportError) {
      return try await WebSocketClient.connect(
        url: address.joinURL(subscribes: options.subscribes), headers: headers,
        certificateAuthorityFile: options.certificateAuthorityFile, timeout: options.timeout)
    } catch {
      var explanation: String?
      if case .httpStatus = error {
        let answer = try? await HTTPClient.send(
          method: "GET", url: address.validateURL(), headers: headers,
          certificateAuthorityFile: options.certificateAuthorityFile, timeout: options.timeout)
        explanation = answer.flatMap { $0.status == 401 ? String(decoding: $0.body, as: UTF8.self) : nil }
      }
      throw JoinFailure.connecting(to: address.text, error, explanation: explanation)
    }
  }
}
