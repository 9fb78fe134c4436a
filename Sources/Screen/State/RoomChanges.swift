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
    if new.sections.isEmpty { noteConnection(from: old.connection) } else { noteSections(since: old) }
    let before = Dictionary(old.participants.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let present = Set(new.participants.map(\.id))
    var missed: [RoomKey: Int] = [:]
    for participant in old.participants where !participant.isLocal && !present.contains(participant.id) {
      // All at once, when their room is lost: that is told already.
      guard new.sections.isEmpty || section(of: participant.id)?.connection == .joined else { continue }
      // A room that was lost is seen again as a whole, which is no news of each.
      guard old.wasJoined(participant.id.room) else {
        missed[participant.id.room, default: 0] += 1
        continue
      }
      note(name(of: participant.id) + " left" + place(of: participant.id), .left)
    }
    for (key, count) in missed.sorted(by: { $0.key < $1.key }) {
      note(SanitizedText("Meanwhile \(count == 1 ? "somebody" : "\(count) people") left") + place(of: key), .left)
    }
    for participant in new.participants where !participant.isLocal {
      if let earlier = before[participant.id] {
        noteTracks(of: participant, since: earlier)
        if participant.isActive != earlier.isActive {
          note(name(of: participant.id) + (participant.isActive ? " is back" : " is away"), .joined)
        }
      } else if old.wasJoined(participant.id.room) {
        note(name(of: participant.id) + " joined" + place(of: participant.id), .joined)
      }
    }
    forgetNames()
  }

  private mutating func forgetNames() {
    let present = Set(room.participants.map(\.id))
    names = names.filter { present.contains($0.key) }
  }

  /// ` in ROOM` on a wall, and nothing where there is one room.
  private func place(of identity: ParticipantIdentity) -> SanitizedText { place(of: identity.room) }

  private func place(of key: RoomKey) -> SanitizedText {
    room.sections.first { $0.id == key }.map { " in " + SanitizedText(name: $0.name, fallback: "room") } ?? ""
  }

  private mutating func noteSections(since old: RoomSnapshot) {
    for section in room.sections {
      let before = old.sections.first { $0.id == section.id }
      let name = SanitizedText(name: section.name, fallback: "room")
      switch (before?.connection ?? .joining, section.connection) {
      case (.joining, .joined):
        joinedAt = joinedAt ?? now
        note("You joined " + name, .connection)
      case (let earlier, .joined) where earlier != .joined: note(name + ": connected again", .connection)
      case (let earlier, .reconnecting) where earlier != .reconnecting:
        note(name + ": connection lost, reconnecting", .connection)
      default: break
      }
      if let problem = section.problem, problem != before?.problem {
        note(name + ": " + SanitizedText(problem), .connection)
      }
    }
  }

  private mutating func noteConnection(from old: RoomSnapshot.Connection) {
    switch (old, room.connection) {
    case (.joining, .joined):
      joinedAt = now
      if subject == .room { note("You joined " + SanitizedText(name: room.name, fallback: "the room"), .connection) }
    case (_, .reconnecting) where old != .reconnecting: note("Connection lost, reconnecting", .connection)
    case (.reconnecting, .joined): note("Connected again", .connection)
    case (_, .left) where old != .left: note("You left the room", .connection)
    default: break
    }
  }

  private mutating func noteTracks(of participant: Participant, since earlier: Participant) {
    let name = name(of: participant.id)
    // Who is away sends nothing, and that is told as one event.
    let isPresent = participant.isActive && earlier.isActive
    noteTrack(
      name, " sound", from: earlier.mainAudio, to: participant.mainAudio, muted: " muted", unmuted: " unmuted",
      isPresent: isPresent)
    noteTrack(
      name, " video", from: earlier.mainVideo, to: participant.mainVideo, muted: " stopped the video",
      unmuted: " started the video", isPresent: isPresent)
    noteArrivals(name, of: participant, since: earlier)
    let shares: (Participant) -> Bool = { $0.tracks.contains { $0.source == .screenShare } }
    if shares(participant) != shares(earlier) {
      note(name + (shares(participant) ? " shares a screen" : " stopped sharing"), .track)
    }
    noteQuality(name, from: earlier.quality, to: participant.quality)
  }

  /// That a track comes and goes, or is held back by the server, is for those who look into the history.
  private mutating func noteTrack(
    _ name: SanitizedText, _ what: SanitizedText, from old: Track?, to new: Track?, muted: SanitizedText,
    unmuted: SanitizedText, isPresent: Bool
  ) {
    switch (old, new) {
    case (let old?, let new?):
      if old.isMuted != new.isMuted { note(name + (new.isMuted ? muted : unmuted), .track) }
      if old.isActive != new.isActive, isPresent {
        note(name + ": the server " + (new.isActive ? "goes on with the" : "paused the") + what, .track, isQuiet: true)
      }
    case (_?, nil): note(name + " sends no" + what + " any more", .track, isQuiet: true)
    case (nil, _): break
    }
  }

  /// Tracks come one after the other and are told as one event.
  private mutating func noteArrivals(_ name: SanitizedText, of participant: Participant, since earlier: Participant) {
    let hasNews =
      (earlier.mainAudio == nil && participant.mainAudio != nil)
      || (earlier.mainVideo == nil && participant.mainVideo != nil)
    guard hasNews else { return }
    let kinds = [participant.mainVideo.map { _ in "video" }, participant.mainAudio.map { _ in "sound" }].compactMap(
      \.self)
    note(
      name + SanitizedText(" sends " + kinds.joined(separator: " and ")), .track, about: .arrivals(participant.id),
      isQuiet: true)
  }

  private mutating func noteQuality(_ name: SanitizedText, from old: ConnectionQuality, to new: ConnectionQuality) {
    guard old != new else { return }
    switch new {
    case .lost: note(name + " has lost the connection", .connection)
    case .poor: note(name + " has a weak connection", .connection, isQuiet: old != .lost)
    case .good, .excellent:
      if old == .lost { note(name + " is connected again", .connection) }
      if old == .poor { note(name + " has a good connection again", .connection, isQuiet: true) }
    case .unknown: break
    }
  }
}

extension RoomSnapshot {
  /// We were in the room already, so that whoever is new there joined after us, and whoever is gone left.
  fileprivate func wasJoined(_ room: RoomKey) -> Bool {
    (sections.isEmpty ? connection : sections.first { $0.id == room }?.connection) == .joined
  }
}
