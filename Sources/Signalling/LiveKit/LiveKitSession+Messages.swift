import Conference
import RTCCore

extension LiveKitSession {
  /// A message after `join`.
  mutating func handle(_ response: LiveKit.SignalResponse, at now: MonotonicTime) {
    switch response {
    case .offer(let offer): answer(offer)
    case .answer(let answer): accept(answer, at: now)
    case .trickle(let trickle): addRemoteCandidate(trickle)
    case .update(let update): self.update(update.participants)
    case .trackPublished(let published): trackPublished(published, at: now)
    case .trackUnpublished(let unpublished): trackUnpublished(unpublished.trackSID, at: now)
    case .requestResponse(let response): requestEnded(response)
    case .mute(let mute): muteDemanded(mute)
    case .leave(let leave): dismissed(leave, at: now)
    case .speakersChanged(let change): speakersChanged(change.speakers)
    case .connectionQuality(let update):
      for info in update.updates {
        guard let identity = roster.identity(ofSID: info.participantSID) else { continue }
        output(.event(.qualityChanged(identity, ConnectionQuality(info.quality))))
      }
    case .streamStateUpdate(let update):
      for stream in update.streamStates where !stream.trackSID.isEmpty {
        output(.event(.activityChanged(TrackID(stream.trackSID), isActive: stream.state == .active)))
      }
    case .refreshToken(let token):
      if !token.isEmpty { output(.event(.tokenRefreshed(token))) }
    case .pongResponse(let pong):
      if let roundTrip = liveness.pong(pong, at: now) { output(.event(.roundTrip(roundTrip))) }
    case .join, .reconnect:
      // Both only ever begin a session.
      drops.count(.malformed)
    case .pong, .roomUpdate, .subscribedQualityUpdate, .subscriptionResponse, .trackSubscribed, .unknown:
      // A pong has shown by its arrival that the server lives; all layers are sent whether wanted or not.
      break
    }
  }

  private mutating func update(_ participants: [LiveKit.ParticipantInfo]) {
    for info in participants {
      switch roster.apply(info) {
      case .unchanged: break
      case .refused: drops.count(.malformed)
      case .changed(let event): output(.event(event))
      }
      if info.sid == roster.localSID, let permission = info.permission { publishing.isAllowed = permission.canPublish }
    }
    announceSubscriptions()
  }

  private mutating func speakersChanged(_ speakers: [LiveKit.SpeakerInfo]) {
    let changes = speakers.compactMap { speaker in
      roster.identity(ofSID: speaker.sid).map { identity in
        // Written so that a NaN becomes 0.
        let level = speaker.level > 0 ? min(Double(speaker.level), 1) : 0
        return (identity: identity, level: level, isSpeaking: speaker.isActive)
      }
    }
    if !changes.isEmpty { output(.event(.speakersChanged(changes))) }
  }

  /// Asks for a layer, unless the last request was the same.
  mutating func requestLayer(_ request: LayerRequest, of track: TrackID) {
    guard reception.requested.updateValue(request, forKey: track) != request else { return }
    var settings = LiveKit.UpdateTrackSettings()
    settings.trackSIDs = [track.raw]
    // LOW is the wire's zero, so that a request that named nothing would ask for it.
    settings.quality = .high
    switch request {
    case .layer(let layer): settings.quality = LiveKit.VideoQuality(layer)
    case .size(let width, let height):
      settings.width = UInt32(min(max(width, 1), 65_535))
      settings.height = UInt32(min(max(height, 1), 65_535))
    case .automatic: break
    case .off: settings.isDisabled = true
    }
    send(.trackSetting(settings))
  }

  mutating func setSubscribed(_ track: TrackID, _ subscribe: Bool) {
    if subscribe { reception.declined.remove(track) } else { reception.declined.insert(track) }
    send(.subscription(LiveKit.UpdateSubscription(trackSIDs: [track.raw], subscribe: subscribe)))
  }
}
