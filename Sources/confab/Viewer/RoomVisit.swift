import Conference
import ConferenceClient
import Media
import RTCCore
import Screen
import Terminal
import Transport

/// One room while it is shown: tells its screen what happens there, plays its sound, and leaves it in the end.
struct RoomVisit: Sendable {
  private static let statisticsInterval = Duration.milliseconds(500)

  private let room: RoomConnection
  private let options: RoomViewer.Options
  private let inbox: ViewerInbox
  private let tasks: [Task<Void, Never>]
  private let output: AudioOutput?

  /// Begins at once; call ``end()`` in every case. `waker` is that of the terminal on which the room is shown.
  init(to room: RoomConnection, options: RoomViewer.Options, waker: TerminalWaker) {
    let inbox = ViewerInbox(waker: waker)
    self.room = room
    self.options = options
    self.inbox = inbox
    tasks = [
      Task { await Self.follow(room, inbox) },
      Task { await Self.measure(room, inbox, limit: options.seconds) },
    ]
    output = Self.startAudio(room, inbox, options)
    room.onPicture { waker.wakeForPicture() }
  }

  /// Shows something that the person should read.
  func tell(_ message: String) { inbox.put { $0.messages.append(message) } }

  /// The room's screen; call it on the terminal's thread and keep the screen there.
  /// - Parameter themes: nil for those of the options.
  func makeScreen(themes: ThemeChoice? = nil) -> ViewerScreen {
    let room = room
    return ViewerScreen(
      layer: options.layer, view: options.view, themes: themes ?? options.picture.themes,
      signs: options.picture.signs, inbox: inbox, source: room, onEffect: { Self.perform($0, room) })
  }

  /// Leaves the room and gives back everything that the visit took.
  /// - Returns: why the room ended by itself, if it did.
  func end() async -> ConferenceError? {
    room.onPicture(nil)
    for task in tasks { task.cancel() }
    output?.stop()
    let failure = await room.endFailure
    await room.leave()
    return failure
  }

  private static func follow(_ room: RoomConnection, _ inbox: ViewerInbox) async {
    for await event in room.events {
      switch event {
      case .changed(let snapshot, _): inbox.put { $0.room = snapshot }
      case .publishFailed(_, let message): inbox.put { $0.messages.append(message) }
      case .left: inbox.put { $0.ending = .roomEnded }
      case .firstFrame, .layerChanged, .published: inbox.waker.wake()
      }
    }
  }

  private static func measure(_ room: RoomConnection, _ inbox: ViewerInbox, limit: Duration?) async {
    let start = ContinuousClock.now
    while !Task.isCancelled {
      let statistics = await room.statistics()
      inbox.put { $0.statistics = statistics }
      if let limit, ContinuousClock.now - start >= limit { inbox.put { $0.ending = .timeUp } }
      try? await Task.sleep(for: statisticsInterval)
    }
  }

  private static func startAudio(
    _ room: RoomConnection, _ inbox: ViewerInbox, _ options: RoomViewer.Options
  ) -> AudioOutput? {
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
}
