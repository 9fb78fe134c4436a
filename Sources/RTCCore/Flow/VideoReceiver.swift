/// Receives one remote video track: puts packets in order, asks for lost ones, joins frames, and asks for key frames.
///
/// The track is one media SSRC, with an SSRC of retransmissions beside it where RTX is negotiated (RFC 4588). A forwarder
/// may change the picture's size at a key frame as long as the numbers go on. Feed it with `receive`, call `advance` when
/// the time of the last `.wait` has come, and after each of them take outputs until `.wait`.
public struct VideoReceiver: Sendable {
  /// What comes out, in order.
  public enum Output: Equatable, Sendable {
    /// A frame to decode; frames come in decode order.
    case frame(EncodedFrame)
    /// RTCP to send to the sender of the track.
    case feedback([RTCPPacket])
    /// Nothing more now. Call `advance` at this time; nil means that only a packet can change anything.
    case wait(until: MonotonicTime?)
  }

  /// Packets that may be waited for at once; more than this is an outage.
  private static let windowCapacity = 1_024
  /// Numbers before the first packet that may still arrive, overtaken by it.
  private static let initialLookBack: Int64 = 16

  public private(set) var configuration: Configuration
  private var outputs: [Output] = []
  private var nextOutput = 0

  private var reception: ReceptionStatistics
  private var counted = ReceiveStatistics()
  private var rate = RateWindow()

  private var unwrapper = SequenceUnwrapper()
  /// nil before the first packet.
  private var window: PacketWindow?
  private var assembler: VP8FrameAssembler
  private var nack: NACKGenerator
  private var requester: KeyFrameRequester
  private var keyFrameAhead = KeyFrameAhead()
  private var roundTrip: Duration = .milliseconds(100)
  private var gapDeadline: MonotonicTime?
  /// The first number since the start or the last restart; lower ones are not asked for.
  private var firstNumber: Int64 = 0
  /// The number that would confirm that the sender has restarted its numbering.
  private var restartCandidate: SequenceNumber?
  private var isPaused = false

  /// - Parameters:
  ///   - configuration: the stream, and how patient to be with it.
  ///   - now: the time of subscription, from which the wait for a first key frame counts.
  public init(_ configuration: Configuration, at now: MonotonicTime) {
    self.configuration = configuration
    reception = ReceptionStatistics(ssrc: configuration.ssrc, clockRate: ClockRate.video)
    assembler = VP8FrameAssembler(maximumFrameBytes: configuration.maximumFrameBytes)
    nack = NACKGenerator(configuration: configuration.nack)
    requester = KeyFrameRequester(
      initialInterval: configuration.keyFrameRequestInterval,
      maximumInterval: configuration.maximumKeyFrameRequestInterval, minimumSpacing: .milliseconds(200))
    requester.want(since: now, from: now + configuration.initialKeyFrameWait)
  }
}

// MARK: - Input

extension VideoReceiver {
  /// Takes a packet of the media SSRC or of the RTX SSRC.
  public mutating func receive(_ packet: RTPPacket, at now: MonotonicTime) {
    if packet.ssrc == configuration.ssrc {
      guard configuration.payloadTypes.contains(packet.payloadType) else {
        return counted.drops.count(.unknownPayloadType)
      }
      reception.received(packet, at: now)
      rate.add(bytes: packet.payload.count, at: now)
      accept(packet, number: packet.sequenceNumber, payloadStart: 0, isRetransmission: false, at: now)
    } else if packet.ssrc == configuration.rtxSSRC {
      receiveRetransmission(packet, at: now)
    } else {
      counted.drops.count(.unknownSSRC)
    }
    emitFeedback(at: now)
  }

  /// Does what has become due by `now`.
  public mutating func advance(to now: MonotonicTime) {
    process(at: now)
    emitFeedback(at: now)
  }

  public mutating func pollOutput() -> Output {
    if nextOutput < outputs.count {
      defer { nextOutput += 1 }
      return outputs[nextOutput]
    }
    outputs.removeAll(keepingCapacity: true)
    nextOutput = 0
    return .wait(until: nextDeadline)
  }

  /// The source of the retransmissions has shown itself, where it was not announced, or is another one now.
  public mutating func setRetransmissionSource(_ ssrc: SSRC) { configuration.rtxSSRC = ssrc }

  /// Tells the round-trip time to the sender, by which requests are spaced.
  public mutating func setRoundTrip(_ roundTrip: Duration) {
    self.roundTrip = max(.zero, min(roundTrip, .seconds(1)))
    nack.setRoundTrip(roundTrip)
  }

  /// Asks for a key frame for a reason of the application's own, such as a decoder that has failed. Requests are at least
  /// 200 ms apart and repeated until a key frame arrives.
  public mutating func requestKeyFrame(at now: MonotonicTime) {
    requester.want(since: now, from: now)
    emitFeedback(at: now)
  }

  /// The decoder has lost its state: frames are dropped until a key frame, which is asked for.
  public mutating func decoderFailed(at now: MonotonicTime) {
    assembler.restart(drops: &counted.drops)
    requestKeyFrame(at: now)
  }

