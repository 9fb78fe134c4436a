import RTCCore
import Signalling
import Transport

/// What a player is told by server-sent events (draft-ietf-wish-whep-events §3.1): whether somebody sends, the layers of its
/// pictures, and how many watch.
@NetworkActor final class PlayerEvents {
  static let names = ["active", "inactive", "layers", "viewercount"]
  /// Streams of one session at once: a page that is loaded again may hold two for a moment.
  static let maximumStreams = 4
  /// Layers are told again this often, since their rates change all the time.
  private static let layerInterval: Duration = .seconds(2)
  /// Below the silence after which a connection is cut.
  private static let keepaliveInterval: Duration = .seconds(15)

  private struct Listener {
    var events: Set<String>
    var stream: HTTPResponseStream?
    var told: [String: String] = [:]
    var layersAt = MonotonicTime.zero
    var saidAt = MonotonicTime.zero
  }

  private unowned let player: Player
  private var listeners: [Int: Listener] = [:]
  private var nextID = 1

  init(player: Player) { self.player = player }

  /// Takes the events that somebody wants; the number of their stream, or nil when there are too many.
  func subscribe(to events: [String]) -> Int? {
    guard listeners.count < Self.maximumStreams else { return nil }
    defer { nextID += 1 }
    listeners[nextID] = Listener(events: Set(events))
    return nextID
  }

  func has(_ id: Int) -> Bool { listeners[id] != nil }

  /// Begins to tell, or begins anew.
  func open(_ id: Int, _ stream: HTTPResponseStream) {
    guard listeners[id] != nil else { return stream.close() }
    listeners[id]?.stream?.close()
    listeners[id]?.stream = stream
    listeners[id]?.told = [:]
    stream.onClose = { [weak self] in self?.listeners[id]?.stream = nil }
    advance(to: NetworkActor.now)
  }

  func end(_ id: Int) {
    listeners.removeValue(forKey: id)?.stream?.close()
  }

  func close() {
    for listener in listeners.values { listener.stream?.close() }
    listeners = [:]
  }

  /// Tells what has changed.
  func advance(to now: MonotonicTime) {
    for id in listeners.keys.sorted() where listeners[id]?.stream != nil { tell(id, at: now) }
  }

  private func tell(_ id: Int, at now: MonotonicTime) {
    let activity = player.isActive ? "active" : "inactive"
    say(activity, "{}", to: id, under: "activity", at: now)
    say("viewercount", "{\"viewercount\":\(player.room.players.count)}", to: id, under: "viewercount", at: now)
    if let last = listeners[id]?.layersAt, now - last >= Self.layerInterval || listeners[id]?.told["layers"] == nil {
      listeners[id]?.layersAt = now
      let text = String(decoding: player.describeLayers(at: now).serialized(), as: UTF8.self)
      say("layers", text, to: id, under: "layers", at: now)
    }
    if let last = listeners[id]?.saidAt, now - last >= Self.keepaliveInterval {
      listeners[id]?.saidAt = now
      listeners[id]?.stream?.send(Array(":\n\n".utf8))
    }
  }

  /// Says something that is not what was said last.
  private func say(_ event: String, _ data: String, to id: Int, under key: String, at now: MonotonicTime) {
    guard let listener = listeners[id], listener.events.contains(event), listener.told[key] != event + data else {
      return
    }
    listeners[id]?.told[key] = event + data
    listeners[id]?.saidAt = now
    listener.stream?.send(Array("event: \(event)\ndata: \(data)\n\n".utf8))
  }
}
