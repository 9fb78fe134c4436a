import Conference
import RTCCore

extension ScreenState {
  /// Does what a key is for; keys without meaning do nothing.
  mutating func press(_ key: Key) -> [ScreenEffect] {
    if case .mouse(let event) = key { return click(event) }
    if case .command(let prompt) = overlay { return edit(prompt, with: key) }
    guard let command = KeyBinding.command(for: key) else { return [] }
    return scrollOverlay(command) ? [] : perform(command)
  }

  mutating func perform(_ command: KeyCommand) -> [ScreenEffect] {
    switch command {
    case .move(let direction): move(direction)
    case .selectNext: step(1, wraps: true)
    case .selectPrevious: step(-1, wraps: true)
    case .selectFirst: selected = tiles.first
    case .selectLast: selected = tiles.last
    case .nextPage: turnPage(1)
    case .previousPage: turnPage(-1)
    case .layer(let choice): keyTarget.map { choose(choice, for: $0) }
    case .toggleTarget: setTargetsAll(!targetsAll)
    case .zoom: isZoomed = !isZoomed && selected != nil
    case .pin: selected.map { setPinned(!pinned.contains($0), $0) }
    case .video: keyTarget.map { setVideoOff(!isVideoOff($0), for: $0) }
    case .mute: return keyTarget.map { setMuted(!isMuted($0), for: $0) } ?? []
    case .muteAll: return setMuted(!isAllMuted, for: .all)
    case .volume(let change): return keyTarget.map { setVolume(volume(of: $0) + change, for: $0) } ?? []
    case .theme(let change): return turnTheme(change)
    case .snapshot: return snapshot(to: nil)
    case .help: toggle(.help(offset: 0))
    case .events: toggle(.events(offset: 0))
    case .inspect: toggle(.inspector)
    case .commandLine: overlay = .command(CommandPrompt())
    case .close:
      if overlay != nil { overlay = nil } else { isZoomed = false }
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
}
