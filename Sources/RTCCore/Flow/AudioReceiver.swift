/// What the audio thread is to play next.
public enum AudioPull: Equatable, Sendable {
  /// An Opus packet to decode.
  case packet([UInt8])
  /// A packet that is not there: conceal it. `next` is the packet after it, when it has come, for its in-band FEC (RFC 6716
  /// §2.1.7).
  case lost(next: [UInt8]?)
  /// Nothing has started, or the sender is silent (DTX, mute).
  case silence
}

/// Receives one remote Opus track: puts packets in order and holds each just long enough for late ones to arrive.
///
/// The network's side calls `insert`; the player calls `pull` once for each ``slotDuration`` of sound. Both belong behind
/// one short lock; either costs about a microsecond.
///
/// The delay follows the jitter seen. When the buffer holds more than it should, single packets are left out, quiet ones
/// first; when it holds too little, a slot is concealed without moving on; when it holds far too much, as after a stall, it
/// moves on to the newest at once.
public struct AudioReceiver: Sendable {
  public struct Configuration: Sendable {
    public var ssrc: SSRC
    public var payloadTypes: Set<UInt8>
    /// Least playout delay. Default 20 ms, one packet.
    public var minimumDelay: Duration = .milliseconds(20)
    /// Greatest playout delay; more jitter than this is concealed. Default 200 ms.
    public var maximumDelay: Duration = .milliseconds(200)
    /// Content beyond the wanted delay at which the buffer moves on at once. Default 200 ms.
    public var maximumExcess: Duration = .milliseconds(200)
    /// Packets concealed in a row before silence; more would drone. Default 5.
    public var maximumConcealment = 5

    public init(ssrc: SSRC, payloadTypes: Set<UInt8>) {
      self.ssrc = ssrc
      self.payloadTypes = payloadTypes
    }
  }

  private enum State {
    /// Nothing has come since the start or since the last silence.
    case idle
    /// Packets have come since then but are still held.
    case buffering(since: MonotonicTime)
    case playing
  }

  private struct Slot: Sendable {
    var number: Int64 = -1
    /// nil when played or given up.
    var payload: [UInt8]?
  }

  /// Packets held at most: 1.28 s of 10 ms packets, far beyond what the limits of the delay let grow.
  private static let capacity: Int64 = 128
  /// Slots between two adaptations, so that each can show in the level first.
  private static let adaptationPause = 10

  public let configuration: Configuration
  private var reception: ReceptionStatistics
  private var counted = ReceiveStatistics()
  private var delayEstimator = PlayoutDelayEstimator()
  private var sequenceUnwrapper = SequenceUnwrapper()
  private var timestampUnwrapper = TimestampUnwrapper()
  private var restartCandidate: SequenceNumber?

  private var slots: [Slot]
  private var state = State.idle
  /// The number to be played next; nil before the first packet.
  private var next: Int64?
  private var highest: Int64 = 0
  private var slotSamples = 960
  /// Packets in the buffer, smoothed over about 16 slots.
  private var smoothedLevel = 0.0
  private var slotsUntilAdaptation = 0
  private var averageSize = 0.0
  /// Slots concealed in a row.
  private var concealedInRow = 0
  /// Slots concealed without moving on, for which as many missing packets need no concealment any more.
  private var stretched = 0
  private var lastWasDTX = false

  /// Slots for which concealment was asked.
  public private(set) var concealedSlots = 0
  /// Packets left out to bring the delay down.
  public private(set) var skippedPackets = 0

  public init(_ configuration: Configuration) {
    self.configuration = configuration
    reception = ReceptionStatistics(ssrc: configuration.ssrc, clockRate: ClockRate.opus)
    slots = Array(repeating: Slot(), count: Int(Self.capacity))
  }
}

// MARK: - State for others

extension AudioReceiver {
  /// Everything counted since the start; `framesReceived` counts packets given to the player.
  public var statistics: ReceiveStatistics {
    var result = counted
    result.packetsReceived = reception.packetsReceived
    result.bytesReceived = reception.bytesReceived
    result.packetsLost = reception.packetsLost
    result.jitterMilliseconds = reception.jitterMilliseconds
    return result
  }

