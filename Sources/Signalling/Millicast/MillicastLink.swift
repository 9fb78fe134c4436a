import Conference
import RTCCore

/// One connection to a stream, from the question to the director to the media that flows, and which track is on which mid.
struct MillicastLink: Sendable {
  enum Stage: Equatable {
    /// The director was asked.
    case asking
    /// The WebSocket is being opened.
    case opening(Millicast.Direction)
    /// `view` was sent.
    case viewing
    /// The server lets us view; media is on its way to being connected.
    case viewed
    case connected
  }

  /// Where a track is on this link; a track without a place is nowhere.
  enum Place: Equatable {
    case projecting(mid: String, Millicast.LayerWish)
    case projected(mid: String, Millicast.LayerWish)
    /// Its source is inactive; the mid is kept for when it comes back.
    case dormant(mid: String)
    case unprojecting(mid: String)

    var mid: String {
      switch self {
      case .projecting(let mid, _), .projected(let mid, _), .dormant(let mid), .unprojecting(let mid): mid
      }
    }
  }

  private enum Request {
    case view
    case project([Millicast.TrackKey])
    case unproject([Millicast.TrackKey])
    case layer
  }
  private struct Pending {
    var request: Request
    /// Whose turn it is; one command a source at a time, or enabling and disabling would overtake each other.
    var source: Millicast.SourceKey?
    var deadline: MonotonicTime
  }
  private struct Section {
    var mid: String
    var kind: MediaKind
    /// Nil while a track has it.
    var freeSince: MonotonicTime?
  }

  /// What came of an input, for the session.
  enum Outcome: Equatable {
    case viewed
    case viewRefused(String)
    case projected(Millicast.TrackKey)
    case refused(Millicast.TrackKey, String)
  }

  /// From a command to its answer. 10 s: the server answers within a round trip, so that only a dead path takes long.
  static let commandTimeout = Duration.seconds(10)
  /// Rest of a mid between two tracks, so that late packets of one are not taken for the other's.
  static let midRest = Duration.seconds(1)

  let id: LinkID
  var stage = Stage.asking
  private(set) var receivers: MillicastReceivers?
  /// Sources that the server has told of on this link; only they can be projected.
  private(set) var announced: Set<Millicast.SourceKey> = []
  private(set) var places: [Millicast.TrackKey: Place] = [:]
  /// Events that came before the answer to `view`.
  var early: [Millicast.Event] = []
  /// Commands for the driver, taken by the session.
  var commands: [LinkCommand] = []
  /// The list of received tracks as last told to the media path.
  var received: [ReceivedTrack]?

  private let pinned: Millicast.SourceKey
  private var sections: [Section] = []
  private var pending: [Int: Pending] = [:]
  private var lastTransaction = 0
  /// Tracks that were refused in company, and are tried alone.
  private var alone: Set<Millicast.TrackKey> = []

  /// - Parameter pinned: the source that the server puts onto the first mids by itself.
  init(id: LinkID, pinned: Millicast.SourceKey) {
    self.id = id
    self.pinned = pinned
  }

  var isViewed: Bool { stage == .viewed || stage == .connected }
  var nextDeadline: MonotonicTime? { pending.values.map(\.deadline).min() }
  func isProjected(_ key: Millicast.TrackKey) -> Bool {
    if case .projected = places[key] { true } else { false }
  }
  /// The track that a mid of ours carries.
  func track(on mid: String) -> Millicast.TrackKey? {
    places.first { $0.value.mid == mid && $0.value != .unprojecting(mid: mid) }?.key
  }

  // MARK: - Viewing

  mutating func view(
    _ receivers: MillicastReceivers, streamID: String, excluded: [String], at now: MonotonicTime
  ) {
    self.receivers = receivers
    stage = .viewing
    let command = Millicast.Command.view(
      sdp: receivers.offer.serialized(), streamID: streamID, pinned: pinned.id, excluded: excluded)
    send(command, .view, of: nil, at: now)
  }

  private mutating func accept(_ response: JSONValue) -> Outcome {
    guard var receivers, let sdp = response["sdp"].textValue, let remote = receivers.accept(sdp) else {
      return .viewRefused("its answer makes no sense")
    }
    for kind in MediaKind.allCases {
      if let mid = receivers.mainMid(kind) { sections.append(Section(mid: mid, kind: kind)) }
    }
    self.receivers = receivers
    stage = .viewed
    commands.append(.media(.connect(.subscriber, remote)))
    return .viewed
  }

  // MARK: - Sources

  /// The server tells of a source. The main source's first tracks are on the first mids already.
  mutating func announce(_ source: Millicast.Source) -> [Outcome] {
    let isFirst = announced.insert(source.key).inserted
    guard isFirst, source.key == pinned else { return [] }
    return source.tracks.compactMap { track in
      guard receivers?.receives(track.key.kind) == true, let mid = mainMid(of: track.key) else { return nil }
      places[track.key] = .projected(mid: mid, .automatic)
      return .projected(track.key)
    }
  }

