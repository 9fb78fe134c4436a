import RTCCore

/// What a sender report says about its stream's clock: one moment as NTP time and as RTP timestamp.
struct SenderClock: Equatable, Sendable {
  var ntpTime: NTPTime
  var timestamp: RTPTimestamp
  /// When the report arrived.
  var at: MonotonicTime

  /// The sender's NTP time at which `timestamp` was sampled; `clockRate` in ticks a second.
  func ntpTime(of timestamp: RTPTimestamp, clockRate: Int) -> NTPTime {
    let ticks = timestamp.distance(from: self.timestamp)
    return ntpTime.advanced(by: .nanoseconds(Int64(Double(ticks) * 1e9 / Double(clockRate))))
  }
}
