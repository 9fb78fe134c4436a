import Conference
import ConferenceClient
import Foundation
import Media
import RTCCore
import Screen
import Terminal

/// The room on the terminal: turns events of the terminal and the room into the screen's state, and the state's effects
/// into wishes to the room. Lives on the terminal thread.
final class ViewerScreen {
  private var state: ScreenState
  private var renderer: ScreenRenderer
  private let themes: ThemeChoice
  /// Colours that the terminal can be told; nil until it is known.
  private var themeColors: Int?
  /// Which of them was shown last.
  private(set) var shownTheme: String?
  private let inbox: ViewerInbox
  private let source: any PictureSource
  private let onEffect: (ScreenEffect) -> Void
  private var pictures: [TrackID: DrawnPicture] = [:]
  /// When the newest picture of each track was drawn first.
  private var drawnAt: [TrackID: MonotonicTime] = [:]
  private var picturesAt = MonotonicTime.zero
  private var speaker: TrackID?
  private var linkShownAt = MonotonicTime.zero
  private var drawnRevision: UInt64?
  /// Everything is to be drawn, whatever changed.
  private var mustDraw = true
  /// The new pictures in the frame of each tag, until the frame has left.
  private var fresh: [UInt64: [Arrival]] = [:]
  private var frame: UInt64 = 0

  /// When a picture's last packet came, and what its sender wrote into it.
  private struct Arrival {
    let completedAt: MonotonicTime
    let stamp: FrameStamp?
  }

  /// From capture to the frame's last byte, in milliseconds, where pictures carry a stamp.
  private(set) var delays = Distribution()
  /// From the arrival of a picture's last packet to the frame's last byte, in milliseconds.
  private(set) var packetDelays = Distribution()
  /// Pictures a second of each tile in motion that is still there, as measured again and again.
  private(set) var rates: [TrackID: Distribution] = [:]
  /// Why the screen stopped, when nobody at the terminal wanted it.
  private(set) var ending: ViewerInbox.Ending?

  /// - Parameter onEffect: everything but the scaling and keeping of pictures, which is done here.
  init(
    layer: LayerChoice, view: ViewOptions, subject: Subject = .room, themes: ThemeChoice, signs: GlyphSet,
    inbox: ViewerInbox, source: any PictureSource, onEffect: @escaping (ScreenEffect) -> Void
  ) {
    state = ScreenState(layer: layer, view: view, subject: subject)
    renderer = ScreenRenderer(signs: signs)
    self.themes = themes
    self.inbox = inbox
    self.source = source
    self.onEffect = onEffect
  }

  func handle(_ event: TerminalEvent, on session: TerminalSession) -> TerminalDecision {
    switch event {
    case .resize(let size):
      session.onFrameWritten = { [unowned self] in written($0) }
      if themeColors == nil { beginTheme(on: session) }
      act(.pixelDensity(session.pixelsPerCell))
      act(.resize(columns: size.columns, rows: size.rows, cellAspect: size.cellAspect))
      mustDraw = true
      draw(on: session, isUrgent: true)
    case .key(let key):
      act(.key(key))
      draw(on: session, isUrgent: true)
    case .tick, .wake:
      if takeInbox(skipped: session.statistics.picturesSkipped) { return .stop }
      showLink(session.link)
      draw(on: session)
    case .quit:
      onEffect(.leave)
      return .stop
    case .resumed:
      mustDraw = true
      draw(on: session, isUrgent: true)
    }
    return state.isLeaving ? .stop : .proceed
  }

  /// True when the conference is over.
  private func takeInbox(skipped: Int) -> Bool {
    // The screen dates what it is told by the last tick.
    act(.tick(TerminalSession.now))
    if toldClockAt.map({ state.now - $0 >= Self.clockInterval }) ?? true { tellClock() }
    let news = inbox.take()
    if let room = news.room {
      act(.room(room))
      forgetTracks(besides: room)
    }
    if let audio = news.audio { act(.audio(audio)) }
    if let statistics = news.statistics {
      act(.statistics(tiles(statistics)))
      act(.totals(unclaimed: news.unclaimed ?? DropCounters(), picturesSkipped: skipped))
    }
    for message in news.messages { act(.message(message)) }
    if let ending = news.ending { self.ending = ending }
    return ending != nil
  }

