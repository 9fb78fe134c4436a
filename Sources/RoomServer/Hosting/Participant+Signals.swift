import RTCCore
import Signalling
import Transport

/// What a client asks for over its signalling connection.
extension Participant {
  /// Tracks that one participant may have announced and published at once.
  private static let maximumTracks = 32
  /// Remembered wishes about tracks; beyond it new ones are not kept.
  private static let maximumWishes = 2000

  func receive(_ bytes: [UInt8]) {
    guard !hasLeft else { return }
    let request: LiveKit.SignalRequest
    do { request = try LiveKit.SignalRequest(parsing: bytes) } catch {
      context.drops.count(.malformed)
      context.log(.debug, "\(sid) sent a message that cannot be read: \(error)")
      return
    }
    let now = NetworkActor.now
    switch request {
    case .offer(let offer): receive(offer: offer, at: now)
    case .answer(let answer): receive(answer: answer, at: now)
    case .addTrack(let request): addTrack(request)
    case .mute(let request): mute(request, at: now)
    case .subscription(let request): updateSubscription(request)
    case .trackSetting(let request): updateSettings(request, at: now)
    case .leave: room.remove(self, reason: .clientInitiated, action: .disconnect, tell: false)
    case .ping: send(.pong(ServerContext.unixMilliseconds()))
    case .pingRequest(let ping):
      send(.pongResponse(.init(lastPingTimestamp: ping.timestamp, timestamp: ServerContext.unixMilliseconds())))
    case .updateMetadata(let request): updateMetadata(request)
    // An ICE-lite host only answers checks, so it has no use for the client's candidates (RFC 8445 §2.5). Sessions are not
    // resumed, so there is no state to compare.
    case .trickle, .syncState, .unknown: break
    }
  }

  private func receive(offer: LiveKit.SessionDescription, at now: MonotonicTime) {
    guard let publisher else { return }
    do {
      let (sdp, sections) = try publisher.answer(offer.sdp)
      send(.answer(.init(type: "answer", sdp: sdp, id: offer.id)))
      updateTracks(sections)
    } catch {
      context.log(.warning, "\(sid) sent an offer that cannot be used: \(error)")
      room.remove(self, reason: .stateMismatch, action: .reconnect)
    }
  }

  private func receive(answer: LiveKit.SessionDescription, at now: MonotonicTime) {
    do { try subscriber?.receive(answer: answer.sdp, id: answer.id, at: now) } catch {
      context.log(.warning, "\(sid) sent an answer that cannot be used: \(error)")
      room.remove(self, reason: .stateMismatch, action: .reconnect)
    }
  }

  private func addTrack(_ request: LiveKit.AddTrackRequest) {
    func refuse(_ reason: LiveKit.RequestReason, _ message: String) {
      var response = LiveKit.RequestResponse()
      response.reason = reason
      response.message = message
      response.addTrack = request
      send(.requestResponse(response))
    }
    guard grant.canPublish else { return refuse(.notAllowed, "the token does not grant publishing") }
    guard grant.canPublishSources.isEmpty || grant.canPublishSources.contains(request.source) else {
      return refuse(.notAllowed, "the token does not grant this source")
    }
    guard request.type != .data else { return refuse(.unsupportedType, "tracks carry audio or video") }
    guard tracks.count + pending.count < Self.maximumTracks else {
      return refuse(.limitExceeded, "too many tracks")
    }
    if let known = pending.first(where: { $0.request.cid == request.cid }) {
      send(.trackPublished(.init(cid: request.cid, track: known.info)))
      return
    }
    let track = PendingTrack(request)
    pending.append(track)
    send(.trackPublished(.init(cid: request.cid, track: track.info)))
  }

  /// Brings the published tracks in line with the sections that the publisher sends on.
  func updateTracks(_ sections: [PublisherAnswer.Section]) {
    var ended: [PublishedTrack] = []
    var begun: [PublishedTrack] = []
    for track in tracks {
      let section = sections.first { $0.mid == track.mid }
      let replaced = section.map { $0.trackID != track.cid && takesPending($0) != nil } ?? true
      if replaced { ended.append(track) }
    }
    tracks.removeAll { track in ended.contains { $0 === track } }
    for section in sections where track(mid: section.mid) == nil {
      guard let index = takesPending(section) ?? pending.firstIndex(where: { $0.kind == section.kind }) else {
        continue
      }
      begun.append(PublishedTrack(owner: self, pending: pending.remove(at: index), section: section))
    }
    guard !ended.isEmpty || !begun.isEmpty else { return }
    tracks += begun
    noteChange()
    room.tracksChanged(of: self, ended: ended, begun: begun)
  }

  /// The announcement that names the section's track.
  private func takesPending(_ section: PublisherAnswer.Section) -> Int? {
    pending.firstIndex { announced in
      announced.kind == section.kind && !section.trackID.isEmpty
        && (announced.request.cid == section.trackID
          || announced.request.simulcastCodecs.contains { $0.cid == section.trackID })
    }
  }

  private func mute(_ request: LiveKit.MuteTrackRequest, at now: MonotonicTime) {
    if let index = pending.firstIndex(where: { $0.info.sid == request.sid }) {
      pending[index].info.isMuted = request.isMuted
    } else if let track = track(sid: request.sid), track.isMuted != request.isMuted {
      track.setMuted(request.isMuted, at: now)
      noteChange()
      room.announce(self)
    }
  }

  private func updateSubscription(_ request: LiveKit.UpdateSubscription) {
    // Clients name the same track in both lists.
    for sid in Set(request.trackSIDs + request.participantTracks.flatMap(\.trackSIDs)) {
      if chosen[sid] != nil || chosen.count < Self.maximumWishes { chosen[sid] = request.subscribe }
      guard request.subscribe else {
        subscriber?.unsubscribe(from: sid)
        continue
      }
      if let track = room.track(sid: sid) {
        if wants(track) { subscriber?.subscribe(to: track, settings: settings(for: sid)) }
      } else {
        send(.subscriptionResponse(.init(trackSID: sid, error: .trackNotFound)))
      }
    }
  }

  private func updateSettings(_ request: LiveKit.UpdateTrackSettings, at now: MonotonicTime) {
    var wish = TrackSettings()
    wish.isDisabled = request.isDisabled
    // "Off" is a quality in the schema, though clients say `disabled`.
    if request.quality == .off { wish.isDisabled = true } else { wish.quality = request.quality.rawValue }
    wish.width = Int(min(request.width, 1 << 16))
    wish.height = Int(min(request.height, 1 << 16))
    for sid in request.trackSIDs {
      if settings[sid] != nil || settings.count < Self.maximumWishes { settings[sid] = wish }
      subscriber?.apply(wish, to: sid, at: now)
    }
  }

  private func updateMetadata(_ request: LiveKit.UpdateParticipantMetadata) {
    var response = LiveKit.RequestResponse()
    response.requestID = request.requestID
    if grant.canUpdateOwnMetadata {
      if !request.name.isEmpty { name = request.name }
      if !request.metadata.isEmpty { metadata = request.metadata }
      for (key, value) in request.attributes { attributes[key] = value.isEmpty ? nil : value }
      noteChange()
      room.announce(self)
    } else {
      response.reason = .notAllowed
      response.message = "the token does not grant canUpdateOwnMetadata"
    }
    send(.requestResponse(response))
  }
}

extension PendingTrack {
  var kind: MediaKind { request.type == .video ? .video : .audio }
}
