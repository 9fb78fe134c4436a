import Conference
import RTCCore

/// Which layer of each stream is asked for, and which one comes (fact sheet §5, "Layers").
struct JanusLayers: Sendable {
  struct Setting: Equatable, Sendable {
    var isSent = true
    /// 0 is the smallest; nil for the server's own choice, the largest.
    var substream: Int?
  }

  struct Notice: Equatable, Sendable {
    var substream: Int
    var at: MonotonicTime
  }

  /// A layer that was asked for and has not come.
  struct Repetition: Equatable, Sendable {
    var count = 0
    var at: MonotonicTime
  }

  /// How often a layer is asked for again, after 1, 2, 4 and 8 s: each time the server asks the sender for a key frame,
  /// and one that it asked for too soon after another is lost.
  static let maximumRepetitions = 4

  /// How long a notice must stand: while it switches, the server tells of layers that it passes through.
  static let settling = Duration.milliseconds(500)
  static let count = 3

  var requested: [TrackID: LayerRequest] = [:]
  /// What the server was last told.
  var sent: [TrackID: Setting] = [:]
  var noticed: [TrackID: Notice] = [:]
  /// The layer that comes.
  private(set) var settled: [TrackID: Int] = [:]
  /// The size that was last decoded.
  var decoded: [TrackID: JanusRoster.PictureSize] = [:]

  var repetitions: [TrackID: Repetition] = [:]

  var deadline: MonotonicTime? { noticed.values.map { $0.at + Self.settling }.min() }
  var nextRepetition: MonotonicTime? { repetitions.values.map(\.at).min() }

  /// Takes the notices that stood long enough.
  mutating func takeSettled(at now: MonotonicTime) -> [(track: TrackID, substream: Int)] {
    let due = noticed.filter { $0.value.at + Self.settling <= now }
    for (track, notice) in due {
      noticed[track] = nil
      settled[track] = notice.substream
    }
    return due.map { ($0.key, $0.value.substream) }.sorted { $0.track.raw < $1.track.raw }
  }

  /// The tracks are not subscribed any more; what is wanted of them stays.
  mutating func forget(_ tracks: [TrackID]) {
    for track in tracks {
      sent[track] = nil
      repetitions[track] = nil
      noticed[track] = nil
      settled[track] = nil
      decoded[track] = nil
    }
  }
  mutating func forgetSent() {
    sent = [:]
    repetitions = [:]
  }

  /// The server was told this of a track.
  mutating func told(_ setting: Setting, of track: TrackID, at now: MonotonicTime) {
    sent[track] = setting
    repetitions[track] =
      setting.isSent && setting.substream != nil ? Repetition(at: now + .seconds(1)) : nil
  }

  /// Takes the tracks whose layers are to be asked for again.
  mutating func takeRepetitions(at now: MonotonicTime) -> Set<TrackID> {
    let due = repetitions.filter { $0.value.at <= now }
    for (track, repetition) in due {
      let count = repetition.count + 1
      repetitions[track] =
        count < Self.maximumRepetitions ? Repetition(count: count, at: now + .seconds(1 << count)) : nil
    }
    return Set(due.keys)
  }
}

extension JanusSession {
  // MARK: - What is asked for

  /// What the server is to send of a stream now.
  func layerSetting(of id: JanusStreamID) -> JanusLayers.Setting {
    let former = layers.sent[id.track]?.substream
    guard let request = layers.requested[id.track] else { return JanusLayers.Setting() }
    guard roster.stream(id)?.hasSimulcast == true else { return JanusLayers.Setting(isSent: request != .off) }
    switch request {
    case .off: return JanusLayers.Setting(isSent: false, substream: former)
    case .automatic: return JanusLayers.Setting()
    case .layer(let layer): return JanusLayers.Setting(substream: LayerID.allCases.firstIndex(of: layer))
    case .size(let width, let height):
      return JanusLayers.Setting(substream: Self.substream(width, height, sizes: roster.sizes(of: id)))
    }
  }

  /// The smallest layer that covers this size, or nearly does: a tenth too small is not seen.
  private static func substream(_ width: Int, _ height: Int, sizes: [JanusRoster.PictureSize?]) -> Int {
    let covering = sizes.firstIndex { size in
      size.map { $0.width * 10 >= width * 9 && $0.height * 10 >= height * 9 } ?? false
    }
    if let covering { return covering }
    if sizes.contains(where: { $0 != nil }) { return JanusLayers.count - 1 }
    // Nothing is known yet: as cameras are mostly sent, in 180, 360 and 720 lines.
    return height <= 180 ? 0 : height <= 360 ? 1 : 2
  }

  /// Tells the server what has changed.
  mutating func applyLayers(at now: MonotonicTime) {
    guard subscription.state == .active, let handle = subscription.handle, link.isOpen else { return }
    var changes: [JSONValue] = []
    let repeated = layers.takeRepetitions(at: now)
    for (source, mid) in subscription.sources.sorted(by: { $0.value < $1.value }) {
      let setting = layerSetting(of: source)
      let former = layers.sent[source.track]
      let isNew = setting != former && (former != nil || setting != JanusLayers.Setting())
      guard isNew || repeated.contains(source.track) else { continue }
      if isNew { layers.told(setting, of: source.track, at: now) }
      // What was not told yet stood in the request to subscribe, unless the wish is newer.
      var change: [String: JSONValue] = ["mid": .text(mid), "send": .truth(setting.isSent)]
      if setting.isSent, let substream = setting.substream {
        change["substream"] = .integer(Int64(substream))
        change["temporal"] = 2
      }
      changes.append(.object(change))
    }
    guard !changes.isEmpty else { return }
    ask(handle, ["request": "configure", "streams": .list(changes)], for: .configure, at: now)
  }

  // MARK: - What comes

  mutating func layerNoticed(_ data: JSONValue, at now: MonotonicTime) {
    guard let mid = data["mid"].textValue, let substream = data["substream"].integer(in: 0...JanusLayers.count - 1),
      let source = subscription.streams.first(where: { $0.mid == mid })?.source
    else { return }
    layers.noticed[source.track] = JanusLayers.Notice(substream: substream, at: now)
    if layers.sent[source.track]?.substream == substream { layers.repetitions[source.track] = nil }
  }

  mutating func settleLayers(at now: MonotonicTime) {
    for (track, substream) in layers.takeSettled(at: now) {
      output(.event(.layerReceived(track, LayerID.allCases[substream])))
      guard let stream = subscription.stream(of: track), let size = layers.decoded[track] else { continue }
      tell(roster.setSizes(Self.sizes(of: substream, size), of: stream))
    }
  }

  /// A picture of another size was decoded; which layer that is of is known once no notice is pending.
  mutating func learn(_ size: JanusRoster.PictureSize, of stream: JanusStreamID) {
    layers.decoded[stream.track] = size
    guard roster.stream(stream)?.hasSimulcast == true, layers.noticed[stream.track] == nil,
      let substream = layers.settled[stream.track]
    else { return }
    tell(roster.setSizes(Self.sizes(of: substream, size), of: stream))
  }

  /// The sizes of all layers by that of one: each layer is half as large as the next, as every browser sends them.
  private static func sizes(of substream: Int, _ size: JanusRoster.PictureSize) -> [JanusRoster.PictureSize?] {
    (0..<JanusLayers.count).map { layer in
      let shift = layer - substream
      func scale(_ length: Int) -> Int { shift >= 0 ? length << shift : max(1, length >> -shift) }
      return JanusRoster.PictureSize(width: scale(size.width), height: scale(size.height))
    }
  }
}
