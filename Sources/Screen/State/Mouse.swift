import Conference

extension ScreenState {
  /// A click does what is natural where it falls: a tile is selected, an overlay closed, a key that the status line
  /// names pressed; the wheel scrolls what it is over.
  mutating func click(_ event: MouseEvent) -> [ScreenEffect] {
    let isOverPanel = layout.panel?.contains(column: event.column, row: event.row) ?? (overlay != nil)
    switch event.button {
    case .wheelUp, .wheelDown:
      let change = event.button == .wheelUp ? -1 : 1
      if !isOverPanel || !scrollOverlay(by: change) { scroll(change) }
    case .left: return leftClick(event)
    case .middle, .right: break
    }
    return []
  }

  private mutating func leftClick(_ event: MouseEvent) -> [ScreenEffect] {
    switch overlay {
    case .help:
      overlay = nil
      return []
    case .command:
      if layout.content.contains(column: event.column, row: event.row) { overlay = nil }
      return []
    case .events, .inspector:
      // The lines of a panel, the lower of which says how it is closed.
      if let panel = layout.panel, panel.contains(column: event.column, row: event.row) {
        if event.row == panel.row || event.row == panel.endRow - 1 { overlay = nil }
        return []
      }
    case nil: break
    }
    if let tile = layout.tile(column: event.column, row: event.row) {
      selected = tile
      if event.isDouble { isZoomed.toggle() }
    } else if layout.events.contains(column: event.column, row: event.row) {
      return perform(.events)
    } else if let command = StatusBar(self).command(column: event.column, row: event.row) {
      return perform(command)
    }
    return []
  }
}
