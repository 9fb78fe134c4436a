import Conference
import ConferenceClient
import Media
import RTCCore
import Screen
import Terminal
import Transport

/// A room, or a wall of several, while it is shown: tells its screen what happens there, plays its sound, and leaves it in
/// the end.
struct RoomVisit: Sendable {
  private static let statisticsInterval = Duration.milliseconds(500)

  private let wall: RoomWall
  private let options: RoomViewer.Options
  private let inbox: ViewerInbox
  private let tasks: [Task<Void, Never>]
  private let output: AudioOutput?

  /// Begins at once; call ``end()`` in every case. `waker` is that of the terminal on which the room is shown.
  init(to wall: RoomWall, options: RoomViewer.Options, waker: TerminalWaker) {
    let inbox = ViewerInbox(waker: waker)
    self.wall = wall
    self.options = options
    self.inbox = inbox
    tasks = [
      Task { await Self.follow(wall, inbox) },
      Task { await Self.measure(wall, inbox, limit: options.seconds) },
    ]
    output = Self.startAudio(wall, inbox, options)
    wall.onPicture { waker.wakeForPicture() }
  }

  /// Shows something that the person should read.
  func tell(_ message: String) { inbox.put { $0.messages.append(message) } }

  /// The room's screen; call it on the terminal's thread and keep the screen there.
  /// - Parameter themes: nil for those of the options.
  func makeScreen(themes: ThemeChoice? = nil) -> ViewerScreen {
    let wall = wall
    return ViewerScreen(
      layer: options.layer, view: options.view, subject: wall.count > 1 ? .wall : .room,
      themes: themes ?? options.picture.themes,
      signs: options.picture.signs, inbox: inbox, source: wall, onEffect: { Self.perform($0, wall) })
  }

  /// Leaves the room and gives back everything that the visit took.
  /// - Returns: why the room ended by itself, if it did.
  func end() async -> ConferenceError? {
    wall.onPicture(nil)
    for task in tasks { task.cancel() }
    output?.stop()
    let failure = await wall.endFailure
    await wall.leave()
    await wall.flush()
    return failure
  }

  private static func follow(_ wall: RoomWall, _ inbox: ViewerInbox) async {
    for await event in wall.events {
      switch event {
      case .changed(let snapshot, _): inbox.put { $0.room = snapshot }
      case .room(_, .publishFailed(_, let message)), .room(_, .subscriptionFailed(_, _, let message)):
        inbox.put { $0.messages.append(message) }
      // The rooms of a wall show what is wrong with them.
      case .room, .failed: inbox.waker.wake()
      case .ended: inbox.put { $0.ending = .roomEnded }
      }
    }
  }

  private static func measure(_ wall: RoomWall, _ inbox: ViewerInbox, limit: Duration?) async {
    let start = ContinuousClock.now
    while !Task.isCancelled {
      let (statistics, unclaimed) = await (wall.statistics(), wall.unclaimedDrops)
      inbox.put {
        $0.statistics = statistics
        $0.unclaimed = unclaimed
      }
      if let limit, ContinuousClock.now - start >= limit { inbox.put { $0.ending = .timeUp } }
      try? await Task.sleep(for: statisticsInterval)
    }
  }

  private static func startAudio(
    _ wall: RoomWall, _ inbox: ViewerInbox, _ options: RoomViewer.Options
  ) -> AudioOutput? {
    guard options.hasAudio else {
      inbox.put { $0.audio = .off }
      return nil
    }
    return AudioOutput(mixer: wall.mixer, target: options.audio, clock: { NetworkActor.now }) { state in
      switch state {
      case .playing(let device): inbox.put { $0.audio = .playing(device: device) }
      case .silent(let reason): inbox.put { $0.audio = .silent(reason: reason + " `confab doctor` lists the devices.") }
      }
    }
  }

  private static func perform(_ effect: ScreenEffect, _ wall: RoomWall) {
    Task { @NetworkActor in
      switch effect {
      case .requestLayer(let track, let request): wall.requestLayer(request, of: track)
      case .setVolume(let identity, let volume): wall.setVolume(volume, of: identity)
      case .setMuted(let identity, let muted): wall.setMuted(muted, of: identity)
      case .setMasterVolume(let volume): wall.mixer.setVolume(volume)
      case .setAllMuted(let muted): wall.mixer.setMuted(muted)
      case .hear(let room): wall.hear(room)
      case .setVideoTarget, .snapshot, .showTheme, .leave: break
      }
    }
  }
}
