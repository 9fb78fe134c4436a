import RTCCore
import TestKit
import Testing

@Suite struct SendStreamTests {
  private func stream(rtx: Bool, first: UInt16 = 65_534) -> SendStream {
    var configuration = SendStream.Configuration(
      ssrc: SSRC(1), payloadType: 96, clockRate: 90_000, rtxSSRC: rtx ? SSRC(2) : nil, rtxPayloadType: rtx ? 97 : nil,
      firstSequence: SequenceNumber(first))
    configuration.rtxExtensions = [RTPPacket.Extension(id: 5, data: [9])]
    return SendStream(configuration)
  }

  private func nack(_ numbers: UInt16...) -> GenericNACK {
    GenericNACK(sender: SSRC(3), media: SSRC(1), lost: numbers.map { SequenceNumber($0) })
  }

  @Test func packetsAreNumberedAndTheLastIsMarked() {
    var stream = stream(rtx: false)
    let packets = stream.send(
      payloads: [[1], [2], [3]], timestamp: RTPTimestamp(50), extensions: [.init(id: 1, data: [7])],
      markerOnLast: true, at: .zero)
    #expect(packets.map(\.sequenceNumber.raw) == [65_534, 65_535, 0])
    #expect(packets.map(\.marker) == [false, false, true])
    #expect(packets.allSatisfy { $0.extensionData(1) == [7] && $0.timestamp == RTPTimestamp(50) })
    #expect(stream.packetsSent == 3)
    #expect(stream.bytesSent == 3)
  }

  @Test("RFC 4588 §4: retransmission carries the original number") func rtxWrapsThePacket() {
    var stream = stream(rtx: true)
    let sent = stream.send(payloads: [[1], [2, 3]], timestamp: RTPTimestamp(50), markerOnLast: true, at: .zero)
    let answer = stream.retransmit(nack(65_535, 9), at: .zero + .milliseconds(80))
    #expect(answer.count == 1)
    #expect(answer.first?.ssrc == SSRC(2))
    #expect(answer.first?.payloadType == 97)
    #expect(answer.first?.payload == [0xFF, 0xFF, 2, 3])
    #expect(answer.first?.marker == true)
    #expect(answer.first?.timestamp == sent[1].timestamp)
    #expect(answer.first?.extensionData(5) == [9])
    #expect(stream.retransmissionsSent == 1)
    #expect(stream.retransmissionsRefused == 1)
    let again = stream.retransmit(nack(65_534), at: .zero + .milliseconds(80))
    #expect(again.first?.sequenceNumber == answer.first?.sequenceNumber.next)
  }

  @Test func withoutRTXTheSamePacketGoesOutOncePerRoundTrip() {
    var stream = stream(rtx: false)
    stream.setRoundTrip(.milliseconds(60))
    let sent = stream.send(payloads: [[1]], timestamp: RTPTimestamp(0), markerOnLast: true, at: .zero)
    let start = MonotonicTime.zero + .milliseconds(100)
    #expect(stream.retransmit(nack(65_534), at: start) == sent)
    #expect(stream.retransmit(nack(65_534, 65_534), at: start + .milliseconds(59)).isEmpty)
    #expect(stream.retransmit(nack(65_534), at: start + .milliseconds(60)) == sent)
    #expect(stream.retransmit(nack(65_534), at: .zero + .milliseconds(1_001)).isEmpty)
    var foreign = nack(65_534)
    foreign.media = SSRC(99)
    #expect(stream.retransmit(foreign, at: start + .milliseconds(200)).isEmpty)
  }

  @Test func theCacheForgetsTheOldest() {
    var cache = ResendCache(capacity: 500)
    for number in 0..<1_000 {
      let packet = RTPPacket(
        payloadType: 96, sequenceNumber: SequenceNumber(UInt16(number)), timestamp: RTPTimestamp(0), ssrc: SSRC(1))
      cache.insert(packet, at: .zero)
    }
    #expect(cache.take(SequenceNumber(999 - 512), at: .zero) == nil)
    #expect(cache.take(SequenceNumber(999 - 511), at: .zero) != nil)
    #expect(cache.take(SequenceNumber(1_000), at: .zero) == nil)
    cache.removeAll()
    #expect(cache.take(SequenceNumber(998), at: .zero) == nil)
  }

  @Test("RFC 3550 §6.4.1: the report's timestamp belongs to its NTP time") func senderReportsExtrapolate() throws {
    let clock = WallClock(unixNanoseconds: 0, at: .zero)
    var stream = stream(rtx: false)
    #expect(stream.senderReport(at: .zero, wallClock: clock) == nil)
    let captured = MonotonicTime.zero + .milliseconds(500)
    _ = stream.send(
      payloads: [[1, 2]], timestamp: RTPTimestamp(.max), markerOnLast: true, capturedAt: captured,
      at: captured + .milliseconds(20))
    let report = try #require(stream.senderReport(at: captured + .milliseconds(100), wallClock: clock))
    #expect(report.rtpTimestamp == RTPTimestamp(8_999))
    #expect(report.ntpTime.raw >> 32 == 2_208_988_800)
    #expect(report.packetCount == 1)
    #expect(report.octetCount == 2)
  }

  @Test("RFC 3550 §6.4.1: at most 31 blocks a report") func reportsAreSplit() {
    var generator = ReportGenerator(localSSRC: SSRC(1), canonicalName: "name", at: .zero)
    let answers = [Duration.milliseconds(999), .seconds(1), .seconds(1)].map { generator.takeDue(at: .zero + $0) }
    #expect(answers == [false, true, false])
    #expect(generator.nextDeadline == .zero + .seconds(2))
    let blocks = (0..<40).map {
      ReportBlock(
        ssrc: SSRC($0), fractionLost: 0, cumulativeLost: 0, extendedHighestSequence: 0, jitter: 0, lastSenderReport: 0,
        delaySinceLastSenderReport: 0)
    }
    let packets = generator.makeCompound(senderReports: [], blocks: blocks)
    guard case .receiverReport(let first) = packets[0], case .receiverReport(let second) = packets[1],
      case .sourceDescription(let description) = packets[2]
    else {
      Issue.record("Not two receiver reports and a description: \(packets)")
      return
    }
    #expect(first.reports.count == 31)
    #expect(second.reports.count == 9)
    #expect(description.chunks.map(\.ssrc) == [SSRC(1)])

    let report = SenderReport(
      ssrc: SSRC(5), ntpTime: NTPTime(raw: 0), rtpTimestamp: RTPTimestamp(0), packetCount: 0, octetCount: 0)
    let compound = generator.makeCompound(senderReports: [report], blocks: Array(blocks.prefix(2)))
    #expect(compound.count == 2)
    guard case .senderReport(let filled) = compound[0] else {
      Issue.record("No sender report first")
      return
    }
    #expect(filled.reports.count == 2)
    #expect(generator.makeCompound(senderReports: [], blocks: []).count == 2)
  }
}
