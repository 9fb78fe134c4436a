/// When to ask a sender for a key frame: at once when one is needed, then again with growing pauses until it comes.
struct KeyFrameRequester: Sendable {
  let initialInterval: Duration
  let maximumInterval: Duration
  /// Shortest time between any two requests, so that losses in quick succession cost one key frame.
  let minimumSpacing: Duration

  /// Since when a key frame has been needed; nil while none is.
  private(set) var wantedSince: MonotonicTime?
  private(set) var requests = 0
  /// Requests since then; 0 while none is needed.
  private(set) var requestsSinceWanted = 0
  private var due: MonotonicTime?
  private var interval: Duration
  private var lastRequest: MonotonicTime?

  init(initialInterval: Duration, maximumInterval: Duration, minimumSpacing: Duration) {
    self.initialInterval = initialInterval
    self.maximumInterval = max(initialInterval, maximumInterval)
    self.minimumSpacing = minimumSpacing
    interval = initialInterval
  }

  /// When `takeDue` will next say yes.
  var nextDeadline: MonotonicTime? { due }

  /// A key frame is needed since `now`; the first request goes out at `time` or as soon as the spacing allows.
  mutating func want(since now: MonotonicTime, from time: MonotonicTime) {
    if wantedSince == nil {
      wantedSince = now
      interval = initialInterval
    }
    let earliest = lastRequest.map { max(time, $0 + minimumSpacing) } ?? time
    due = due.map { min($0, earliest) } ?? earliest
  }

  mutating func keyFrameArrived() {
    wantedSince = nil
    requestsSinceWanted = 0
    due = nil
  }

  /// Whether to ask now.
  mutating func takeDue(at now: MonotonicTime) -> Bool {
    guard let due, due <= now else { return false }
    lastRequest = now
    requests += 1
    if wantedSince != nil { requestsSinceWanted += 1 }
    self.due = now + interval
    interval = min(maximumInterval, interval * 2)
    return true
  }
}
