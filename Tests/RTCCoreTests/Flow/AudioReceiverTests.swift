import RTCCore
import TestKit
import Testing

@Suite struct AudioReceiverTests {
  @Test func aCleanPathPlaysEachPacketInOrder() {
    var call = AudioCall(seed: 1)
    call.run(packets: 500)
    #expect(call.hasPlayedAll(of: 500))
    #expect(call.lostPulls == 0)
    #expect(call.receiver.targetDelay == .milliseconds(20))
    #expect(call.worstLag <= .milliseconds(85))
    #expect(call.receiver.statistics.framesReceived == call.played.count)
  }

  @Test(arguments: UInt64(1)...6) func jitterRaisesTheDelayAndLittleIsLost(seed: UInt64) {
    var call = AudioCall(seed: seed)
    call.link.jitter = .milliseconds(60)
    call.run(packets: 1_500)
    #expect(call.isInOrder)
    #expect(call.played.count > 1_450)
    #expect(call.receiver.targetDelay > .milliseconds(40))
    #expect(call.receiver.targetDelay <= .milliseconds(80))
    #expect(call.worstLag < .milliseconds(40 + 60 + 100))

    // When the path has calmed down, the delay comes down too.
    call.link.jitter = .zero
    call.run(packets: 1_500)
    #expect(call.receiver.targetDelay <= .milliseconds(30))
    #expect(call.lastLag <= .milliseconds(100))
    #expect(call.receiver.skippedPackets >= 1)
    #expect(call.isInOrder)
  }

  @Test(arguments: UInt64(1)...6) func lossIsConcealedWithTheNextPacketForFEC(seed: UInt64) {
    var call = AudioCall(seed: seed)
    call.link.loss = 0.05
    call.link.jitter = .milliseconds(10)
    call.run(packets: 1_000)
    #expect(call.isInOrder)
    #expect(call.played.count > 1_000 - call.link.lostCount - 15)
    #expect(call.lostPulls >= call.link.lostCount - 5)
    #expect(call.lostPulls <= call.link.lostCount + 30)
    #expect(call.lostPullsWithNext > 0)
    #expect(call.receiver.concealedSlots == call.lostPulls)
    #expect(call.worstLag < .milliseconds(160))
  }