  /// Sound in one slot: the length of the packet played last, 20 ms before the first.
  public var slotDuration: Duration { .nanoseconds(Int64(slotSamples) * 1_000_000_000 / Int64(ClockRate.opus)) }

  /// The delay that the jitter asks for now.
  public var targetDelay: Duration {
    min(configuration.maximumDelay, max(configuration.minimumDelay, delayEstimator.delay + slotDuration / 2))
  }

  /// Sound that is held, gaps included.
  public var bufferedDuration: Duration { slotDuration * Int(level) }

  /// The report block about the track, or nil before its first packet. Each call begins a new loss interval.
  public mutating func makeReportBlock(at now: MonotonicTime) -> ReportBlock? { reception.makeReportBlock(at: now) }

  /// Takes note of the track's sender report, for the report blocks.
  public mutating func receive(_ report: SenderReport, at now: MonotonicTime) { reception.received(report, at: now) }
}

// MARK: - The network's side

extension AudioReceiver {
  public mutating func insert(_ packet: RTPPacket, at now: MonotonicTime) {
    guard packet.ssrc == configuration.ssrc else { return counted.drops.count(.unknownSSRC) }
    guard configuration.payloadTypes.contains(packet.payloadType) else {
      return counted.drops.count(.unknownPayloadType)
    }
    reception.received(packet, at: now)
    guard let number = place(packet.sequenceNumber) else { return counted.drops.count(.tooLate) }
    if !packet.payload.isEmpty {
      guard let samples = OpusPacket.sampleCount(packet.payload) else { return counted.drops.count(.malformed) }
      // The first packet tells how long slots are; later ones do when they are played.
      if case .idle = state { slotSamples = samples }
      let ticks = timestampUnwrapper.unwrap(packet.timestamp)
      delayEstimator.packetArrived(
        mediaTime: .nanoseconds(ticks &* 62_500 / 3), at: now)
    }
    if let next, number < next {
      let slot = slots[Self.index(number)]
      return counted.drops.count(slot.number == number ? .duplicate : .tooLate)
    }
    guard slots[Self.index(number)].number != number else { return counted.drops.count(.duplicate) }
    if packet.payload.isEmpty { counted.drops.count(.padding) }
    slots[Self.index(number)] = Slot(number: number, payload: packet.payload)
    highest = next == nil ? number : max(highest, number)
    if next == nil { next = number - Self.lookBack }
    if case .idle = state, !packet.payload.isEmpty { state = .buffering(since: now) }
  }

  /// Numbers before the very first packet that may still come and be played.
  private static let lookBack: Int64 = 4

  private static func index(_ number: Int64) -> Int { Int(number & (capacity - 1)) }

  /// The unwrapped number, or nil for one far from the others. Two such in a row are taken for a restart of the numbering.
  private mutating func place(_ sequence: SequenceNumber) -> Int64? {
    guard let next else { return sequenceUnwrapper.unwrap(sequence) }
    let number = sequenceUnwrapper.peek(sequence)
    if number > highest - Self.capacity, number < next + Self.capacity {
      restartCandidate = nil
      return sequenceUnwrapper.unwrap(sequence)
    }
    guard sequence == restartCandidate else {
      restartCandidate = sequence.next
      return nil
    }
    restartCandidate = nil
    discard(before: highest + 1)
    slots = Array(repeating: Slot(), count: Int(Self.capacity))
    sequenceUnwrapper = SequenceUnwrapper()
    timestampUnwrapper = TimestampUnwrapper()
    self.next = nil
    stop()
    return sequenceUnwrapper.unwrap(sequence)
  }
}

// MARK: - The player's side

extension AudioReceiver {
  /// What to play in the next slot; call it once for each ``slotDuration`` of sound played.
  public mutating func pull(at now: MonotonicTime) -> AudioPull {
    switch state {
    case .idle:
      return .silence
    case .buffering(let since):
      let target = targetDelay
      // A burst that holds more than the delay needs no further wait.
      guard now - since >= target || bufferedSincePresent > target + slotDuration else { return .silence }
      state = .playing
      skipMissing()
      smoothedLevel = Double(level)
      slotsUntilAdaptation = Self.adaptationPause
      return play()
    case .playing:
      if let concealment = adapt() { return concealment }
      return play()
    }
  }