  /// The sender has muted the track, or we have told it to stop: silence is expected, and nothing is asked for.
  public mutating func pause(at now: MonotonicTime) {
    isPaused = true
    nack.forgetAll()
  }

  /// The track goes on. When what was decoded so far cannot be continued, a key frame is asked for, unless one comes within
  /// ``Configuration/initialKeyFrameWait``.
  public mutating func resume(at now: MonotonicTime) {
    guard isPaused else { return }
    isPaused = false
    if assembler.chain == .awaitingKeyFrame {
      requester.keyFrameArrived()
      requester.want(since: now, from: now + configuration.initialKeyFrameWait)
    }
  }

  /// Takes note of the track's sender report, for the report blocks.
  public mutating func receive(_ report: SenderReport, at now: MonotonicTime) { reception.received(report, at: now) }
}

// MARK: - State for others

extension VideoReceiver {
  /// Everything counted since the start.
  public var statistics: ReceiveStatistics {
    var result = counted
    result.packetsReceived = reception.packetsReceived
    result.bytesReceived = reception.bytesReceived
    result.packetsLost = reception.packetsLost
    result.jitterMilliseconds = reception.jitterMilliseconds
    result.nacks = nack.requested
    result.keyFrameRequests = requester.requests
    return result
  }

  /// Since when nothing can be decoded for want of a key frame; nil while frames flow or the track is paused.
  public var waitingForKeyFrameSince: MonotonicTime? {
    isPaused || assembler.chain != .awaitingKeyFrame ? nil : requester.wantedSince
  }
  /// Requests for a key frame since then.
  public var keyFrameRequestsWhileWaiting: Int { requester.requestsSinceWanted }
  /// Payload bits of the media SSRC in the second that ends at `now`.
  public mutating func bitsPerSecond(at now: MonotonicTime) -> Int { rate.bitsPerSecond(at: now) }

  /// The report block about the media SSRC, or nil before its first packet. Each call begins a new loss interval.
  public mutating func makeReportBlock(at now: MonotonicTime) -> ReportBlock? { reception.makeReportBlock(at: now) }
}

// MARK: - Packets

extension VideoReceiver {
  /// Takes the original number from the front of the payload (RFC 4588 §4).
  private mutating func receiveRetransmission(_ packet: RTPPacket, at now: MonotonicTime) {
    guard let original = configuration.rtxPayloadTypes[packet.payloadType],
      configuration.payloadTypes.contains(original)
    else { return counted.drops.count(.unknownPayloadType) }
    guard !packet.payload.isEmpty else { return counted.drops.count(.padding) }
    guard packet.payload.count >= 2 else { return counted.drops.count(.malformed) }
    counted.retransmissionsReceived += 1
    let number = SequenceNumber(UInt16(packet.payload[0]) << 8 | UInt16(packet.payload[1]))
    accept(packet, number: number, payloadStart: 2, isRetransmission: true, at: now)
  }

  private mutating func accept(
    _ packet: RTPPacket, number sequence: SequenceNumber, payloadStart: Int, isRetransmission: Bool,
    at now: MonotonicTime
  ) {
    guard let number = place(sequence, isRetransmission: isRetransmission, at: now) else { return }
    let arrival = nack.received(sequence, at: now)
    let content = VideoPacket.Content(packet.payload, from: payloadStart)
    let stored = VideoPacket(
      content: content, payload: packet.payload, timestamp: packet.timestamp, marker: packet.marker, arrival: now)
    switch window?.insert(stored, at: number, missingSince: now) {
    case .stored: break
    case .duplicate: return counted.drops.count(isRetransmission ? .retransmissionUnused : .duplicate)
    case .abandoned: return counted.drops.count(isRetransmission ? .retransmissionUnused : .tooLate)
    case .tooFar, nil: return counted.drops.count(.tooLate)
    }
    switch content {
    case .padding: counted.drops.count(.padding)
    case .malformed: counted.drops.count(.malformed)
    case .media: break
    }
    if case .outage = arrival { abandon(before: number) }
    if number < firstNumber { beganEarlier(at: number, now) }
    if stored.startsKeyFrame { keyFrameAhead.found(at: number) }
    process(at: now)
  }

  /// The unwrapped number of a packet, or nil when it lies so far from the others that it is dropped. Two such packets in
  /// a row are taken for a restart of the numbering (RFC 3550 §A.1).
  private mutating func place(
    _ sequence: SequenceNumber, isRetransmission: Bool, at now: MonotonicTime
  ) -> Int64? {
    guard let window else {
      guard !isRetransmission else {
        counted.drops.count(.retransmissionUnused)
        return nil
      }
      return start(at: sequence, now)
    }
    let number = unwrapper.peek(sequence)
    let reach = Int64(Self.windowCapacity)
    if number >= window.end - reach, number < window.next + reach {
      restartCandidate = nil
      return unwrapper.unwrap(sequence)
    }
    guard !isRetransmission, sequence == restartCandidate else {
      restartCandidate = isRetransmission ? restartCandidate : sequence.next
      counted.drops.count(isRetransmission ? .retransmissionUnused : .tooLate)
      return nil
    }
    abandon(before: window.end)
    assembler.restart(drops: &counted.drops)
    nack.restart()
    return start(at: sequence, now)
  }