  /// The first tracks of the main or pinned source have the first mids for themselves.
  private func mainMid(of key: Millicast.TrackKey) -> String? {
    key.source == pinned && key.index == 0 ? receivers?.mainMid(key.kind) : nil
  }

  mutating func deactivate(_ source: Millicast.SourceKey) {
    for (key, place) in places where key.source == source {
      switch place {
      case .projecting(let mid, _), .projected(let mid, _): places[key] = .dormant(mid: mid)
      case .dormant, .unprojecting: break
      }
    }
  }

  /// Sends the next command that brings a source's tracks to where they are wanted, if none is under way.
  mutating func settle(
    _ source: Millicast.Source, _ wishes: MillicastWishes, at now: MonotonicTime
  ) -> [Outcome] {
    guard isViewed, announced.contains(source.key), !pending.values.contains(where: { $0.source == source.key }) else {
      return []
    }
    // Stops come first, so that their mids soon serve others.
    let unwanted = places.filter { key, place in
      key.source == source.key && place != .unprojecting(mid: place.mid)
        && !(wishes.isEnabled(key) && source.tracks.contains { $0.key == key })
    }.keys.sorted()
    if !unwanted.isEmpty {
      unproject(unwanted, of: source.key, at: now)
      return []
    }
    guard source.isActive else { return [] }
    let missing = source.tracks.filter { wishes.isEnabled($0.key) && isMissing($0.key) }
    if !missing.isEmpty { return project(missing, of: source, wishes, at: now) }
    for track in source.tracks where track.key.kind == .video {
      let wish = track.wish(for: wishes.requests[track.key])
      if case .projected(let mid, let asked) = places[track.key], wishes.isEnabled(track.key), asked != wish {
        setLayer(wish, of: track, on: mid, source, at: now)
        return []
      }
    }
    return []
  }

  private func isMissing(_ key: Millicast.TrackKey) -> Bool {
    switch places[key] {
    case nil, .dormant: true
    case .projecting, .projected, .unprojecting: false
    }
  }

  private mutating func unproject(
    _ tracks: [Millicast.TrackKey], of source: Millicast.SourceKey, at now: MonotonicTime
  ) {
    let mids = tracks.compactMap { places[$0]?.mid }
    for key in tracks {
      if let mid = places[key]?.mid { places[key] = .unprojecting(mid: mid) }
    }
    send(.unproject(mids: mids), .unproject(tracks), of: source, at: now)
  }

  private mutating func project(
    _ tracks: [Millicast.SourceTrack], of source: Millicast.Source, _ wishes: MillicastWishes, at now: MonotonicTime
  ) -> [Outcome] {
    var mappings: [Millicast.Mapping] = []
    var sent: [Millicast.TrackKey] = []
    var outcomes: [Outcome] = []
    let single = tracks.first { alone.contains($0.key) }
    for track in single.map({ [$0] }) ?? tracks {
      let key = track.key
      guard receivers?.receives(key.kind) == true else {
        outcomes.append(.refused(key, "its \(key.kind.rawValue) comes in a codec that is not known here"))
        continue
      }
      guard let mid = places[key]?.mid ?? mainMid(of: key) ?? takeMid(key.kind, at: now) else {
        // With a mid on its way back from an inactive source there is something to wait for.
        if !reclaimMid(key.kind, at: now) {
          outcomes.append(.refused(key, "\(MillicastReceivers.maximumSections) tracks are received already"))
        }
        continue
      }
      let layer = key.kind == .video ? track.wish(for: wishes.requests[key]) : .automatic
      places[key] = .projecting(mid: mid, layer)
      sent.append(key)
      mappings.append(
        Millicast.Mapping(mid: mid, kind: key.kind, trackID: key.index == 0 ? nil : track.trackID, layer: layer))
    }
    if !mappings.isEmpty { send(.project(source.key, mappings), .project(sent), of: source.key, at: now) }
    return outcomes
  }

  private mutating func setLayer(
    _ wish: Millicast.LayerWish, of track: Millicast.SourceTrack, on mid: String, _ source: Millicast.Source,
    at now: MonotonicTime
  ) {
    places[track.key] = .projected(mid: mid, wish)
    let isMain = mid == mainMid(of: track.key)
    let mapping = Millicast.Mapping(
      mid: mid, kind: .video, trackID: track.key.index == 0 ? nil : track.trackID, layer: wish)
    send(isMain ? .select(wish) : .project(source.key, [mapping]), .layer, of: source.key, at: now)
  }

  // MARK: - Mids

