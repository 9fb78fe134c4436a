import Conference

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
