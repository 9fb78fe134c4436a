import Conference

/// Who the server says is in the room, by the session ids that its messages use.
struct LiveKitRoster {
  /// What became of one participant's description.
  enum Outcome: Equatable {
    case unchanged
    case changed(ConferenceEvent)
    case refused
  }

  private struct Entry {
    var version: UInt32
    var participant: Participant
  }

  /// More than any room holds; a server that names more is not believed.
  static let maximumParticipants = 10_000
  static let maximumTracks = 100

  private(set) var localSID = ""
  private var entries: [String: Entry] = [:]
  private var sids: [ParticipantIdentity: String] = [:]
  private var owners: [TrackID: ParticipantIdentity] = [:]
  /// Sessions that ended; a late update of one must not bring it back.
  private var ended: Set<String> = []

  func identity(ofSID sid: String) -> ParticipantIdentity? { entries[sid]?.participant.id }
  func owner(of track: TrackID) -> ParticipantIdentity? { owners[track] }

  /// Takes the room over as it is at the moment of joining; nil unless it has a usable local participant.
  mutating func join(_ response: LiveKit.JoinResponse) -> [Participant]? {
    guard let info = response.participant, !info.sid.isEmpty, !info.identity.isEmpty else { return nil }
    localSID = info.sid
    var participants: [Participant] = []
    for other in [info] + response.otherParticipants {
      guard case .changed(.participantUpdated(let participant)) = apply(other) else { continue }
      participants.removeAll { $0.id == participant.id }
      participants.append(participant)
    }
    return participants
  }

  mutating func apply(_ info: LiveKit.ParticipantInfo) -> Outcome {
    guard !info.sid.isEmpty, !info.identity.isEmpty else { return .refused }
    let identity = ParticipantIdentity(info.identity)
    if info.state == .disconnected { return disconnect(info.sid) }
    guard !ended.contains(info.sid) else { return .unchanged }
    if let known = entries[info.sid] {
      guard known.participant.id == identity else { return .refused }
      // Versions grow with each change; an older one was overtaken on its way.
      guard info.version >= known.version else { return .unchanged }
    } else {
      // Nobody takes the place of the local participant: the server would tell us to leave first.
      guard entries.count < Self.maximumParticipants, sids[identity] != localSID else { return .refused }
      if let former = sids[identity] { forget(former) }
    }
    let participant = participant(from: info, identity: identity)
    let isNews = entries[info.sid]?.participant != participant
    if isNews {
      for (track, owner) in owners where owner == identity { owners[track] = nil }
      for track in participant.tracks where owners[track.id] == nil { owners[track.id] = identity }
    }
    entries[info.sid] = Entry(version: info.version, participant: participant)
    sids[identity] = info.sid
    return isNews ? .changed(.participantUpdated(participant)) : .unchanged
  }

  private func participant(from info: LiveKit.ParticipantInfo, identity: ParticipantIdentity) -> Participant {
    var tracks: [Track] = []
    for track in info.tracks.prefix(Self.maximumTracks).compactMap(Track.init)
    where !tracks.contains(where: { $0.id == track.id }) {
      tracks.append(track)
    }
    return Participant(id: identity, name: info.name, isLocal: info.sid == localSID, tracks: tracks)
  }

  private mutating func disconnect(_ sid: String) -> Outcome {
    guard let entry = entries[sid], sid != localSID else { return .unchanged }
    forget(sid)
    sids[entry.participant.id] = nil
    return .changed(.participantLeft(entry.participant.id))
  }

  private mutating func forget(_ sid: String) {
    guard let entry = entries.removeValue(forKey: sid) else { return }
    for track in entry.participant.tracks where owners[track.id] == entry.participant.id { owners[track.id] = nil }
    if ended.count >= Self.maximumParticipants { ended.removeAll() }
    ended.insert(sid)
  }
}