  /// A mid that has rested, else a new one, else the one that has rested longest.
  private mutating func takeMid(_ kind: MediaKind, at now: MonotonicTime) -> String? {
    let free = sections.indices.filter { sections[$0].kind == kind && sections[$0].freeSince != nil }
      .min { (sections[$0].freeSince ?? now) < (sections[$1].freeSince ?? now) }
    if let free, let since = sections[free].freeSince, since + Self.midRest <= now { return take(free) }
    if let mid = receivers?.add(kind) {
      sections.append(Section(mid: mid, kind: kind))
      return mid
    }
    return free.map { take($0) }
  }

  private mutating func take(_ index: Int) -> String {
    sections[index].freeSince = nil
    return sections[index].mid
  }

  /// Takes a mid back from a source that is inactive; true when one is on its way.
  private mutating func reclaimMid(_ kind: MediaKind, at now: MonotonicTime) -> Bool {
    let isComing = places.contains { key, place in
      key.kind == kind && place == .unprojecting(mid: place.mid) && !isMain(place.mid)
    }
    if isComing { return true }
    let dormant = places.keys.sorted().first { key in
      guard case .dormant(let mid) = places[key] else { return false }
      return key.kind == kind && !isMain(mid) && !pending.values.contains { $0.source == key.source }
    }
    guard let dormant else { return false }
    unproject([dormant], of: dormant.source, at: now)
    return true
  }

  /// The first mids stay the main source's.
  private func isMain(_ mid: String) -> Bool { MediaKind.allCases.contains { receivers?.mainMid($0) == mid } }

  private mutating func release(_ key: Millicast.TrackKey, rested: Bool, at now: MonotonicTime) {
    guard let place = places.removeValue(forKey: key), !isMain(place.mid),
      let index = sections.firstIndex(where: { $0.mid == place.mid })
    else { return }
    sections[index].freeSince = rested ? now - Self.midRest : now
  }

  // MARK: - Commands and their answers

  private mutating func send(
    _ command: Millicast.Command, _ request: Request, of source: Millicast.SourceKey?, at now: MonotonicTime
  ) {
    lastTransaction += 1
    pending[lastTransaction] = Pending(request: request, source: source, deadline: now + Self.commandTimeout)
    commands.append(.send(command.serialized(transaction: lastTransaction)))
  }

  /// Nil for a transaction that nobody waits for any more.
  mutating func succeeded(_ transaction: Int, _ response: JSONValue, at now: MonotonicTime) -> [Outcome]? {
    guard let ended = pending.removeValue(forKey: transaction) else { return nil }
    switch ended.request {
    case .view: return [accept(response)]
    case .project(let tracks):
      return tracks.compactMap { key in
        // Its source may have gone meanwhile.
        guard case .projecting(let mid, let layer) = places[key] else { return nil }
        places[key] = .projected(mid: mid, layer)
        return .projected(key)
      }
    case .unproject(let tracks):
      for key in tracks { release(key, rested: false, at: now) }
      return []
    case .layer: return []
    }
  }

  /// Nil for a transaction that nobody waits for any more.
  mutating func failed(_ transaction: Int, _ words: String, at now: MonotonicTime) -> [Outcome]? {
    guard let ended = pending.removeValue(forKey: transaction) else { return nil }
    switch ended.request {
    case .view: return [.viewRefused(words)]
    case .project(let tracks):
      for key in tracks {
        if case .projecting = places[key] { release(key, rested: true, at: now) }
      }
      guard tracks.count == 1 else {
        alone.formUnion(tracks)
        return []
      }
      return [.refused(tracks[0], words)]
    case .unproject(let tracks):
      // Whatever the server finds wrong with it, nothing was on the mid.
      for key in tracks { release(key, rested: false, at: now) }
      return []
    case .layer: return []
    }
  }

  /// Gives up what was not answered in time. What then is on the mids nobody knows, so they are not used again.
  mutating func giveUp(at now: MonotonicTime) -> [Outcome] {
    var outcomes: [Outcome] = []
    for transaction in pending.keys.sorted() {
      guard let late = pending[transaction], late.deadline <= now else { continue }
      pending[transaction] = nil
      switch late.request {
      case .view: outcomes.append(.viewRefused("no answer in time"))
      case .project(let tracks):
        for key in tracks where places[key] != nil {
          if case .projecting = places[key] { places[key] = nil }
          outcomes.append(.refused(key, "no answer in time"))
        }
      case .unproject(let tracks):
        for key in tracks { places[key] = nil }
      case .layer: break
      }
    }
    return outcomes
  }
}

extension Millicast.TrackKey: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    (left.source.id ?? "", left.kind.rawValue, left.index) < (right.source.id ?? "", right.kind.rawValue, right.index)
  }
}
