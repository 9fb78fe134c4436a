import Media
import RTCCore
import Signalling
import Synchronization
import Transport

/// One received track between the network and its decoder.
@NetworkActor
final class ReceivedTrackPath {
  let description: ReceivedTrack
  let video: VideoPlayback?
  let audio: AudioTrackPlayback?
  private let newest: NewestFrame?
  /// Orders and repairs the packets of a video track.
  private var receiver: VideoReceiver?
  /// Counts the packets of an audio track, whose playout buffer belongs to the audio thread.
  private var reception: ReceptionStatistics?
  private var rate = RateWindow()
  private var lastPacketAt: MonotonicTime?
  /// Since when media is to be expected; nil while the track is paused.
  private var expectedSince: MonotonicTime?
  /// When the receiver wants to be woken; nil when only a packet can change anything.
  private(set) var deadline: MonotonicTime?

  init(
    video description: ReceivedTrack, ssrc: SSRC, playback: VideoPlayback, newest: NewestFrame, localSSRC: SSRC,
    at now: MonotonicTime
  ) {
    self.description = description
    self.newest = newest
    video = playback
    audio = nil
    let configuration = VideoReceiver.Configuration(
      ssrc: ssrc, rtxSSRC: description.rtxSSRC, payloadTypes: Set(description.payloadTypes),
      rtxPayloadTypes: description.rtxPayloadTypes, supportsNACK: description.supportsNACK,
      supportsPLI: description.supportsPLI, localSSRC: localSSRC)
    receiver = VideoReceiver(configuration, at: now)
    expectedSince = now
  }

  init(audio description: ReceivedTrack, ssrc: SSRC, playback: AudioTrackPlayback, at now: MonotonicTime) {
    self.description = description
    video = nil
    audio = playback
    newest = nil
    reception = ReceptionStatistics(ssrc: ssrc, clockRate: ClockRate.opus)
    expectedSince = now
  }

  func receive(_ packet: RTPPacket, size: Int, at now: MonotonicTime) {
    rate.add(bytes: size, at: now)
    lastPacketAt = now
    receiver?.receive(packet, at: now)
    reception?.received(packet, at: now)
    audio?.insert(packet, at: now)
  }

  func receive(_ report: SenderReport, at now: MonotonicTime) {
    receiver?.receive(report, at: now)
    reception?.received(report, at: now)
  }

  /// The decoder cannot go on without a key frame.
  func decoderFailed(at now: MonotonicTime) { receiver?.decoderFailed(at: now) }

  func setRoundTrip(_ time: Duration) { receiver?.setRoundTrip(time) }

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
      case .frame(let frame): video?.push(frame)
      case .feedback(let packets): send(packets)
      case .wait(let until):
        deadline = until
        return
      }
    }
  }

  /// From capture to decoding of the newest picture, where it carries a stamp of this machine's clock.
  private var latency: Double? {
    guard let frame = newest?.frame, let stamp = frame.stamp else { return nil }
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
    if let receiver, let shown = video?.statistics {
      statistics.received = receiver.statistics
      statistics.drops = receiver.statistics.drops
      statistics.drops.merge(shown.drops)
      statistics.width = shown.width
      statistics.height = shown.height
      statistics.framesPerSecond = Double(shown.framesPerSecond)
      statistics.framesDecoded = shown.framesDecoded
      statistics.framesDropped = shown.drops.total
      statistics.freezes = shown.freezes
      statistics.freezeMilliseconds = shown.freezeMilliseconds
      statistics.latencyMilliseconds = latency
      statistics.waitingForKeyFrame = receiver.waitingForKeyFrameSince.map { now - $0 }
      statistics.keyFrameRequestsWhileWaiting = receiver.keyFrameRequestsWhileWaiting
      statistics.sinceLastPicture = silence(since: newest?.frame?.decodedAt, at: now)
    }
    if let reception, let played = audio?.statistics {
      statistics.received = played
      statistics.received.packetsReceived = reception.packetsReceived
      statistics.received.bytesReceived = reception.bytesReceived
      statistics.received.packetsLost = reception.packetsLost
      statistics.received.jitterMilliseconds = reception.jitterMilliseconds
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