  /// People come and go for days: nothing is kept of tracks that are gone.
  private func forgetTracks(besides room: RoomSnapshot) {
    let present = Set(room.participants.flatMap { $0.tracks.map(\.id) })
    rates = rates.filter { present.contains($0.key) }
    drawnAt = drawnAt.filter { present.contains($0.key) }
  }

  /// The hour changes with travels and summer time, so it is told again now and then.
  private static let clockInterval = Duration.seconds(60)
  private var toldClockAt: MonotonicTime?

  private func tellClock() {
    toldClockAt = state.now
    var now = time(nil)
    var local = tm()
    guard localtime_r(&now, &local) != nil else { return }
    act(.wallClock(secondsOfDay: Int(local.tm_hour) * 3600 + Int(local.tm_min) * 60 + min(59, Int(local.tm_sec))))
  }

  private func tiles(_ statistics: [TrackStatistics]) -> [TrackID: TileStatistics] {
    var result: [TrackID: TileStatistics] = [:]
    for track in statistics {
      result[track.track] = TileStatistics(track)
      if track.kind == .video, track.framesPerSecond > 0 {
        rates[track.track, default: Distribution()].add(track.framesPerSecond)
      }
    }
    return result
  }

  private func act(_ action: ScreenAction) {
    for effect in reduce(&state, action) {
      switch effect {
      case .setVideoTarget(let track, let size):
        source.playback(track)?.setTarget(width: size?.width ?? 0, height: size?.height ?? 0)
      case .snapshot(let track, let name, let file):
        keep(track, as: Snapshot(room: state.room.name, name: name, takenAt: Date(), file: file))
      case .showTheme(let name): show(theme: name)
      default: onEffect(effect)
      }
    }
  }

  /// Writes a picture to its file on a thread that has the time, and says how it went.
  private func keep(_ track: TrackID, as snapshot: Snapshot) {
    guard let playback = source.playback(track) else {
      return inbox.put { $0.messages.append(Snapshot.noPicture) }
    }
    playback.withNewestPicture { [inbox] picture in
      Task.detached {
        let outcome = snapshot.keep(picture)
        inbox.put { $0.messages.append(outcome) }
      }
    }
  }

  /// The theme that was asked for, or what suits the terminal.
  private func beginTheme(on session: TerminalSession) {
    themeColors = session.capabilities.colorDepth.colors
    let name = themes.name ?? Theme.defaultName(background: session.findings.background.value)
    act(.themes(themes.usableNames, current: name))
    show(theme: name)
  }

  private func show(theme name: String) {
    guard let theme = themes.library.theme(name, colors: themeColors ?? 0) else { return }
    renderer.theme = theme
    shownTheme = name
  }

  private func showLink(_ link: LinkState) {
    guard link.isLimited else { return act(.link(nil)) }
    // The rate is news once a second; what is kept of the colours is at once.
    let colors: LinkStatus.Colors =
      link.level.usesPalette
      ? .palette(256) : link.level.tolerance > TerminalSession.Configuration().tolerance ? .coarse : .full
    let isSame = state.link?.colors == colors && state.now - linkShownAt < .seconds(1)
    guard !isSame else { return }
    linkShownAt = state.now
    act(.link(LinkStatus(colors: colors, framesPerSecond: Int(link.framesPerSecond.rounded()))))
  }

