import Conference
import RTCCore

/// The signalling connection as far as the session knows it.
struct Link: Sendable {
  enum State: Equatable, Sendable {
    case open
    /// Lost; a new one is asked for at this time.
    case closed(reopenAt: MonotonicTime)
    /// A new one was asked for.
    case opening
  }

  var state = State.open
  private(set) var hasHeardJanus = false
  private(set) var lastHeard: MonotonicTime?
  var nextKeepalive: MonotonicTime?
  /// Tries to reconnect since we were in the room.
  private(set) var attempts = 0

  var isOpen: Bool { state == .open }

  var deadline: MonotonicTime? {
    switch state {
    case .open: nextKeepalive
    case .closed(let reopenAt): reopenAt
    case .opening: nil
    }
  }

  mutating func heard(at now: MonotonicTime) {
    hasHeardJanus = true
    lastHeard = now
  }

  /// Tries again at once, then after 1, 2, 4 and each further 5 s: a server that restarts is back within seconds.
  mutating func close(at now: MonotonicTime) {
    let pauses: [Duration] = [.zero, .seconds(1), .seconds(2), .seconds(4), .seconds(5)]
    state = .closed(reopenAt: now + pauses[min(attempts, pauses.count - 1)])
    attempts += 1
    nextKeepalive = nil
  }

  mutating func joined() { attempts = 0 }
}

extension JanusSession {
  // MARK: - Opening

  public mutating func connectionOpened(at now: MonotonicTime) {
    guard phase != .left, link.state == .opening else { return }
    opened(at: now)
  }

  mutating func opened(at now: MonotonicTime) {
    link.state = .open
    if requests.session == nil {
      send("create", for: .create, at: now)
    } else {
      send("claim", for: .claim, at: now)
    }
  }

  mutating func attachRoom(at now: MonotonicTime) {
    link.nextKeepalive = now + configuration.keepaliveInterval
    send("attach", ["plugin": "janus.plugin.videoroom"], for: .attachRoom, at: now)
  }

  /// Asks to be let in. Nobody sees that we publish nothing, and each event comes to this handle.
  mutating func join(_ room: JanusID, at now: MonotonicTime) {
    guard let handle = roomHandle else { return }
    var body: [String: JSONValue] = ["request": "join", "ptype": "publisher", "room": room.json]
    if let name = configuration.displayName { body["display"] = .text(name) }
    if let pin = configuration.pin { body["pin"] = .text(pin) }
    // A token of the room's own list is told in the body, one of the server in the envelope; who has one gives both.
    if let token = configuration.credentials.token { body["token"] = .text(token) }
    ask(handle, body, for: .join(room), at: now)
  }

  // MARK: - Losing and finding again

  /// The connection, or what the server knew of us, is gone.
  mutating func lost(at now: MonotonicTime) {
    if phase == .connecting { return end(.connectionLost) }
    if phase == .joined {
      phase = .reconnecting(givingUpAt: now + configuration.reconnectTimeout)
      output(.event(.reconnecting))
    }
    requests.forgetAll()
    link.close(at: now)
  }

  /// The server has forgotten the session, and with it every handle and connection.
  mutating func forgetSession(at now: MonotonicTime) {
    requests.session = nil
    requests.forgetAll()
    roomHandle = nil
    subscription.handle = nil
    abandonSubscription(at: now)
    renewPublisher()
  }

  mutating func advanceLink(to now: MonotonicTime) {
    if case .reconnecting(let givingUpAt) = phase, now >= givingUpAt { return end(.connectionLost) }
    switch link.state {
    case .closed(let reopenAt) where now >= reopenAt:
      link.state = .opening
      output(.reopen)
    case .closed, .opening: break
    case .open:
      for request in requests.takeOverdue(at: now) {
        overdue(request, at: now)
        guard link.isOpen, phase != .left else { return }
      }
      if let due = link.nextKeepalive, now >= due {
        link.nextKeepalive = now + configuration.keepaliveInterval
        send("keepalive", for: .keepalive, at: now)
      }
    }
  }

  private mutating func overdue(_ request: JanusRequests<Purpose>.Waiting, at now: MonotonicTime) {
    switch request.purpose {
    case .create, .claim, .attachRoom, .join: lost(at: now)
    case .keepalive:
      // A busy server may leave out an acknowledgement, but not fall silent.
      if link.lastHeard ?? .zero < request.sentAt { lost(at: now) }
    case .attachSubscriber, .subscribe, .update, .start, .restart: resubscribe(at: now)
    case .publish: failPublications("The server did not answer the offer.")
    case .listParticipants, .configure: break
    }
  }

  // MARK: - Answers

  mutating func answered(
    _ request: JanusRequests<Purpose>.Waiting, by message: JanusMessage, at now: MonotonicTime
  ) {
    if let failure = message.failure { return failed(request.purpose, failure, at: now) }
    switch request.purpose {
    case .create:
      guard let id = message.data["id"].integerValue else { return end(.protocolBroken) }
      requests.session = id
      attachRoom(at: now)
    case .claim:
      // The handle in the room is made anew, because what happened meanwhile is told only to those who come in.
      if let handle = roomHandle { send("detach", handle: handle, at: now) }
      roomHandle = nil
      renewPublisher()
      subscription.mayBeStale = true
      attachRoom(at: now)
    case .attachRoom:
      guard let id = message.data["id"].integerValue else { return end(.protocolBroken) }
      roomHandle = id
      join(JanusID(typed: configuration.room), at: now)
    case .join: enter(message.data, at: now)
    case .listParticipants: listed(message.data)
    case .attachSubscriber: subscriberAttached(message.data, at: now)
    case .subscribe, .update, .restart: negotiated(message, at: now)
    case .publish: published(message, at: now)
    case .start, .configure: break
    case .keepalive: output(.event(.roundTrip(now - request.sentAt)))
    }
  }

  private mutating func failed(_ purpose: Purpose, _ failure: JanusFailure, at now: MonotonicTime) {
    switch (purpose, failure.code) {
    case (.claim, _):
      forgetSession(at: now)
      send("create", for: .create, at: now)
    case (.create, JanusFailure.notAcceptingSessions) where phase != .connecting,
      (.attachRoom, JanusFailure.noSuchSession) where phase != .connecting:
      lost(at: now)
    case (.create, _), (.attachRoom, _): refuse(failure, during: .connecting)
    case (.join(let room), JanusFailure.invalidElement) where room != room.asText:
      // A server whose rooms have names wants a text even for one of digits.
      join(room.asText, at: now)
    case (.join, _):
      refuse(failure, during: .joining(room: configuration.room, hasPin: configuration.pin != nil))
    case (.keepalive, JanusFailure.noSuchSession):
      forgetSession(at: now)
      lost(at: now)
    case (.attachSubscriber, _), (.subscribe, _), (.update, _), (.start, _), (.restart, _):
      subscriptionFailed(purpose, failure, at: now)
    case (.publish, _): publishingRefused(failure)
    case (.listParticipants, _), (.configure, _), (.keepalive, _): break
    }
  }
}