  @Test func theNextPacketIsThatAfterTheLostOne() {
    var receiver = AudioReceiver(AudioCall.configuration)
    for index in [0, 2] { receiver.insert(AudioCall.packet(index), at: .zero) }
    let now = MonotonicTime.zero + .milliseconds(200)
    let pulls = [receiver.pull(at: now), receiver.pull(at: now), receiver.pull(at: now)]
    #expect(
      pulls == [
        .packet(AudioCall.packet(0).payload), .lost(next: AudioCall.packet(2).payload),
        .packet(AudioCall.packet(2).payload),
      ])
  }

  @Test func nothingHasStarted() {
    var receiver = AudioReceiver(AudioCall.configuration)
    #expect(receiver.pull(at: .zero) == .silence)
    receiver.insert(AudioCall.packet(0), at: .zero)
    // Held for the delay.
    #expect(receiver.pull(at: .zero + .milliseconds(1)) == .silence)
    #expect(receiver.pull(at: .zero + .milliseconds(25)) == .packet(AudioCall.packet(0).payload))
  }

  @Test func aMuteEndsInSilenceAndRestartsCleanly() {
    var call = AudioCall(seed: 2)
    call.run(packets: 100)
    call.pause(.seconds(3))
    #expect(call.lostPulls == 5)
    #expect(call.lastPull == .silence)
    call.run(packets: 100)
    #expect(call.hasPlayedAll(of: 200))
    #expect(call.lostPulls <= 10)
    #expect(call.lastLag <= .milliseconds(100))
  }

  @Test("RFC 7587 §3.1.3: after a packet of DTX comes silence, not concealment") func discontinuousTransmission() {
    var call = AudioCall(seed: 3)
    call.run(packets: 50)
    call.sizeOfNext = 1
    call.run(packets: 1)
    call.sizeOfNext = nil
    let before = call.lostPulls
    call.pause(.milliseconds(400))
    #expect(call.lostPulls == before)
    #expect(call.lastPull == .silence)
    call.run(packets: 50)
    #expect(call.isInOrder)
    #expect((97...101).contains(call.played.count))
    #expect(call.lastLag <= .milliseconds(100))
  }

  @Test func aStallDoesNotLeaveLagBehind() {
    var call = AudioCall(seed: 4)
    call.run(packets: 100)
    // Everything of 600 ms arrives at once.
    call.link.delay = .milliseconds(640)
    call.run(packets: 1)
    for remaining in stride(from: 620, through: 40, by: -20) {
      call.link.delay = .milliseconds(remaining)
      call.run(packets: 1)
    }
    call.run(packets: 300)
    #expect(call.isInOrder)
    #expect(call.lastLag <= .milliseconds(40 + 200 + 40))
    #expect(call.receiver.statistics.drops[.superseded] == call.receiver.skippedPackets)
    #expect(call.receiver.skippedPackets > 10)
  }

  @Test func aFasterSenderClockDoesNotGrowTheLag() {
    var call = AudioCall(seed: 5)
    // One per cent fast, far more than real clocks.
    call.sendInterval = .microseconds(19_800)
    call.run(packets: 3_000)
    #expect(call.isInOrder)
    #expect(call.receiver.bufferedDuration <= .milliseconds(120))
    #expect(call.receiver.skippedPackets >= 20)
  }

  @Test func aSlowerSenderClockOnlyConceals() {
    var call = AudioCall(seed: 5)
    call.sendInterval = .microseconds(20_200)
    call.run(packets: 2_000)
    #expect(call.hasPlayedAll(of: 2_000))
    #expect(call.lostPulls >= 10)
    #expect(call.lostPulls <= 60)
  }

  @Test func duplicatesAndLatePacketsAreCounted() {
    var receiver = AudioReceiver(AudioCall.configuration)
    receiver.insert(AudioCall.packet(0), at: .zero)
    receiver.insert(AudioCall.packet(0), at: .zero)
    receiver.insert(AudioCall.packet(2), at: .zero)
    let now = MonotonicTime.zero + .milliseconds(100)
    for _ in 0..<3 { _ = receiver.pull(at: now) }
    receiver.insert(AudioCall.packet(0), at: now)
    receiver.insert(AudioCall.packet(1), at: now)
    var foreign = AudioCall.packet(3)
    foreign.ssrc = SSRC(99)
    receiver.insert(foreign, at: now)
    var other = AudioCall.packet(3)
    other.payloadType = 0
    receiver.insert(other, at: now)
    var malformed = AudioCall.packet(3)
    malformed.payload = [0x03]
    receiver.insert(malformed, at: now)
    let drops = receiver.statistics.drops
    #expect(drops[.duplicate] == 2)
    #expect(drops[.tooLate] == 1)
    #expect(drops[.unknownSSRC] == 1)
    #expect(drops[.unknownPayloadType] == 1)
    #expect(drops[.malformed] == 1)
  }

  @Test func theSequenceWrapsAndMayRestart() {
    var call = AudioCall(seed: 6, firstSequence: 65_400)
    call.run(packets: 300)
    #expect(call.hasPlayedAll(of: 300))
    call.jumpNumbers(by: 20_000)
    call.run(packets: 100)
    #expect(call.isInOrder)
    // The first packet looks like a stray, and what was underway is given up.
    #expect(call.played.count > 390)
    #expect(call.played.last.map { $0 >= 395 } == true)
  }

  @Test func slotsFollowThePacketsDuration() {
    var receiver = AudioReceiver(AudioCall.configuration)
    #expect(receiver.slotDuration == .milliseconds(20))
    // TOC 0xF8 without its low bits: CELT fullband, 20 ms; 0xF0: 10 ms.
    var packet = AudioCall.packet(0)
    packet.payload[0] = 0xF0
    receiver.insert(packet, at: .zero)
    #expect(receiver.slotDuration == .milliseconds(10))
  }

  @Test(arguments: UInt64(1)...10) func randomPacketsNeverCrash(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var receiver = AudioReceiver(AudioCall.configuration)
    var now = MonotonicTime.zero
    var longest: Duration = .zero
    for _ in 0..<5_000 {
      var packet = AudioCall.packet(0)
      let isNear = Int.random(in: 0..<4, using: &random) > 0
      packet.sequenceNumber = SequenceNumber(
        isNear ? .random(in: 0...300, using: &random) : .random(in: 0...(.max), using: &random))
      packet.timestamp = RTPTimestamp(.random(in: 0...(.max), using: &random))
      packet.payload = (0..<Int.random(in: 0...5, using: &random)).map { _ in .random(in: 0...255, using: &random) }
      receiver.insert(packet, at: now)
      now = now + .milliseconds(Int.random(in: 0...20, using: &random))
      if Bool.random(using: &random) { _ = receiver.pull(at: now) }
      longest = max(longest, receiver.targetDelay)
    }
    #expect(longest <= .milliseconds(200))
    #expect(receiver.statistics.packetsReceived > 0)
  }
}

