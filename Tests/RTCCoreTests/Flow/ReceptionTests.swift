import RTCCore
import TestKit
import Testing

@Suite struct ReceptionTests {
  @Test func sequenceNumbersUnwrapAcrossWrapsAndReordering() {
    var unwrapper = SequenceUnwrapper()
    let base = unwrapper.unwrap(SequenceNumber(65_534))
    #expect(unwrapper.unwrap(SequenceNumber(1)) == base + 3)
    #expect(unwrapper.unwrap(SequenceNumber(65_535)) == base + 1)
    #expect(unwrapper.highest == base + 3)
    var last = base + 3
    for step in 1...10 {
      let next = unwrapper.unwrap(SequenceNumber(UInt16(truncatingIfNeeded: 1 + step * 30_000)))
      #expect(next == last + 30_000)
      last = next
    }
    #expect(SequenceNumber(unwrapped: last) == SequenceNumber(UInt16(truncatingIfNeeded: 300_001)))
  }

  @Test func timestampsUnwrapAcrossWraps() {
    var unwrapper = TimestampUnwrapper()
    let base = unwrapper.unwrap(RTPTimestamp(.max - 1_000))
    #expect(unwrapper.unwrap(RTPTimestamp(2_000)) == base + 3_001)
    #expect(unwrapper.unwrap(RTPTimestamp(.max)) == base + 1_000)
  }

  private func packet(_ number: UInt16, timestamp: UInt32 = 0) -> RTPPacket {
    RTPPacket(
      payloadType: 96, sequenceNumber: SequenceNumber(number), timestamp: RTPTimestamp(timestamp), ssrc: SSRC(7),
      payload: [1, 2, 3])
  }

  @Test("RFC 3550 §A.3: loss and loss fraction by interval") func lossIsCounted() {
    var statistics = ReceptionStatistics(ssrc: SSRC(7), clockRate: 90_000)
    #expect(statistics.makeReportBlock(at: .zero) == nil)
    for number: UInt16 in [65_533, 65_534, 0, 1] { statistics.received(packet(number), at: .zero) }
    let first = statistics.makeReportBlock(at: .zero)
    #expect(first?.cumulativeLost == 1)
    #expect(first?.fractionLost == 51)
    #expect(first?.extendedHighestSequence == 65_537)
    for number: UInt16 in [2, 3, 4, 4] { statistics.received(packet(number), at: .zero) }
    let second = statistics.makeReportBlock(at: .zero)
    #expect(second?.fractionLost == 0)
    #expect(second?.cumulativeLost == 0)
    #expect(statistics.packetsReceived == 8)
    #expect(statistics.bytesReceived == 24)
  }

  @Test("RFC 3550 §A.8: jitter converges to the mean deviation") func jitterIsSmoothed() {
    var statistics = ReceptionStatistics(ssrc: SSRC(7), clockRate: 90_000)
    for index in 0..<400 {
      let late: Duration = .milliseconds(index % 2 == 0 ? 0 : 10)
      statistics.received(
        packet(UInt16(index), timestamp: UInt32.max - 9_000 &+ UInt32(index * 1_800)),
        at: .zero + .milliseconds(20 * index) + late)
    }
    #expect(abs(statistics.jitterMilliseconds - 10) < 0.5)
    #expect(abs(Int(statistics.jitterTicks) - 900) < 45)
  }

  @Test("RFC 3550 §A.1: two far numbers in a row restart the count") func restartIsFollowed() {
    var statistics = ReceptionStatistics(ssrc: SSRC(7), clockRate: 90_000)
    for number: UInt16 in [1, 2, 4] { statistics.received(packet(number), at: .zero) }
    statistics.received(packet(30_000), at: .zero)
    #expect(statistics.packetsLost == 1)
    statistics.received(packet(30_001), at: .zero)
    statistics.received(packet(30_002), at: .zero)
    #expect(statistics.packetsLost == 1)
    #expect(statistics.makeReportBlock(at: .zero)?.extendedHighestSequence == 30_002)
  }

  @Test("RFC 3550 §6.4.1: LSR and DLSR give the sender its round trip") func roundTripIsMeasured() throws {
    let clock = WallClock(unixNanoseconds: 1_700_000_000_123_456_789, at: .zero)
    var statistics = ReceptionStatistics(ssrc: SSRC(7), clockRate: 90_000)
    statistics.received(packet(1), at: .zero)
    let sent = MonotonicTime.zero + .seconds(3)
    let report = SenderReport(
      ssrc: SSRC(7), ntpTime: clock.ntpTime(at: sent), rtpTimestamp: RTPTimestamp(0), packetCount: 1, octetCount: 3)
    statistics.received(report, at: sent + .milliseconds(30))
    let made = statistics.makeReportBlock(at: sent + .milliseconds(530))
    let block = try #require(made)
    #expect(block.delaySinceLastSenderReport == 32_768)
    let roundTrip = try #require(
      RoundTripTime.measure(block, arrivedAt: clock.ntpTime(at: sent + .milliseconds(555))))
    #expect(abs(roundTrip.inMilliseconds - 55) < 0.1)
    var other = block
    other.lastSenderReport = 0
    #expect(RoundTripTime.measure(other, arrivedAt: clock.ntpTime(at: sent)) == nil)
    #expect(RoundTripTime.measure(block, arrivedAt: clock.ntpTime(at: sent)) == nil)
  }

  @Test func theRateIsThatOfTheLastSecond() {
    var rate = RateWindow()
    for index in 0..<300 { rate.add(bytes: 1_250, at: .zero + .milliseconds(10 * index)) }
    let end = MonotonicTime.zero + .milliseconds(2_990)
    #expect(abs(rate.bitsPerSecond(at: end) - 1_000_000) <= 50_000)
    #expect(rate.bitsPerSecond(at: end + .milliseconds(500)) < 600_000)
    #expect(rate.bitsPerSecond(at: end + .seconds(2)) == 0)
    rate.add(bytes: 100, at: MonotonicTime(nanoseconds: .max))
    #expect(rate.bitsPerSecond(at: MonotonicTime(nanoseconds: .max)) == 800)
  }

  @Test(arguments: UInt64(1)...5) func randomPacketsNeverCrash(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var statistics = ReceptionStatistics(ssrc: SSRC(7), clockRate: 90_000)
    for index in 0..<5_000 {
      statistics.received(
        packet(.random(in: 0...(.max), using: &random), timestamp: .random(in: 0...(.max), using: &random)),
        at: .zero + .milliseconds(index))
      if index % 50 == 0 { _ = statistics.makeReportBlock(at: .zero + .milliseconds(index)) }
    }
    #expect(statistics.packetsReceived == 5_000)
  }
}
