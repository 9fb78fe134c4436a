/// The room as a value that events change: a reducer without side effects.
///
/// Events about participants or tracks that are not there are ignored, because late messages are normal.
public struct RoomModel: Sendable {
  public private(set) var snapshot: RoomSnapshot

  public init(_ snapshot: RoomSnapshot = RoomSnapshot()) { self.snapshot = snapshot }

  /// The room after one more event.
  @discardableResult
  public mutating func apply(_ event: ConferenceEvent) -> RoomSnapshot {
    switch event {
    case .joined(let room, let participants):
      snapshot.name = room
      snapshot.connection = .joined
      // Joining again keeps nobody who left meanwhile, but what is known of those who stayed.
      snapshot.participants = participants.map(merged)
    case .participantUpdated(let participant): upsert(participant)
    case .participantLeft(let identity): snapshot.participants.removeAll { $0.id == identity }
    case .subscribed(let identity, let track): change(track, of: identity) { $0.isSubscribed = true }
    case .unsubscribed(let identity, let track): change(track, of: identity) { $0.isSubscribed = false }
    case .speakersChanged(let speakers):
      for speaker in speakers {
        change(speaker.identity) { participant in
          participant.isSpeaking = speaker.isSpeaking
          participant.audioLevel = speaker.isSpeaking ? speaker.level : 0
        }
      }
    case .qualityChanged(let identity, let quality): change(identity) { $0.quality = quality }
    case .activityChanged(let track, let isActive):
      for participant in snapshot.participants { change(track, of: participant.id) { $0.isActive = isActive } }
    case .layerReceived(let track, let layer):
      for participant in snapshot.participants { change(track, of: participant.id) { $0.receivedLayer = layer } }
    case .reconnecting: snapshot.connection = .reconnecting
    case .left:
      snapshot.connection = .left
      snapshot.participants = []
    case .viewersChanged(let count): snapshot.viewers = count
    case .refused, .subscriptionFailed, .published, .publishFailed, .tokenRefreshed, .roundTrip: break
    }
    return snapshot
  }

  private mutating func upsert(_ participant: Participant) {
    let participant = merged(participant)
    if let index = snapshot.participants.firstIndex(where: { $0.id == participant.id }) {
      snapshot.participants[index] = participant
    } else {
      snapshot.participants.append(participant)
    }
  }

  /// The new description with the state that descriptions do not carry.
  private func merged(_ participant: Participant) -> Participant {
    guard let known = snapshot[participant.id] else { return participant }
    var merged = participant
    merged.isSpeaking = known.isSpeaking
    merged.audioLevel = known.audioLevel
    merged.quality = known.quality
    for index in merged.tracks.indices {
      guard let track = known.tracks.first(where: { $0.id == merged.tracks[index].id }) else { continue }
      merged.tracks[index].isSubscribed = track.isSubscribed
      merged.tracks[index].isActive = track.isActive
      merged.tracks[index].receivedLayer = track.receivedLayer
    }
    return merged
  }

  private mutating func change(_ identity: ParticipantIdentity, _ body: (inout Participant) -> Void) {
    guard let index = snapshot.participants.firstIndex(where: { $0.id == identity }) else { return }
    body(&snapshot.participants[index])
  }

  private mutating func change(_ track: TrackID, of identity: ParticipantIdentity, _ body: (inout Track) -> Void) {
    change(identity) { participant in
      guard let index = participant.tracks.firstIndex(where: { $0.id == track }) else { return }
      body(&participant.tracks[index])
    }
  }
}
