import Conference
import RTCCore

extension ScreenState {
  /// Does what a key is for; keys without meaning do nothing.
  mutating func press(_ key: Key) -> [ScreenEffect] {
    if case .mouse(let event) = key {
      click(event)
      return []
    }
    guard let command = KeyBinding.command(for: key) else { return [] }
    if let offset = helpOffset, scrollHelp(from: offset, command) { return [] }
    switch command {
    case .move(let direction): move(direction)
    case .selectNext: step(1, wraps: true)
    case .selectPrevious: step(-1, wraps: true)
    case .selectFirst: selected = tiles.first
    case .selectLast: selected = tiles.last
    case .nextPage: turnPage(1)
    case .previousPage: turnPage(-1)
    case .layer(let choice): choose(choice)
    case .toggleTarget:
      targetsAll.toggle()
      note(targetsAll ? "Keys act on all tiles" : "Keys act on the selected tile")
    case .zoom: isZoomed = !isZoomed && selected != nil
    case .pin: togglePin()
    case .video: toggleVideo()
    case .mute: return targetsAll ? toggleAllMuted() : toggleMuted()
    case .muteAll: return toggleAllMuted()
    case .volume(let change): return changeVolume(by: change)
    case .help: helpOffset = helpOffset == nil ? 0 : nil
    case .close:
      if helpOffset != nil { helpOffset = nil } else { isZoomed = false }
    case .leave:
      isLeaving = true
      return [.leave]
    }
    return []
  }

  // MARK: Selection

  private mutating func step(_ change: Int, wraps: Bool) {
    guard !tiles.isEmpty else { return }
    let index = (selected.flatMap { tiles.firstIndex(of: $0) } ?? 0) + change
    selected = tiles[wraps ? (index + tiles.count) % tiles.count : max(0, min(tiles.count - 1, index))]
  }

  /// The nearest tile in that direction; where the row ends, sideways goes on in the order of tiles.
  private mutating func move(_ direction: KeyCommand.Direction) {
    guard !isZoomed, let current = selected, let from = layout[current]?.frame else {
      return step(direction == .left || direction == .up ? -1 : 1, wraps: false)
    }
    switch direction {
    case .left: step(-1, wraps: false)
    case .right: step(1, wraps: false)
    case .up, .down:
      let beyond = layout.tiles.filter { direction == .up ? $0.frame.row < from.row : $0.frame.row > from.row }
      let rowDistance = beyond.map { abs($0.frame.row - from.row) }.min()
      let candidates = beyond.filter { abs($0.frame.row - from.row) == rowDistance }
      let distance = candidates.map { abs($0.frame.column - from.column) }.min() ?? 0
      // Of two that are equally far but for rounding the left one.
      let nearest = candidates.first { abs($0.frame.column - from.column) <= distance + 1 }
      if let nearest {
        selected = nearest.id
      } else {
        turnPage(direction == .up ? -1 : 1)
      }
    }
  }

  private mutating func turnPage(_ change: Int) {
    if isZoomed { return step(change, wraps: false) }
    let page = layout.page + change
    guard page >= 0, page < layout.pages, layout.pages > 1 else { return }
    // All pages but the last are full, so the first one shown tells the size unless it is the last page itself.
    let size = layout.page + 1 < layout.pages ? layout.tiles.count : (tiles.count - layout.tiles.count) / layout.page
    selected = tiles[min(page * size, tiles.count - 1)]
  }

  private mutating func click(_ event: MouseEvent) {
    switch event.button {
    case .wheelUp, .wheelDown:
      let change = event.button == .wheelUp ? -1 : 1
      if let offset = helpOffset { helpOffset = max(0, offset + change) } else { turnPage(change) }
    case .left:
      if helpOffset != nil {
        helpOffset = nil
      } else if let tile = layout.tile(column: event.column, row: event.row) {
        selected = tile
        if event.isDouble { isZoomed.toggle() }
      }
    case .middle, .right: break
    }
  }

