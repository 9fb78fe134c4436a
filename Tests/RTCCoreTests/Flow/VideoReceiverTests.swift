import RTCCore
import TestKit
import Testing

@Suite struct VideoReceiverTests {
  @Test func aCleanPathDeliversEachFrameAtOnce() {
    var call = VideoCall(seed: 1)
    call.run(frames: 100)
    #expect(call.deliveredIndices == Array(0..<100))
    #expect(call.isDecodable)
    #expect(call.pliTimes.isEmpty)
    #expect(call.nackCount == 0)
    #expect(call.receiver.statistics.drops.total == 0)
    #expect(call.receiver.statistics.packetsLost == 0)
    #expect(call.receiver.statistics.keyFramesReceived == 1)
    for (index, time) in call.deliveredAt.enumerated() {
      #expect(time == .zero + .nanoseconds(33_333_333) * index + .milliseconds(40))
    }
  }

  @Test(arguments: UInt64(1)...12) func fivePercentLossWithNACKLosesNoFrame(seed: UInt64) {
    var call = VideoCall(seed: seed)
    call.run(frames: 1)
    call.forward.loss = 0.05
    call.backward.loss = 0.05
    call.run(frames: 298, tail: .zero)
    // Of the very last packet, none would show that it is missing.
    call.forward.loss = 0
    call.run(frames: 1, tail: .seconds(2))
    #expect(call.deliveredIndices == Array(0..<300))
    #expect(call.isDecodable)
    #expect(call.nackCount > 10)
    #expect(call.receiver.statistics.nacks == call.nackCount)
  }

  @Test(arguments: UInt64(1)...6) func fivePercentLossWithRTXLosesNoFrame(seed: UInt64) {
    var call = VideoCall(seed: seed, rtx: true)
    call.run(frames: 1)
    call.forward.loss = 0.05
    call.forward.jitter = .milliseconds(8)
    call.backward.loss = 0.05
    call.run(frames: 298, tail: .zero)
    // Of the very last packet, none would show that it is missing.
    call.forward.loss = 0
    call.run(frames: 1, tail: .seconds(2))
    #expect(call.deliveredIndices == Array(0..<300))
    #expect(call.isDecodable)
    let statistics = call.receiver.statistics
    #expect(statistics.retransmissionsReceived > 10)
    // Retransmissions on their own SSRC do not hide losses (RFC 4588 §6.3).
    #expect(statistics.packetsLost > 10)
  }

  @Test func theFirstFrameSurvivesReorderingAndLoss() {
    // The key frame's third packet arrives first, its second is lost.
    var fixture = ReceiverFixture()
    fixture.packets(key: true, order: [2, 0, 3], count: 4)
    #expect(fixture.frames.isEmpty)
    fixture.advance(by: .milliseconds(11))
    #expect(fixture.asked == [SequenceNumber(65_531)])
    fixture.packets(key: true, order: [1], count: 4)
    #expect(fixture.frames.count == 1)
  }

  @Test(arguments: UInt64(1)...6) func withoutNACKKeyFramesRepair(seed: UInt64) {
    var call = VideoCall(seed: seed) { $0.supportsNACK = false }
    call.forward.loss = 0.01
    call.run(frames: 600, tail: .seconds(1))
    #expect(call.isDecodable)
    #expect(call.nackCount == 0)
    #expect(!call.pliTimes.isEmpty)
    #expect(call.delivered.count > 200)
    #expect(call.receiver.statistics.keyFramesReceived > 1)
    #expect(call.receiver.statistics.drops[.awaitingKeyFrame] > 0)
    // Every packet that arrived is either in a frame or counted.
    #expect(call.receiver.statistics.keyFrameRequests == call.pliTimes.count)
  }

