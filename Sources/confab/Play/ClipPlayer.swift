import Conference
import ConferenceClient
import Foundation
import Media
import RTCCore
import Screen
import Synchronization
import Terminal

/// Shows files on the screen of a room, one tile each.
struct ClipPlayer {
  /// How files are shown.
  struct Options: Sendable {
    /// Times real time, above 0.
    var speed = 1.0
    var picture = PictureFlags()
    var view = ViewOptions()
    /// Difference of a colour that a moving cell may keep; nil for the terminal's own choice.
    var tolerance: Int?
    /// File that gets one JSON line with figures at the end.
    var statisticsFile: String?
  }

  /// The files' playbacks, found by the track that stands for each.
  private struct Tracks: PictureSource {
    let playbacks: [VideoPlayback]

    func playback(_ track: TrackID) -> VideoPlayback? {
      guard let index = Int(track.raw), playbacks.indices.contains(index) else { return nil }
      return playbacks[index]
    }
  }

  let clips: [Clip]
  let options: Options

  /// - Returns: the exit code.
  consuming func run() async throws(ConferenceError) -> Int32 {
    let inbox: ViewerInbox
    do throws(TerminalError) { inbox = ViewerInbox(waker: try TerminalWaker()) } catch {
      throw Self.failure(error)
    }
    let workers = DecodeWorkers(threads: 2)
    var events = PlaybackEvents()
    events.onPicture = { inbox.waker.wakeForPicture() }
    let tracks = Tracks(
      playbacks: clips.map { _ in VideoPlayback(executor: workers, events: events, clock: { TerminalSession.now }) })
    let room = Self.snapshot(of: clips)
    inbox.put { contents in
      contents.room = room
      contents.audio = .off
      if let notice = options.picture.notice { contents.messages.append(notice) }
    }
    let rate = clips.map { Double($0.format.framesPerSecond) * options.speed }.max() ?? 30
    let ended = EndCounter(count: clips.count) { inbox.put { $0.ending = .roomEnded } }
    let feeders = Self.feed(clips, to: tracks.playbacks, speed: options.speed) { ended.countDown() }
    let measuring = Task { [playbacks = tracks.playbacks] in await Self.measure(playbacks, inbox) }
    defer { measuring.cancel() }
    let (log, quit) = try await Self.show(
      tracks, inbox, framesPerSecond: Int(min(120, max(30, rate))), options: options)
    for feeder in feeders { feeder.stop() }
    if let error = feeders.compactMap(\.failure).first {
      StandardError.write(log)
      throw ConferenceError(.unreadableFile, error.message, cause: error)
    }
    return RoomViewer.exitCode(after: quit)
  }

  private static func feed(
    _ clips: [Clip], to playbacks: [VideoPlayback], speed: Double, onEnd: @escaping @Sendable () -> Void
  ) -> [ClipFeeder] {
    zip(clips, playbacks).map { clip, playback in
      nonisolated(unsafe) let clip = clip
      return ClipFeeder(clip, playback: playback, speed: speed, onEnd: onEnd)
    }
  }

  /// Tells the screen the figures of the clips, twice a second as those of a room.
  private static func measure(_ playbacks: [VideoPlayback], _ inbox: ViewerInbox) async {
    while !Task.isCancelled {
      let statistics = playbacks.enumerated().map { index, playback in
        let figures = playback.statistics
        var track = TrackStatistics(
          participant: ParticipantIdentity("clip-\(index)"), track: TrackID(String(index)), kind: .video, codec: "vp8")
        (track.width, track.height) = (figures.width, figures.height)
        track.framesPerSecond = Double(figures.framesPerSecond)
        track.framesDecoded = figures.framesDecoded
        track.freezes = figures.freezes
        track.freezeMilliseconds = figures.freezeMilliseconds
        track.drops = figures.drops
        return track
      }
      inbox.put { $0.statistics = statistics }
      try? await Task.sleep(for: .milliseconds(500))
    }
  }

  /// Gives what was printed meanwhile, and why the screen was asked to close if it was.
  private static func show(
    _ tracks: Tracks, _ inbox: ViewerInbox, framesPerSecond: Int, options: Options
  ) async throws(ConferenceError) -> (log: String, quit: QuitReason?) {
    var configuration = TerminalSession.Configuration()
    configuration.framesPerSecond = framesPerSecond
    options.picture.apply(to: &configuration)
    if let tolerance = options.tolerance { configuration.tolerance = tolerance }
    let quit = Mutex(QuitReason?.none)
    let report = ReportBox()
    let log: String
    do throws(TerminalError) {
      log = try await TerminalSession.runOnOwnThread(configuration, waker: inbox.waker) {
        let screen = ViewerScreen(
          layer: .auto, view: options.view, subject: .files, themes: options.picture.themes,
          signs: options.picture.signs, inbox: inbox, source: tracks, onEffect: { _ in })
        return { session, event in
          if case .quit(let reason) = event { quit.withLock { $0 = reason } }
          let decision = screen.handle(event, on: session)
          if decision == .stop { report.set(session, screen) }
          return decision
        }
      }
    } catch {
      throw Self.failure(error)
    }
    if let file = options.statisticsFile { try report.write(to: file) }
    return (log, quit.withLock { $0 })
  }

  private static func failure(_ error: TerminalError) -> ConferenceError {
    ConferenceError(.usage, "\(error)", cause: error)
  }

  /// A room in which every file is somebody.
  private static func snapshot(of clips: [Clip]) -> RoomSnapshot {
    let people = clips.enumerated().map { index, clip in
      let layer = VideoLayer(id: .high, width: clip.format.width, height: clip.format.height)
      let track = Track(
        id: TrackID(String(index)), kind: .video, source: .camera, width: layer.width, height: layer.height,
        layers: [layer], isSubscribed: true)
      return Participant(id: ParticipantIdentity("clip-\(index)"), name: clip.name, tracks: [track])
    }
    return RoomSnapshot(name: "play", connection: .joined, participants: people)
  }
}

/// Calls once when everything that was counted is over.
private final class EndCounter: Sendable {
  private let remaining: Mutex<Int>
  private let onZero: @Sendable () -> Void

  init(count: Int, onZero: @escaping @Sendable () -> Void) {
    remaining = Mutex(count)
    self.onZero = onZero
  }

  func countDown() {
    let isOver = remaining.withLock { remaining in
      remaining -= 1
      return remaining == 0
    }
    if isOver { onZero() }
  }
}
