import Conference
import Transport

extension RoomConnection {
  /// Joins a room and returns when it has let us in; media starts to flow right after.
  ///
  /// - Parameters:
  ///   - url: `ws://`, `wss://`, `livekit://` or `livekits://` address of a LiveKit server, with a path prefix if it has
  ///     one; or `janus://HOST:PORT/?room=ROOM`, `januss://` with TLS, for a VideoRoom of a Janus server;
  ///     `wheps://HOST/PATH`, `whep://` without TLS, for a stream over WHEP, as is `https://` with ``JoinOptions/system``;
  ///     or `millicast://ACCOUNT/STREAM` for a stream of Millicast, with the options of `Millicast.Address`.
  ///   - token: an access token for the room; LiveKit lets nobody in without one, Millicast nobody into a secured stream.
  ///   - room: on LiveKit the room that is expected, so that a token for another one is refused before the server is
  ///     asked; on Janus the room to join where the URL names none.
  ///   - options: what is wanted of the room, and how long it may take.
  /// - Throws: `ConferenceError` with a code for each way in which this fails; soon after the task was cancelled, too.
  public static func join(
    url: String, token: String? = nil, room: String? = nil, options: JoinOptions = JoinOptions()
  ) async throws(ConferenceError) -> RoomConnection {
    let startedAt = NetworkActor.now
    try inspect(url: url, options: options)
    let connection =
      switch options.system ?? RoomSystem(url: url) {
      case .janus:
        try await joinJanus(url: url, token: token, room: room, options: options, startedAt: startedAt)
      case .whep: try joinWHEP(url: url, token: token, options: options, startedAt: startedAt)
      case .millicast: try joinMillicast(url: url, token: token, options: options, startedAt: startedAt)
      // An address of no system is told as one that LiveKit cannot join, which is what is mostly meant.
      case .liveKit, nil:
        try await joinLiveKit(url: url, token: token ?? "", room: room, options: options, startedAt: startedAt)
      }
    try await connection.waitForJoin()
    return connection
  }

  /// What can be told about an address and the options before anybody is asked.
  public nonisolated static func inspect(url: String, options: JoinOptions) throws(ConferenceError) {
    switch options.system ?? RoomSystem(url: url) {
    case .janus: _ = try JanusChannel.address(url)
    case .whep: _ = try whepAddress(url)
    case .millicast: _ = try millicastAddress(url)
    case .liveKit, nil: _ = try liveKitAddresses(of: url, options: options)
    }
    if let file = options.certificateAuthorityFile, let reason = CertificateAuthorities.problem(with: file) {
      throw ConferenceError(.usage, "The file of certificate authorities “\(file)” cannot be used: \(reason).")
    }
  }
}
