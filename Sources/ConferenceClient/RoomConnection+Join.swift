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
  /// - Throws: ``ConferenceError`` with a code for each way in which this fails; soon after the task was cancelled, too.
  public static func join(
    url: String, token: String, room: String? = nil, options: JoinOptions = JoinOptions()
  ) async throws(ConferenceError) -> RoomConnection {
    let startedAt = NetworkActor.now
    try JoinFailure.inspect(token: token, room: room, now: Int64(Date().timeIntervalSince1970))
    let token = token.trimmingCharacters(in: .whitespacesAndNewlines)
    let addresses = try addresses(of: url, options: options)
    let transports: (MediaTransport, MediaTransport)
    do throws(TransportError) {
      let certificate = try DTLSCertificate()
      transports = (
        // Towards ICE-lite servers we must control both; others settle a conflict by themselves (RFC 8445 §7.3.1.1).
        try MediaTransport.client(certificate: certificate, iceServers: [], controlling: true),
        try MediaTransport.client(certificate: certificate, iceServers: [], controlling: true)
      )
    } catch {
      throw ConferenceError(.internalError, "The media path could not be made: \(error).", cause: error)
    }
    let socket = try await open(addresses, named: url, token: token, options: options)
    let room = RoomConnection(
      socket: socket, publisher: transports.0, subscriber: transports.1, options: options, startedAt: startedAt)
    try await room.waitForJoin()
    return room
  }

  /// Where to open the signalling connection, and where to ask why that was refused.
  private struct Addresses {
    var join: String
    var validate: String
  }

  private static func addresses(of url: String, options: JoinOptions) throws(ConferenceError) -> Addresses {
    var introduction = LiveKit.JoinOptions()
    introduction.autoSubscribe = options.subscribes
    do throws(LiveKit.AddressError) {
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
