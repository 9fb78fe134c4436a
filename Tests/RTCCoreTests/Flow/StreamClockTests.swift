import RTCCore
import Testing

@Suite struct StreamClockTests {
  @Test("RFC 5905 §6: eras count from 1900") func wallClockBecomesNTP() {
    #expect(NTPTime(unixNanoseconds: 0).raw == 2_208_988_800 << 32)
    #expect(NTPTime(unixNanoseconds: 1_500_000_000).raw == UInt64(2_208_988_801) << 32 | 0x8000_0000)
    #expect(NTPTime(unixNanoseconds: -500_000_000).raw == UInt64(2_208_988_799) << 32 | 0x8000_0000)
    // 2036-02-07 06:28:16 UTC begins era 1.
    #expect(NTPTime(unixNanoseconds: 2_085_978_496 * 1_000_000_000).raw == 0)
  }

  @Test func intervalsAreExactAcrossTheEra() {
    let before = NTPTime(raw: UInt64.max - (1 << 31) + 1)
    let after = NTPTime(raw: 1 << 31)
    #expect(after.interval(since: before) == .seconds(1))
    #expect(before.interval(since: after) == .seconds(-1))
    #expect(before.advanced(by: .seconds(1)) == after)
    #expect(after.advanced(by: .milliseconds(-1_000)) == before)
    let clock = WallClock(unixNanoseconds: 1_700_000_000_000_000_000, at: .zero + .seconds(9))
    let time = MonotonicTime.zero + .nanoseconds(123_456_789)
    #expect(abs((clock.monotonicTime(of: clock.ntpTime(at: time)) - time).inNanoseconds) <= 1)
  }

  private func report(_ seconds: Double, _ timestamp: UInt32) -> SenderReport {
    SenderReport(
      ssrc: SSRC(1), ntpTime: NTPTime(unixNanoseconds: Int64(seconds * 1e9)), rtpTimestamp: RTPTimestamp(timestamp),
      packetCount: 0, octetCount: 0)
  }

  @Test func oneReportMapsByTheNominalRate() throws {
    var clock = StreamClock(clockRate: 90_000)
    #expect(clock.captureTime(of: RTPTimestamp(0)) == nil)
    #expect(clock.timestamp(at: NTPTime(raw: 0)) == nil)
    clock.receive(report(1_000, .max - 44_999))
    let captured = try #require(clock.captureTime(of: RTPTimestamp(45_000)))
    #expect(abs(captured.interval(since: NTPTime(unixNanoseconds: 1_001_000_000_000)).inMilliseconds) < 0.001)
    #expect(clock.timestamp(at: captured) == RTPTimestamp(45_000))
  }

  @Test func aDriftingClockIsMeasured() throws {
    var clock = StreamClock(clockRate: 48_000)
    // 200 ppm fast.
    clock.receive(report(1_000, 0))
    clock.receive(report(1_010, 480_096))
    let captured = try #require(clock.captureTime(of: RTPTimestamp(480_096 + 480_096)))
    #expect(abs(captured.interval(since: NTPTime(unixNanoseconds: 1_020_000_000_000)).inMilliseconds) < 0.01)
  }

  @Test func aJumpBeginsAnew() throws {
    var clock = StreamClock(clockRate: 48_000)
    clock.receive(report(1_000, 0))
    clock.receive(report(1_010, 5_000_000))
    let captured = try #require(clock.captureTime(of: RTPTimestamp(5_048_000)))
    #expect(abs(captured.interval(since: NTPTime(unixNanoseconds: 1_011_000_000_000)).inMilliseconds) < 0.01)
    clock.receive(report(10, 77))
    #expect(clock.captureTime(of: RTPTimestamp(77)) == NTPTime(unixNanoseconds: 10_000_000_000))
  }

  @Test func audioAndVideoOfOneSenderMeet() throws {
    var audio = StreamClock(clockRate: 48_000)
    var video = StreamClock(clockRate: 90_000)
    audio.receive(report(1_000, 48_000))
    video.receive(report(1_002, 90_000))
    let captured = try #require(video.captureTime(of: RTPTimestamp(90_000 + 45_000)))
    #expect(audio.timestamp(at: captured) == RTPTimestamp(48_000 + 120_000))
  }
}
