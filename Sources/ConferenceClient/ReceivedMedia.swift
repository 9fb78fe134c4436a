import Conference
import Media
import RTCCore
import Signalling
import Transport

/// The receiving half of the media path: packets of the subscriber connection to frames and playout buffers.
@NetworkActor
final class ReceivedMedia {
  private let transport: MediaTransport
  private let workers: DecodeWorkers
  private let mixer: AudioMixer
  private let localSSRC: SSRC
  private var tracks: [TrackID: ReceivedTrackPath] = [:]
  private var bySSRC: [SSRC: ReceivedTrackPath] = [:]
  private var transportFeedback: TransportFeedbackRecorder
  private var transportSequenceID: UInt8?
  private var wake: NetworkTimer?
  private var nextReport: MonotonicTime
  private(set) var drops = DropCounters()

  /// Called for a track whose first picture is decoded or whose size changed, on a decode thread.
  var onPictureSize: (@Sendable (TrackID, _ width: Int, _ height: Int, _ isFirst: Bool) -> Void)?

  /// RFC 3550 §6.2 asks for reports every 5 s at most; one a second follows loss soon enough for layer choice.
  private static let reportInterval = Duration.seconds(1)
  /// Feedback for the sender's bandwidth estimate; the interval that WebRTC senders expect at these rates.
  private static let transportFeedbackInterval = Duration.milliseconds(100)

  init(transport: MediaTransport, workers: DecodeWorkers, mixer: AudioMixer, localSSRC: SSRC) {
    self.transport = transport
    self.workers = workers
    self.mixer = mixer
    self.localSSRC = localSSRC
    transportFeedback = TransportFeedbackRecorder(senderSSRC: localSSRC)
    nextReport = NetworkActor.now + Self.reportInterval
    transport.onRTP = { [unowned self] bytes, now in receive(bytes, at: now) }
    transport.onRTCP = { [unowned self] bytes, now in receiveControl(bytes, at: now) }
    wake = NetworkTimer { [unowned self] in tick() }
    wake?.schedule(at: nextReport)
  }

  /// Stops everything; nothing is delivered afterwards.
  func close() {
    wake?.cancel()
    for path in tracks.values { path.close() }
    tracks = [:]
    bySSRC = [:]
  }

  /// The full list of negotiated tracks: new ones are set up, missing ones torn down.
  func update(_ negotiated: [ReceivedTrack]) {
    let wanted = Set(negotiated.map(\.track))
    for (id, path) in tracks where !wanted.contains(id) {
      path.close()
      tracks[id] = nil
    }
    for description in negotiated {
      if let path = tracks[description.track], path.description == description { continue }
      tracks[description.track]?.close()
      tracks[description.track] = makePath(description)
      if let id = description.extensions.transportSequence { transportSequenceID = id }
    }
    bySSRC = [:]
    for path in tracks.values {
      for ssrc in [path.description.ssrc, path.description.rtxSSRC].compactMap(\.self) { bySSRC[ssrc] = path }
    }
  }

  func video(_ track: TrackID) -> VideoPlayback? { tracks[track]?.video }
  func audio(_ track: TrackID) -> AudioTrackPlayback? { tracks[track]?.audio }
  func path(_ track: TrackID) -> ReceivedTrackPath? { tracks[track] }

  /// Muted or disabled tracks send nothing, and must not be begged for key frames.
  func setPaused(_ track: TrackID, _ paused: Bool) {
    tracks[track]?.setPaused(paused, at: NetworkActor.now)
    drain()
  }

  private func makePath(_ description: ReceivedTrack) -> ReceivedTrackPath? {
    let id = description.track
    switch description.kind {
    case .video:
      let playback = VideoPlayback(workers: workers, clock: { NetworkActor.now })
      let onPictureSize = onPictureSize
      playback.onFirstFrame = { width, height in onPictureSize?(id, width, height, true) }
      playback.onSizeChange = { width, height in onPictureSize?(id, width, height, false) }
      playback.onNeedsKeyFrame = { [weak self] in
        Task { @NetworkActor in self?.requestKeyFrame(id) }
      }
      return ReceivedTrackPath(video: description, playback: playback, localSSRC: localSSRC)
    case .audio:
      guard let playback = try? AudioTrackPlayback(receiver: AudioReceiver()) else { return nil }
      mixer.add(playback)
      return ReceivedTrackPath(audio: description, playback: playback, mixer: mixer)
    }
  }

  private func requestKeyFrame(_ track: TrackID) {
    tracks[track]?.requestKeyFrame(at: NetworkActor.now)
    drain()
  }

  // MARK: Packets

  private func receive(_ bytes: [UInt8], at now: MonotonicTime) {
    let packet: RTPPacket
    do {
      packet = try RTPPacket(parsing: bytes)
    } catch {
      drops.count(.malformed)
      return
    }
    if let id = transportSequenceID, let sequence = packet.transportSequence(id: id) {
      transportFeedback.record(sequence: sequence, media: packet.ssrc, at: now)
    }
    guard let path = bySSRC[packet.ssrc] else {
      drops.count(.unknownSSRC)
      return
    }
    path.receive(packet, size: bytes.count, at: now)
    drain(path, at: now)
  }

  private func receiveControl(_ bytes: [UInt8], at now: MonotonicTime) {
    let packets: [RTCPPacket]
    do {
      packets = try RTCPPacket.parseCompound(bytes)
    } catch {
      drops.count(.malformed)
      return
    }
    for case .senderReport(let report) in packets {
      bySSRC[report.ssrc]?.receive(report, at: now)
    }
  }

  private func tick() {
    let now = NetworkActor.now
    for packet in transportFeedback.makeFeedback(at: now) { send([.transportFeedback(packet)]) }
    if now >= nextReport {
      nextReport = now + Self.reportInterval
      let blocks = tracks.values.compactMap { $0.reportBlock(at: now) }
      // A report carries at most 31 blocks (RFC 3550 §6.4.1).
      for start in stride(from: 0, to: blocks.count, by: 31) {
        let part = Array(blocks[start..<min(blocks.count, start + 31)])
        send([.receiverReport(ReceiverReport(ssrc: localSSRC, reports: part))])
      }
    }
    drain()
  }

  private func drain() {
    let now = NetworkActor.now
    for path in tracks.values { drain(path, at: now, schedulesWake: false) }
    scheduleWake()
  }

  private func drain(_ path: ReceivedTrackPath, at now: MonotonicTime, schedulesWake: Bool = true) {
    path.advance(to: now) { feedback in send(feedback) }
    if schedulesWake { scheduleWake() }
  }

  private func scheduleWake() {
    let deadlines = tracks.values.compactMap(\.deadline)
    let periodic = transportSequenceID == nil ? nextReport : min(nextReport, NetworkActor.now + Self.transportFeedbackInterval)
    wake?.schedule(at: min(periodic, deadlines.min() ?? periodic))
  }

  private func send(_ packets: [RTCPPacket]) { transport.sendRTCP(RTCPPacket.serialize(packets)) }
}