  private mutating func start(at sequence: SequenceNumber, _ now: MonotonicTime) -> Int64 {
    restartCandidate = nil
    keyFrameAhead = KeyFrameAhead()
    unwrapper = SequenceUnwrapper()
    let number = unwrapper.unwrap(sequence)
    window = PacketWindow(capacity: Self.windowCapacity, startingAt: number - Self.initialLookBack, at: now)
    firstNumber = number
    requester.want(since: now, from: now + reorderAllowance)
    return number
  }

  /// The stream's first packets overtook each other: what is missing between them can be asked for after all.
  private mutating func beganEarlier(at number: Int64, _ now: MonotonicTime) {
    guard let window else { return }
    firstNumber = number
    nack.restart()
    for later in number..<window.end {
      if case .missing = window[later] { continue }
      nack.received(SequenceNumber(unwrapped: later), at: now)
    }
  }

  /// Uses what is in order, and gives up what has been waited for long enough.
  private mutating func process(at now: MonotonicTime) {
    gapDeadline = nil
    while window != nil {
      while let packet = window?.takeNext() { use(packet, at: now) }
      guard let since = window?.gapSince, let next = window?.next else { return }
      keyFrameAhead.passed(next)
      if let window { keyFrameAhead.scan(window) }
      if assembler.chain == .awaitingKeyFrame, let start = keyFrameAhead.start {
        // Nothing before a key frame is of use, so there is nothing to wait for.
        abandon(before: start)
        continue
      }
      var deadline = since + gapWait(number: next)
      if keyFrameAhead.isComplete {
        if configuration.supportsNACK { deadline = min(deadline, since + reorderAllowance + roundTrip) }
        if deadline <= now, let start = keyFrameAhead.start {
          abandon(before: start)
          continue
        }
      }
      guard deadline <= now else {
        gapDeadline = deadline
        return
      }
      window?.skipGap()
      forgetSkipped()
      assembler.lose(drops: &counted.drops)
      wantKeyFrameIfNeeded(at: now)
    }
  }
}

// MARK: - Frames and requests

extension VideoReceiver {
  /// Time in which a packet that others have overtaken is still likely to come by itself.
  private var reorderAllowance: Duration { configuration.nack.reorderTolerance * 3 }

  private func gapWait(number: Int64) -> Duration {
    configuration.supportsNACK && number >= firstNumber ? configuration.maximumFrameWait : configuration.reorderWindow
  }

  private mutating func use(_ packet: VideoPacket, at now: MonotonicTime) {
    if let frame = assembler.push(packet, drops: &counted.drops) {
      counted.framesReceived += 1
      if frame.isKeyFrame {
        counted.keyFramesReceived += 1
        requester.keyFrameArrived()
      }
      outputs.append(.frame(frame))
    }
    wantKeyFrameIfNeeded(at: now)
  }

  private mutating func abandon(before number: Int64) {
    let thrownAway = window?.abandon(before: number) ?? 0
    counted.drops.count(
      assembler.chain == .awaitingKeyFrame ? .awaitingKeyFrame : .incompleteFrame, by: thrownAway)
    assembler.lose(drops: &counted.drops)
    forgetSkipped()
  }

  private mutating func forgetSkipped() {
    if let window { nack.forget(before: SequenceNumber(unwrapped: window.next)) }
  }

  private mutating func wantKeyFrameIfNeeded(at now: MonotonicTime) {
    if assembler.chain == .awaitingKeyFrame, requester.wantedSince == nil { requester.want(since: now, from: now) }
  }

  private mutating func emitFeedback(at now: MonotonicTime) {
    guard !isPaused else { return }
    var packets: [RTCPPacket] = []
    if configuration.supportsNACK {
      let lost = nack.takeDue(at: now)
      if !lost.isEmpty {
        packets.append(.nack(GenericNACK(sender: configuration.localSSRC, media: configuration.ssrc, lost: lost)))
      }
    }
    if configuration.supportsPLI, requester.takeDue(at: now) {
      packets.append(
        .pictureLossIndication(PictureLossIndication(sender: configuration.localSSRC, media: configuration.ssrc)))
    }
    if !packets.isEmpty { outputs.append(.feedback(packets)) }
  }

  private var nextDeadline: MonotonicTime? {
    var earliest = gapDeadline
    func consider(_ time: MonotonicTime?) {
      guard let time else { return }
      earliest = earliest.map { min($0, time) } ?? time
    }
    if !isPaused {
      if configuration.supportsNACK { consider(nack.nextDeadline) }
      if configuration.supportsPLI { consider(requester.nextDeadline) }
    }
    return earliest
  }
}

extension VideoPacket.Content {
  /// - Parameter start: where the original payload begins, 2 in a retransmission.
  fileprivate init(_ payload: [UInt8], from start: Int) {
    if payload.count <= start {
      self = .padding
    } else if let place = VP8PacketPlace(payload, from: start) {
      self = .media(place)
    } else {
      self = .malformed
    }
  }
}
