import Conference
import ConferenceClient

/// Turns what a room or a wall tells into lines. Those of a wall carry the name of their room.
struct HeadlessNarration {
  typealias Line = [(String, JSON)]

  private var told: RoomSnapshot?

  mutating func lines(for event: WallEvent) -> [Line] {
    switch event {
    case .changed(let new, let changes):
      defer { told = new }
      return new.sections.isEmpty ? single(new, changes) : sections(new, changes)
    case .room(let room, let event):
      return line(for: event).map { [HeadlessLines.named($0, after: room, in: told)] } ?? []
    case .failed(let room, let error, _):
      // A single room's failure is the program's.
      guard let told, !told.sections.isEmpty else { return [] }
      let fields: Line = [
        ("type", "error"), ("code", .text(error.code.rawValue)), ("message", .text(error.message)),
      ]
      return [HeadlessLines.named(fields, after: room, in: told)]
    case .ended: return []
    }
  }

  private func line(for event: RoomEvent) -> Line? {
    switch event {
    case .firstFrame(let identity, let track, let width, let height, let sinceJoin):
      HeadlessLines.firstFrame(identity, track, width, height, sinceJoin)
    case .layerChanged(let identity, let track, let layer, let width, let height):
      HeadlessLines.layerChanged(identity, track, layer, width, height)
    case .publishFailed(_, let message):
      [("type", "error"), ("code", "publish_failed"), ("message", .text(message))]
    case .subscriptionFailed(_, let track, let message):
      [
        ("type", "error"), ("code", "subscription_failed"), ("track", .text(track.raw)), ("message", .text(message)),
      ]
    case .changed, .published, .left: nil
    }
  }

  private func single(_ new: RoomSnapshot, _ changes: [RoomChange]) -> [Line] {
    told?.connection == .joined || told?.connection == .reconnecting
      ? changes.compactMap { HeadlessLines.line(for: $0, in: new) } : HeadlessLines.joined(new)
  }

  private func sections(_ new: RoomSnapshot, _ changes: [RoomChange]) -> [Line] {
    let states = new.sections.compactMap { section -> Line? in
      let before = told?.sections.first { $0.id == section.id }?.connection ?? .joining
      guard before != section.connection else { return nil }
      switch section.connection {
      case .joined where before == .joining: return HeadlessLines.joined(section, in: new)
      case .joined: return HeadlessLines.named([("type", "reconnected")], after: section.id, in: new)
      case .reconnecting: return HeadlessLines.named([("type", "reconnecting")], after: section.id, in: new)
      case .joining, .left: return nil
      }
    }
    let others = changes.compactMap { change -> Line? in
      guard let room = change.room, let line = HeadlessLines.line(for: change, in: new) else { return nil }
      return HeadlessLines.named(line, after: room, in: new)
    }
    return states + others
  }
}

extension RoomChange {
  /// The room of whoever it is about; nil for what is about the whole.
  fileprivate var room: RoomKey? {
    switch self {
    case .connection, .viewers: nil
    case .joined(let participant), .left(let participant), .updated(let participant): participant.id.room
    case .trackPublished(let identity, _), .trackUnpublished(let identity, _), .trackSubscribed(let identity, _),
      .trackUnsubscribed(let identity, _), .trackMuted(let identity, _), .trackUnmuted(let identity, _),
      .layers(let identity, _), .activity(let identity, _), .speaking(let identity, _, _), .quality(let identity, _):
      identity.room
    }
  }
}
