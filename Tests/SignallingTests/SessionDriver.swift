import Conference
import RTCCore
import Signalling

/// Drives a session on virtual time as its real driver does on the clock. What speaks the part of a system's server
/// inherits from it.
class SessionDriver<Session: SignallingAdapter> {
  var session: Session
  var now = MonotonicTime.zero
  /// When the session wants to be woken, as of the last drain.
  private(set) var wakeUp: MonotonicTime?

  init(_ session: Session) { self.session = session }

  /// Everything the session wants done until it waits.
  func drain() -> [SignallingOutput] {
    var outputs: [SignallingOutput] = []
    while true {
      let output = session.pollOutput()
      if case .wait(let until) = output {
        wakeUp = until
        return outputs
      }
      outputs.append(output)
    }
  }

  func command(_ command: ConferenceCommand) -> [SignallingOutput] {
    session.perform(command, at: now)
    return drain()
  }

  func pathLost(_ role: PeerRole) -> Bool { session.pathLost(role, at: now) }
  func mediaFailed(_ role: PeerRole) -> Bool { session.mediaFailed(role, at: now) }

  /// Lets time pass from one wake-up to the next.
  func run(for duration: Duration) -> [SignallingOutput] {
    let end = now + duration
    var outputs = drain()
    while let next = wakeUp, next <= end {
      now = max(now, next)
      session.advance(to: now)
      outputs += drain()
    }
    now = end
    return outputs
  }
}
