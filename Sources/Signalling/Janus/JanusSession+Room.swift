import Conference
import RTCCore

extension JanusSession {
  /// We are in, for the first time or again.
  mutating func enter(_ data: JSONValue, at now: MonotonicTime) {
    guard data["videoroom"].textValue == "joined", let id = JanusID(data["id"]) else {
      drops.count(.malformed)
      return end(.protocolBroken)
    }
    phase = .joined
    link.joined()
    joinedRoom = JanusID(data["room"]) ?? JanusID(typed: configuration.room)
    privateID = data["private_id"]
    roster.join(
      as: id, name: configuration.displayName ?? "",
      publishers: data["publishers"].elements.compactMap(JanusPublisher.init), others: members(data["attendees"]))
    let description = data["description"].textValue ?? ""
    output(
      .event(.joined(room: description.isEmpty ? configuration.room : description, participants: roster.participants)))
    announceSubscriptions()
    // Rooms that do not announce who comes in without publishing do not list them either.
    if case .list = data["attendees"] { return }
    guard let handle = roomHandle, let room = joinedRoom else { return }
    ask(handle, ["request": "listparticipants", "room": room.json], for: .listParticipants, at: now)
  }

  mutating func listed(_ data: JSONValue) {
    for (id, name) in members(data["participants"]) { tell(roster.arrive(id, name: name)) }
  }

  private func members(_ list: JSONValue) -> [(JanusID, String)] {
    list.elements.compactMap { value in JanusID(value["id"]).map { ($0, value["display"].textValue ?? "") } }
  }

  // MARK: - What the server says by itself

  mutating func noticed(_ message: JanusMessage, at now: MonotonicTime) {
    switch message.kind {
    case "timeout":
      // The session was silent for too long in the server's eyes.
      forgetSession(at: now)
      return lost(at: now)
    case "ack", "success", "error": return
    default: break
    }
    guard let sender = message.sender else { return }
    switch sender {
    case roomHandle: roomNoticed(message, at: now)
    case subscription.handle: subscriberNoticed(message, at: now)
    // Of a handle that is given up; late news are normal.
    default: drops.count(.tooLate)
    }
  }

  private mutating func roomNoticed(_ message: JanusMessage, at now: MonotonicTime) {
    switch message.kind {
    case "event": roomEvent(message.data, at: now)
    case "trickle": addCandidate(message.whole["candidate"], to: \.publishing.connection)
    case "webrtcup":
      publishing.failures = 0
      publishing.hasFlowed = true
    case "hangup": publisherFailed(at: now)
    case "detached":
      forgetSession(at: now)
      lost(at: now)
    default: break
    }
  }

  private mutating func roomEvent(_ data: JSONValue, at now: MonotonicTime) {
    switch data["videoroom"].textValue {
    case "talking": speaking(data, isSpeaking: true)
    case "stopped-talking": speaking(data, isSpeaking: false)
    case "destroyed": end(.roomClosed)
    case "event": peopleChanged(data)
    default: break
    }
  }

  private mutating func peopleChanged(_ data: JSONValue) {
    if data["leaving"].textValue == "ok", data["reason"].textValue == "kicked" { return end(.removed) }
    for value in data["publishers"].elements {
      guard let publisher = JanusPublisher(value) else {
        drops.count(.malformed)
        continue
      }
      tell(roster.update(publisher))
      subscription.askAgain()
    }
    if let joining = JanusID(data["joining"]["id"]) {
      tell(roster.arrive(joining, name: data["joining"]["display"].textValue ?? ""))
    }
    if let id = JanusID(data["unpublished"]) {
      tell(roster.stopPublishing(id))
      subscription.askAgain()
    }
    for gone in [data["leaving"], data["kicked"]].compactMap(JanusID.init) {
      if gone == roster.localID, !data["kicked"].isNull { return end(.removed) }
      tell(roster.leave(gone))
      subscription.askAgain()
    }
    if let id = JanusID(data["id"]) {
      if let mid = data["mid"].textValue, let moderation = data["moderation"].textValue {
        tell(roster.moderate(JanusStreamID(feed: id, mid: mid), isMuted: moderation == "muted"))
      } else if let name = data["display"].textValue {
        tell(roster.rename(id, to: name))
      }
    }
    announceSubscriptions()
  }

  /// The level is the average in -dBov (RFC 6464): 0 is the loudest, 127 silence.
  private mutating func speaking(_ data: JSONValue, isSpeaking: Bool) {
    guard let id = JanusID(data["id"]), roster.contains(id) else { return }
    let average: Double =
      switch data["audio-level-dBov-avg"] {
      case .integer(let level): Double(level)
      case .decimal(let level): level
      default: 127
      }
    let level = isSpeaking ? max(0, min(1, 1 - average / 127)) : 0
    output(
      .event(
        .speakersChanged([(identity: ParticipantIdentity(id.description), level: level, isSpeaking: isSpeaking)])))
  }

  // MARK: - Our own path

  /// Janus saw that we lose what it sends.
  mutating func pathIsSlow(at now: MonotonicTime) {
    if slowUntil == nil { tellOwnQuality(.poor) }
    // The server repeats itself about once a second as long as it lasts.
    slowUntil = now + .seconds(5)
  }

  mutating func tellOwnQuality(_ quality: ConnectionQuality) {
    guard let id = roster.localID else { return }
    output(.event(.qualityChanged(ParticipantIdentity(id.description), quality)))
  }
}
