import Conference
import Media
import RTCCore
import Signalling
import Transport

/// The receiving half of the media path: packets of the subscriber connection to frames and playout buffers.
@NetworkActor
final class ReceivedMedia {
  private var transport: MediaTransport
  private let mixer: AudioMixer
  private let directory: PlaybackDirectory
  private let localSSRC = SSRC(UInt32.random(in: 1 ... .max))
  private var tracks: [TrackID: ReceivedTrackPath] = [:]
  private var bySSRC: [SSRC: ReceivedTrackPath] = [:]
  /// Why a track may be sending nothing: any of these is no reason to ask for key frames.
  private var muted: Set<TrackID> = []
  private var inactive: Set<TrackID> = []
  private var unrequested: Set<TrackID> = []
  /// Tracks that were told to be silent.
  private var silent: Set<TrackID> = []
  /// Since when media can arrive; nil before.
  private var connectedAt: MonotonicTime?
  private var feedback: TransportFeedbackRecorder
  private var transportSequenceID: UInt8?
  private var roundTrip: Duration?
  private var wake: NetworkTimer?
  private var reports: ReportGenerator
  private(set) var drops = DropCounters()

  /// Called when the first picture of a track is decoded, and when its size changes.
  var onPictureSize: ((TrackID, _ width: Int, _ height: Int, _ isFirst: Bool) -> Void)?

  /// Called when a track falls silent and when it is heard of again; set where the system does not tell.
  var onActivity: ((TrackID, _ isActive: Bool) -> Void)?
  /// Screens that stand still are sent once a second, speech pauses of Opus several times.
  private static let silenceLimit = Duration.seconds(3)

  /// Decoding for all rooms of the process: two threads keep up with a wall of small layers and leave the rest alone.
  private static let workers = DecodeWorkers(threads: 2)

  init(transport: MediaTransport, mixer: AudioMixer, directory: PlaybackDirectory, canonicalName: String) {
    self.transport = transport
    self.mixer = mixer
    self.directory = directory
    feedback = TransportFeedbackRecorder(localSSRC: localSSRC)
    reports = ReportGenerator(localSSRC: localSSRC, canonicalName: canonicalName, at: NetworkActor.now)
    listen()
    wake = NetworkTimer { [weak self] in self?.tick() }
    wake?.schedule(at: reports.nextDeadline)
  }

  private func listen() {
    transport.onRTP = { [weak self] bytes, now in self?.receive(bytes, at: now) }
    transport.onRTCP = { [weak self] bytes, now in self?.receiveControl(bytes, at: now) }
  }

  /// Goes on over a new connection, on which nothing has arrived yet.
  func use(_ new: MediaTransport) {
    transport = new
    connectedAt = nil
    feedback = TransportFeedbackRecorder(localSSRC: localSSRC)
    listen()
  }

  /// Stops everything; nothing is delivered afterwards.
  func close() {
    wake?.cancel()
    transport.onRTP = nil
    transport.onRTCP = nil
    for id in tracks.keys { remove(id) }
    bySSRC = [:]
  }

  /// The full list of negotiated tracks: new ones are set up, missing ones torn down.
  func update(_ negotiated: [ReceivedTrack]) {
    let wanted = Set(negotiated.map(\.track))
    for id in tracks.keys where !wanted.contains(id) { remove(id) }
    for description in negotiated {
      transportSequenceID = description.extensions.transportSequence ?? transportSequenceID
      if tracks[description.track]?.description == description { continue }
      remove(description.track)
      add(description)
    }
    bySSRC = [:]
    for path in tracks.values {
      for ssrc in [path.description.ssrc, path.description.rtxSSRC].compactMap(\.self) { bySSRC[ssrc] = path }
    }
  }

  func path(_ track: TrackID) -> ReceivedTrackPath? { tracks[track] }

  func setMuted(_ track: TrackID, _ value: Bool) {
    // When the picture comes back, the one from before must not show first.
    if value, !muted.contains(track) { tracks[track]?.video?.reset() }
    mark(track, in: \.muted, value)
  }
  func setActive(_ track: TrackID, _ value: Bool) { mark(track, in: \.inactive, !value) }
  func setRequested(_ track: TrackID, _ value: Bool) { mark(track, in: \.unrequested, !value) }

  func setRoundTrip(_ time: Duration) {
    roundTrip = time
    for path in tracks.values { path.setRoundTrip(time) }
  }

  private func mark(
    _ track: TrackID, in set: ReferenceWritableKeyPath<ReceivedMedia, Set<TrackID>>, _ value: Bool
  ) {
    if value { self[keyPath: set].insert(track) } else { self[keyPath: set].remove(track) }
    settlePause(track)
  }

  private func settlePause(_ track: TrackID) {
    let isPaused = muted.contains(track) || inactive.contains(track) || unrequested.contains(track)
    guard let path = tracks[track] else { return }
    path.setPaused(isPaused, at: NetworkActor.now)
    drain(path, at: NetworkActor.now)
  }

  // MARK: Tracks

