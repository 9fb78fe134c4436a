import Conference

/// How long to wait before a lost room is joined again: a second, and each time twice as long, up to half a minute, so that
/// a server that starts again is not run down by those who wait for it.
struct RejoinDelay {
  private static let first = Duration.seconds(1)
  private static let longest = Duration.seconds(30)
  private var upcoming = first

  mutating func next() -> Duration {
    defer { upcoming = min(Self.longest, upcoming * 2) }
    return upcoming
  }

  mutating func reset() { upcoming = Self.first }
}

extension ConferenceError {
  /// Joining again may help: the server or the way to it failed, and nobody said no.
  func mayPass(after reason: LeaveReason) -> Bool {
    switch code {
    case .serverUnreachable, .notAConferenceServer, .mediaFailed: true
    case .closedByServer: [.connectionLost, .serverShutdown, .mediaFailed, .unknown].contains(reason)
    default: false
    }
  }
}