  /// While the help is open, the keys that move scroll it; the others keep their meaning, to be tried out.
  private mutating func scrollHelp(from offset: Int, _ command: KeyCommand) -> Bool {
    switch command {
    case .move(.up): helpOffset = max(0, offset - 1)
    case .move(.down): helpOffset = HelpOverlay.clamped(offset + 1, in: layout.content)
    case .previousPage: helpOffset = max(0, offset - HelpOverlay.visibleLines(in: layout.content))
    case .nextPage:
      helpOffset = HelpOverlay.clamped(offset + HelpOverlay.visibleLines(in: layout.content), in: layout.content)
    case .zoom: helpOffset = nil
    default: return false
    }
    return true
  }

  // MARK: What is watched

  private mutating func choose(_ choice: LayerChoice) {
    let text: SanitizedText =
      switch choice {
      case .auto: "layer by tile size"
      case .fixed(let layer): SanitizedText("layer \(layer.rawValue)")
      }
    if targetsAll {
      defaults.layer = choice
      for tile in settings.keys { settings[tile]?.layer = nil }
      note("All tiles: " + text)
    } else if let selected {
      settings[selected, default: TileSettings.Override()].layer = choice
      note(name(of: selected.participant) + ": " + text)
    }
  }

  private mutating func toggleVideo() {
    if targetsAll {
      defaults.isVideoOff = tiles.contains { !isVideoOff($0) }
      for tile in settings.keys { settings[tile]?.isVideoOff = nil }
      note(defaults.isVideoOff ? "All tiles: video off" : "All tiles: video on")
    } else if let selected {
      let isOff = !isVideoOff(selected)
      settings[selected, default: TileSettings.Override()].isVideoOff = isOff
      note(name(of: selected.participant) + (isOff ? ": video off" : ": video on"))
    }
  }

  private mutating func togglePin() {
    guard let selected else { return }
    if let index = pinned.firstIndex(of: selected) {
      pinned.remove(at: index)
      note(name(of: selected.participant) + ": not pinned")
    } else {
      pinned.append(selected)
      note(name(of: selected.participant) + ": pinned")
    }
  }

  // MARK: What is heard

  private mutating func toggleAllMuted() -> [ScreenEffect] {
    isAllMuted.toggle()
    note(isAllMuted ? "Everyone muted" : "Sound on")
    return [.setAllMuted(isAllMuted)]
  }

  private mutating func toggleMuted() -> [ScreenEffect] {
    guard let identity = audible() else { return [] }
    var voice = voice(of: identity)
    voice.isMuted.toggle()
    remember(voice, of: identity)
    note(name(of: identity) + (voice.isMuted ? ": muted for you" : ": heard again"))
    return [.setMuted(identity, voice.isMuted)]
  }

  private mutating func changeVolume(by change: Int) -> [ScreenEffect] {
    if targetsAll {
      masterVolume = max(0, min(100, masterVolume + change))
      note(SanitizedText("Volume \(masterVolume)"), about: .volume(nil))
      return [.setMasterVolume(masterVolume)]
    }
    guard let identity = audible() else { return [] }
    var voice = voice(of: identity)
    voice.volume = max(0, min(100, voice.volume + change))
    remember(voice, of: identity)
    note(name(of: identity) + SanitizedText(": volume \(voice.volume)"), about: .volume(identity))
    return [.setVolume(identity, voice.volume)]
  }

  /// Whose sound the keys change: the selected participant, never ourselves, whom we do not hear.
  private func audible() -> ParticipantIdentity? {
    guard let selected, let participant = participant(of: selected), !participant.isLocal else { return nil }
    return participant.id
  }

  private mutating func remember(_ voice: VoiceSettings, of identity: ParticipantIdentity) {
    voices[identity] = voice == VoiceSettings() ? nil : voice
  }
}
