import Conference
import RTCCore

extension ScreenState {
  /// The track whose picture a tile shows now; nil where it is not published, muted or switched off.
  func visibleTrack(of tile: TileID) -> TrackID? {
    guard let track = track(of: tile), !track.isMuted, !isVideoOff(tile) else { return nil }
    return track.id
  }

  /// Tracks whose pictures are to be seen, those of tiles on their way out included.
  public var tracksInSight: Set<TrackID> { Set(shown.compactMap { visibleTrack(of: $0.id) }) }

  /// Somebody speaks. A server may say so for a moment after the microphone went off.
  public func isSpeaking(_ participant: Participant) -> Bool {
    participant.isSpeaking && !(participant.mainAudio?.isMuted ?? false)
  }

  /// Moves are shown. Pictures in the terminal's own pixels would be sent whole at every step of them.
  /// Moving tiles are all new to the terminal, which a slow link cannot carry.
  private var showsMotion: Bool { view.hasMotion && !pixelDensity.exceedsGlyphs && link == nil }

  // MARK: Settling

  /// Brings the layout in line with tiles, selection and speakers, and starts a move where tiles change places.
  mutating func settleLayout() {
    followSpeakers()
    let before = layout
    layout = makeLayout()
    if chooseGuest(displaced: before.displaced) { layout = makeLayout() }
    position = layout.position
    let isSameScreen = before.content == layout.content && !before.isTooSmall
    if before.tiles != layout.tiles || !isSameScreen {
      transition =
        isSameScreen && showsMotion ? LayoutTransition(shown: shown, from: before, to: layout, at: now) : nil
    }
    shown = transition?.placements(at: now) ?? layout.tiles
  }

  private func makeLayout() -> ScreenLayout {
    var wish = LayoutWish(tiles: tiles, selected: selected)
    wish.position = position
    wish.isZoomed = isZoomed
    wish.arrangement = view.arrangement
    wish.inset = view.inset
    wish.large = view.arrangement == .spotlight ? largeTile : nil
    wish.guest = guest.holder.map { TileID($0) }
    let speaking = room.participants.filter(isSpeaking).map { TileID($0.id) }
    wish.seated = Set(pinned).union(speaking)
    return ScreenLayout(
      columns: columns, rows: rows, cellAspect: cellAspect, wish: wish,
      dock: overlay?.dock(columns: columns, rows: rows))
  }

  // MARK: Speakers

  /// What time alone changes: speakers get their places, and moves go on. Answers what is to be done about it.
  mutating func advanceView() -> [ScreenEffect] {
    var effects: [ScreenEffect] = []
    let large = spotlight.holder
    followSpeakers()
    if chooseGuest(displaced: layout.displaced) || spotlight.holder != large {
      revision &+= 1
      effects = settle()
    }
    guard let moving = transition else { return effects }
    revision &+= 1
    if moving.isOver(at: now) { transition = nil }
    shown = transition?.placements(at: now) ?? layout.tiles
    return effects
  }

  private mutating func followSpeakers() {
    speakers.hear(room.participants.filter(isSpeaking).map(\.id), at: now)
    // One's own face, large, is the last thing to look at while speaking.
    let others = tiles.compactMap { participant(of: $0) }.filter { !$0.isLocal }.map(\.id)
    spotlight.follow(speakers, eligible: Set(others), isReleased: false, at: now)
  }

  /// The large tile of the spotlight: the one pinned last, else the newest shared screen, else who speaks.
  private var largeTile: TileID? {
    let present = Set(tiles)
    if let pin = pinned.last(where: present.contains) { return pin }
    if let screen = tiles.last(where: { track(of: $0)?.source == .screenShare }) { return screen }
    if let holder = spotlight.holder, present.contains(TileID(holder)) { return TileID(holder) }
    return tiles.first { !(participant(of: $0)?.isLocal ?? false) } ?? tiles.first
  }

  /// A speaker out of sight takes the last place in sight that nobody needs, and gives it back when silent. One face
  /// changes; turning the page would move them all, and take it from under the person's hands.
  ///
  /// Answers whether there is another guest than before.
  private mutating func chooseGuest(displaced: TileID?) -> Bool {
    let current = guest.holder
    guard current != nil || !speakers.turns.isEmpty else { return false }
    let inSight = Set(layout.tiles.map(\.id))
    let hasGuests = layout.stage?.hasGuests ?? false
    let eligible = tiles.filter { tile in
      let isSeatedByRight = inSight.contains(tile) && !(layout.displaced != nil && tile.participant == current)
      return hasGuests && tile.extraTrack == nil && !isSeatedByRight
    }
    let isSelected = current.map { TileID($0) == selected } ?? false
    guest.follow(speakers, eligible: Set(eligible.map(\.participant)), isReleased: !isSelected, at: now)
    guard guest.holder != current else { return false }
    // Who had the guest selected stays on the page, with the tile that was there before.
    if isSelected, hasGuests, let displaced, tiles.contains(displaced) { selected = displaced }
    return true
  }
}
