import RTCCore

/// One encoding of a published track as the server receives it.
struct UpLayer: Sendable {
  /// A layer without packets for this long does not flow; subscribers then get another one.
  static let silence: Duration = .seconds(1)
  /// A layer that had stopped must flow again for this long before subscribers return to it.
  static let recovery: Duration = .milliseconds(500)

  let index: Int
  let ssrc: SSRC
  private let clockRate: Int
  private var unwrapper = SequenceUnwrapper()
  private var window = DuplicateWindow()
  private var statistics: ReceptionStatistics
  private var nacks = NACKGenerator()
  private var throttle: KeyFrameThrottle
  /// The last sender report.
  private(set) var clock: SenderClock?
  private var lastMedia: MonotonicTime?
  /// Since when packets flow without a silence between them, and whether they did before that silence.
  private var flowingSince: MonotonicTime?
  private var hadStopped = false

  init(index: Int, ssrc: SSRC, clockRate: Int) {
    self.index = index
    self.ssrc = ssrc
    self.clockRate = clockRate
    statistics = ReceptionStatistics(ssrc: ssrc, clockRate: clockRate)
    throttle = KeyFrameThrottle.forLayer(index)
  }

  /// Takes a packet of the media SSRC, or one restored from a retransmission. Returns its number without wrap, or why it is
  /// of no use.
  mutating func receive(
    _ packet: RTPPacket, isRetransmission: Bool, asksForLosses: Bool, at now: MonotonicTime
  ) -> (sequence: Int64, refusal: DropReason?) {
    let sequence = unwrapper.unwrap(packet.sequenceNumber)
    if !isRetransmission { statistics.received(packet, at: now) }
    if asksForLosses { nacks.received(packet.sequenceNumber, at: now) }
    switch window.insert(sequence) {
    case .new: break
    case .duplicate: return (sequence, isRetransmission ? .retransmissionUnused : .duplicate)
    case .tooOld: return (sequence, .tooLate)
    }
    if !packet.payload.isEmpty { noteMedia(at: now) }
    return (sequence, nil)
  }

  mutating func receive(_ report: SenderReport, at now: MonotonicTime) {
    statistics.received(report, at: now)
    clock = SenderClock(ntpTime: report.ntpTime, timestamp: report.rtpTimestamp, at: now)
  }

  /// Whether packets flow.
  func isActive(at now: MonotonicTime) -> Bool {
    guard let lastMedia, let flowingSince, now - lastMedia < Self.silence else { return false }
    return !hadStopped || now - flowingSince >= Self.recovery
  }

  /// Whether a key frame may be asked for now; it then counts as asked.
  mutating func permitsKeyFrameRequest(at now: MonotonicTime) -> Bool { throttle.permits(at: now) }
  /// Missing packets to ask for now.
  mutating func takeLosses(at now: MonotonicTime) -> [SequenceNumber] { nacks.takeDue(at: now) }
  mutating func makeReportBlock(at now: MonotonicTime) -> ReportBlock? { statistics.makeReportBlock(at: now) }

  private mutating func noteMedia(at now: MonotonicTime) {
    if let lastMedia {
      if now - lastMedia >= Self.silence {
        hadStopped = true
        flowingSince = now
      }
    } else {
      flowingSince = now
    }
    lastMedia = now
  }
}
