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

  private nonisolated let continuation: AsyncStream<RoomEvent>.Continuation
  private nonisolated let playbacks = PlaybackDirectory()
  private let options: JoinOptions
  private let startedAt: MonotonicTime
  private let channel: any SignallingChannel
  private let publisher: MediaTransport
  private let subscriber: MediaTransport
  private let received: ReceivedMedia
  let sent: SentMedia
  private var session: any SignallingAdapter
  private var model: RoomModel
  private var wake: NetworkTimer?
  private var joining: CheckedContinuation<Result<Void, ConferenceError>, Never>?
  private var failure: ConferenceError?
  private var isHeard = true
  /// Why the conference ended; ``LeaveReason/requested`` before it has.
  public private(set) var endReason = LeaveReason.requested
  private var roundTrip: Duration?
  private var voices: [ParticipantIdentity: Voice] = [:]
  private var declined: Set<TrackID> = []
  private var hasJoined = false
  private var hasEnded = false

  /// What the program wants of somebody's sound.
  private struct Voice {
    var volume = 100
    var isMuted = false
  }

  /// - Parameters:
  ///   - session: the system's side of the conversation, which has just begun.
  ///   - channel: what carries it.
  init(
    session: any SignallingAdapter, channel: any SignallingChannel, media: MediaConnections, options: JoinOptions,
    startedAt: MonotonicTime
  ) {
    (events, continuation) = AsyncStream.makeStream()
    self.options = options
    mixer = options.mixer ?? AudioMixer()
    self.startedAt = startedAt
    self.session = session
    self.channel = channel
    publisher = media.publisher
    subscriber = media.subscriber
    model = RoomModel(RoomSnapshot(system: session.system))
    let wall = WallClock(unixNanoseconds: Int64(Date().timeIntervalSince1970 * 1e9), at: NetworkActor.now)
    sent = SentMedia(transport: publisher, clock: wall, canonicalName: session.canonicalName)
    received = ReceivedMedia(
      transport: subscriber, mixer: mixer, directory: playbacks, canonicalName: session.canonicalName)
    connectCallbacks()
  }

  private func connectCallbacks() {
    received.onPictureSize = { [weak self] track, width, height, isFirst in
      guard let self else { return }
      pictureSize(of: track, width, height, isFirst)
    }
    wake = NetworkTimer { [weak self] in
      guard let self else { return }
      session.advance(to: NetworkActor.now)
      drain()
    }
    channel.onMessage = { [weak self] message in
      guard let self else { return }
      session.receive(message, at: NetworkActor.now)
      drain()
    }
    channel.onClose = { [weak self] _, _ in
      guard let self else { return }
      session.connectionClosed(at: NetworkActor.now)
      drain()
    }
    for (role, transport) in [(PeerRole.publisher, publisher), (.subscriber, subscriber)] {
      transport.onCandidate = { [weak self] candidate in
        guard let self else { return }
        session.localCandidate(candidate, of: role, at: NetworkActor.now)
        drain()
      }
      transport.onStateChange = { [weak self] state in
        guard let self else { return }
        options.log("\(role) connection: \(state)")
        if case .failed(let error) = state { mediaFailed(error) }
      }
    }
  }

  /// Waits until the room has let us in.
  func waitForJoin() async throws(ConferenceError) {
    // A quick server has let us in before anybody could wait for it.
    guard !hasJoined else { return }
    // Or has closed the connection before that.
    guard !hasEnded else { throw failure ?? JoinFailure.givenUp }
    let timeout = NetworkTimer { [weak self] in
      guard let self else { return }
      end(
        .protocolBroken,
        failure: ConferenceError(
          .notAConferenceServer, "The server accepted the connection but let nobody in within \(options.timeout)."))
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
    if case .requestLayer(let track, let request) = command { received.setRequested(track, request != .off) }
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

  private func applyVoices() {
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
        guard track.isSubscribed, let path = received.path(track.id) else { return nil }
        var statistics = TrackStatistics(
          participant: participant.id, track: track.id, kind: track.kind,
          codec: track.kind == .video ? VideoCodec.vp8.rawValue : "opus")
        path.fill(&statistics, at: now)
        statistics.layer = LayerNaming.layer(of: track, height: statistics.height)
        statistics.roundTripMilliseconds = roundTrip?.inMilliseconds
        return statistics
      }
    }
  }

  /// Packets that belonged to no track, by reason.
  public var unclaimedDrops: DropCounters {
    var drops = received.drops
    for other in [sent.drops, publisher.drops, subscriber.drops] { drops.merge(other) }
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

  // MARK: Signalling

  private func drain() {
    guard !hasEnded else { return }
    while true {
      switch session.pollOutput() {
      case .send(let message): channel.send(message)
      case .event(let event): handle(event)
      case .media(let command): handle(command)
      case .close: channel.close(code: 1000, reason: "")
      case .wait(let until):
        if let until { wake?.schedule(at: until) } else { wake?.cancel() }
        return
      }
      if hasEnded { return }
    }
  }

  private func handle(_ event: ConferenceEvent) {
    let before = model.snapshot
    model.apply(event)
    let changes = model.snapshot.changes(since: before)
    if !changes.isEmpty { continuation.yield(.changed(model.snapshot, changes)) }
    switch event {
    case .joined:
      hasJoined = true
      joining?.resume(returning: .success(()))
      joining = nil
      settle(model.snapshot.participants)
    case .participantUpdated(let participant): settle([participant])
    case .activityChanged(let track, let isActive): received.setActive(track, isActive)
    case .published(let localID, let track): continuation.yield(.published(localID: localID, track))
    case .publishFailed(let localID, let message):
      sent.remove(localID)
      continuation.yield(.publishFailed(localID: localID, message: message))
    case .roundTrip(let time):
      roundTrip = time
      received.setRoundTrip(time)
    case .left(let reason):
      let early = hasJoined ? nil : JoinFailure.entering(reason, system: session.system)
      end(reason, failure: early ?? Self.failure(of: reason))
    default: break
    }
  }

  /// Tells the media path who is muted, and declines the kinds of media that nobody wants.
  private func settle(_ participants: [Participant]) {
    for participant in participants where !participant.isLocal {
      for track in participant.tracks {
        received.setMuted(track.id, track.isMuted)
        let isWanted = track.kind == .video ? options.receivesVideo : options.receivesAudio
        if !isWanted, declined.insert(track.id).inserted {
          session.perform(.setSubscribed(track.id, false), at: NetworkActor.now)
        }
      }
    }
  }

  private func handle(_ command: MediaCommand) {
    options.log("media: \(command.summary)")
    switch command {
    case .iceServers(let servers):
      for transport in [publisher, subscriber] {
        transport.setICEServers(
          servers.map { ICEServer(urls: $0.urls, username: $0.username, credential: $0.credential) })
      }
    case .connect(let role, let remote):
      let transport = role == .publisher ? publisher : subscriber
      transport.gather()
      transport.connect(
        remoteUfrag: remote.iceUfrag, remotePassword: remote.icePassword, remoteFingerprint: remote.fingerprint,
        role: remote.weAreDTLSClient ? .client : .server, remoteCandidates: remote.candidates)
    case .addCandidate(let role, let candidate):
      (role == .publisher ? publisher : subscriber).addRemoteCandidate(candidate)
    case .receive(let tracks):
      received.update(tracks)
      applyVoices()
    case .send(let tracks): sent.update(tracks)
    }
  }

  private func pictureSize(of track: TrackID, _ width: Int, _ height: Int, _ isFirst: Bool) {
    guard
      let owner = snapshot.participants.first(where: { $0.tracks.contains { $0.id == track } }),
      let description = owner.tracks.first(where: { $0.id == track })
    else { return }
    if isFirst {
      continuation.yield(
        .firstFrame(owner.id, track, width: width, height: height, sinceJoin: NetworkActor.now - startedAt))
      // Its size is told once more, as a change.
      return
    }
    if let layer = LayerNaming.layer(of: description, height: height) {
      continuation.yield(.layerChanged(owner.id, track, layer, width: width, height: height))
    }
  }

  // MARK: The end

  private func mediaFailed(_ error: TransportError) {
    end(
      .mediaFailed,
      failure: ConferenceError(
        .mediaFailed, "The server was reached, but media cannot pass: \(error). A firewall may block UDP.", cause: error
      ))
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
    received.close()
    sent.close()
    publisher.close()
    subscriber.close()
    channel.onMessage = nil
    channel.onClose = nil
    channel.close(code: 1000, reason: "")
    joining?.resume(
      returning: .failure(failure ?? JoinFailure.givenUp))
    joining = nil
    continuation.yield(.left(reason))
    continuation.finish()
  }
}
