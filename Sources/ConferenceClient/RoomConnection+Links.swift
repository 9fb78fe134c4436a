import Conference
import RTCCore
import Signalling
import Transport

/// One of a conference's connections to its server: a WebSocket and the media.
@NetworkActor
final class RoomLink {
  /// The opening that is under way.
  var opening: Task<Void, Never>?
  var socket: WebSocketConnection?
  var transport: MediaTransport?
  var received: ReceivedMedia?

  var drops: DropCounters {
    var drops = received?.drops ?? DropCounters()
    if let transport { drops.merge(transport.drops) }
    return drops
  }

  /// Ends everything; nothing is told afterwards.
  func close() {
    opening?.cancel()
    socket?.onMessage = nil
    socket?.onClose = nil
    socket?.close(code: 1000, reason: "")
    received?.close()
    transport?.close()
  }
}

/// Does what an adapter wants done with its links, and tells what became of them.
extension RoomConnection {
  func perform(_ command: LinkCommand, on id: LinkID) {
    switch command {
    case .open(let url): open(url, on: id)
    case .send(let message): links[id]?.socket?.send(message)
    case .media(let command): handle(command, on: id)
    case .close: closeLink(id)
    }
  }

  private func tell(_ id: LinkID, _ event: LinkEvent) {
    guard !hasEnded, links[id] != nil else { return }
    session.link(id, did: event, at: NetworkActor.now)
    drain()
  }

  private func open(_ url: String, on id: LinkID) {
    let link = RoomLink()
    links[id] = link
    link.opening = Task { [weak self, options] in
      do throws(TransportError) {
        let socket = try await WebSocketClient.connect(
          url: url, certificateAuthorityFile: options.certificateAuthorityFile, timeout: options.timeout)
        socket.sendsText = true
        self?.opened(socket, on: id)
      } catch {
        options.log("\(id): the signalling connection cannot be opened: \(error)")
        self?.tell(id, .failed(LinkFailure(error)))
      }
    }
  }

  private func opened(_ socket: WebSocketConnection, on id: LinkID) {
    guard !hasEnded, let link = links[id] else { return socket.close(code: 1000, reason: "") }
    let transport: MediaTransport
    do throws(TransportError) { transport = try media.makeAnother() } catch {
      return tell(id, .mediaFailed("\(error)"))
    }
    link.socket = socket
    link.transport = transport
    link.received = ReceivedMedia(
      transport: transport, outlets: outlets, feeder: id.raw, canonicalName: session.canonicalName)
    transport.onStateChange = { [weak self] state in
      self?.options.log("\(id): media is \(state)")
      switch state {
      case .connected: self?.tell(id, .mediaConnected)
      case .failed(let error): self?.tell(id, .mediaFailed("\(error)"))
      case .closed: self?.tell(id, .mediaFailed("the server closed it"))
      case .new, .connecting: break
      }
    }
    tell(id, .opened(LocalTransport(transport)))
    socket.onMessage = { [weak self] message in self?.tell(id, .message(message)) }
    socket.onClose = { [weak self] code, _ in
      self?.options.log("\(id): signalling connection closed (\(code))")
      self?.tell(id, .closed)
    }
  }

  private func handle(_ command: MediaCommand, on id: LinkID) {
    options.log("\(id): media: \(command.summary)")
    guard let link = links[id], let transport = link.transport else { return }
    switch command {
    case .iceServers(let servers): transport.setICEServers(servers.map(ICEServer.init))
    case .gather: transport.gather()
    case .connect(_, let remote): transport.connect(to: remote)
    case .receive(let tracks):
      link.received?.update(tracks)
      tracksChanged()
    case .addCandidate(_, let candidate): transport.addRemoteCandidate(candidate)
    // Links are replaced as a whole, and nothing is sent on them.
    case .restart, .renew, .send: break
    }
  }

  /// Closes a link. An older one that goes on shows its media again.
  func closeLink(_ id: LinkID) {
    guard let link = links.removeValue(forKey: id) else { return }
    options.log("\(id): closed")
    formerDrops.merge(link.drops)
    link.close()
    guard !hasEnded, let newest = links.keys.max(), newest < id else { return }
    links[newest]?.received?.takeBack()
  }

  // MARK: What is received, over whichever connection

  /// The newest connection first.
  var allReceived: [ReceivedMedia] {
    links.sorted { $0.key > $1.key }.compactMap(\.value.received) + [received]
  }

  /// What a track is received by: the newest connection that has heard of it.
  func path(of track: TrackID) -> ReceivedTrackPath? {
    let paths = allReceived.compactMap { $0.path(track) }
    return paths.first { $0.ssrc != nil } ?? paths.first
  }

  /// Outlets of tracks that no connection names any more are closed.
  func tracksChanged() {
    outlets.keep(only: allReceived.reduce(into: []) { $0.formUnion($1.negotiated) })
    applyVoices()
  }
}

extension LinkFailure {
  init(_ error: TransportError) {
    switch error {
    case .timedOut: self = .timedOut
    case .notTrusted(let detail): self = .notTrusted(detail)
    case .httpStatus(let status, _): self = .refused(status: status)
    case .notWebSocket: self = .notWebSocket
    case .unreachable(let detail): self = .unreachable(detail)
    default: self = .unreachable("\(error)")
    }
  }
}
