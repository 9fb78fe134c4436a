import Conference
import RTCCore

/// What happens within the stream once we view it.
extension MillicastSession {
  /// Events kept until the answer to `view`; a stream has a handful of sources.
  private static let maximumEarlyEvents = 1_000

  mutating func receive(_ bytes: [UInt8], on index: Int, at now: MonotonicTime) {
    guard let message = Millicast.ServerMessage(parsing: bytes) else { return drops.count(.malformed) }
    let id = links[index].id
    switch message {
    case .response(let transaction, let data):
      guard let outcomes = links[index].succeeded(transaction, data, at: now) else { return drops.count(.tooLate) }
      handle(outcomes, of: id, at: now)
    case .failure(let transaction, let words):
      guard let outcomes = links[index].failed(transaction, words, at: now) else { return drops.count(.tooLate) }
      handle(outcomes, of: id, at: now)
    case .command(let transaction):
      links[index].commands.append(.send(Millicast.declining(transaction: transaction)))
      flush(index)
    case .event(let event):
      if links[index].isViewed {
        handle(event, on: id, at: now)
      } else if links[index].early.count < Self.maximumEarlyEvents {
        // Announcements may overtake the answer to `view`.
        links[index].early.append(event)
      } else {
        drops.count(.queueFull)
      }
    }
  }

  mutating func handle(_ outcomes: [MillicastLink.Outcome], of id: LinkID, at now: MonotonicTime) {
    for outcome in outcomes {
      switch outcome {
      case .viewed: viewed(id, at: now)
      case .viewRefused(let words):
        guard let index = links.firstIndex(where: { $0.id == id }) else { return }
        let line = words.visibleLine
        return attemptFailed(
          index,
          (.joinRefused, "The server does not show the stream\(line.isEmpty ? "" : " (“\(line)”)"). Try again later."),
          at: now)
      case .projected(let key): tellSubscribed(key)
      case .refused(let key, let words): refuse(key, words)
      }
    }
    settle(at: now)
  }

  // MARK: - Events

  mutating func handle(_ event: Millicast.Event, on id: LinkID, at now: MonotonicTime) {
    // The event before may have ended the link.
    guard let index = links.firstIndex(where: { $0.id == id }) else { return }
    let leads = index == lead
    switch event {
    case .active(let key, let tracks), .updated(let key, let tracks): announced(key, tracks, on: index, at: now)
    case .inactive(let key):
      links[index].deactivate(key)
      // A server that we move away from takes its sources along.
      if leads { deactivate(key) }
    case .layers(let report):
      for mid in report.keys.sorted() { setEncodings(report[mid] ?? [], of: links[index].track(on: mid)) }
      settle(at: now)
    case .voice(let mid, let key): if leads { speaks(key, on: mid) }
    case .viewerCount(let count): if leads { output(.event(.viewersChanged(count))) }
    case .migrate: if leads { migrate(at: now) }
    case .stopped: if leads { end(.roomClosed) }
    case .unknown: break
    }
  }

  private mutating func announced(
    _ key: Millicast.SourceKey, _ tracks: [Millicast.AnnouncedTrack], on index: Int, at now: MonotonicTime
  ) {
    let before = sources[key]
    guard sources.announce(key, tracks), let source = sources[key] else { return drops.count(.malformed) }
    wishes.forgetRefusals(of: key)
    let present = Set(source.tracks.map(\.key))
    subscribed = subscribed.filter { $0.source != key || present.contains($0) }
    if let before, !before.isActive {
      for track in before.tracks { output(.event(.activityChanged(track.id, isActive: true))) }
    }
    if source.participant != before?.participant { output(.event(.participantUpdated(source.participant))) }
    let outcomes = links[index].announce(source)
    handle(outcomes, of: links[index].id, at: now)
  }

  private mutating func deactivate(_ key: Millicast.SourceKey) {
    guard sources.deactivate(key), let source = sources[key] else { return }
    output(.event(.participantUpdated(source.participant)))
    for track in source.tracks { output(.event(.activityChanged(track.id, isActive: false))) }
  }

  /// Whoever was not announced again on a new link is gone.
  mutating func confirmSources(at now: MonotonicTime) {
    confirmAt = nil
    guard let lead else { return }
    for source in sources.sources where !links[lead].announced.contains(source.key) { deactivate(source.key) }
  }

  private mutating func setEncodings(_ encodings: [Millicast.Encoding], of key: Millicast.TrackKey?) {
    guard let key, key.kind == .video, sources.setEncodings(encodings, of: key), let source = sources[key.source]
    else { return }
    output(.event(.participantUpdated(source.participant)))
  }

  private mutating func speaks(_ key: Millicast.SourceKey, on mid: String) {
    let before = voices.updateValue(key, forKey: mid)
    guard before != key, voices.count <= MillicastReceivers.maximumSections else { return }
    var changes: [(identity: ParticipantIdentity, level: Double, isSpeaking: Bool)] = []
    if let before, !voices.values.contains(before), let identity = sources[before]?.identity {
      changes.append((identity, 0, false))
    }
    if let identity = sources[key]?.identity { changes.append((identity, 1, true)) }
    if !changes.isEmpty { output(.event(.speakersChanged(changes))) }
  }

  // MARK: - Tracks

  /// Brings what is received to what is wanted, one command a source at a time.
  mutating func settle(at now: MonotonicTime) {
    guard let lead else { return }
    for source in sources.sources {
      for case .refused(let key, let words) in links[lead].settle(source, wishes, at: now) { refuse(key, words) }
    }
    // Packets may come before the answer to the command that asks for them.
    tellReceived(links[lead].id)
    flush(lead)
    considerClosingOld(at: now)
  }

  private mutating func tellSubscribed(_ key: Millicast.TrackKey) {
    guard wishes.isSubscribed(key), let source = sources[key.source], let track = sources[key],
      subscribed.insert(key).inserted
    else { return }
    output(.event(.subscribed(source.identity, track.id)))
  }

  private mutating func refuse(_ key: Millicast.TrackKey, _ words: String) {
    wishes.refuse(key)
    guard let source = sources[key.source], let track = sources[key] else { return }
    let line = words.visibleLine
    output(
      .event(
        .subscriptionFailed(
          source.identity, track.id,
          message: "The \(key.kind.rawValue) of \(source.name.visibleLine) cannot be received"
            + (line.isEmpty ? "." : ": \(line)."))))
  }

  /// Tells the media path what a link receives, if that has changed. Tracks that are subscribed and hidden stay in the
  /// list without a mid, so that their last picture stays.
  mutating func tellReceived(_ id: LinkID) {
    guard let index = links.firstIndex(where: { $0.id == id }), let receivers = links[index].receivers else { return }
    var list: [ReceivedTrack] = []
    for track in sources.sources.flatMap(\.tracks) {
      let place = links[index].places[track.key]
      let mid = place.flatMap { $0 == .unprojecting(mid: $0.mid) ? nil : $0.mid }
      guard mid != nil || subscribed.contains(track.key),
        let received = receivers.received(track.id, kind: track.key.kind, mid: mid)
      else { continue }
      list.append(received)
    }
    guard list != links[index].received else { return }
    links[index].received = list
    output(.link(id, .media(.receive(list))))
  }
}
