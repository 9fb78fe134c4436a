import Conference
import Media
import RTCCore
import Signalling
import Transport

/// What the session tells and wants, and what it has to be told.
extension RoomConnection {
  func handle(_ event: ConferenceEvent) {
    let before = model.snapshot
    model.apply(event)
    let changes = model.snapshot.changes(since: before)
    if !changes.isEmpty { continuation.yield(.changed(model.snapshot, changes)) }
    switch event {
    case .joined:
      joined()
      settle(model.snapshot.participants)
    case .participantUpdated(let participant): settle([participant])
    case .activityChanged(let track, let isActive): outlets.setActive(track, isActive)
    case .published(let localID, let track): continuation.yield(.published(localID: localID, track))
    case .publishFailed(let localID, let message):
      sent.remove(localID)
      continuation.yield(.publishFailed(localID: localID, message: message))
    case .subscriptionFailed(let identity, let track, let message):
      continuation.yield(.subscriptionFailed(identity, track, message: message))
    case .roundTrip(let time):
      roundTrip = time
      for media in allReceived { media.setRoundTrip(time) }
    case .tokenRefreshed(let token): refreshedToken = token
    case .refused(let code, let message): refusal = ConferenceError(code, message)
    case .left(let reason): left(reason)
    default: break
    }
  }

  /// Tells the media path who is muted, and declines the kinds of media that nobody wants.
  private func settle(_ participants: [Participant]) {
    for participant in participants where !participant.isLocal {
      for track in participant.tracks {
        outlets.setMuted(track.id, track.isMuted)
        let isWanted = track.kind == .video ? options.receivesVideo : options.receivesAudio
        if !isWanted, declined.insert(track.id).inserted {
          session.perform(.setSubscribed(track.id, false), at: NetworkActor.now)
        }
      }
    }
  }

  func cannotDecode(_ track: TrackID, _ error: MediaError) {
    guard let owner = snapshot.participants.first(where: { $0.tracks.contains { $0.id == track } }) else { return }
    handle(.subscriptionFailed(owner.id, track, message: "It cannot be decoded here. \(error)"))
  }

  func handle(_ command: MediaCommand) {
    options.log("media: \(command.summary)")
    switch command {
    case .iceServers(let servers):
      media.setICEServers(servers.map(ICEServer.init))
    case .gather(let role): media[role].gather()
    case .connect(let role, let remote):
      let transport = media[role]
      if restarting.remove(role) != nil {
        return transport.peerRestartedICE(
          remoteUfrag: remote.iceUfrag, remotePassword: remote.icePassword, remoteCandidates: remote.candidates)
      }
      transport.connect(to: remote)
    case .restart(let role):
      if media[role].restartICE() { restarting.insert(role) }
      session.localTransport(LocalTransport(media[role]), of: role, at: NetworkActor.now)
    case .renew(let role): renew(role)
    case .addCandidate(let role, let candidate):
      media[role].addRemoteCandidate(candidate)
    case .receive(let tracks):
      received.update(tracks)
      tracksChanged()
    case .send(let tracks): sent.update(tracks)
    }
  }

  func listen(to transport: MediaTransport, _ role: PeerRole) {
    transport.onCandidate = { [weak self] candidate in
      guard let self else { return }
      session.localCandidate(candidate, of: role, at: NetworkActor.now)
      drain()
    }
    transport.onPathLost = { [weak self] in
      guard let self else { return false }
      defer { drain() }
      options.log("\(role) connection: its path is lost")
      return session.pathLost(role, at: NetworkActor.now)
    }
    transport.onStateChange = { [weak self] state in
      guard let self else { return }
      options.log("\(role) connection: \(state)")
      switch state {
      case .connected:
        connectedRoles.insert(role)
        session.mediaConnected(role, at: NetworkActor.now)
      case .closed: session.mediaClosed(role, at: NetworkActor.now)
      case .failed(let error):
        guard session.mediaFailed(role, at: NetworkActor.now) else { return mediaFailed(error, role) }
      case .new, .connecting: return
      }
      drain()
    }
  }

  private func renew(_ role: PeerRole) {
    do throws(TransportError) {
      try media.renew(role)
    } catch {
      return mediaFailed(error, role)
    }
    restarting.remove(role)
    listen(to: media[role], role)
    if role == .publisher { sent.use(media.publisher) } else { received.use(media.subscriber) }
    session.localTransport(LocalTransport(media[role]), of: role, at: NetworkActor.now)
  }

  func pictureSize(of track: TrackID, _ width: Int, _ height: Int, _ isFirst: Bool) {
    session.pictureSize(of: track, width: width, height: height, at: NetworkActor.now)
    drain()
    guard
      let owner = snapshot.participants.first(where: { $0.tracks.contains { $0.id == track } }),
      let description = owner.tracks.first(where: { $0.id == track })
    else { return }
    if isFirst {
      continuation.yield(
        .firstFrame(owner.id, track, width: width, height: height, sinceJoin: NetworkActor.now - startedAt))
      // Its size is told once more, as a change.
      return
    }
    if let layer = LayerNaming.layer(of: description, height: height) {
      continuation.yield(.layerChanged(owner.id, track, layer, width: width, height: height))
    }
  }
}
