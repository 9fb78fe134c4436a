import RTCCore
import TestKit
import Testing

@testable import RoomServer

@Suite struct UpTrackTests {
  private func track(layers: Int = 3, nack: Bool = true, kind: MediaKind = .video) -> Held<UpTrack> {
    let track = Held(
      UpTrack(
        configuration: .init(
          kind: kind, clockRate: kind == .video ? 90_000 : 48_000, layerCount: layers, supportsNACK: nack,
          audioLevelID: 4)))
    for layer in 0..<layers { track.bind(layer: layer, to: SSRC(UInt32(10 + layer))) }
    return track
  }
  private func packet(_ number: UInt16, layer: Int = 0, payload: [UInt8] = [0x10, 0x00, 1]) -> RTPPacket {
    RTPPacket(
      payloadType: 96, sequenceNumber: SequenceNumber(number), timestamp: RTPTimestamp(UInt32(number) * 3000),
      ssrc: SSRC(UInt32(10 + layer)), payload: payload)
  }

  @Test func keyFramesAndPaddingAreTold() {
    let track = track()
    #expect(track.receive(packet(1), layer: 0, at: .zero)?.startsKeyFrame == true)
    #expect(track.receive(packet(2, payload: [0x10, 0x01, 1]), layer: 0, at: .zero)?.startsKeyFrame == false)
    #expect(track.receive(packet(3, payload: [0x00, 0x00, 1]), layer: 0, at: .zero)?.startsKeyFrame == false)
    #expect(track.receive(packet(4, payload: []), layer: 0, at: .zero)?.isPaddingOnly == true)
    // A descriptor that ends too early is counted and passes as a number that closes its gap.
    #expect(track.receive(packet(5, payload: [0x90]), layer: 0, at: .zero)?.isPaddingOnly == true)
    #expect(track.drops[.malformed] == 1)
    #expect(track.receive(packet(1), layer: 7, at: .zero) == nil)
    #expect(track.drops[.unknownSSRC] == 1)
  }

