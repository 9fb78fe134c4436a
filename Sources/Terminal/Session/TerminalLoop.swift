internal import Glibc
internal import RTCCore

/// Waits for everything that can happen at the terminal, and hands it out one by one.
struct TerminalLoop {
  let session: TerminalSession
  let relay: SignalRelay
  let clock: FrameClock
  let waker: TerminalWaker
  /// Ticks for pictures have at least this distance.
  let pictureInterval: Duration

  /// Least distance of ticks for pictures, where nobody asked for fewer: the pictures of many people come one by one, and
  /// none of them is to wait for a screen's next turn, but a screen that turned for each would cost more than it shows.
  static let leastInterval = Duration.milliseconds(6)
  /// Pictures of several people that come together are drawn together.
  private static let gathering = Duration.milliseconds(2)

  /// Until the handler has enough.
  func run(_ handler: (TerminalSession, TerminalEvent) -> TerminalDecision) {
    var decision = handler(session, .resize(session.size))
    var hasToldLoss = false
    var picturesAt = MonotonicTime.zero
    var pictureDue: MonotonicTime?
    func tick() {
      let now = TerminalSession.now
      if waker.wantsPictureTick { picturesAt = now }
      pictureDue = nil
      waker.takePictures()
      decision = handler(session, .tick(now))
    }
    while decision == .proceed {
      let ready = wait(until: [pictureDue, session.settlesAt, session.inputDeadline].compactMap(\.self).min())
      if ready.signal { decision = deliverSignals(handler) }
      if decision == .proceed, ready.output { session.writable() }
      if decision == .proceed, ready.wake, waker.drain() { decision = handler(session, .wake) }
      if decision == .proceed, session.receiveInput(isReadable: ready.key) { decision = deliverKeys(handler) }
      if pictureDue == nil, waker.wantsPictureTick {
        pictureDue = max(TerminalSession.now + Self.gathering, picturesAt + pictureInterval)
      }
      if decision == .proceed, ready.tick {
        clock.drain()
        // A background job that is brought to the foreground is told by no signal: shells continue only what stopped.
        if !session.isTaken { decision = resume(handler) }
        // Pictures that wait for their tick get it soon, and together.
        if decision == .proceed, pictureDue == nil { tick() }
        session.endTick()
      }
      if decision == .proceed, let due = pictureDue, TerminalSession.now >= due { tick() }
      if decision == .proceed, session.settle() { tick() }
      if decision == .proceed, ready.isLost || session.isLost, !hasToldLoss {
        hasToldLoss = true
        session.lose()
        decision = handler(session, .quit(.hangup))
      }
    }
  }

  private struct Ready {
    var key = false
    var signal = false
    var tick = false
    var wake = false
    var output = false
    var isLost = false
  }

  /// Sleeps until something is there, or until `deadline`. The terminal itself is left out while it is not ours.
  private func wait(until deadline: MonotonicTime?) -> Ready {
    let isOurs = session.isTaken && !session.isLost
    func watched(_ descriptor: Int32, _ events: Int32 = POLLIN) -> pollfd {
      pollfd(fd: descriptor, events: Int16(events), revents: 0)
    }
    var descriptors = [
      watched(isOurs ? 0 : -1), watched(relay.descriptor), watched(clock.descriptor), watched(waker.descriptor),
      watched(isOurs && session.wantsToWrite ? session.deviceDescriptor : -1, POLLOUT),
    ]
    let milliseconds = deadline.map {
      Int32(clamping: Int(max(0, ($0 - TerminalSession.now).inMilliseconds.rounded(.up))))
    }
    guard poll(&descriptors, nfds_t(descriptors.count), milliseconds ?? -1) > 0 else { return Ready() }
    func has(_ index: Int, _ events: Int32) -> Bool { Int32(descriptors[index].revents) & events != 0 }
    return Ready(
      key: has(0, POLLIN), signal: has(1, POLLIN), tick: has(2, POLLIN), wake: has(3, POLLIN), output: has(4, POLLOUT),
      isLost: has(0, POLLHUP | POLLERR | POLLNVAL) || has(4, POLLHUP | POLLERR | POLLNVAL))
  }

  private func deliverKeys(_ handler: (TerminalSession, TerminalEvent) -> TerminalDecision) -> TerminalDecision {
    while let key = session.readKey() {
      let decision = handler(session, .key(key))
      if decision != .proceed { return decision }
    }
    return .proceed
  }

  private func deliverSignals(_ handler: (TerminalSession, TerminalEvent) -> TerminalDecision) -> TerminalDecision {
    var queue = relay.take()
    while !queue.isEmpty {
      let decision: TerminalDecision
      switch queue.removeFirst() {
      case SIGINT: decision = handler(session, .quit(.interrupt))
      case SIGTERM: decision = handler(session, .quit(.terminate))
      case SIGHUP: decision = handler(session, .quit(.hangup))
      case SIGQUIT: decision = handler(session, .quit(.abandon))
      case SIGWINCH:
        decision = session.isTaken && session.updateSize() ? handler(session, .resize(session.size)) : .proceed
      case SIGTSTP:
        session.suspend()
        relay.stopProcess()
        // Continued in the foreground, or not stopped at all (a process without a shell is not): the SIGCONT of now
        // is dealt with. In the background the terminal is taken later, when the foreground is ours.
        decision = resume(handler)
        queue += relay.take().filter { $0 != SIGCONT }
      case SIGCONT: decision = resume(handler)
      default: decision = .proceed
      }
      if decision != .proceed { return decision }
    }
    return .proceed
  }

  private func resume(_ handler: (TerminalSession, TerminalEvent) -> TerminalDecision) -> TerminalDecision {
    guard session.takeAgain() else { return .proceed }
    var decision: TerminalDecision = .proceed
    if session.updateSize() { decision = handler(session, .resize(session.size)) }
    if decision == .proceed { decision = handler(session, .resumed(TerminalSession.now)) }
    session.endResume()
    return decision
  }
}
