/// One difference between two snapshots of a room.
public enum RoomChange: Hashable, Sendable {
  case connection(RoomSnapshot.Connection)
  /// So many view the stream now.
  case viewers(Int)
  case joined(Participant)
  /// As the participant last was.
  case left(Participant)
  /// Something about the participant changed; what it was follows, where it has a case of its own.
  case updated(Participant)
  case trackPublished(ParticipantIdentity, Track)
  /// As the track last was.
  case trackUnpublished(ParticipantIdentity, Track)
  case trackSubscribed(ParticipantIdentity, Track)
  case trackUnsubscribed(ParticipantIdentity, Track)
  case trackMuted(ParticipantIdentity, Track)
  case trackUnmuted(ParticipantIdentity, Track)
  /// The publisher announces other layers; also with each new track that has some.
  case layers(ParticipantIdentity, Track)
  case activity(ParticipantIdentity, Track)
  /// Began, ended, or goes on at another level.
  case speaking(ParticipantIdentity, isSpeaking: Bool, level: Double)
  case quality(ParticipantIdentity, ConnectionQuality)
}

extension RoomSnapshot {
  /// What happened between `old` and `self`, so that following it leads from the participants of one to those of the
  /// other: the connection, then leavers in their old order, then the others in their new order. The order itself is
  /// the snapshot's to tell. The same snapshots always give the same list.
  public func changes(since old: RoomSnapshot) -> [RoomChange] {
    var changes: [RoomChange] = connection == old.connection ? [] : [.connection(connection)]
    if let viewers, viewers != old.viewers { changes.append(.viewers(viewers)) }
    let before = Dictionary(old.participants.map { ($0.id, $0) }) { first, _ in first }
    let present = Set(participants.map(\.id))
    for participant in old.participants where !present.contains(participant.id) {
      changes += Self.trackChanges(of: participant.id, from: participant.tracks, to: [])
      changes.append(.left(participant))
    }
    for participant in participants { changes += participant.changes(since: before[participant.id]) }
    return changes
  }

  fileprivate static func trackChanges(
    of identity: ParticipantIdentity, from old: [Track], to new: [Track]
  ) -> [RoomChange] {
    var changes: [RoomChange] = []
    for track in old where !new.contains(where: { $0.id == track.id }) {
      if track.isSubscribed { changes.append(.trackUnsubscribed(identity, track)) }
      changes.append(.trackUnpublished(identity, track))
    }
    for track in new {
      changes += track.changes(since: old.first { $0.id == track.id }, of: identity)
    }
    return changes
  }
}

extension Participant {
  fileprivate func changes(since old: Participant?) -> [RoomChange] {
    guard self != old else { return [] }
    var changes: [RoomChange] = [old == nil ? .joined(self) : .updated(self)]
    changes += RoomSnapshot.trackChanges(of: id, from: old?.tracks ?? [], to: tracks)
    if isSpeaking != old?.isSpeaking ?? false || audioLevel != old?.audioLevel ?? 0 {
      changes.append(.speaking(id, isSpeaking: isSpeaking, level: audioLevel))
    }
    if quality != old?.quality ?? .unknown { changes.append(.quality(id, quality)) }
    return changes
  }
}

extension Track {
  fileprivate func changes(since old: Track?, of identity: ParticipantIdentity) -> [RoomChange] {
    var changes: [RoomChange] = old == nil ? [.trackPublished(identity, self)] : []
    if isSubscribed != old?.isSubscribed ?? false {
      changes.append(isSubscribed ? .trackSubscribed(identity, self) : .trackUnsubscribed(identity, self))
    }
    if isMuted != old?.isMuted ?? false {
      changes.append(isMuted ? .trackMuted(identity, self) : .trackUnmuted(identity, self))
    }
    if layers != old?.layers ?? [] { changes.append(.layers(identity, self)) }
    if isActive != old?.isActive ?? true { changes.append(.activity(identity, self)) }
    return changes
  }
}
