import RTCCore

extension Millicast {
  /// Which publisher inside a stream; nil is the main source, which has no id.
  struct SourceKey: Hashable, Sendable {
    var id: String?

    static let main = SourceKey(id: nil)
  }

  /// One media of a source as the server announces it.
  struct AnnouncedTrack: Equatable, Sendable {
    /// Changes from one announcement to the next.
    var trackID: String
    var kind: MediaKind
  }

  /// What the server says about the encodings of a projected track (protocol sheet §3.1).
  struct Encoding: Equatable, Sendable {
    /// Empty for publishers without simulcast.
    var id: String
    /// Grows with the quality; nil when not told.
    var index: Int?
    /// Pixels and bits a second; 0 when not told.
    var width: Int
    var height: Int
    var bitrate: Int
    var isActive: Bool
  }

  enum Event: Equatable, Sendable {
    case active(SourceKey, [AnnouncedTrack])
    case updated(SourceKey, [AnnouncedTrack])
    case inactive(SourceKey)
    case stopped
    /// A multiplexed audio mid now carries this source.
    case voice(mid: String, SourceKey)
    /// By mid of ours.
    case layers([String: [Encoding]])
    case viewerCount(Int)
    case migrate
    /// A name that is not asked for; newer servers may have more.
    case unknown
  }

  enum ServerMessage: Equatable, Sendable {
    case response(transaction: Int, JSONValue)
    case failure(transaction: Int, message: String)
    case event(Event)
    /// Servers may ask as well; nothing that they ask is known.
    case command(transaction: Int)
  }

  /// Every event that a viewer can ask for.
  static let events = ["active", "inactive", "layers", "stopped", "vad", "viewercount", "updated", "migrate"]

  /// More than any stream has; a server that names more is not believed.
  static let maximumTracks = 32
  static let maximumName = 256
}

extension Millicast.ServerMessage {
  /// Nil for what is no message of this protocol.
  init?(parsing bytes: [UInt8]) {
    guard let json = try? JSONValue(parsing: bytes), let type = json["type"].textValue else { return nil }
    switch type {
    case "response":
      guard let transaction = json["transId"].integer(in: 0...Int.max) else { return nil }
      self = .response(transaction: transaction, json["data"])
    case "error":
      guard let transaction = json["transId"].integer(in: 0...Int.max) else { return nil }
      let data = json["data"]
      self = .failure(transaction: transaction, message: data.textValue ?? data["message"].textValue ?? "")
    case "cmd":
      guard let transaction = json["transId"].integer(in: 0...Int.max) else { return nil }
      self = .command(transaction: transaction)
    case "event":
      guard let name = json["name"].textValue, let event = Millicast.Event(name, json["data"]) else {
        return nil
      }
      self = .event(event)
    default: return nil
    }
  }
}

extension Millicast.Event {
  fileprivate init?(_ name: String, _ data: JSONValue) {
    switch name {
    case "active", "updated":
      guard let source = Millicast.SourceKey(data) else { return nil }
      let tracks = data["tracks"].elements.prefix(Millicast.maximumTracks).compactMap(
        Millicast.AnnouncedTrack.init)
      self = name == "active" ? .active(source, tracks) : .updated(source, tracks)
    case "inactive":
      guard let source = Millicast.SourceKey(data) else { return nil }
      self = .inactive(source)
    case "stopped": self = .stopped
    case "vad":
      guard let mid = data["mediaId"].textValue, let source = Millicast.SourceKey(data) else { return nil }
      self = .voice(mid: mid, source)
    case "layers":
      guard case .object(let medias) = data["medias"] else { return nil }
      self = .layers(medias.mapValues(Millicast.Encoding.list))
    case "viewercount":
      guard let count = data["viewercount"].integer(in: 0...Int.max) else { return nil }
      self = .viewerCount(count)
    case "migrate": self = .migrate
    default: self = .unknown
    }
  }
}

extension Millicast.SourceKey {
  /// Absent, null and empty all mean the main source; nil when it is something else than a short text.
  fileprivate init?(_ data: JSONValue) {
    let value = data["sourceId"]
    guard !value.isNull else {
      self = .main
      return
    }
    guard let id = value.textValue, id.utf8.count <= Millicast.maximumName else { return nil }
    self.init(id: id.isEmpty ? nil : id)
  }

  var json: JSONValue { id.map { .text($0) } ?? .null }
}

