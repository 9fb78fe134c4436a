import RTCCore
import TestKit
import Testing

@testable import RoomServer

@Suite struct DownTrackTests {
  private func layers() -> [SourceLayer] {
    [
      SourceLayer(index: 0, sequence: 65_500, timestamp: 4_294_900_000, pictureID: 32_760, baseIndex: 250),
      SourceLayer(index: 1, sequence: 200, timestamp: 17, pictureID: 5, baseIndex: 3),
      SourceLayer(index: 2, sequence: 32_000, timestamp: 2_000_000_000, pictureID: 120, baseIndex: 128),
    ]
  }

  @Test func nothingFlowsBeforeTheKeyFrameOfTheWantedLayer() {
    let layers = layers()
    let track = videoDownTrack(target: 1)
    #expect(track.layerAwaitingKeyFrame == 1)
    for packet in layers[1].frame(isKey: false) + layers[0].frame(isKey: true) {
      #expect(track.forward(packet, at: .zero) == nil)
    }
    #expect(track.drops[.awaitingKeyFrame] == 3)
    let key = layers[1].frame(isKey: true)
    let first = track.forward(key[0], at: .zero)
    // The first packet keeps the source's numbers; only the stream's identity changes.
    #expect(first?.sequenceNumber == key[0].packet.sequenceNumber)
    #expect(first?.timestamp == key[0].packet.timestamp)
    #expect(first?.ssrc == SSRC(7))
    #expect(first?.payloadType == 100)
    #expect(first?.extensions.isEmpty == true)
    #expect(track.layerAwaitingKeyFrame == nil)
  }

