import Conference
import RTCCore

/// Applies one action to the screen's state and answers what is to be done about it, in order.
public func reduce(_ state: inout ScreenState, _ action: ScreenAction) -> [ScreenEffect] {
  var effects: [ScreenEffect] = []
  switch action {
  case .room(let snapshot):
    let present = Set(state.room.participants.map(\.id))
    state.adopt(snapshot)
    // Who comes back sounds as the person had set it.
    for participant in snapshot.participants where !present.contains(participant.id) {
      guard let voice = state.voices[participant.id] else { continue }
      effects.append(.setVolume(participant.id, voice.volume))
      effects.append(.setMuted(participant.id, voice.isMuted))
    }
  case .key(let key): effects = state.press(key)
  case .resize(let columns, let rows, let cellAspect):
    state.columns = max(0, columns)
    state.rows = max(0, rows)
    state.cellAspect = ScreenState.plausible(cellAspect)
  case .pixelDensity(let density): state.pixelDensity = density
  case .statistics(let statistics): state.adopt(statistics)
  case .totals(let unclaimed, let picturesSkipped):
    guard unclaimed != state.unclaimedDrops || picturesSkipped != state.picturesSkipped else { return [] }
    state.unclaimedDrops = unclaimed
    state.picturesSkipped = picturesSkipped
    guard case .inspector = state.overlay else { return [] }
  case .audio(let status):
    // The status line says so for as long as it lasts; why is one event, and no reason to cover a picture.
    if case .silent(let reason) = status {
      if case .silent = state.audio {} else { state.note(SanitizedText(reason)) }
    }
    state.audio = status
  case .link(let status):
    guard status != state.link else { return [] }
    state.link = status
  case .message(let text): state.show(SanitizedText(text))
  case .wallClock(let secondsOfDay):
    let midnight = state.now - .seconds(secondsOfDay)
    // The two clocks are read apart from each other, and seconds are whole.
    if let known = state.midnight, abs((midnight - known).components.seconds) < 2 { return [] }
    state.midnight = midnight
  case .themes(let names, let current):
    state.themes = names
    state.theme = current
  case .theme(let name): effects = state.choose(theme: name)
  case .tick(let now):
    state.tick(now)
    return state.advanceView()
  }
  state.revision &+= 1
  return effects + state.settle()
}

extension ScreenState {
  mutating func show(_ text: SanitizedText) {
    toast = Toast(text: text, until: now + Toast.duration)
    note(text)
  }

  /// Time alone changes the duration shown, once a second, and ends messages.
  mutating func tick(_ time: MonotonicTime) {
    let isNewSecond = time.nanoseconds / 1_000_000_000 != now.nanoseconds / 1_000_000_000
    now = time
    if let toast, toast.until <= time {
      self.toast = nil
      revision &+= 1
    } else if isNewSecond {
      revision &+= 1
    }
  }

  /// Brings tiles, selection, layout, layers and picture sizes in line with everything else.
  mutating func settle() -> [ScreenEffect] {
    settleTiles()
    settleLayout()
    return settleVideo() + settleHearing()
  }

  /// Sound follows the selected tile from room to room, unless all are heard.
  private mutating func settleHearing() -> [ScreenEffect] {
    guard room.sections.count > 1 else { return [] }
    let wanted = hearsAllRooms ? nil : selected?.participant.room ?? heardRoom ?? .only
    guard wanted != heardRoom else { return [] }
    heardRoom = wanted
    return [.hear(wanted)]
  }

  /// Hidden tiles ask for nothing and are not scaled; only what changed is told.
  private mutating func settleVideo() -> [ScreenEffect] {
    var effects: [ScreenEffect] = []
    var targets: [TrackID: PixelSize] = [:]
    var requests: [TrackID: LayerRequest] = [:]
    var order: [TrackID] = []
    for tile in tiles {
      guard let track = track(of: tile) else { continue }
      order.append(track.id)
      let place = isVideoOff(tile) ? nil : layout[tile]
      if let place, !track.isMuted {
        targets[track.id] = PixelSize.fitting(
          aspect(of: track), in: place.video, cellAspect: cellAspect, density: pixelDensity)
      }
      if track.isSubscribed { requests[track.id] = request(for: track, of: tile, at: place) }
    }
    for track in order {
      if videoTargets[track] != targets[track] { effects.append(.setVideoTarget(track, targets[track])) }
      if let request = requests[track], requested[track] != request { effects.append(.requestLayer(track, request)) }
    }
    videoTargets = targets
    shownSince = targets.reduce(into: [:]) { $0[$1.key] = shownSince[$1.key] ?? now }
    requested = requests
    return effects
  }
}
