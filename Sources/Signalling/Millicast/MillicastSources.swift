import Conference
import RTCCore

extension Millicast {
  /// A track by what stays the same when its source comes back: whose it is, its kind, and its place among those.
  struct TrackKey: Hashable, Sendable {
    var source: SourceKey
    var kind: MediaKind
    /// 0 for the first of its kind.
    var index: Int
  }

  struct SourceTrack: Equatable, Sendable {
    let key: TrackKey
    let id: TrackID
    /// The server's name of it, this time.
    var trackID: String
    /// Best last; empty until the server has told.
    var encodings: [Encoding] = []

    /// What our names of layers mean: with fewer than three the best ones have names.
    var namedEncodings: [(name: LayerID, encoding: Encoding)] {
      switch encodings.count {
      case 0: []
      case 1: [(.high, encodings[0])]
      case 2: [(.medium, encodings[0]), (.high, encodings[1])]
      case let count: [(.low, encodings[0]), (.medium, encodings[count / 2]), (.high, encodings[count - 1])]
      }
    }

    var layers: [VideoLayer] {
      namedEncodings.map {
        VideoLayer(
          id: $0.name, width: $0.encoding.width, height: $0.encoding.height, bitrate: $0.encoding.bitrate,
          isActive: $0.encoding.isActive)
      }
    }

    /// The encoding that a request comes to. Without a usable one the server chooses.
    func wish(for request: LayerRequest?) -> LayerWish {
      let usable = namedEncodings.filter { $0.encoding.isActive && !$0.encoding.id.isEmpty }
      switch request {
      case .layer(let layer):
        let chosen = usable.last { $0.name <= layer } ?? usable.first
        return LayerWish(encodingID: chosen?.encoding.id)
      case .size(let width, let height):
        guard usable.allSatisfy({ $0.encoding.height > 0 }) else { return .automatic }
        let chosen = usable.first { $0.encoding.width >= width && $0.encoding.height >= height } ?? usable.last
        return LayerWish(encodingID: chosen?.encoding.id)
      case .automatic, .off, nil: return .automatic
      }
    }
  }

  struct Source: Equatable, Sendable {
    let key: SourceKey
    let identity: ParticipantIdentity
    let name: String
    var tracks: [SourceTrack] = []
    /// False from `inactive` to the next `active`.
    var isActive = true

    var participant: Participant {
      var participant = Participant(id: identity, name: name, tracks: tracks.map(Track.init))
      participant.isActive = isActive
      return participant
    }
  }
}

extension Track {
  fileprivate init(_ track: Millicast.SourceTrack) {
    let layers = track.key.kind == .video ? track.layers : []
    self.init(
      id: track.id, kind: track.key.kind, source: track.key.kind == .video ? .camera : .microphone,
      width: layers.map(\.width).max() ?? 0, height: layers.map(\.height).max() ?? 0, layers: layers)
  }
}

/// Who publishes inside of the stream, in the order in which they were announced.
struct MillicastSources: Equatable, Sendable {
  /// More than any stream has; a server that names more is not believed.
  static let maximumSources = 1_000

  private let streamName: String
  private(set) var sources: [Millicast.Source] = []

  init(streamName: String) { self.streamName = streamName }

  subscript(key: Millicast.SourceKey) -> Millicast.Source? { sources.first { $0.key == key } }
  subscript(key: Millicast.TrackKey) -> Millicast.SourceTrack? { self[key.source]?.tracks.first { $0.key == key } }

  func key(of track: TrackID) -> Millicast.TrackKey? {
    for source in sources {
      if let found = source.tracks.first(where: { $0.id == track }) { return found.key }
    }
    return nil
  }

  /// Takes over what a source is said to send, and that it is active. False when it is not believed.
  mutating func announce(_ key: Millicast.SourceKey, _ announced: [Millicast.AnnouncedTrack]) -> Bool {
    guard let source = self[key] ?? add(key) else { return false }
    var changed = source
    changed.isActive = true
    changed.tracks = []
    for track in announced {
      let index = changed.tracks.count { $0.key.kind == track.kind }
      let trackKey = Millicast.TrackKey(source: key, kind: track.kind, index: index)
      var entry =
        source.tracks.first { $0.key == trackKey }
        ?? Millicast.SourceTrack(
          key: trackKey, id: Self.id(of: trackKey, identity: source.identity), trackID: track.trackID)
      entry.trackID = track.trackID
      changed.tracks.append(entry)
    }
    replace(changed)
    return true
  }

  /// False when the source is not known or inactive already.
  mutating func deactivate(_ key: Millicast.SourceKey) -> Bool {
    guard var source = self[key], source.isActive else { return false }
    source.isActive = false
    replace(source)
    return true
  }

  /// Takes over the encodings of a track. False when nothing is new: the measured bit rates that come along with each
  /// report wander, and only together with something else are they news.
  mutating func setEncodings(_ encodings: [Millicast.Encoding], of key: Millicast.TrackKey) -> Bool {
    guard var source = self[key.source], let place = source.tracks.firstIndex(where: { $0.key == key }) else {
      return false
    }
    func withoutBitrates(_ list: [Millicast.Encoding]) -> [Millicast.Encoding] {
      list.map { encoding in
        var encoding = encoding
        encoding.bitrate = 0
        return encoding
      }
    }
    guard withoutBitrates(source.tracks[place].encodings) != withoutBitrates(encodings) else { return false }
    source.tracks[place].encodings = encodings
    replace(source)
    return true
  }

  private mutating func replace(_ source: Millicast.Source) {
    guard let place = sources.firstIndex(where: { $0.key == source.key }) else { return }
    sources[place] = source
  }

  private mutating func add(_ key: Millicast.SourceKey) -> Millicast.Source? {
    let name = key.id ?? streamName
    // The main source goes by the stream's name, which another source may have as its id.
    let identity = ParticipantIdentity(key.id == streamName ? "source:\(name)" : name)
    guard sources.count < Self.maximumSources, !sources.contains(where: { $0.identity == identity }) else { return nil }
    let source = Millicast.Source(key: key, identity: identity, name: name)
    sources.append(source)
    return source
  }

  /// Ends in the kind, or in a number from 1 on, so that no two are alike.
  private static func id(of key: Millicast.TrackKey, identity: ParticipantIdentity) -> TrackID {
    TrackID("\(identity)/\(key.kind.rawValue)" + (key.index == 0 ? "" : "/\(key.index)"))
  }
}
