/// Ties the timestamps of one RTP stream to its sender's NTP clock by sender reports (RFC 3550 §6.4.1), so that streams of
/// one sender can be played in step.
public struct StreamClock: Sendable {
  private let clockRate: Double
  private var latest: SenderReport?
  private var ticksPerSecond: Double
  private var first: SenderReport?

  /// - Parameter clockRate: nominal timestamp ticks a second.
  public init(clockRate: Int) {
    self.clockRate = Double(max(1, clockRate))
    ticksPerSecond = self.clockRate
  }

  /// Takes in a report of this stream. From reports over 5 s apart the true clock rate is measured; a rate off by more than
  /// 0.1 % is taken for a jump of either clock, and the mapping begins anew with the nominal rate.
  public mutating func receive(_ report: SenderReport) {
    latest = report
    guard let first else {
      self.first = report
      return
    }
    let elapsed = report.ntpTime.interval(since: first.ntpTime).inSeconds
    guard elapsed > 5 else {
      if elapsed < 0 { restart(with: report) }
      return
    }
    let measured = Double(report.rtpTimestamp.distance(from: first.rtpTimestamp)) / elapsed
    if abs(measured / clockRate - 1) < 0.001 {
      ticksPerSecond = measured
      // The distance of two timestamps is right for half a wrap only: 6 h of video, 12 h of audio.
      if elapsed > 3_600 { self.first = report }
    } else {
      restart(with: report)
    }
  }

  /// When the media with this timestamp was captured, on the sender's clock; nil before the first report.
  public func captureTime(of timestamp: RTPTimestamp) -> NTPTime? {
    guard let latest else { return nil }
    let seconds = Double(timestamp.distance(from: latest.rtpTimestamp)) / ticksPerSecond
    return latest.ntpTime.advanced(by: .nanoseconds(Int64(seconds * 1e9)))
  }

  /// The timestamp of media captured at `time` on the sender's clock; nil before the first report.
  public func timestamp(at time: NTPTime) -> RTPTimestamp? {
    guard let latest else { return nil }
    let ticks = time.interval(since: latest.ntpTime).inSeconds * ticksPerSecond
    return latest.rtpTimestamp.advanced(by: Int(ticks + (ticks < 0 ? -0.5 : 0.5)))
  }

  private mutating func restart(with report: SenderReport) {
    first = report
    ticksPerSecond = clockRate
  }
}