  private func add(_ description: ReceivedTrack) {
    guard let ssrc = description.ssrc else { return }
    let id = description.track
    switch description.kind {
    case .video:
      let newest = NewestFrame()
      let playback = VideoPlayback(
        executor: Self.workers, events: playbackEvents(of: id, newest), clock: { NetworkActor.now })
      directory.set(id, video: playback, audio: nil)
      tracks[id] = ReceivedTrackPath(
        video: description, ssrc: ssrc, playback: playback, newest: newest, localSSRC: localSSRC, at: NetworkActor.now)
    case .audio:
      let receiver = AudioReceiver(AudioReceiver.Configuration(ssrc: ssrc, payloadTypes: Set(description.payloadTypes)))
      guard let playback = try? AudioTrackPlayback(receiver: receiver) else { return }
      mixer.add(playback)
      directory.set(id, video: nil, audio: playback)
      tracks[id] = ReceivedTrackPath(audio: description, ssrc: ssrc, playback: playback, at: NetworkActor.now)
    }
    if let roundTrip { tracks[id]?.setRoundTrip(roundTrip) }
    settlePause(id)
  }

  private func remove(_ id: TrackID) {
    guard let path = tracks.removeValue(forKey: id) else { return }
    silent.remove(id)
    path.video?.close()
    if let audio = path.audio { mixer.remove(audio) }
    directory.set(id, video: nil, audio: nil)
  }

  private func playbackEvents(of id: TrackID, _ newest: NewestFrame) -> PlaybackEvents {
    var events = PlaybackEvents()
    events.onDecoded = { newest.frame = $0 }
    events.onFirstFrame = { [weak self] width, height in
      guard let self else { return }
      Task { @NetworkActor [weak self] in self?.onPictureSize?(id, width, height, true) }
    }
    events.onSizeChange = { [weak self] width, height in
      guard let self else { return }
      Task { @NetworkActor [weak self] in self?.onPictureSize?(id, width, height, false) }
    }
    events.onNeedsKeyFrame = { [weak self] in
      Task { @NetworkActor in self?.decoderFailed(id) }
    }
    events.onPicture = { [directory] in directory.pictureArrived() }
    return events
  }

  private func decoderFailed(_ id: TrackID) {
    guard let path = tracks[id] else { return }
    path.decoderFailed(at: NetworkActor.now)
    drain(path, at: NetworkActor.now)
  }

  // MARK: Packets

  private func receive(_ bytes: [UInt8], at now: MonotonicTime) {
    let packet: RTPPacket
    do throws(WireError) {
      packet = try RTPPacket(parsing: bytes)
    } catch {
      drops.count(.malformed)
      return
    }
    if let id = transportSequenceID, let data = packet.extensionData(id),
      let sequence = HeaderExtension.transportSequence(from: data)
    {
      feedback.received(sequence, media: packet.ssrc, at: now)
    }
    guard let path = bySSRC[packet.ssrc] else {
      drops.count(.unknownSSRC)
      return
    }
    if silent.remove(path.description.track) != nil { onActivity?(path.description.track, true) }
    path.receive(packet, size: bytes.count, at: now)
    drain(path, at: now)
  }

  private func receiveControl(_ bytes: [UInt8], at now: MonotonicTime) {
    let packets: [RTCPPacket]
    do throws(WireError) {
      packets = try RTCPPacket.parseCompound(bytes)
    } catch {
      drops.count(.malformed)
      return
    }
    for case .senderReport(let report) in packets { bySSRC[report.ssrc]?.receive(report, at: now) }
  }

  // MARK: Time

  private func tick() {
    let now = NetworkActor.now
    for path in tracks.values { path.advance(to: now, send: send) }
    if onActivity != nil { watchSilence(at: now) }
    for packet in feedback.takeDue(at: now) { send([.transportFeedback(packet)]) }
    if reports.takeDue(at: now) {
      let blocks = tracks.values.compactMap { $0.reportBlock(at: now) }
      if !blocks.isEmpty { send(reports.makeCompound(senderReports: [], blocks: blocks)) }
    }
    scheduleWake()
  }

  private func watchSilence(at now: MonotonicTime) {
    guard transport.state == .connected else { return }
    let since = connectedAt ?? now
    connectedAt = since
    for (id, path) in tracks {
      guard let due = path.silent(after: Self.silenceLimit), max(due, since + Self.silenceLimit) <= now,
        silent.insert(id).inserted
      else { continue }
      onActivity?(id, false)
    }
  }

  /// When the next track may fall silent.
  private var nextSilence: MonotonicTime? {
    guard onActivity != nil, let since = connectedAt else { return nil }
    return tracks.filter { !silent.contains($0.key) }.values
      .compactMap { $0.silent(after: Self.silenceLimit) }.min().map { max($0, since + Self.silenceLimit) }
  }

  private func drain(_ path: ReceivedTrackPath, at now: MonotonicTime) {
    path.advance(to: now, send: send)
    scheduleWake()
  }

  private func scheduleWake() {
    var next = reports.nextDeadline
    if let due = feedback.nextDeadline { next = min(next, due) }
    for path in tracks.values {
      if let due = path.deadline { next = min(next, due) }
    }
    if let due = nextSilence { next = min(next, due) }
    wake?.schedule(at: next)
  }

  private func send(_ packets: [RTCPPacket]) { transport.sendRTCP(RTCPPacket.serialize(packets)) }
}
