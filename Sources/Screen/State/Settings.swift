import Conference

// What keys and commands set, for one tile or for all.

extension ScreenState {
  mutating func setTargetsAll(_ isAll: Bool) {
    targetsAll = isAll
    note(isAll ? "Keys act on all tiles" : "Keys act on the selected tile")
  }

  // MARK: What is watched

  mutating func choose(_ choice: LayerChoice, for target: Target) {
    let text: SanitizedText =
      switch choice {
      case .auto: "layer by tile size"
      case .fixed(let layer): SanitizedText("layer \(layer.rawValue)")
      }
    switch target {
    case .all:
      defaults.layer = choice
      for tile in settings.keys { settings[tile]?.layer = nil }
      note("All tiles: " + text)
    case .tile(let tile):
      settings[tile, default: TileSettings.Override()].layer = choice
      note(name(of: tile.participant) + ": " + text)
    }
  }

  /// Of all tiles: whether none is on.
  func isVideoOff(_ target: Target) -> Bool {
    switch target {
    case .all: !tiles.contains { !isVideoOff($0) }
    case .tile(let tile): isVideoOff(tile)
    }
  }

  mutating func setVideoOff(_ isOff: Bool, for target: Target) {
    switch target {
    case .all:
      defaults.isVideoOff = isOff
      for tile in settings.keys { settings[tile]?.isVideoOff = nil }
      note(isOff ? "All tiles: video off" : "All tiles: video on")
    case .tile(let tile):
      settings[tile, default: TileSettings.Override()].isVideoOff = isOff
      note(name(of: tile.participant) + (isOff ? ": video off" : ": video on"))
    }
  }

  mutating func setPinned(_ isPinned: Bool, _ tile: TileID) {
    pinned.removeAll { $0 == tile }
    if isPinned { pinned.append(tile) }
    note(name(of: tile.participant) + (isPinned ? ": pinned" : ": not pinned"))
  }

  /// Asks for a picture of the selected tile in a file; `file` nil for a name of the program's choice.
  mutating func snapshot(to file: String?) -> [ScreenEffect] {
    guard let selected, let track = track(of: selected) else {
      show(selected.map { name(of: $0.participant) + " sends no video." } ?? "Nobody is selected.")
      return []
    }
    guard videoTargets[track.id] != nil, statistics[track.id]?.width ?? 1 > 0 else {
      show("There is no picture of " + name(of: selected.participant) + " now.")
      return []
    }
    return [.snapshot(track.id, of: label(of: selected).description, file: file)]
  }

  // MARK: What is heard

  mutating func setHearsAllRooms(_ hearsAll: Bool) {
    hearsAllRooms = hearsAll
    note(hearsAll ? "Every room is heard" : "The room of the selected tile is heard")
  }

  func isMuted(_ target: Target) -> Bool {
    switch target {
    case .all: isAllMuted
    case .tile(let tile): voice(of: tile.participant).isMuted
    }
  }

  mutating func setMuted(_ isMuted: Bool, for target: Target) -> [ScreenEffect] {
    switch target {
    case .all:
      isAllMuted = isMuted
      note(isMuted ? "Everyone muted" : "Sound on")
      return [.setAllMuted(isMuted)]
    case .tile(let tile):
      guard let identity = audible(tile) else { return [] }
      var voice = voice(of: identity)
      voice.isMuted = isMuted
      remember(voice, of: identity)
      note(name(of: identity) + (isMuted ? ": muted for you" : ": heard again"))
      return [.setMuted(identity, isMuted)]
    }
  }

  func volume(of target: Target) -> Int {
    switch target {
    case .all: masterVolume
    case .tile(let tile): voice(of: tile.participant).volume
    }
  }

  /// `volume` is kept within 0…100.
  mutating func setVolume(_ volume: Int, for target: Target) -> [ScreenEffect] {
    let volume = max(0, min(100, volume))
    switch target {
    case .all:
      masterVolume = volume
      note(SanitizedText("Volume \(volume)"), about: .volume(nil))
      return [.setMasterVolume(volume)]
    case .tile(let tile):
      guard let identity = audible(tile) else { return [] }
      var voice = voice(of: identity)
      voice.volume = volume
      remember(voice, of: identity)
      note(name(of: identity) + SanitizedText(": volume \(volume)"), about: .volume(identity))
      return [.setVolume(identity, volume)]
    }
  }

  /// Whose sound is changed with a tile: its participant's, but never our own, which we do not hear.
  private func audible(_ tile: TileID) -> ParticipantIdentity? {
    participant(of: tile).flatMap { $0.isLocal ? nil : $0.id }
  }

  private mutating func remember(_ voice: VoiceSettings, of identity: ParticipantIdentity) {
    voices[identity] = voice == VoiceSettings() ? nil : voice
  }
}
