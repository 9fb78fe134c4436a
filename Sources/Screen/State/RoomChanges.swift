import Conference

extension ScreenState {
  /// Takes over a new snapshot and writes what changed into the event line: leavers first, then the order of arrival.
  mutating func adopt(_ new: RoomSnapshot) {
    let old = room
    room = new
    for participant in new.participants
    where names[participant.id] == nil || old[participant.id]?.name != participant.name {
      names[participant.id] = SanitizedText(name: participant.name, fallback: SanitizedText(name: participant.id.raw))
    }
    noteConnection(from: old.connection)
    // Who was there before us did not join now.
    if old.connection == .joining { return forgetNames() }
    let before = Dictionary(old.participants.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let present = Set(new.participants.map(\.id))
    for participant in old.participants where !participant.isLocal && !present.contains(participant.id) {
      note(name(of: participant.id) + " left")
    }
    for participant in new.participants where !participant.isLocal {
      if let earlier = before[participant.id] {
        noteTracks(of: participant, since: earlier)
      } else {
        note(name(of: participant.id) + " joined")
      }
    }
    forgetNames()
  }

  private mutating func forgetNames() {
    let present = Set(room.participants.map(\.id))
    names = names.filter { present.contains($0.key) }
  }

  private mutating func noteConnection(from old: RoomSnapshot.Connection) {
    switch (old, room.connection) {
    case (.joining, .joined):
      joinedAt = now
      if subject == .room { note("You joined " + SanitizedText(name: room.name, fallback: "the room")) }
    case (_, .reconnecting) where old != .reconnecting: note("Connection lost, reconnecting")
    case (.reconnecting, .joined): note("Connected again")
    case (_, .left) where old != .left: note("You left the room")
    default: break
    }
  }

  private mutating func noteTracks(of participant: Participant, since earlier: Participant) {
    let name = name(of: participant.id)
    if let was = earlier.mainAudio, let now = participant.mainAudio, was.isMuted != now.isMuted {
      note(name + (now.isMuted ? " muted" : " unmuted"))
    }
    if let was = earlier.mainVideo, let now = participant.mainVideo, was.isMuted != now.isMuted {
      note(name + (now.isMuted ? " stopped the video" : " started the video"))
    }
    let shares: (Participant) -> Bool = { $0.tracks.contains { $0.source == .screenShare } }
    if shares(participant) != shares(earlier) {
      note(name + (shares(participant) ? " shares a screen" : " stopped sharing"))
    }
  }
}