/// A talker, a simulated network, and a player that pulls each 20 ms.
private struct AudioCall {
  static let configuration = AudioReceiver.Configuration(ssrc: SSRC(7), payloadTypes: [111])

  var link: SimulatedLink<RTPPacket>
  var receiver = AudioReceiver(AudioCall.configuration)
  var sendInterval: Duration = .milliseconds(20)
  var sizeOfNext: Int?
  /// Indices of the packets played, in order.
  private(set) var played: [Int] = []
  private(set) var lostPulls = 0
  private(set) var lostPullsWithNext = 0
  private(set) var lastPull = AudioPull.silence
  /// Longest time from sending to playing, over packets after the first 100.
  private(set) var worstLag: Duration = .zero
  private(set) var lastLag: Duration = .zero

  private var now = MonotonicTime.zero
  private var nextPull = MonotonicTime.zero + .milliseconds(7)
  private var sentAt: [MonotonicTime] = []
  private var firstSequence: Int
  private var pausedTicks = 0

  init(seed: UInt64, firstSequence: UInt16 = 100) {
    link = SimulatedLink(seed: seed, delay: .milliseconds(40))
    self.firstSequence = Int(firstSequence)
  }

  /// 20 ms of CELT with its index inside.
  static func packet(_ index: Int, size: Int = 60) -> RTPPacket {
    var payload = [UInt8](repeating: 0, count: max(4, size))
    payload[0] = 0xF8
    payload[1] = UInt8(truncatingIfNeeded: index >> 8)
    payload[2] = UInt8(truncatingIfNeeded: index)
    return RTPPacket(
      payloadType: 111, sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: index)),
      timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: index * 960)), ssrc: SSRC(7), payload: payload)
  }

  /// Whether all but those underway or held at the end were played in order.
  func hasPlayedAll(of count: Int) -> Bool { played == Array(0..<played.count) && played.count > count - 6 }

  var isInOrder: Bool { zip(played, played.dropFirst()).allSatisfy { $0 < $1 } }

  mutating func jumpNumbers(by steps: Int) { firstSequence += steps }

  mutating func run(packets count: Int) {
    for _ in 0..<count {
      let index = sentAt.count
      var packet = Self.packet(index)
      if let sizeOfNext { packet.payload = Array(packet.payload.prefix(sizeOfNext)) }
      packet.sequenceNumber = SequenceNumber(UInt16(truncatingIfNeeded: firstSequence + index))
      packet.timestamp = packet.timestamp.advanced(by: pausedTicks - 100_000)
      sentAt.append(now)
      link.send(packet, at: now)
      pass(sendInterval)
    }
  }

  /// The sender sends nothing; its timestamps go on.
  mutating func pause(_ duration: Duration) {
    pausedTicks += Int(duration / .milliseconds(1)) * 48
    pass(duration)
  }

  private mutating func pass(_ duration: Duration) {
    let end = now + duration
    while true {
      let next = min(link.nextArrival ?? nextPull, nextPull)
      guard next < end else { break }
      now = max(now, next)
      for packet in link.receive(at: now) { receiver.insert(packet, at: now) }
      if nextPull <= now { pull() }
    }
    now = end
  }

  private mutating func pull() {
    nextPull = nextPull + .milliseconds(20)
    lastPull = receiver.pull(at: now)
    switch lastPull {
    case .packet(let payload):
      // A packet of DTX has no room for its index; it follows the one before.
      let index = payload.count < 3 ? (played.last ?? -1) + 1 : Int(payload[1]) << 8 | Int(payload[2])
      played.append(index)
      lastLag = now - sentAt[index]
      if index >= 100 { worstLag = max(worstLag, lastLag) }
    case .lost(let next):
      lostPulls += 1
      if next != nil { lostPullsWithNext += 1 }
    case .silence: break
    }
  }
}
