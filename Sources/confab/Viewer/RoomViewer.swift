import Conference
import ConferenceClient
import Media
import RTCCore
import Screen
import Synchronization
import Terminal
import Transport

/// Shows a joined room on the terminal until somebody leaves or the room ends.
struct RoomViewer: Sendable {
  struct Options: Sendable {
    var layer = LayerChoice.auto
    var arrangement = Arrangement.grid
    var audio = AudioOutput.Target.device("default")
    var hasAudio = true
    var picture = PictureFlags()
    var seconds: Duration?
    /// File that gets one JSON line with figures at the end.
    var statisticsFile: String?
  }

  /// Pictures a second that the terminal is given at most.
  private static let framesPerSecond = 30
  private static let statisticsInterval = Duration.milliseconds(500)

  let room: RoomConnection
  let options: Options

  /// - Returns: the exit code.
  func run() async throws(ConferenceError) -> Int32 {
    let inbox: ViewerInbox
    do throws(TerminalError) { inbox = ViewerInbox(waker: try TerminalWaker()) } catch { throw Self.failure(error) }
    if let notice = options.picture.notice { inbox.put { $0.messages.append(notice) } }
    let quit = Mutex(QuitReason?.none)
    let follower = Task { await follow(inbox) }
    let measurer = Task { await measure(inbox) }
    let output = startAudio(inbox)
    defer {
      follower.cancel()
      measurer.cancel()
      output?.stop()
    }
    var configuration = TerminalSession.Configuration()
    configuration.framesPerSecond = Self.framesPerSecond
    options.picture.apply(to: &configuration)
    let report = ReportBox()
    do throws(TerminalError) {
      try await TerminalSession.runOnOwnThread(configuration, waker: inbox.waker) { [room, options] in
        let screen = ViewerScreen(
          layer: options.layer, arrangement: options.arrangement, themes: options.picture.themes,
          signs: options.picture.signs, inbox: inbox, source: room,
          onEffect: { Self.perform($0, room) })
        return { session, event in
          if case .quit(let reason) = event { quit.withLock { $0 = reason } }
          let decision = screen.handle(event, on: session)
          if decision == .stop { report.set(session.statistics, delays: screen.delays, rates: screen.rates.values) }
          return decision
        }
      }
    } catch {
      await room.leave()
      throw Self.failure(error)
    }
    let failure = await room.endFailure
    await room.leave()
    if let file = options.statisticsFile { try report.write(to: file) }
    if let failure { throw failure }
    switch quit.withLock({ $0 }) {
    case .none, .terminate, .hangup: return 0
    case .interrupt, .abandon: return 130
    }
  }

  private func follow(_ inbox: ViewerInbox) async {
    for await event in room.events {
      switch event {
      case .changed(let snapshot, _): inbox.put { $0.room = snapshot }
      case .publishFailed(_, let message): inbox.put { $0.messages.append(message) }
      case .left: inbox.put { $0.hasEnded = true }
      case .firstFrame, .layerChanged, .published: inbox.waker.wake()
      }
    }
  }

  private func measure(_ inbox: ViewerInbox) async {
    let start = ContinuousClock.now
    while !Task.isCancelled {
      let statistics = await room.statistics()
      inbox.put { $0.statistics = statistics }
      if let limit = options.seconds, ContinuousClock.now - start >= limit { inbox.put { $0.hasEnded = true } }
      try? await Task.sleep(for: Self.statisticsInterval)
    }
  }

  private func startAudio(_ inbox: ViewerInbox) -> AudioOutput? {
    guard options.hasAudio else {
      inbox.put { $0.audio = .off }
      return nil
    }
    return AudioOutput(mixer: room.mixer, target: options.audio, clock: { NetworkActor.now }) { state in
      switch state {
      case .playing(let device): inbox.put { $0.audio = .playing(device: device) }
      case .silent(let reason): inbox.put { $0.audio = .silent(reason: reason + " `confab doctor` lists the devices.") }
      }
    }
  }

  private static func perform(_ effect: ScreenEffect, _ room: RoomConnection) {
    Task { @NetworkActor in
      switch effect {
      case .requestLayer(let track, let request): room.perform(.requestLayer(track, request))
      case .setVolume(let identity, let volume): room.setVolume(volume, of: identity)
      case .setMuted(let identity, let muted): room.setMuted(muted, of: identity)
      case .setMasterVolume(let volume): room.mixer.setVolume(volume)
      case .setAllMuted(let muted): room.mixer.setMuted(muted)
      case .setVideoTarget, .snapshot, .showTheme, .leave: break
      }
    }
  }

  static func failure(_ error: TerminalError) -> ConferenceError {
    ConferenceError(.usage, "\(error)", cause: error)
  }
}