  /// Draws if anything changed, and if the terminal is ready for it: otherwise a tick comes when it is, and what is newest
  /// then is drawn. Playbacks come and go with the negotiation, so targets are settled here too.
  private func draw(on session: TerminalSession, isUrgent: Bool = false) {
    settleTargets()
    guard session.mayPresent(isUrgent: isUrgent) else { return }
    let (taken, missed, thinned) = takePictures(session.link.level, interval: session.leastPictureInterval)
    guard mustDraw || !taken.isEmpty || drawnRevision != state.revision else { return }
    mustDraw = false
    drawnRevision = state.revision
    renderer.render(state) { pictures[$0]?.picture }
    frame &+= 1
    if !taken.isEmpty { fresh[frame] = taken }
    session.present(
      renderer.grid, tag: frame, shown: taken.count, missed: missed, thinned: thinned, isUrgent: isUrgent)
  }

  private func settleTargets() {
    // Tiles on their way out keep their last picture; one that comes back later shall not begin with an old one.
    if pictures.keys.contains(where: { state.videoTargets[$0] == nil }) {
      let inSight = state.tracksInSight
      pictures = pictures.filter { inSight.contains($0.key) }
    }
    for (track, size) in state.videoTargets {
      guard let playback = source.playback(track) else {
        pictures[track] = nil
        continue
      }
      playback.setTarget(width: size.width, height: size.height)
    }
  }

  /// Takes the new pictures of every tile whose turn it is, and tells how many others they replace: those that came too
  /// fast for the terminal, and those that the level leaves out.
  ///
  /// - Parameter interval: since the pictures before; news and keys draw the rest of the screen in between.
  private func takePictures(
    _ level: PaceLevel, interval leastInterval: Duration
  ) -> (taken: [Arrival], missed: Int, thinned: Int) {
    let now = TerminalSession.now
    // The tick for them comes in time, give or take a little.
    guard now - picturesAt >= leastInterval - .milliseconds(2) else { return ([], 0, 0) }
    var taken: [Arrival] = []
    var (missed, thinned) = (0, 0)
    let main = level.dropsPictures ? mainTrack : nil
    for track in state.videoTargets.keys {
      let interval = track == main ? level.mainInterval : level.otherInterval
      if interval > .zero, let before = drawnAt[track], now - before < interval { continue }
      guard let picture = source.playback(track)?.takeNewest() else { continue }
      // What the person wants left out is nobody's lack.
      if leastInterval == .zero, let before = pictures[track]?.sequence {
        let replaced = max(0, picture.sequence - before - 1)
        if interval == .zero { missed += replaced } else { thinned += replaced }
      }
      pictures[track] = picture
      drawnAt[track] = now
      taken.append(Arrival(completedAt: picture.completedAt, stamp: picture.stamp))
    }
    if !taken.isEmpty { picturesAt = now }
    return (taken, missed, thinned)
  }

  /// The tile that keeps its pictures longest: who speaks or spoke last, else what is selected.
  private var mainTrack: TrackID? {
    let targets = state.videoTargets
    if targets.count == 1 { return targets.keys.first }
    let speaking = state.tiles.first { isTarget($0) && state.participant(of: $0).map(state.isSpeaking) == true }
    if let speaking { speaker = state.track(of: speaking)?.id }
    if let speaker, targets[speaker] != nil { return speaker }
    return state.selected.flatMap { state.track(of: $0)?.id }
  }

  private func isTarget(_ tile: TileID) -> Bool {
    state.track(of: tile).map { state.videoTargets[$0.id] != nil } ?? false
  }

  private func written(_ receipt: FrameReceipt) {
    let now = Int(receipt.writtenAt.nanoseconds / 1_000_000)
    for picture in fresh[receipt.tag] ?? [] {
      if let stamp = picture.stamp { delays.add(Double(stamp.age(atMilliseconds: now))) }
      packetDelays.add((receipt.writtenAt - picture.completedAt).inMilliseconds)
    }
    // Frames that were replaced before they left never get a receipt.
    fresh = fresh.filter { $0.key > receipt.tag }
  }
}

/// Where the pictures of tracks come from.
protocol PictureSource: Sendable {
  func playback(_ track: TrackID) -> VideoPlayback?
}

extension RoomWall: PictureSource {
  nonisolated func playback(_ track: TrackID) -> VideoPlayback? { video(track) }
}
