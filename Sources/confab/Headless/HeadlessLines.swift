import Conference
import ConferenceClient
import RTCCore

/// Room events and statistics as the JSON lines of the headless output.
enum HeadlessLines {
  /// The first line: who is here, and then everybody as if they joined now.
  static func joined(_ room: RoomSnapshot) -> [[(String, JSON)]] {
    let already = room.changes(since: RoomSnapshot(name: room.name, connection: room.connection))
    return [joined(room.name, room.participants)] + already.compactMap { line(for: $0, in: room) }
  }

  /// The line of one room of a wall; those who are there follow as changes.
  static func joined(_ section: RoomSection, in wall: RoomSnapshot) -> [(String, JSON)] {
    joined(section.name, wall.participants.filter { $0.id.room == section.id })
  }

  private static func joined(_ name: String, _ participants: [Participant]) -> [(String, JSON)] {
    let local = participants.first { $0.isLocal }
    let list = participants.filter { !$0.isLocal }.map {
      JSON.object([("identity", .text($0.id.raw)), ("name", .text($0.name))])
    }
    return [
      ("type", "joined"), ("room", .text(name)), ("identity", .text(local?.id.raw ?? "")),
      ("participants", .list(list)),
    ]
  }

  /// The line with the name of its room, on a wall of several.
  static func named(_ line: [(String, JSON)], after room: RoomKey, in wall: RoomSnapshot?) -> [(String, JSON)] {
    guard let section = wall?.sections.first(where: { $0.id == room }) else { return line }
    return Array(line.prefix(1)) + [("room", .text(section.name))] + line.dropFirst()
  }

  /// One line for one change; nil for what has none, such as our own coming and going.
  static func line(for change: RoomChange, in room: RoomSnapshot) -> [(String, JSON)]? {
    func track(_ type: String, _ identity: ParticipantIdentity, _ track: Track) -> [(String, JSON)] {
      [
        ("type", .text(type)), ("identity", .text(identity.raw)), ("track", .text(track.id.raw)),
        ("kind", .text(track.kind.rawValue)), ("source", .text(track.source.rawValue)),
      ]
    }
    func person(_ type: String, _ participant: Participant) -> [(String, JSON)]? {
      participant.isLocal
        ? nil
        : [("type", .text(type)), ("identity", .text(participant.id.raw)), ("name", .text(participant.name))]
    }
    switch change {
    case .joined(let participant): return person("participant_joined", participant)
    case .left(let participant): return person("participant_left", participant)
    case .trackPublished(let identity, let it): return track("track_published", identity, it)
    case .trackUnpublished(let identity, let it): return track("track_unpublished", identity, it)
    case .trackSubscribed(let identity, let it): return track("track_subscribed", identity, it)
    case .trackUnsubscribed(let identity, let it): return track("track_unsubscribed", identity, it)
    case .trackMuted(let identity, let it): return track("track_muted", identity, it)
    case .trackUnmuted(let identity, let it): return track("track_unmuted", identity, it)
    case .layers(let identity, let it):
      let layers = it.layers.map {
        JSON.object([
          ("id", .text($0.id.rawValue)), ("width", .number($0.width)), ("height", .number($0.height)),
          ("active", .truth($0.isActive)),
        ])
      }
      return [
        ("type", "layers"), ("identity", .text(identity.raw)), ("track", .text(it.id.raw)), ("layers", .list(layers)),
      ]
    case .activity(let identity, let it):
      return [
        ("type", "activity"), ("identity", .text(identity.raw)), ("track", .text(it.id.raw)),
        ("active", .truth(it.isActive)),
      ]
    case .speaking(let identity, let isSpeaking, let level):
      return [
        ("type", "speaking"), ("identity", .text(identity.raw)), ("level", .decimal(isSpeaking ? level : 0)),
      ]
    case .viewers(let count): return [("type", "viewers"), ("count", .number(count))]
    case .connection(.reconnecting): return [("type", "reconnecting")]
    case .connection(.joined): return [("type", "reconnected")]
    case .connection, .updated, .quality: return nil
    }
  }

  static func firstFrame(
    _ identity: ParticipantIdentity, _ track: TrackID, _ width: Int, _ height: Int, _ sinceJoin: Duration
  ) -> [(String, JSON)] {
    [
      ("type", "first_frame"), ("identity", .text(identity.raw)), ("track", .text(track.raw)),
      ("width", .number(width)), ("height", .number(height)), ("since_join_ms", .decimal(sinceJoin.inMilliseconds)),
    ]
  }

  static func layerChanged(
    _ identity: ParticipantIdentity, _ track: TrackID, _ layer: LayerID, _ width: Int, _ height: Int
  ) -> [(String, JSON)] {
    [
      ("type", "layer_changed"), ("identity", .text(identity.raw)), ("track", .text(track.raw)),
      ("layer", .text(layer.rawValue)), ("width", .number(width)), ("height", .number(height)),
    ]
  }

  static func statistics(
    _ tracks: [TrackStatistics], unclaimed: DropCounters, in room: RoomSnapshot
  ) -> [(String, JSON)] {
    [
      ("type", "stats"),
      ("tracks", .list(tracks.map { .object(named(fields(of: $0), after: $0.track.room, in: room)) })),
      ("unclaimed_drops", drops(unclaimed)),
    ]
  }

  private static func fields(of track: TrackStatistics) -> [(String, JSON)] {
    let received = track.received
    var fields: [(String, JSON)] = [
      ("identity", .text(track.participant.raw)), ("track", .text(track.track.raw)),
      ("kind", .text(track.kind.rawValue)), ("codec", .text(track.codec)),
      ("layer", track.layer.map { .text($0.rawValue) } ?? .null), ("width", .number(track.width)),
      ("height", .number(track.height)), ("fps", .decimal(track.framesPerSecond)),
      ("bitrate_bps", .number(track.bitrate)), ("packets_received", .number(received.packetsReceived)),
      ("packets_lost", .number(received.packetsLost)), ("jitter_ms", .decimal(received.jitterMilliseconds)),
      ("rtt_ms", track.roundTripMilliseconds.map { .decimal($0) } ?? .null), ("nacks", .number(received.nacks)),
      ("plis", .number(received.keyFrameRequests)), ("frames_decoded", .number(track.framesDecoded)),
      ("frames_dropped", .number(track.framesDropped)), ("freezes", .number(track.freezes)),
      ("freeze_ms", .decimal(track.freezeMilliseconds)), ("drops", drops(track.drops)),
    ]
    if let latency = track.latencyMilliseconds { fields.append(("latency_ms", .decimal(latency))) }
    return fields
  }

  private static func drops(_ counters: DropCounters) -> JSON {
    .object(
      counters.counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key.rawValue, .number($0.value)) })
  }
}
