import Conference
import ConferenceClient
import RTCCore
import Screen
import Synchronization
import Terminal

/// Goes from the connect screen to a room and back, as often as somebody likes, on a terminal that is taken once. Lives
/// on the terminal's thread.
final class ScreenFlow {
  /// How it ended.
  struct Outcome: Sendable {
    var quit: QuitReason?
    /// What the last join or room came to, when that was not what was wished.
    var failure: ConferenceError?
  }

  private let lobby: Lobby
  private let options: RoomViewer.Options
  private let report: ReportBox
  private let onEnd: (Outcome) -> Void
  private var connect: ConnectScreen?
  private var room: (visit: RoomVisit, screen: ViewerScreen)?
  private var outcome = Outcome()
  private var hasQuit = false

  /// - Parameter onEnd: called once, before the last event is answered with ``TerminalDecision/stop``.
  init(
    _ state: ConnectState, lobby: Lobby, options: RoomViewer.Options, report: ReportBox,
    onEnd: @escaping (Outcome) -> Void
  ) {
    self.lobby = lobby
    self.options = options
    self.report = report
    self.onEnd = onEnd
    connect = ConnectScreen(state, themes: options.picture.themes, signs: options.picture.signs) { [unowned self] in
      perform($0)
    }
  }

  func handle(_ event: TerminalEvent, on session: TerminalSession) -> TerminalDecision {
    if case .quit(let reason) = event {
      outcome.quit = reason
      return end(on: session)
    }
    if case .wake = event { takeNews(on: session) }
    guard let room else {
      connect?.handle(event, on: session)
      return hasQuit ? end(on: session) : .proceed
    }
    guard room.screen.handle(event, on: session) == .stop else { return .proceed }
    if case .key(.control("c")) = event { outcome.quit = .interrupt }
    if outcome.quit != nil || room.screen.ending == .timeUp { return end(on: session) }
    leave(room, on: session)
    connect?.act(.leaving)
    connect?.show(on: session)
    return .proceed
  }

  private func perform(_ effect: ConnectEffect) {
    switch effect {
    case .connect(let request): lobby.join(request)
    case .cancel:
      lobby.cancel()
      outcome.failure = nil
    case .forget(let room): lobby.forget(room)
    case .quit: hasQuit = true
    }
  }

  private func takeNews(on session: TerminalSession) {
    for news in lobby.take() {
      switch news {
      case .joined(let wall): enter(wall, on: session)
      case .failed(let error): showFailure(error)
      case .left(.some(let error)): showFailure(error)
      case .left(.none): connect?.act(.back(nil))
      case .rooms(let content):
        connect?.act(.rooms(content.rooms))
        if let complaint = content.complaint { connect?.act(.notice(ConnectNotice(.failure, complaint))) }
      }
    }
  }

  private func showFailure(_ error: ConferenceError) {
    outcome.failure = error
    connect?.act(.back(ConnectNotice(.failure, error.message)))
  }

  private func enter(_ wall: RoomWall, on session: TerminalSession) {
    outcome.failure = nil
    connect?.act(.joined)
    let visit = RoomVisit(to: wall, options: options, waker: lobby.waker)
    let screen = visit.makeScreen(themes: connect?.themes)
    room = (visit, screen)
    _ = screen.handle(.resize(session.size), on: session)
  }

  private func leave(_ left: (visit: RoomVisit, screen: ViewerScreen), on session: TerminalSession) {
    report.set(session, left.screen)
    session.onFrameWritten = nil
    // What was chosen in one room holds for the next.
    if let name = left.screen.shownTheme, let themes = connect?.themes {
      connect?.themes = themes.beginning(with: name)
    }
    lobby.leave(left.visit)
    room = nil
  }

  private func end(on session: TerminalSession) -> TerminalDecision {
    if let room { leave(room, on: session) }
    onEnd(outcome)
    return .stop
  }
}

/// Asks at the terminal where to join, and shows the rooms.
struct ConnectViewer {
  let draft: JoinDraft
  /// Of every join.
  let joining: JoinOptions
  let options: RoomViewer.Options
  let history: RoomHistory

  /// - Returns: the exit code.
  func run() async throws(ConferenceError) -> Int32 {
    let lobby: Lobby
    do throws(TerminalError) { lobby = try Lobby(draft: draft, options: joining, history: history) } catch {
      throw RoomViewer.failure(error)
    }
    let outcome = Mutex(ScreenFlow.Outcome())
    let report = ReportBox()
    var state = draft.state
    let remembered = history.load()
    _ = reduce(&state, .rooms(remembered.rooms))
    if let notice = options.picture.notice { _ = reduce(&state, .notice(ConnectNotice(.information, notice))) }
    if let complaint = remembered.complaint { _ = reduce(&state, .notice(ConnectNotice(.failure, complaint))) }
    let log: String
    do throws(TerminalError) {
      log = try await TerminalSession.runOnOwnThread(options.session, waker: lobby.waker) { [state, options] in
        let flow = ScreenFlow(state, lobby: lobby, options: options, report: report) { end in
          outcome.withLock { $0 = end }
        }
        return { flow.handle($1, on: $0) }
      }
    } catch {
      await lobby.close()
      throw RoomViewer.failure(error)
    }
    await lobby.close()
    let end = outcome.withLock { $0 }
    let failure = end.quit == nil ? end.failure : nil
    if options.isVerbose || failure != nil { StandardError.write(log) }
    if let file = options.statisticsFile { try report.write(to: file) }
    if let failure { throw failure }
    return RoomViewer.exitCode(after: end.quit)
  }
}