  @Test func anotherTrackContinuesTheStream() throws {
    let layers = layers()
    let track = videoDownTrack(target: 0)
    var sent: [RTPPacket] = []
    for packet in layers[0].frame(isKey: true) { if let out = track.forward(packet, at: .zero) { sent.append(out) } }
    layers[1].clock = SenderClock(ntpTime: NTPTime(raw: 5 << 32), timestamp: RTPTimestamp(9), at: .zero)
    track.value.changeTrack()
    #expect(track.currentLayer == nil)
    track.setTarget(0)
    // The other's only layer has the same number, and waits for a key frame all the same.
    layers[1].index = 0
    for packet in layers[1].frame(isKey: false) { #expect(track.forward(packet, at: .ms(500)) == nil) }
    for packet in layers[1].frame(isKey: true) {
      if let out = track.forward(packet, at: .ms(500)) { sent.append(out) }
    }
    try #require(sent.count == 6)
    for (before, after) in zip(sent, sent.dropFirst()) {
      #expect(after.sequenceNumber == before.sequenceNumber.next)
    }
    // Half a second by our clock, whatever the two tracks' own clocks say.
    #expect(sent[3].timestamp.distance(from: sent[2].timestamp) == 45_000)
  }

  @Test(arguments: UInt64(1)...12) func switchesKeepEveryNumberContinuous(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let layers = layers()
    let track = videoDownTrack(target: 0)
    var sent: [RTPPacket] = []
    for step in 0..<400 {
      let now = MonotonicTime.ms(step * 33)
      if step % 20 == 0 { track.setTarget(Int.random(in: 0...2, using: &random)) }
      let wanted = track.layerAwaitingKeyFrame
      for index in layers.indices {
        let isKey = wanted == index && Int.random(in: 0..<3, using: &random) == 0
        for packet in layers[index].frame(isKey: isKey, packets: Int.random(in: 1...4, using: &random)) {
          if let out = track.forward(packet, at: now) { sent.append(out) }
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
          #expect(track.forward(layers[index].padding(), at: now) == nil)
        }
      }
    }
    #expect(sent.count > 300)
    #expect(Set(sent.compactMap { $0.payload.dropFirst(7).first }).count == 3)
    for (previous, packet) in zip(sent, sent.dropFirst()) {
      #expect(packet.sequenceNumber == previous.sequenceNumber.next)
      guard let before = previous.descriptor, let after = packet.descriptor else {
        Issue.record("no descriptor")
        return
      }
      if after.isPartitionStart {
        #expect(packet.timestamp.distance(from: previous.timestamp) > 0)
        #expect(packet.timestamp.distance(from: previous.timestamp) < 90_000)
        #expect(after.pictureID == before.pictureID?.advanced(by: 1))
        #expect(after.temporalBaseIndex == before.temporalBaseIndex.map { $0 &+ 1 })
        let isKey = packet.payload[after.serialized().count] & 1 == 0
        #expect(after.keyIndex == before.keyIndex.map { ($0 + (isKey ? 1 : 0)) & 31 })
      } else {
        #expect(packet.timestamp == previous.timestamp)
        #expect(after.pictureID == before.pictureID)
      }
    }
  }

  @Test func theOldLayerFlowsUntilTheKeyFrameOfTheNewOne() {
    let layers = layers()
    let track = videoDownTrack(target: 0)
    for packet in layers[0].frame(isKey: true) { #expect(track.forward(packet, at: .zero) != nil) }
    track.setTarget(2)
    // A key frame of the old layer is no reason to stop it.
    for packet in layers[0].frame(isKey: true) { #expect(track.forward(packet, at: .ms(33)) != nil) }
    for packet in layers[2].frame(isKey: false) { #expect(track.forward(packet, at: .ms(33)) == nil) }
    #expect(track.currentLayer == 0)
    for packet in layers[2].frame(isKey: true) { #expect(track.forward(packet, at: .ms(66)) != nil) }
    #expect(track.currentLayer == 2)
    for packet in layers[0].frame(isKey: false) { #expect(track.forward(packet, at: .ms(66)) == nil) }
  }

  @Test func lossesStayGapsAndPaddingLeavesNone() {
    let layer = layers()[0]
    let track = videoDownTrack(target: 0)
    let key = layer.frame(isKey: true)
    var numbers = key.compactMap { track.forward($0, at: .zero)?.sequenceNumber.raw }
    for _ in 0..<3 { #expect(track.forward(layer.padding(), at: .zero) == nil) }
    let frame = layer.frame(isKey: false)
    // The second packet is lost on the way to the server.
    for index in [0, 2] {
      if let out = track.forward(frame[index], at: .ms(33)) { numbers.append(out.sequenceNumber.raw) }
    }
    let start = key[0].packet.sequenceNumber.raw
    #expect(numbers == [0, 1, 2, 3, 5].map { start &+ $0 })
    // It comes late, after more padding, and fills its own gap.
    #expect(track.forward(layer.padding(), at: .ms(34)) == nil)
    #expect(track.forward(frame[1], at: .ms(40))?.sequenceNumber.raw == start &+ 4)
    #expect(track.forward(frame[1], at: .ms(41)) == nil)
    #expect(track.drops[.duplicate] == 1)
    #expect(track.drops[.padding] == 4)
  }

  @Test func aLatePacketOfTheLayerBeforeFillsItsGapAfterTheSwitch() {
    let layers = layers()
    let track = videoDownTrack(target: 0)
    let old = layers[0].frame(isKey: true, packets: 4)
    for index in [0, 1, 3] { #expect(track.forward(old[index], at: .zero) != nil) }
    track.setTarget(1)
    let new = layers[1].frame(isKey: true)
    #expect(track.forward(new[0], at: .ms(5))?.sequenceNumber == old[3].packet.sequenceNumber.next)
    let late = track.forward(old[2], at: .ms(6))
    #expect(late?.sequenceNumber == old[2].packet.sequenceNumber)
    #expect(late?.timestamp == old[2].packet.timestamp)
    // What the old layer sends after the switch is not wanted.
    for packet in layers[0].frame(isKey: true) { #expect(track.forward(packet, at: .ms(33)) == nil) }
  }

  @Test func senderReportsPlaceTheNewLayerOnTheTimeline() {
    let layers = layers()
    let start = NTPTime(raw: 0xE000_0000_0000_0000)
    // Both layers sampled at one moment, whatever their timestamps' origins.
    layers[0].clock = SenderClock(ntpTime: start, timestamp: RTPTimestamp(layers[0].timestamp), at: .zero)
    layers[2].clock = SenderClock(ntpTime: start, timestamp: RTPTimestamp(layers[2].timestamp), at: .zero)
    let track = videoDownTrack(target: 0)
    let first = track.forward(layers[0].frame(isKey: true)[0], at: .ms(33))
    track.setTarget(2)
    _ = layers[2].frame(isKey: false)
    // The frame was sampled 33.3 ms later; its packet was 100 ms late, which the timestamp must not show.
    let second = track.forward(layers[2].frame(isKey: true)[0], at: .ms(166))
    #expect(abs((second?.timestamp.distance(from: first?.timestamp ?? RTPTimestamp(0)) ?? 0) - 3000) <= 1)
  }

  @Test func pauseStopsAtOnceAndResumeContinuesAtAKeyFrame() {
    let layer = layers()[1]
    let track = videoDownTrack(target: 1)
    let last = layer.frame(isKey: true).compactMap { track.forward($0, at: .zero) }.last
    track.setTarget(nil)
    for _ in 0..<30 { for packet in layer.frame(isKey: true) { #expect(track.forward(packet, at: .ms(500)) == nil) } }
    #expect(track.layerAwaitingKeyFrame == nil)
    track.setTarget(1)
    #expect(track.layerAwaitingKeyFrame == 1)
    for packet in layer.frame(isKey: false) { #expect(track.forward(packet, at: .ms(1000)) == nil) }
    let next = track.forward(layer.frame(isKey: true)[0], at: .ms(1066))
    #expect(next?.sequenceNumber == last?.sequenceNumber.next)
    // 32 frames of 3000 ticks passed, as the same source counts them.
    #expect(next?.timestamp == last?.timestamp.advanced(by: 32 * 3000))
  }

  @Test func audioStartsWithAnyPacketAndCarriesItsLevel() {
    let track = Held(
      DownTrack(
        configuration: .init(
          kind: .audio, ssrc: SSRC(9), payloadType: 111, clockRate: 48_000, cname: "c", audioLevelID: 4), target: 0))
    let packet = RTPPacket(
      payloadType: 63, sequenceNumber: SequenceNumber(65_535), timestamp: RTPTimestamp(1), ssrc: SSRC(1),
      payload: [1, 2])
    let out = track.forward(
      UpPacket(
        layer: 0, packet: packet, sequence: 65_535, isPaddingOnly: false,
        audioLevel: AudioLevel(isVoice: true, negativeDecibels: 20)), at: .zero)
    #expect(out?.payload == [1, 2])
    #expect(out?.extensions == [.init(id: 4, data: [0x94])])
    #expect(track.layerAwaitingKeyFrame == nil)
  }

  @Test func requestsAreAnsweredOnTheRTXStream() {
    let layer = layers()[0]
    let track = videoDownTrack(target: 0)
    let sent = layer.frame(isKey: true).compactMap { track.forward($0, at: .zero) }
    let lost = [sent[1].sequenceNumber, SequenceNumber(1)]
    let again = track.resend(lost, at: .ms(40))
    // Asked again within a round trip: the answer is still on its way.
    #expect(track.resend(lost, at: .ms(50)).isEmpty)
    #expect(again.count == 1)
    #expect(again.first?.ssrc == SSRC(8))
    #expect(again.first?.payloadType == 101)
    #expect(again.first?.sequenceNumber == SequenceNumber(65_535))
    let number = sent[1].sequenceNumber.raw
    #expect(again.first?.payload == [UInt8(number >> 8), UInt8(number & 0xFF)] + sent[1].payload)
    #expect(again.first?.timestamp == sent[1].timestamp)
    #expect(track.resend([sent[2].sequenceNumber], at: .ms(60)).first?.sequenceNumber == SequenceNumber(0))
  }

  @Test func withoutRTXThePacketGoesOutAgainAsItWas() {
    let layer = layers()[0]
    let track = videoDownTrack(target: 0, rtx: false)
    let sent = layer.frame(isKey: true).compactMap { track.forward($0, at: .zero) }
    #expect(track.resend([sent[0].sequenceNumber], at: .ms(50)) == [sent[0]])
    // Far beyond the ring.
    for _ in 0..<300 { for packet in layer.frame(isKey: false) { _ = track.forward(packet, at: .ms(60)) } }
    #expect(track.resend([sent[0].sequenceNumber], at: .ms(100)).isEmpty)
  }

  @Test func reportsGoOutEveryThreeSecondsInTheOutgoingTimeline() throws {
    let layer = layers()[2]
    let track = videoDownTrack(target: 2)
    let clock = SenderClock(
      ntpTime: NTPTime(raw: 0xE000_0000_0000_0000), timestamp: RTPTimestamp(layer.timestamp), at: .zero)
    #expect(track.report(clock: clock, at: .zero) == nil)
    let first = try #require(track.forward(layer.frame(isKey: true)[0], at: .ms(10)))
    #expect(track.report(clock: nil, at: .ms(20)) == nil)
    let compound = try #require(track.report(clock: clock, at: .ms(2000)))
    #expect(track.report(clock: clock, at: .ms(4900)) == nil)
    #expect(track.report(clock: clock, at: .ms(5000)) != nil)
    guard case .senderReport(let report) = compound[0], case .sourceDescription(let description) = compound[1] else {
      Issue.record("wrong packets")
      return
    }
    #expect(report.ssrc == SSRC(7))
    #expect(report.ntpTime == NTPTime(raw: 0xE000_0002_0000_0000))
    #expect(report.rtpTimestamp == first.timestamp.advanced(by: 180_000 - 3000))
    #expect(report.packetCount == 1)
    #expect(description.chunks.first?.items.first?.text == "PA_a|TR_b")
  }
}
