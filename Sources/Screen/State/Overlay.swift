/// What lies over the tiles or stands beside them; one at a time.
public enum Overlay: Hashable, Sendable {
  /// The table of keys, from this line on.
  case help(offset: Int)
  /// What happened, ending so many lines before the newest.
  case events(offset: Int)
  /// Everything that is known about the selected tile, without so many fields at the beginning.
  case inspector(offset: Int)
  /// The line for commands, in the place of the events.
  case command(CommandPrompt)

  /// The part of the screen that it takes from the tiles, so that it covers none of them; nil for those that lie over
  /// the tiles.
  func dock(columns: Int, rows: Int) -> Dock? {
    switch self {
    case .help, .command: return nil
    case .events, .inspector:
      // A column of text stands beside the tiles where it leaves them more than half of the width.
      if columns >= 100 { return .right(columns: max(42, min(56, columns / 3))) }
      return .bottom(rows: max(5, min(14, (rows - 3) * 3 / 7)))
    }
  }
}

/// A part of the space for tiles that is given to something else.
public enum Dock: Hashable, Sendable {
  case right(columns: Int)
  case bottom(rows: Int)

  /// What is left, and what is taken.
  func split(_ area: CellRect) -> (rest: CellRect, panel: CellRect) {
    var rest = area
    var panel = area
    switch self {
    case .right(let columns):
      panel.columns = max(0, min(columns, area.columns))
      rest.columns -= panel.columns
      panel.column = rest.endColumn
    case .bottom(let rows):
      panel.rows = max(0, min(rows, area.rows))
      rest.rows -= panel.rows
      panel.row = rest.endRow
    }
    return (rest, panel)
  }
}

extension ScreenState {
  /// Opens an overlay in the place of any other, or closes it if it is open.
  mutating func toggle(_ wanted: Overlay) {
    let isOpen =
      switch (overlay, wanted) {
      case (.help, .help), (.events, .events), (.inspector, .inspector): true
      default: false
      }
    overlay = isOpen ? nil : wanted
  }

  /// While an overlay is open, keys that move scroll it; the others keep their meaning, to be tried out.
  ///
  /// - Returns: false for a key that the overlay has no use for.
  mutating func scrollOverlay(_ command: KeyCommand) -> Bool {
    let lines: Int
    switch (overlay, command) {
    case (.help?, .zoom):
      overlay = nil
      return true
    case (.inspector?, .previousPage) where inspectorLimit > 0: lines = -visibleOverlayLines
    case (.inspector?, .nextPage) where inspectorLimit > 0: lines = visibleOverlayLines
    // Arrows select whom it is about.
    case (nil, _), (.inspector?, _), (.command?, _): return false
    case (_, .move(.up)): lines = -1
    case (_, .move(.down)): lines = 1
    case (_, .previousPage): lines = -visibleOverlayLines
    case (_, .nextPage): lines = visibleOverlayLines
    // Beyond either end, where it is stopped.
    case (_, .selectFirst): lines = -10_000
    case (_, .selectLast): lines = 10_000
    default: return false
    }
    return scrollOverlay(by: lines)
  }

  /// Down is positive. False when nothing is open that scrolls.
  @discardableResult
  mutating func scrollOverlay(by lines: Int) -> Bool {
    switch overlay {
    case .help(let offset):
      overlay = .help(offset: HelpOverlay(for: subject).clamped(offset + lines, in: layout.content))
    case .events(let offset): overlay = .events(offset: EventsPanel.clamped(offset - lines, of: self))
    case .inspector(let offset) where inspectorLimit > 0:
      overlay = .inspector(offset: max(0, min(min(offset, inspectorLimit) + lines, inspectorLimit)))
    case .inspector, .command, nil: return false
    }
    return true
  }

  private var visibleOverlayLines: Int {
    switch overlay {
    case .help: HelpOverlay(for: subject).visibleLines(in: layout.content)
    case .events: EventsPanel.visibleLines(in: layout.panel)
    case .inspector: inspectorFit?.visible ?? 0
    case .command, nil: 0
    }
  }

  private var inspectorFit: InspectorPanel.Fit? {
    guard let selected, let panel = layout.panel else { return nil }
    return InspectorPanel.Fit(InspectorReport(of: selected, in: self), in: panel)
  }

  /// Fields of the inspector that do not fit.
  private var inspectorLimit: Int { inspectorFit?.limit ?? 0 }
}
