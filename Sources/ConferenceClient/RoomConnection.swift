import Conference
import Foundation
import Media
import RTCCore
import Signalling
import Transport

/// A room that we are in.
///
/// Join with ``join(url:token:room:options:)``, follow ``events``, and leave with ``leave()``. Frames do not pass through
/// events: take them from ``video(_:)``, whose mailbox always holds the newest picture. Sound is mixed in ``mixer``;
/// give that to an `AudioOutput` to hear it.
@NetworkActor
public final class RoomConnection {
  /// Everything that happens, in order; ends after ``RoomEvent/left(_:)``. For one reader.
  public nonisolated let events: AsyncStream<RoomEvent>
  /// The sound of everybody.
  public nonisolated let mixer: AudioMixer
  /// The room as it is now.
  public var snapshot: RoomSnapshot { model.snapshot }

  nonisolated let continuation: AsyncStream<RoomEvent>.Continuation
  private nonisolated let playbacks = PlaybackDirectory()
  let options: JoinOptions
  let startedAt: MonotonicTime
  /// Nil for systems that speak HTTP, or open their links themselves.
  private var channel: WebSocketConnection?
  private let openChannel: ChannelOpener?
  /// What the server has given us in place of the token that we joined with.
  var refreshedToken: String?
  private var opening: Task<Void, Never>?
  var media: MediaConnections
  /// Connections that have new ICE credentials and wait for the peer's.
  var restarting: Set<PeerRole> = []
  /// Connections through which media could pass at some time.
  var connectedRoles: Set<PeerRole> = []
  let outlets: TrackOutlets
  let received: ReceivedMedia
  private let exchanges: HTTPExchanges
  let sent: SentMedia
  /// For systems that have more than one connection over time.
  var links: [LinkID: RoomLink] = [:]
  /// What was dropped on links that are closed.
  var formerDrops = DropCounters()
  var session: any SignallingAdapter
  var model: RoomModel
  private var wake: NetworkTimer?
  private var joining: CheckedContinuation<Result<Void, ConferenceError>, Never>?
  private var failure: ConferenceError?
  private var isHeard = true
  /// Why the conference ended; `requested` before it has.
  public private(set) var endReason = LeaveReason.requested
  /// Why the server does not let us in, in words of its adapter.
  var refusal: ConferenceError?
  var roundTrip: Duration?
  private var voices: [ParticipantIdentity: Voice] = [:]
  var declined: Set<TrackID> = []
  private var hasJoined = false
  private(set) var hasEnded = false

  /// Opens the signalling connection once more, with the newest token that the server has given.
  typealias ChannelOpener =
    @NetworkActor (_ refreshedToken: String?) async throws(ConferenceError) ->
    WebSocketConnection

  /// What the program wants of somebody's sound.
  private struct Voice {
    var volume = 100
    var isMuted = false
  }

  /// - Parameters:
  ///   - session: the system's side of the conversation, which has just begun.
  ///   - channel: what carries it; nil for systems that speak HTTP, or open their links themselves.
  ///   - reopening: opens another such channel, for systems that come back after this one is lost.
  init(
    session: any SignallingAdapter, channel: WebSocketConnection?, reopening: ChannelOpener? = nil,
    media: MediaConnections, options: JoinOptions, startedAt: MonotonicTime
  ) {
    (events, continuation) = AsyncStream.makeStream()
    self.options = options
    mixer = options.mixer ?? AudioMixer()
    self.startedAt = startedAt
    self.session = session
    self.channel = channel
    openChannel = reopening
    self.media = media
    model = RoomModel(RoomSnapshot(system: session.system))
    let wall = WallClock(unixNanoseconds: Int64(Date().timeIntervalSince1970 * 1e9), at: NetworkActor.now)
    sent = SentMedia(transport: media.publisher, clock: wall, canonicalName: session.canonicalName)
    exchanges = HTTPExchanges(options: options)
    outlets = TrackOutlets(mixer: mixer, directory: playbacks)
    received = ReceivedMedia(
      transport: media.subscriber, outlets: outlets, feeder: LinkID.only.raw, canonicalName: session.canonicalName)
    connectCallbacks()
  }