  /// Packets from the next to be played to the newest, missing ones included.
  private var level: Int64 { next.map { max(0, highest - $0 + 1) } ?? 0 }

  /// The same as time, but from the first that is there on.
  private var bufferedSincePresent: Duration {
    guard var number = next else { return .zero }
    while number <= highest, payload(number) == nil { number += 1 }
    return slotDuration * Int(highest - number + 1)
  }

  private func payload(_ number: Int64) -> [UInt8]? {
    let slot = slots[Self.index(number)]
    return slot.number == number ? slot.payload : nil
  }

  private mutating func play() -> AudioPull {
    while let number = next {
      guard number <= highest else { return underrun() }
      if let payload = payload(number) {
        advance()
        if payload.isEmpty { continue }
        return start(payload)
      }
      advance()
      if stretched > 0 {
        stretched -= 1
      } else if concealedInRow < configuration.maximumConcealment {
        let following = payload(number + 1).flatMap { $0.isEmpty ? nil : $0 }
        return conceal(following)
      } else {
        skipMissing()
      }
    }
    return .silence
  }

  private mutating func start(_ payload: [UInt8]) -> AudioPull {
    concealedInRow = 0
    stretched = 0
    lastWasDTX = payload.count <= 2
    averageSize += (Double(payload.count) - averageSize) / 32
    slotSamples = OpusPacket.sampleCount(payload) ?? slotSamples
    counted.framesReceived += 1
    return .packet(payload)
  }

  private mutating func conceal(_ following: [UInt8]?) -> AudioPull {
    concealedInRow += 1
    concealedSlots += 1
    return .lost(next: following)
  }

  /// Nothing is there: late, or the sender has stopped.
  private mutating func underrun() -> AudioPull {
    // A packet of one or two bytes announces that nothing follows for a while (RFC 7587 §3.1.3).
    if !lastWasDTX, concealedInRow < configuration.maximumConcealment {
      stretched += 1
      return conceal(nil)
    }
    stop()
    return .silence
  }

  private mutating func stop() {
    state = .idle
    concealedInRow = 0
    stretched = 0
    lastWasDTX = false
  }

  /// Gives up the next number.
  private mutating func advance() {
    guard let number = next else { return }
    if slots[Self.index(number)].number == number { slots[Self.index(number)].payload = nil }
    next = number + 1
  }

  private mutating func skipMissing() {
    while let number = next, number <= highest, payload(number) == nil { advance() }
  }

  private mutating func discard(before number: Int64) {
    while let current = next, current < number {
      if let payload = payload(current), !payload.isEmpty {
        skippedPackets += 1
        counted.drops.count(.superseded)
      }
      advance()
    }
  }

  /// Brings the level towards the target. Gives a concealment when a slot is to be stretched.
  private mutating func adapt() -> AudioPull? {
    let slot = slotDuration / .milliseconds(1)
    let target = targetDelay / .milliseconds(1)
    let held = Double(level) * slot
    if held > target + configuration.maximumExcess / .milliseconds(1) {
      discard(before: highest + 1 - Int64(max(1, target / slot + 0.5)))
      smoothedLevel = Double(level)
      slotsUntilAdaptation = Self.adaptationPause
      return nil
    }
    smoothedLevel += (Double(level) - smoothedLevel) / 16
    slotsUntilAdaptation -= 1
    guard slotsUntilAdaptation <= 0, let number = next, let upcoming = payload(number), !upcoming.isEmpty else {
      return nil
    }
    let excess = smoothedLevel * slot - target
    // Opus spends few bytes on quiet sound, where a cut or a stretch is heard least.
    let isQuiet = Double(upcoming.count) < averageSize / 2
    if excess > slot * (isQuiet ? 1 : 2), level > 1 {
      discard(before: number + 1)
      adapted(by: -1)
    } else if excess < -slot * (isQuiet ? 1 : 2) {
      adapted(by: 1)
      return conceal(nil)
    }
    return nil
  }

  private mutating func adapted(by packets: Double) {
    smoothedLevel += packets
    slotsUntilAdaptation = Self.adaptationPause
  }
}
