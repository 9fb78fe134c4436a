import Media
import RTCCore
import Signalling
import Synchronization
import Transport

/// One received track between one connection and the track's outlet.
@NetworkActor
final class ReceivedTrackPath {
  private(set) var description: ReceivedTrack
  /// Where its packets come from; nil until one has come where descriptions do not name it.
  private(set) var ssrc: SSRC?
  private(set) var rtxSSRC: SSRC?
  private let outlet: TrackOutlet
  private let feeder: Int
  private let localSSRC: SSRC
  /// Orders and repairs the packets of a video track.
  private var receiver: VideoReceiver?
  /// Counts the packets of an audio track, whose playout buffer belongs to the audio thread.
  private var reception: ReceptionStatistics?
  /// What was counted of sources before this one.
  private var earlier = ReceiveStatistics()
  private var roundTrip: Duration?
  private var rate = RateWindow()
  private var lastPacketAt: MonotonicTime?
  /// Since when media is to be expected; nil while the track is paused.
  private var expectedSince: MonotonicTime?
  /// When the receiver wants to be woken; nil when only a packet can change anything.
  private(set) var deadline: MonotonicTime?

  /// - Parameter feeder: the connection's number among those that feed the outlet.
  init(
    _ description: ReceivedTrack, outlet: TrackOutlet, feeder: Int, localSSRC: SSRC, at now: MonotonicTime
  ) {
    self.description = description
    self.outlet = outlet
    self.feeder = feeder
    self.localSSRC = localSSRC
    expectedSince = now
    begin(at: now)
  }

  /// Takes over a new description: with another section or source the media begins anew, and the picture stays.
  func renegotiate(_ new: ReceivedTrack, at now: MonotonicTime) {
    guard new != description else { return }
    description = new
    unbind()
    begin(at: now)
  }

  private func begin(at now: MonotonicTime) {
    if let ssrc = description.ssrc { bind(media: ssrc, at: now) }
    if let rtx = description.rtxSSRC { bind(retransmissions: rtx) }
  }

  /// Receives from this source from now on.
  func bind(media new: SSRC, at now: MonotonicTime) {
    keepCounts()
    ssrc = new
    switch description.kind {
    case .video:
      let configuration = VideoReceiver.Configuration(
        ssrc: new, rtxSSRC: rtxSSRC, payloadTypes: Set(description.payloadTypes),
        rtxPayloadTypes: description.rtxPayloadTypes, supportsNACK: description.supportsNACK,
        supportsPLI: description.supportsPLI, localSSRC: localSSRC)
      var receiver = VideoReceiver(configuration, at: now)
      if let roundTrip { receiver.setRoundTrip(roundTrip) }
      if expectedSince == nil { receiver.pause(at: now) }
      self.receiver = receiver
    case .audio:
      outlet.audio?.begin(
        AudioReceiver(AudioReceiver.Configuration(ssrc: new, payloadTypes: Set(description.payloadTypes))),
        from: feeder)
      reception = ReceptionStatistics(ssrc: new, clockRate: ClockRate.opus)
    }
  }

  /// Feeds the outlet again, whoever has fed it meanwhile.
  func takeBack(at now: MonotonicTime) {
    outlet.turn(to: feeder)
    if let ssrc { bind(media: ssrc, at: now) }
  }

  /// Takes this source for that of the retransmissions.
  func bind(retransmissions new: SSRC) {
    rtxSSRC = new
    receiver?.setRetransmissionSource(new)
  }

  /// This source has nothing to do with the track any more.
  func unbind(_ former: SSRC) {
    if former == rtxSSRC { rtxSSRC = nil }
    guard former == ssrc else { return }
    keepCounts()
    ssrc = nil
    receiver = nil
    reception = nil
    deadline = nil
  }

  private func unbind() {
    if let ssrc { unbind(ssrc) }
    rtxSSRC = nil
  }

  private func keepCounts() {
    if let receiver { earlier.add(receiver.statistics) }
    if let reception { earlier.add(Self.counts(reception)) }
  }

  private static func counts(_ reception: ReceptionStatistics) -> ReceiveStatistics {
    var counts = ReceiveStatistics()
    counts.packetsReceived = reception.packetsReceived
    counts.bytesReceived = reception.bytesReceived
    counts.packetsLost = reception.packetsLost
    counts.jitterMilliseconds = reception.jitterMilliseconds
    return counts
  }