  private func connectCallbacks() {
    outlets.onPictureSize = { [weak self] track, width, height, isFirst in
      guard let self else { return }
      pictureSize(of: track, width, height, isFirst)
    }
    outlets.onNeedsKeyFrame = { [weak self] track in
      guard let self else { return }
      for media in allReceived { media.decoderFailed(track) }
    }
    outlets.onFailure = { [weak self] track, error in self?.cannotDecode(track, error) }
    outlets.onPauseChange = { [weak self] track in
      guard let self else { return }
      for media in allReceived { media.settlePause(track) }
    }
    if !session.tellsActivity {
      received.onActivity = { [weak self] track, isActive in
        self?.handle(.activityChanged(track, isActive: isActive))
      }
    }
    wake = NetworkTimer { [weak self] in
      guard let self else { return }
      session.advance(to: NetworkActor.now)
      drain()
    }
    exchanges.onResponse = { [weak self] response in
      guard let self else { return }
      session.exchange(response, at: NetworkActor.now)
      drain()
    }
    listenToChannel()
    for (role, transport) in media.both { listen(to: transport, role) }
  }

  private func listenToChannel() {
    channel?.onMessage = { [weak self] message in
      guard let self else { return }
      session.receive(message, at: NetworkActor.now)
      drain()
    }
    channel?.onClose = { [weak self] code, _ in
      guard let self else { return }
      options.log("signalling connection closed (\(code))")
      session.connectionClosed(at: NetworkActor.now)
      drain()
    }
  }

  private func closeChannel() {
    channel?.onMessage = nil
    channel?.onClose = nil
    channel?.close(code: 1000, reason: "")
  }

  private func reopenChannel() {
    closeChannel()
    opening = Task { [weak self, openChannel, options, refreshedToken] in
      var new: WebSocketConnection?
      do throws(ConferenceError) {
        new = try await openChannel?(refreshedToken)
      } catch {
        options.log("signalling connection cannot be opened: \(error.message)")
        // Later it will not be taken either.
        if [.tokenExpired, .tokenNotAccepted].contains(error.code) { self?.end(.refused, failure: error) }
      }
      self?.reopened(new)
    }
  }

  private func reopened(_ new: WebSocketConnection?) {
    guard !hasEnded else {
      new?.close(code: 1000, reason: "")
      return
    }
    guard let new else {
      session.connectionClosed(at: NetworkActor.now)
      return drain()
    }
    channel = new
    listenToChannel()
    session.connectionOpened(at: NetworkActor.now)
    drain()
  }

