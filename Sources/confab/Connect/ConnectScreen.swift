import Conference
import Foundation
import Screen
import Terminal

/// The connect screen on the terminal. Lives on the terminal's thread.
final class ConnectScreen {
  private var state: ConnectState
  private let signs: GlyphSet
  /// The first of them is drawn in.
  var themes: ThemeChoice
  private var drawnRevision: UInt64?
  private let onEffect: (ConnectEffect) -> Void

  init(
    _ state: ConnectState, themes: ThemeChoice, signs: GlyphSet, onEffect: @escaping (ConnectEffect) -> Void
  ) {
    self.state = state
    self.themes = themes
    self.signs = signs
    self.onEffect = onEffect
  }

  /// Takes an event of the terminal, and draws if anything changed.
  func handle(_ event: TerminalEvent, on session: TerminalSession) {
    switch event {
    case .key(let key):
      act(.key(key))
      draw(on: session, isUrgent: true)
    case .resize: show(on: session)
    case .tick, .wake:
      act(.tick(TerminalSession.now, unixTime: Int64(Date().timeIntervalSince1970)))
      draw(on: session)
    case .resumed:
      drawnRevision = nil
      draw(on: session, isUrgent: true)
    case .quit: break
    }
  }

  /// Draws everything, in the window's present size.
  func show(on session: TerminalSession) {
    drawnRevision = nil
    act(.tick(TerminalSession.now, unixTime: Int64(Date().timeIntervalSince1970)))
    act(.resize(columns: session.size.columns, rows: session.size.rows))
    draw(on: session, isUrgent: true)
  }

  func act(_ action: ConnectAction) {
    for effect in reduce(&state, action) { onEffect(effect) }
  }

  /// `isUrgent` for what answers the person.
  private func draw(on session: TerminalSession, isUrgent: Bool = false) {
    guard drawnRevision != state.revision else { return }
    drawnRevision = state.revision
    var grid = CellGrid(columns: state.columns, rows: state.rows)
    let theme = themes.first(
      colors: session.capabilities.colorDepth.colors, background: session.findings.background.value)
    Screen.draw(state, theme: theme ?? .night, signs: signs, on: &grid)
    session.present(grid, isUrgent: isUrgent)
  }
}