  @Test(arguments: UInt64(1)...8, [true, false]) func everyPacketIsInAFrameOrCounted(seed: UInt64, rtx: Bool) {
    var call = VideoCall(seed: seed, rtx: rtx) { $0.supportsNACK = rtx }
    call.forward.loss = 0.04
    call.forward.duplication = 0.05
    call.forward.jitter = .milliseconds(25)
    for index in stride(from: 5, to: 300, by: 9) { call.paddingAfter[index] = 1 }
    call.run(frames: 299, tail: .zero)
    call.forward.loss = 0
    call.run(frames: 1, tail: .seconds(3))
    let room = 1_100 - VP8Packetizer.descriptorLength
    let used = call.delivered.reduce(0) { $0 + ($1.payload.count + room - 1) / room }
    let statistics = call.receiver.statistics
    #expect(used + statistics.drops.total == statistics.packetsReceived + statistics.retransmissionsReceived)
    #expect(statistics.drops.total > 10)
  }

  @Test(arguments: UInt64(1)...6, [true, false]) func reorderingAloneLosesNothing(seed: UInt64, nack: Bool) {
    var call = VideoCall(seed: seed) { $0.supportsNACK = nack }
    call.forward.jitter = .milliseconds(60)
    call.run(frames: 200)
    #expect(call.deliveredIndices == Array(0..<200))
    #expect(call.isDecodable)
    #expect(call.receiver.statistics.packetsLost <= 0)
  }

  @Test func duplicatesAreCountedAndHarmless() {
    var call = VideoCall(seed: 3)
    call.forward.duplication = 0.2
    call.forward.jitter = .milliseconds(5)
    call.run(frames: 200)
    #expect(call.deliveredIndices == Array(0..<200))
    #expect(call.forward.duplicatedCount > 20)
    #expect(call.receiver.statistics.drops[.duplicate] >= call.forward.duplicatedCount)
  }

  @Test(arguments: [true, false]) func aBurstOutageRecoversWithinOneRequest(rtx: Bool) {
    var call = VideoCall(seed: 4, rtx: rtx)
    let start = MonotonicTime.zero + .seconds(2)
    let end = start + .seconds(2)
    call.forward.outages = [start..<end]
    call.run(frames: 300)
    #expect(call.isDecodable)
    #expect(call.pliTimes.count == 1)
    let firstAfter = call.deliveredAt.first { $0 > end + .milliseconds(40) }
    #expect(firstAfter.map { $0 - end < .milliseconds(700) } == true)
    #expect(call.deliveredIndices.last == 299)
  }

  @Test func aLongOutageBeyondTheWindowRecovers() {
    var call = VideoCall(seed: 5)
    let start = MonotonicTime.zero + .seconds(1)
    call.forward.outages = [start..<(start + .seconds(40))]
    call.run(frames: 1_500)
    #expect(call.isDecodable)
    #expect(call.deliveredIndices.last == 1_499)
    #expect(call.pliTimes.count <= 2)
    #expect(call.delivered.count > 200)
  }

  @Test func sequenceNumbersWrapUnnoticed() {
    var call = VideoCall(seed: 6, firstSequence: 65_500)
    call.forward.loss = 0.03
    call.run(frames: 300, tail: .seconds(2))
    #expect(call.deliveredIndices == Array(0..<300))
    #expect(call.isDecodable)
  }

  @Test func aRestartOfTheNumberingIsFollowed() {
    var call = VideoCall(seed: 7)
    call.run(frames: 30)
    var other = VideoCall(seed: 7, firstSequence: 30_000)
    other.run(frames: 30)
    // The other sender's packets, 30 000 numbers away, reach the first receiver.
    var receiver = call.receiver
    var stream = SendStream(
      .init(ssrc: VideoCall.mediaSSRC, payloadType: 96, clockRate: 90_000, firstSequence: SequenceNumber(30_000)))
    var packetizer = VP8Packetizer(maximumPayloadSize: 1_000)
    var keyFrames = 0
    for index in 0..<5 {
      let now = call.now + .milliseconds(40 * index)
      let frame = [UInt8](repeating: 0x10, count: 1_500)
      for packet in stream.send(
        payloads: packetizer.packetize(frame), timestamp: RTPTimestamp(UInt32(index) * 3_000), markerOnLast: true,
        at: now)
      {
        receiver.receive(packet, at: now)
        while true {
          let output = receiver.pollOutput()
          if case .frame(let frame) = output, frame.isKeyFrame { keyFrames += 1 }
          if case .wait = output { break }
        }
      }
    }
    // The first packet looks like a stray, and with it the first frame is lost.
    #expect(keyFrames == 4)
  }