  func receive(_ packet: RTPPacket, size: Int, at now: MonotonicTime) {
    rate.add(bytes: size, at: now)
    lastPacketAt = now
    receiver?.receive(packet, at: now)
    if packet.ssrc == ssrc { reception?.received(packet, at: now) }
    outlet.audio?.insert(packet, from: feeder, at: now)
  }

  func receive(_ report: SenderReport, at now: MonotonicTime) {
    receiver?.receive(report, at: now)
    reception?.received(report, at: now)
  }

  /// The decoder cannot go on without a key frame.
  func decoderFailed(at now: MonotonicTime) { receiver?.decoderFailed(at: now) }

  func setRoundTrip(_ time: Duration) {
    roundTrip = time
    receiver?.setRoundTrip(time)
  }

  /// Muted and disabled tracks send nothing and must not be begged for key frames.
  func setPaused(_ paused: Bool, at now: MonotonicTime) {
    if paused { receiver?.pause(at: now) } else { receiver?.resume(at: now) }
    expectedSince = paused ? nil : expectedSince ?? now
  }

  /// Runs what is due, hands frames to the decoder and feedback to `send`.
  func advance(to now: MonotonicTime, send: ([RTCPPacket]) -> Void) {
    receiver?.advance(to: now)
    while let output = receiver?.pollOutput() {
      switch output {
      case .frame(let frame): if !outlet.push(frame, from: feeder) { earlier.drops.count(.superseded) }
      case .feedback(let packets): send(packets)
      case .wait(let until):
        deadline = until
        return
      }
    }
  }

  /// From capture to decoding of the newest picture, where it carries a stamp of this machine's clock.
  private var latency: Double? {
    guard let frame = outlet.newest?.frame, let stamp = frame.stamp else { return nil }
    return Double(stamp.age(atMilliseconds: Int(frame.decodedAt.nanoseconds / 1_000_000)))
  }

  /// When the track counts as silent if nothing comes; nil when nothing is to be expected.
  func silent(after limit: Duration) -> MonotonicTime? { expectedSince.map { max($0, lastPacketAt ?? $0) + limit } }

  /// Time since `last`, or since media is to be expected if that is shorter.
  private func silence(since last: MonotonicTime?, at now: MonotonicTime) -> Duration? {
    expectedSince.map { now - max($0, last ?? $0) }
  }

  func reportBlock(at now: MonotonicTime) -> ReportBlock? {
    receiver?.makeReportBlock(at: now) ?? reception?.makeReportBlock(at: now)
  }

  /// Fills in what this path knows.
  func fill(_ statistics: inout TrackStatistics, at now: MonotonicTime) {
    statistics.bitrate = rate.bitsPerSecond(at: now)
    statistics.sinceLastPacket = silence(since: lastPacketAt, at: now)
    var received = earlier
    if let shown = outlet.video?.statistics {
      if let receiver { received.add(receiver.statistics) }
      statistics.received = received
      statistics.drops = received.drops
      statistics.drops.merge(shown.drops)
      statistics.width = shown.width
      statistics.height = shown.height
      statistics.framesPerSecond = Double(shown.framesPerSecond)
      statistics.framesDecoded = shown.framesDecoded
      statistics.framesDropped = shown.drops.total
      statistics.freezes = shown.freezes
      statistics.freezeMilliseconds = shown.freezeMilliseconds
      statistics.latencyMilliseconds = latency
      statistics.waitingForKeyFrame = receiver?.waitingForKeyFrameSince.map { now - $0 }
      statistics.keyFrameRequestsWhileWaiting = receiver?.keyFrameRequestsWhileWaiting ?? 0
      statistics.sinceLastPicture = silence(since: outlet.newest?.frame?.decodedAt, at: now)
    }
    if let played = outlet.audio?.statistics {
      if let reception { received.add(Self.counts(reception)) }
      statistics.received = played
      statistics.received.packetsReceived = received.packetsReceived
      statistics.received.bytesReceived = received.bytesReceived
      statistics.received.packetsLost = received.packetsLost
      statistics.received.jitterMilliseconds = received.jitterMilliseconds
      statistics.drops = played.drops
    }
  }
}

/// The frame that was decoded last, told by a decode thread and asked for by the network thread.
final class NewestFrame: Sendable {
  private let stored = Mutex<DecodedFrameInfo?>(nil)

  var frame: DecodedFrameInfo? {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}
