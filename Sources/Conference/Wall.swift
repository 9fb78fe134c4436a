/// Several rooms as one: a value that news of each of them change.
///
/// People and tracks are keyed by their room, as two rooms may know the same identity. The people of one room stand
/// together, in the order in which the rooms were named. A wall of one room is that room, unchanged.
public struct Wall: Sendable {
  private var sections: [RoomSection]
  private var rooms: [RoomSnapshot]

  /// - Parameter rooms: how each room is called until it says itself.
  public init(rooms: [String]) {
    sections = rooms.enumerated().map { RoomSection(id: RoomKey($0.offset), name: $0.element) }
    self.rooms = rooms.map { RoomSnapshot(name: $0) }
  }

  /// What a room is like now.
  public mutating func update(_ room: RoomKey, _ snapshot: RoomSnapshot) {
    guard rooms.indices.contains(room.index) else { return }
    rooms[room.index] = snapshot
    if !snapshot.name.isEmpty { sections[room.index].name = snapshot.name }
    sections[room.index].system = snapshot.system
    sections[room.index].connection = snapshot.connection
    sections[room.index].count = snapshot.participants.count
    if snapshot.connection == .joined { sections[room.index].problem = nil }
  }

  /// A room shows nobody for now (``RoomSnapshot/Connection/joining``, ``RoomSnapshot/Connection/reconnecting``) or ever
  /// again (``RoomSnapshot/Connection/left``).
  public mutating func close(_ room: RoomKey, _ connection: RoomSnapshot.Connection, problem: String?) {
    guard rooms.indices.contains(room.index) else { return }
    rooms[room.index].connection = connection
    rooms[room.index].participants = []
    sections[room.index].connection = connection
    sections[room.index].count = 0
    sections[room.index].problem = problem
  }

  /// Everything that is on the wall.
  public var snapshot: RoomSnapshot {
    guard rooms.count != 1 else { return rooms[0] }
    var seen: [String: Int] = [:]
    let sections = sections.map { section in
      // Rooms of the same name are told apart by a number.
      var named = section
      seen[section.name, default: 0] += 1
      if let count = seen[section.name], count > 1 { named.name += " (\(count))" }
      return named
    }
    var snapshot = RoomSnapshot(name: sections.map(\.name).joined(separator: ", "), connection: connection)
    snapshot.sections = sections
    snapshot.participants = zip(sections, rooms).flatMap { $1.keyed(by: $0.id).participants }
    return snapshot
  }

  /// As good as the best of them.
  private var connection: RoomSnapshot.Connection {
    let all = Set(sections.map(\.connection))
    return [.joined, .reconnecting, .joining].first(where: all.contains) ?? .left
  }
}

extension RoomSnapshot {
  /// The same room with its people and tracks keyed by it.
  public func keyed(by room: RoomKey) -> RoomSnapshot {
    var keyed = self
    for index in keyed.participants.indices { keyed.participants[index].key(by: room) }
    return keyed
  }
}

extension Participant {
  fileprivate mutating func key(by room: RoomKey) {
    id = ParticipantIdentity(id.raw, room: room)
    for index in tracks.indices { tracks[index].id = TrackID(tracks[index].id.raw, room: room) }
  }
}