  @Test func paddingDoesNotBreakAssembly() {
    var call = VideoCall(seed: 8) { $0.supportsNACK = false }
    for index in stride(from: 3, to: 200, by: 7) { call.paddingAfter[index] = 2 }
    call.run(frames: 200)
    #expect(call.deliveredIndices == Array(0..<200))
    #expect(call.receiver.statistics.drops[.padding] == 58)
  }

  /// Padding that never comes costs a wait, but no frame, since the picture ids go on.
  @Test func lostPaddingCostsNoFrame() {
    var fixture = ReceiverFixture(supportsNACK: false)
    fixture.frame(key: true)
    fixture.skipNumbers(3)
    fixture.frame(key: false)
    fixture.advance(by: .milliseconds(150))
    fixture.frame(key: false)
    #expect(fixture.frames.map(\.isKeyFrame) == [true, false, false])
    #expect(fixture.requests == 0)
  }

  @Test func aLostEnhancementFrameCostsOnlyItsLayer() {
    var fixture = ReceiverFixture(supportsNACK: false)
    fixture.frame(key: true, layer: 0)
    fixture.frame(key: false, layer: 1, lost: true)
    fixture.frame(key: false, layer: 0)
    fixture.advance(by: .milliseconds(150))
    // Refers to the lost frame of its layer.
    fixture.frame(key: false, layer: 1)
    fixture.frame(key: false, layer: 0)
    fixture.frame(key: false, layer: 1, sync: true)
    fixture.frame(key: false, layer: 0)
    fixture.frame(key: false, layer: 1)
    #expect(fixture.frames.count == 6)
    #expect(fixture.receiver.statistics.drops[.missingReference] == 2)
    #expect(fixture.requests == 0)
  }

  @Test func aLostBaseFrameAsksForAKeyFrameAtOnce() {
    var fixture = ReceiverFixture(supportsNACK: false)
    fixture.frame(key: true, layer: 0)
    fixture.frame(key: false, layer: 0, lost: true)
    fixture.frame(key: false, layer: 0)
    fixture.advance(by: .milliseconds(101))
    #expect(fixture.requests == 1)
    #expect(fixture.receiver.waitingForKeyFrameSince != nil)
    fixture.frame(key: false, layer: 0)
    #expect(fixture.frames.count == 1)
    fixture.frame(key: true, layer: 0)
    fixture.frame(key: false, layer: 0)
    #expect(fixture.frames.count == 3)
    #expect(fixture.receiver.waitingForKeyFrameSince == nil)
    #expect(fixture.requests == 1)
  }

  @Test func aFrameCutShortBySwitchingLayersIsDropped() {
    var fixture = ReceiverFixture()
    fixture.frame(key: true)
    fixture.packet(start: true, key: false, marker: false)
    fixture.nextFrame()
    // The forwarder switches: contiguous numbers, a key frame of the other layer.
    fixture.frame(key: true)
    fixture.frame(key: false)
    #expect(fixture.frames.map(\.isKeyFrame) == [true, true, false])
    #expect(fixture.receiver.statistics.drops[.incompleteFrame] == 1)
  }

  @Test func requestsForAKeyFrameBackOff() {
    var fixture = ReceiverFixture()
    fixture.frame(key: false)
    fixture.advance(by: .seconds(10))
    // 30 ms after the first packet, then after 500 ms, then each second.
    #expect((10...11).contains(fixture.requests))
    #expect(fixture.requestTimes.first == .zero + .milliseconds(30))
    let before = fixture.requests
    fixture.receiver.requestKeyFrame(at: fixture.now)
    fixture.receiver.requestKeyFrame(at: fixture.now)
    fixture.drain()
    #expect(fixture.requests <= before + 1)
  }