  /// Waits until the room has let us in.
  func waitForJoin() async throws(ConferenceError) {
    // A quick server has let us in before anybody could wait for it.
    guard !hasJoined else { return }
    // Or has closed the connection before that.
    guard !hasEnded else { throw failure ?? JoinFailure.givenUp }
    let timeout = NetworkTimer { [weak self] in
      guard let self else { return }
      end(.protocolBroken, failure: lateFailure)
    }
    timeout.schedule(at: NetworkActor.now + options.timeout)
    let result: Result<Void, ConferenceError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        joining = continuation
        drain()
      }
    } onCancel: {
      Task { @NetworkActor in self.leave() }
    }
    timeout.cancel()
    try result.get()
  }

  /// What is said when nobody was let in for too long. Without a channel the connection itself may still be missing.
  private var lateFailure: ConferenceError {
    channel == nil
      ? ConferenceError(
        .serverUnreachable,
        "Nobody was let in within \(options.timeout): some server on the way did not answer in time.")
      : ConferenceError(
        .notAConferenceServer, "The server accepted the connection but let nobody in within \(options.timeout).")
  }

  // MARK: For the program

  /// The pictures of a video track, once it is subscribed.
  public nonisolated func video(_ track: TrackID) -> VideoPlayback? { playbacks.video(track) }
  /// The sound of an audio track, once it is subscribed.
  public nonisolated func audio(_ track: TrackID) -> AudioTrackPlayback? { playbacks.audio(track) }

  /// Calls `handler` whenever any track has a new picture, from the thread that decoded it, which must not wait; nil ends
  /// that.
  public nonisolated func onPicture(_ handler: (@Sendable () -> Void)?) { playbacks.onPicture(handler) }

  /// Asks something of the room.
  public func perform(_ command: ConferenceCommand) {
    if case .requestLayer(let track, let request) = command { outlets.setRequested(track, request != .off) }
    session.perform(command, at: NetworkActor.now)
    drain()
  }

  /// How loud somebody is heard, 0…100; kept for tracks that come later.
  public func setVolume(_ percent: Int, of identity: ParticipantIdentity) {
    voices[identity, default: Voice()].volume = percent
    applyVoices()
  }
  /// Whether somebody is heard; kept for tracks that come later.
  public func setMuted(_ muted: Bool, of identity: ParticipantIdentity) {
    voices[identity, default: Voice()].isMuted = muted
    applyVoices()
  }

  /// Whether anybody is heard: off while another room is listened to. What is set for each of them is kept.
  public func setHeard(_ heard: Bool) {
    isHeard = heard
    applyVoices()
  }

  func applyVoices() {
    for participant in snapshot.participants where !participant.isLocal {
      let voice = voices[participant.id] ?? Voice()
      for track in participant.tracks {
        guard let playback = audio(track.id) else { continue }
        playback.setVolume(voice.volume)
        playback.setMuted(voice.isMuted || !isHeard)
      }
    }
  }

  /// What is measured now about every subscribed track.
  public func statistics() -> [TrackStatistics] {
    let now = NetworkActor.now
    return snapshot.participants.flatMap { participant in
      participant.tracks.compactMap { track -> TrackStatistics? in
        guard track.isSubscribed, let path = path(of: track.id) else { return nil }
        var statistics = TrackStatistics(
          participant: participant.id, track: track.id, kind: track.kind,
          codec: track.kind == .video ? VideoCodec.vp8.rawValue : "opus")
        path.fill(&statistics, at: now)
        statistics.layer = LayerNaming.layer(of: track, height: statistics.height) ?? track.receivedLayer
        statistics.roundTripMilliseconds = roundTrip?.inMilliseconds
        return statistics
      }
    }
  }

  /// Packets that belonged to no track, by reason.
  public var unclaimedDrops: DropCounters {
    var drops = received.drops
    let others = [sent.drops, media.publisher.drops, media.subscriber.drops, formerDrops] + links.values.map(\.drops)
    for other in others { drops.merge(other) }
    return drops
  }

  /// Why the conference ended, when it did not end by ``leave()``.
  public var endFailure: ConferenceError? { failure }

  /// Leaves the room and closes everything. ``events`` ends.
  public func leave() {
    guard !hasEnded else { return }
    session.perform(.leave, at: NetworkActor.now)
    drain()
    end(.requested, failure: nil)
  }

  /// Waits until the server has been told that we left: two seconds at most, and mostly not at all.
  public func flush() async { await exchanges.flush() }

  // MARK: Signalling

  /// Does what the session wants done.
  func drain() {
    guard !hasEnded else { return }
    while true {
      switch session.pollOutput() {
      case .send(let message): channel?.send(message)
      case .event(let event): handle(event)
      case .media(let command): handle(command)
      case .reopen: reopenChannel()
      case .ask(let request): exchanges.send(request)
      case .link(let id, let command): perform(command, on: id)
      case .close: channel?.close(code: 1000, reason: "")
      case .wait(let until):
        if let until { wake?.schedule(at: until) } else { wake?.cancel() }
        return
      }
      if hasEnded { return }
    }
  }

  /// The room has let us in, once more after a lost connection.
  func joined() {
    hasJoined = true
    joining?.resume(returning: .success(()))
    joining = nil
  }

  /// The system ends the conference.
  func left(_ reason: LeaveReason) {
    let early = hasJoined ? nil : JoinFailure.entering(reason, system: session.system)
    end(reason, failure: refusal ?? early ?? Self.failure(of: reason))
  }

  // MARK: The end

  func mediaFailed(_ error: TransportError, _ role: PeerRole) {
    // What has passed once is not stopped by a firewall.
    let failure =
      connectedRoles.contains(role)
      ? ConferenceError(
        .closedByServer, "Media no longer comes through. Check the network and join again.", cause: error)
      : ConferenceError(
        .mediaFailed, "The server was reached, but media cannot pass: \(error). A firewall may block UDP.", cause: error
      )
    end(.mediaFailed, failure: failure)
  }

  private static func failure(of reason: LeaveReason) -> ConferenceError? {
    let sentence =
      switch reason {
      case .requested: ""
      case .duplicateIdentity: "Somebody joined with the same identity, so this connection was closed."
      case .removed: "The server removed this participant from the room."
      case .roomClosed: "The room was closed."
      case .serverShutdown: "The server shut down."
      case .connectionLost: "The connection to the server was lost. Check the network and join again."
      case .protocolBroken: "The server sent something that makes no sense here."
      case .mediaFailed: "Media could not pass."
      case .refused: "The server does not let us in again."
      case .unknown: "The server closed the connection."
      }
    return reason == .requested ? nil : ConferenceError(.closedByServer, sentence)
  }

  private func end(_ reason: LeaveReason, failure: ConferenceError?) {
    guard !hasEnded else { return }
    hasEnded = true
    self.failure = failure
    endReason = reason
    model.apply(.left(reason))
    wake?.cancel()
    for id in links.keys { closeLink(id) }
    received.close()
    outlets.keep(only: [])
    sent.close()
    media.close()
    opening?.cancel()
    exchanges.close()
    closeChannel()
    joining?.resume(
      returning: .failure(failure ?? JoinFailure.givenUp))
    joining = nil
    continuation.yield(.left(reason))
    continuation.finish()
  }
}