  @Test func duplicatesAreDroppedAcrossTheWrap() {
    let track = track()
    for number: UInt16 in [65_534, 65_535, 0, 1] { #expect(track.receive(packet(number), layer: 0, at: .zero) != nil) }
    for number: UInt16 in [65_535, 1] { #expect(track.receive(packet(number), layer: 0, at: .zero) == nil) }
    #expect(track.drops[.duplicate] == 2)
    #expect(track.receive(packet(3), layer: 0, at: .zero)?.sequence == Int64(131_075))
    #expect(track.receive(packet(2), layer: 0, at: .zero) != nil)
  }

  @Test func lossesAreAskedForUntilTheyCome() {
    let track = track()
    _ = track.receive(packet(10), layer: 0, at: .zero)
    _ = track.receive(packet(14), layer: 0, at: .zero)
    let requests = track.takeNACKs(sender: SSRC(1), at: .ms(20))
    #expect(requests == [GenericNACK(sender: SSRC(1), media: SSRC(10), lost: [11, 12, 13].map { SequenceNumber($0) })])
    // RFC 4588 §4: the retransmission names the original in its first two bytes.
    var repair = packet(500, payload: [0, 12, 0x10, 0x01, 7])
    repair.ssrc = SSRC(99)
    let restored = track.receiveRetransmission(repair, layer: 0, originalPayloadType: 96, at: .ms(40))
    #expect(restored?.packet.sequenceNumber == SequenceNumber(12))
    #expect(restored?.packet.ssrc == SSRC(10))
    #expect(restored?.packet.payload == [0x10, 0x01, 7])
    _ = track.receive(packet(11), layer: 0, at: .ms(41))
    #expect(track.takeNACKs(sender: SSRC(1), at: .seconds(1)).first?.lost == [SequenceNumber(13)])
    #expect(track.receiveRetransmission(repair, layer: 0, originalPayloadType: 96, at: .ms(50)) == nil)
    #expect(track.drops[.retransmissionUnused] == 1)
    let silent = self.track(nack: false)
    _ = silent.receive(packet(10), layer: 0, at: .zero)
    _ = silent.receive(packet(14), layer: 0, at: .zero)
    #expect(silent.takeNACKs(sender: SSRC(1), at: .ms(20)).isEmpty)
  }

  @Test func keyFrameRequestsAreThrottledALayer() {
    let track = track()
    #expect(track.requestKeyFrame(of: 0, at: .zero) == SSRC(10))
    #expect(track.requestKeyFrame(of: 2, at: .zero) == SSRC(12))
    #expect(track.requestKeyFrame(of: 0, at: .ms(499)) == nil)
    #expect(track.requestKeyFrame(of: 0, at: .ms(500)) == SSRC(10))
    #expect(track.requestKeyFrame(of: 2, at: .ms(999)) == nil)
    #expect(track.requestKeyFrame(of: 2, at: .ms(1000)) == SSRC(12))
    #expect(track.requestKeyFrame(of: 3, at: .ms(1000)) == nil)
  }

  @Test func aLayerThatStopsIsInactiveUntilItFlowsSteadily() {
    let track = track(layers: 2)
    #expect(track.activeLayers(at: .zero) == [false, false])
    for step in 0..<60 {
      let now = MonotonicTime.ms(step * 50)
      _ = track.receive(packet(UInt16(step)), layer: 0, at: now)
      if step < 20 { _ = track.receive(packet(UInt16(step), layer: 1), layer: 1, at: now) }
      #expect(track.activeLayers(at: now) == [true, step < 39])
    }
    _ = track.receive(packet(60, layer: 1), layer: 1, at: .ms(3000))
    #expect(track.activeLayers(at: .ms(3000)) == [true, false])
    _ = track.receive(packet(61, layer: 1), layer: 1, at: .ms(3500))
    #expect(track.activeLayers(at: .ms(3500))[1])
  }

  @Test func senderReportsSetTheClockAndTheReportBlock() {
    let track = track(layers: 1)
    _ = track.receive(packet(1), layer: 0, at: .zero)
    track.receive(
      SenderReport(
        ssrc: SSRC(10), ntpTime: NTPTime(raw: 0x1122_3344_5566_7788), rtpTimestamp: RTPTimestamp(5), packetCount: 1,
        octetCount: 1), at: .ms(100))
    #expect(track.clock(of: 0)?.timestamp == RTPTimestamp(5))
    let blocks = track.makeReportBlocks(at: .ms(600))
    #expect(blocks.first?.lastSenderReport == 0x3344_5566)
    #expect(blocks.first?.delaySinceLastSenderReport == 32_768)
    #expect(track.receive(packet(2), layer: 0, at: .ms(700))?.clock != nil)
  }

  @Test func speechIsHeardAndSilenceIsNot() {
    let track = track(layers: 1, kind: .audio)
    for index in 0..<60 {
      var frame = packet(UInt16(index), payload: [1])
      frame.timestamp = RTPTimestamp(UInt32(index) * 960)
      frame.extensions = [.init(id: 4, data: [index < 40 ? 0x80 | 12 : 127])]
      _ = track.receive(frame, layer: 0, at: .ms(index * 20))
      if index == 10 { #expect(track.level(at: .ms(200)) == 0) }
      if index == 39 { #expect(track.level(at: .ms(780)) > 0.15) }
    }
    #expect(track.level(at: .ms(1200)) < 0.1)
    #expect(track.level(at: .ms(3000)) == 0)
  }

  @Test(arguments: UInt64(1)...4) func randomPayloadsNeverTrap(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let track = track()
    let down = videoDownTrack(target: 0)
    for _ in 0..<3000 {
      let payload = (0..<Int.random(in: 0...12, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let layer = Int.random(in: 0...3, using: &random)
      let input = packet(UInt16.random(in: 0...65_535, using: &random), layer: layer, payload: payload)
      let now = MonotonicTime.ms(Int.random(in: 0...100_000, using: &random))
      let up =
        Bool.random(using: &random)
        ? track.receive(input, layer: layer, at: now)
        : track.receiveRetransmission(input, layer: layer, originalPayloadType: 96, at: now)
      if Int.random(in: 0..<50, using: &random) == 0 { down.setTarget(Int.random(in: 0...2, using: &random)) }
      if let up { _ = down.forward(up, at: now) }
      _ = track.takeNACKs(sender: SSRC(1), at: now)
      _ = down.resend([input.sequenceNumber], at: now)
    }
    #expect(track.drops.total > 0)
  }
}

extension MonotonicTime {
  static func seconds(_ value: Int) -> MonotonicTime { .zero + .seconds(value) }
}