  @Test func withoutAnyPacketAKeyFrameIsAskedFor() {
    var fixture = ReceiverFixture()
    #expect(fixture.receiver.waitingForKeyFrameSince == .zero)
    fixture.advance(by: .milliseconds(499))
    #expect(fixture.requests == 0)
    fixture.advance(by: .milliseconds(2))
    #expect(fixture.requests == 1)
  }

  @Test func nothingIsAskedForWhilePaused() {
    var fixture = ReceiverFixture()
    fixture.frame(key: true)
    fixture.frame(key: false)
    fixture.receiver.pause(at: fixture.now)
    fixture.advance(by: .seconds(20))
    #expect(fixture.requests == 0)
    fixture.receiver.resume(at: fixture.now)
    fixture.frame(key: false)
    #expect(fixture.frames.count == 3)
    #expect(fixture.requests == 0)
  }

  @Test func aDecoderFailureDropsUntilTheNextKeyFrame() {
    var fixture = ReceiverFixture()
    fixture.frame(key: true)
    fixture.receiver.decoderFailed(at: fixture.now)
    fixture.drain()
    #expect(fixture.requests == 1)
    fixture.frame(key: false)
    fixture.frame(key: true)
    #expect(fixture.frames.map(\.isKeyFrame) == [true, true])
    #expect(fixture.receiver.statistics.drops[.awaitingKeyFrame] == 2)
  }

  @Test func foreignPacketsAreCounted() {
    var fixture = ReceiverFixture()
    fixture.receive(
      RTPPacket(payloadType: 96, sequenceNumber: SequenceNumber(1), timestamp: RTPTimestamp(0), ssrc: SSRC(9)))
    fixture.receive(
      RTPPacket(
        payloadType: 50, sequenceNumber: SequenceNumber(1), timestamp: RTPTimestamp(0), ssrc: VideoCall.mediaSSRC))
    fixture.receive(
      RTPPacket(
        payloadType: 97, sequenceNumber: SequenceNumber(1), timestamp: RTPTimestamp(0), ssrc: VideoCall.rtxSSRC,
        payload: [1]))
    fixture.receive(
      RTPPacket(
        payloadType: 96, sequenceNumber: SequenceNumber(1), timestamp: RTPTimestamp(0), ssrc: VideoCall.mediaSSRC,
        payload: [0x80]))
    let drops = fixture.receiver.statistics.drops
    #expect(drops[.unknownSSRC] == 1)
    #expect(drops[.unknownPayloadType] == 1)
    #expect(drops[.malformed] == 2)
  }

  @Test func aFrameThatNeverEndsIsRefused() {
    var fixture = ReceiverFixture(maximumFrameBytes: 10_000)
    fixture.packet(start: true, key: true, marker: false)
    for _ in 0..<50 { fixture.packet(start: false, key: false, marker: false, size: 1_000) }
    fixture.nextFrame()
    #expect(fixture.receiver.statistics.drops[.malformed] == 51)
    fixture.frame(key: true)
    #expect(fixture.frames.count == 1)
  }

  @Test(arguments: UInt64(1)...20) func randomPacketsNeverCrash(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var fixture = ReceiverFixture()
    for _ in 0..<3_000 {
      let isNear = Bool.random(using: &generator)
      let number =
        isNear ? UInt16.random(in: 0...400, using: &generator) : UInt16.random(in: 0...(.max), using: &generator)
      let size = Int.random(in: 0...12, using: &generator)
      let isRTX = Int.random(in: 0..<4, using: &generator) == 0
      fixture.receive(
        RTPPacket(
          payloadType: isRTX ? 97 : 96, marker: Bool.random(using: &generator), sequenceNumber: SequenceNumber(number),
          timestamp: RTPTimestamp(UInt32.random(in: 0...3, using: &generator) &* 0x6000_0000),
          ssrc: isRTX ? VideoCall.rtxSSRC : VideoCall.mediaSSRC,
          payload: (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }))
      if Int.random(in: 0..<20, using: &generator) == 0 { fixture.advance(by: .milliseconds(20)) }
    }
    #expect(fixture.receiver.statistics.packetsReceived > 0)
    #expect(fixture.receiver.statistics.drops.total > 0)
  }
}
