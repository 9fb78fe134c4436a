import Conference

/// Moving through the tiles: the selection, pages and scrolling.
extension ScreenState {
  mutating func step(_ change: Int, wraps: Bool) {
    guard !tiles.isEmpty else { return }
    let index = (selected.flatMap { tiles.firstIndex(of: $0) } ?? 0) + change
    selected = tiles[wraps ? (index + tiles.count) % tiles.count : max(0, min(tiles.count - 1, index))]
  }

  /// The nearest tile in that direction; where the row ends, sideways goes on in the order of tiles.
  mutating func move(_ direction: KeyCommand.Direction) {
    let change = direction == .left || direction == .up ? -1 : 1
    guard !isZoomed, let current = selected, layout[current] != nil else { return step(change, wraps: false) }
    if case .spotlight(let stage)? = layout.stage { return moveInSpotlight(direction, stage) }
    if direction == .left || direction == .right { return step(change, wraps: false) }
    if let nearest = neighbour(of: current, direction) {
      selected = nearest
    } else if case .scrolled? = layout.stage {
      moveByRow(change)
    } else {
      turnPage(change)
    }
  }

  /// The nearest tile in sight in the next row or column.
  private func neighbour(of tile: TileID, _ direction: KeyCommand.Direction) -> TileID? {
    guard let from = layout[tile]?.frame else { return nil }
    // Along the way, and across it.
    func distance(_ frame: CellRect) -> (along: Int, across: Int) {
      switch direction {
      case .up: (from.row - frame.row, abs(frame.column - from.column))
      case .down: (frame.row - from.row, abs(frame.column - from.column))
      case .left: (from.column - frame.column, abs(frame.row - from.row))
      case .right: (frame.column - from.column, abs(frame.row - from.row))
      }
    }
    let beyond = layout.tiles.filter { distance($0.frame).along > 0 }
    guard let along = beyond.map({ distance($0.frame).along }).min() else { return nil }
    let candidates = beyond.filter { distance($0.frame).along == along }
    let nearest = candidates.map { distance($0.frame).across }.min() ?? 0
    // Of two that are equally far but for rounding the first one.
    return candidates.first { distance($0.frame).across <= nearest + 1 }?.id
  }

  /// Between the large tile and the strip by what is nearest; along the strip through all of it.
  private mutating func moveInSpotlight(_ direction: KeyCommand.Direction, _ stage: SpotlightStage) {
    guard let current = selected, let index = tiles.firstIndex(of: current) else { return }
    let isAlong = stage.isBeside == (direction == .up || direction == .down)
    guard isAlong, index != stage.large else {
      selected = neighbour(of: current, direction) ?? current
      return
    }
    let strip = tiles.indices.filter { $0 != stage.large }
    let change = (direction == .up || direction == .left ? -1 : 1) * stage.across
    let place = (index < stage.large ? index : index - 1) + change
    guard place >= 0, !strip.isEmpty else { return }
    selected = tiles[strip[min(place, strip.count - 1)]]
  }

  /// The tile above or below where that row is not in sight.
  private mutating func moveByRow(_ change: Int) {
    guard let index = selected.flatMap({ tiles.firstIndex(of: $0) }) else { return }
    let next = index + change * ScrolledStage.across
    let isLastRow = index / ScrolledStage.across == (tiles.count - 1) / ScrolledStage.across
    guard next >= 0, !(change > 0 && isLastRow) else { return }
    selected = tiles[min(next, tiles.count - 1)]
  }

  /// A screenful on or back.
  mutating func turnPage(_ change: Int) {
    switch layout.stage {
    case .paged(let stage)?:
      if stage.isZoom { return step(change, wraps: false) }
      go(to: stage.page + change)
    case .scrolled(let stage)?: scroll(by: change * stage.visibleRows)
    case .spotlight(let stage)?: scroll(by: change * stage.along)
    case nil: break
    }
  }

  /// One step of the wheel.
  mutating func scroll(_ change: Int) {
    if case .paged? = layout.stage { turnPage(change) } else { scroll(by: change) }
  }

  /// Moves what is in sight by so many lines; a selected tile that leaves the sight hands over to the nearest in it.
  private mutating func scroll(by lines: Int) {
    position = max(0, min(layout.positions - 1, layout.position + lines))
    guard let selected, let index = tiles.firstIndex(of: selected) else { return }
    switch layout.stage {
    case .scrolled(let stage)?:
      let (row, column) = (index / ScrolledStage.across, index % ScrolledStage.across)
      let nearest = max(position, min(position + stage.visibleRows - 1, row))
      self.selected = tiles[min(tiles.count - 1, nearest * ScrolledStage.across + column)]
    case .spotlight(let stage)?:
      guard let line = stage.line(of: index) else { return }
      let nearest = max(position, min(position + stage.along - 1, line))
      let place = min(
        stage.others - 1, nearest * stage.across + (index < stage.large ? index : index - 1) % stage.across)
      self.selected = tiles[place < stage.large ? place : place + 1]
    case .paged?, nil: break
    }
  }

  /// Goes to a page, row or line of the strip, from 0.
  mutating func go(to place: Int) {
    guard case .paged(let stage)? = layout.stage else { return scroll(by: place - layout.position) }
    guard place >= 0, place < stage.pages else { return }
    selected = tiles[min(place * stage.pageSize, tiles.count - 1)]
  }

  // MARK: How tiles are shown

  /// Shows the tiles in another arrangement; the selected one stays in sight.
  mutating func choose(_ arrangement: Arrangement) {
    view.arrangement = arrangement
    position = 0
    isZoomed = false
    note(SanitizedText("Layout \(arrangement.rawValue)"), about: .arrangement)
  }

  mutating func setSelfHidden(_ isHidden: Bool) {
    guard room.participants.contains(where: { $0.isLocal && !$0.tracks.isEmpty }) else {
      return show("You send nothing here, so there is no tile of yourself.")
    }
    view.hidesSelf = isHidden
    note(isHidden ? "You are hidden here; others see you" : "You are shown")
  }

  mutating func choose(_ treatment: WithoutVideo) {
    view.withoutVideo = treatment
    let text: SanitizedText =
      switch treatment {
      case .inPlace: "People without video stand in their places"
      case .last: "People without video stand last"
      case .hidden: "People without video are hidden"
      }
    note(text, about: .withoutVideo)
  }
}
