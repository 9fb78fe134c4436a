import Conference

extension ScreenState {
  /// Which tiles there are, in which order: pinned ones in the order of pinning, the others by arrival. Neither speaking
  /// nor a camera that goes off moves anybody, unless the person asked for people without video to stand last.
  mutating func settleTiles() {
    let previous = tiles
    let present = presentTiles()
    pinExpected(among: present)
    let shown = present.filter { !isHidden($0) }
    hiddenCount = present.count - shown.count
    let seen = Set(shown)
    // A track that is gone does not come back under its name; people do.
    let everybody = Set(present)
    pinned.removeAll { $0.extraTrack != nil && !everybody.contains($0) }
    settings = settings.filter { $0.key.extraTrack == nil || everybody.contains($0.key) }
    let front = pinned.filter(seen.contains)
    var rest = shown.filter { !pinned.contains($0) }
    if view.withoutVideo == .last { rest = rest.filter(hasVideo) + rest.filter { !hasVideo($0) } }
    tiles = front + rest
    if selectsFirst { selectFirst() }
    guard let current = selected, seen.contains(current) else {
      // The tile that took the place of the one that left, so that the eye need not move.
      let place = selected.flatMap { previous.firstIndex(of: $0) } ?? 0
      if selected != nil { isZoomed = false }
      selected = tiles.isEmpty ? nil : tiles[min(place, tiles.count - 1)]
      return
    }
  }

  /// Selects who comes first as long as a room may still be on its way in, so that it does not depend on which room was
  /// quickest to let us in who is selected and which room is heard.
  private mutating func selectFirst() {
    guard let first = tiles.first else { return }
    selected = first
    selectsFirst = room.sections.contains { $0.connection == .joining && $0.problem == nil }
  }

  /// Pins those who were named before they came. Once each: who unpins them afterwards means it.
  private mutating func pinExpected(among present: [TileID]) {
    for wanted in expectedPins {
      let named = present.first { tile in
        tile.extraTrack == nil
          && [name(of: tile.participant).description, tile.participant.raw].contains { $0.lowercased() == wanted }
      }
      guard let named else { continue }
      expectedPins.removeAll { $0 == wanted }
      if !pinned.contains(named) { pinned.append(named) }
    }
  }

  /// The tiles of everybody, by arrival.
  private func presentTiles() -> [TileID] {
    var arrived: [TileID] = []
    var seen: Set<TileID> = []
    // We ourselves are shown once we send something; watching needs no tile. Nor does a source that is away.
    for participant in room.participants
    where participant.isActive && !(participant.isLocal && participant.tracks.isEmpty) {
      let main = participant.mainVideo?.id
      let extras = participant.tracks.filter { $0.kind == .video && $0.id != main }
      for tile in [TileID(participant.id)] + extras.map({ TileID(participant.id, extraTrack: $0.id) })
      where seen.insert(tile).inserted { arrived.append(tile) }
    }
    return arrived
  }

  /// The person does not want to see the tile. A pin says that they do.
  private func isHidden(_ tile: TileID) -> Bool {
    if view.hidesSelf, participant(of: tile)?.isLocal ?? false { return true }
    return view.withoutVideo == .hidden && !hasVideo(tile) && !pinned.contains(tile)
  }

  /// The participant sends a picture for the tile, seen or not.
  private func hasVideo(_ tile: TileID) -> Bool { track(of: tile).map { !$0.isMuted } ?? false }
}
