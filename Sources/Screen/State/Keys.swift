import Conference
import RTCCore

extension ScreenState {
  /// Does what a key is for; keys without meaning do nothing.
  mutating func press(_ key: Key) -> [ScreenEffect] {
    selectsFirst = false
    if case .mouse(let event) = key { return click(event) }
    if case .command(let prompt) = overlay { return edit(prompt, with: key) }
    guard let command = KeyBinding.command(for: key), command.applies(to: subject) else { return [] }
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
    case .nextLayout: choose(view.arrangement.next)
    case .hideSelf: setSelfHidden(!view.hidesSelf)
    case .withoutVideo: choose(view.withoutVideo.next)
    case .pin: selected.map { setPinned(!pinned.contains($0), $0) }
    case .video: keyTarget.map { setVideoOff(!isVideoOff($0), for: $0) }
    case .mute: return keyTarget.map { setMuted(!isMuted($0), for: $0) } ?? []
    case .hearAllRooms: setHearsAllRooms(!hearsAllRooms)
    case .muteAll: return setMuted(!isAllMuted, for: .all)
    case .volume(let change): return keyTarget.map { setVolume(volume(of: $0) + change, for: $0) } ?? []
    case .theme(let change): return turnTheme(change)
    case .snapshot: return snapshot(to: nil)
    case .help: toggle(.help(offset: 0))
    case .events: toggle(.events(offset: 0))
    case .inspect: toggle(.inspector(offset: 0))
    case .commandLine: overlay = .command(CommandPrompt())
    case .close:
      if overlay != nil { overlay = nil } else { isZoomed = false }
    case .leave:
      isLeaving = true
      return [.leave]
    }
    return []
  }
}
