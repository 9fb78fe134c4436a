import Conference
import ConferenceClient
import Media
import Screen
import Synchronization
import Terminal

/// Shows a room, or a wall of several, on the terminal until somebody leaves or all of it ends.
struct RoomViewer: Sendable {
  struct Options: Sendable {
    var layer = LayerChoice.auto
    var view = ViewOptions()
    var audio = AudioOutput.Target.device("default")
    var hasAudio = true
    var picture = PictureFlags()
    var seconds: Duration?
    /// File that gets one JSON line with figures at the end.
    var statisticsFile: String?
    /// What was logged while the screen was there is printed in the end, whatever that is.
    var isVerbose = false

    /// How the terminal is to be taken.
    var session: TerminalSession.Configuration {
      var configuration = TerminalSession.Configuration()
      configuration.framesPerSecond = RoomViewer.framesPerSecond
      picture.apply(to: &configuration)
      return configuration
    }
  }

  /// Ticks of the frame clock a second; pictures wake the screen by themselves.
  private static let framesPerSecond = 30

  let wall: RoomWall
  let options: Options

  /// - Returns: the exit code.
  func run() async throws(ConferenceError) -> Int32 {
    let waker: TerminalWaker
    do throws(TerminalError) { waker = try TerminalWaker() } catch { throw Self.failure(error) }
    let visit = RoomVisit(to: wall, options: options, waker: waker)
    if let notice = options.picture.notice { visit.tell(notice) }
    let quit = Mutex(QuitReason?.none)
    let report = ReportBox()
    let log: String
    do throws(TerminalError) {
      log = try await TerminalSession.runOnOwnThread(options.session, waker: waker) {
        let screen = visit.makeScreen()
        return { session, event in
          if case .quit(let reason) = event { quit.withLock { $0 = reason } }
          let decision = screen.handle(event, on: session)
          if decision == .stop { report.set(session, screen) }
          return decision
        }
      }
    } catch {
      _ = await visit.end()
      throw Self.failure(error)
    }
    let failure = await visit.end()
    if options.isVerbose || failure != nil { StandardError.write(log) }
    if let file = options.statisticsFile { try report.write(to: file) }
    if let failure { throw failure }
    return Self.exitCode(after: quit.withLock { $0 })
  }

  /// The exit code when the program was asked to end so.
  static func exitCode(after reason: QuitReason?) -> Int32 {
    switch reason {
    case .none, .terminate, .hangup: 0
    case .interrupt, .abandon: 130
    }
  }

  /// A room can be watched without a screen, so whoever has no terminal for one is told how.
  static func failure(_ error: TerminalError) -> ConferenceError {
    let advice =
      switch error {
      case .notInteractive, .unusable, .screenRefused: " Without a screen there is --headless."
      case .noGraphics, .noCellPixels, .alreadyOpen, .system: ""
      }
    return ConferenceError(.usage, "\(error)\(advice)", cause: error)
  }
}