extension Millicast.AnnouncedTrack {
  fileprivate init?(_ json: JSONValue) {
    guard let kind = json["media"].textValue.flatMap(MediaKind.init(rawValue:)) else { return nil }
    self.init(trackID: json["trackId"].textValue ?? "", kind: kind)
  }
}

extension Millicast.Encoding {
  /// The encodings of one mid, best last.
  fileprivate static func list(_ media: JSONValue) -> [Self] {
    let selectable = media["layers"].elements
    var encodings: [Self] = []
    for (entries, isActive) in [(media["active"].elements, true), (media["inactive"].elements, false)] {
      for entry in entries where encodings.count < Millicast.maximumTracks {
        let id = entry["id"].textValue ?? ""
        guard !encodings.contains(where: { $0.id == id }) else { continue }
        // The list of what can be selected knows the size where the encoding itself does not say it.
        let target = selectable.first { $0["encodingId"].textValue == id && $0["targetHeight"].pixels != nil }
        encodings.append(
          Self(
            id: id, index: entry["simulcastIdx"].integer(in: 0...255),
            width: entry["width"].pixels ?? target?["targetWidth"].pixels ?? 0,
            height: entry["height"].pixels ?? target?["targetHeight"].pixels ?? 0,
            bitrate: entry["bitrate"].integer(in: 0...Int.max) ?? 0, isActive: isActive))
      }
    }
    let areNumbered = encodings.allSatisfy { $0.index != nil }
    return encodings.sorted { left, right in
      if areNumbered, let first = left.index, let second = right.index, first != second { return first < second }
      return (left.height, left.bitrate, left.id) < (right.height, right.bitrate, right.id)
    }
  }
}

extension JSONValue {
  /// A side of a picture; nil for what cannot be one.
  fileprivate var pixels: Int? { integer(in: 1...65_535) }
}

// MARK: - Commands

extension Millicast {
  /// Which encoding of a track is wanted; without an id the server chooses by what the path carries.
  struct LayerWish: Equatable, Sendable {
    var encodingID: String?

    static let automatic = LayerWish(encodingID: nil)

    var json: JSONValue { .object(encodingID.map { ["encodingId": .text($0)] } ?? [:]) }
  }

  /// One track put onto a mid of ours.
  struct Mapping: Equatable, Sendable {
    var mid: String
    var kind: MediaKind
    /// Needed only beside another track of the kind; ids change, and a wrong one would be an error.
    var trackID: String?
    var layer: LayerWish

    var json: JSONValue {
      var fields: [String: JSONValue] = ["mediaId": .text(mid), "media": .text(kind.rawValue)]
      if let trackID { fields["trackId"] = .text(trackID) }
      if kind == .video, layer != .automatic { fields["layer"] = layer.json }
      return .object(fields)
    }
  }

  enum Command: Equatable, Sendable {
    case view(sdp: String, streamID: String, pinned: String?, excluded: [String])
    case project(SourceKey, [Mapping])
    case unproject(mids: [String])
    /// The layer of what the main video mid shows.
    case select(LayerWish)

    private var name: String {
      switch self {
      case .view: "view"
      case .project: "project"
      case .unproject: "unproject"
      case .select: "select"
      }
    }

    private var data: [String: JSONValue] {
      switch self {
      case .view(let sdp, let streamID, let pinned, let excluded):
        var fields: [String: JSONValue] = [
          "sdp": .text(sdp), "streamId": .text(streamID),
          "events": .list(Millicast.events.map { .text($0) }),
        ]
        if let pinned { fields["pinnedSourceId"] = .text(pinned) }
        if !excluded.isEmpty { fields["excludedSourceIds"] = .list(excluded.map { .text($0) }) }
        return fields
      case .project(let source, let mappings):
        return ["sourceId": source.json, "mapping": .list(mappings.map(\.json))]
      case .unproject(let mids): return ["mediaIds": .list(mids.map { .text($0) })]
      case .select(let layer): return ["layer": layer.json]
      }
    }

    func serialized(transaction: Int) -> [UInt8] {
      let message: JSONValue = .object([
        "type": "cmd", "transId": .integer(Int64(transaction)), "name": .text(name), "data": .object(data),
      ])
      return message.serialized()
    }
  }

  /// The answer to whatever a server may ask.
  static func declining(transaction: Int) -> [UInt8] {
    let message: JSONValue = .object([
      "type": "error", "transId": .integer(Int64(transaction)), "data": "This viewer takes no commands.",
    ])
    return message.serialized()
  }
}
