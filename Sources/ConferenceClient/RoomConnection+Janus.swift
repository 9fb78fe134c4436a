import Conference
import RTCCore
import Signalling
import Transport

extension RoomConnection {
  /// A connection to a Janus server, which has not let us in yet.
  static func joinJanus(
    url: String, token: String?, room: String?, options: JoinOptions, startedAt: MonotonicTime
  ) async throws(ConferenceError) -> RoomConnection {
    let address = try JanusChannel.address(url)
    guard let room = address.room ?? room else {
      throw ConferenceError(
        .usage,
        "Which room? Janus addresses name it, as in janus://\(address.authority)/?room=1234. `confab rooms` lists them."
      )
    }
    let media = try MediaConnections()
    let channel = try await JanusChannel.open(address, options: options)
    var configuration = JanusSession.Configuration(
      room: room, subscriber: LocalTransport(media.subscriber), publisher: LocalTransport(media.publisher))
    configuration.displayName = options.displayName
    configuration.pin = options.pin
    configuration.credentials = JanusCredentials(apiSecret: options.apiSecret, token: token)
    configuration.subscribes = options.subscribes
    configuration.joinTimeout = options.timeout
    let session = JanusSession(
      configuration: configuration, randomness: SystemRandomNumberGenerator(), openedAt: NetworkActor.now)
    return RoomConnection(
      session: session, channel: channel,
      reopening: { (_) throws(ConferenceError) in try await JanusChannel.open(address, options: options) },
      media: media, options: options, startedAt: startedAt)
  }
}

/// The WebSocket that Janus speaks on (fact sheet §1).
enum JanusChannel {
  static func address(_ url: String) throws(ConferenceError) -> JanusAddress {
    do throws(AddressError) {
      return try JanusAddress(url)
    } catch {
      throw JoinFailure.address(
        error,
        secrets:
          "a pin goes into --pin-file or CONFAB_PIN, a token into --token-file or CONFAB_TOKEN, a secret into CONFAB_API_SECRET",
        otherwise:
          "“\(url.visibleAddress)” cannot be joined. Rooms of Janus have addresses such as janus://host:8188/?room=1234."
      )
    }
  }

  @NetworkActor
  static func connect(
    _ address: JanusAddress, options: JoinOptions
  ) async throws(TransportError) -> WebSocketConnection {
    let socket = try await WebSocketClient.connect(
      url: address.socketURL, subprotocol: "janus-protocol",
      certificateAuthorityFile: options.certificateAuthorityFile, timeout: options.timeout)
    socket.sendsText = true
    return socket
  }

  @NetworkActor
  static func open(
    _ address: JanusAddress, options: JoinOptions
  ) async throws(ConferenceError) -> WebSocketConnection {
    do throws(TransportError) {
      return try await connect(address, options: options)
    } catch {
      throw JoinFailure.connectingToJanus(at: address.authority, error)
    }
  }
}
