import Conference
import RTCCore

/// How far the search for a lost room has come.
struct LiveKitReconnection {
  enum State: Equatable {
    /// A new signalling connection is asked for at this time.
    case waiting(until: MonotonicTime)
    case opening
    /// It is open; the server has until then to let us in.
    case joining(until: MonotonicTime)
  }

  var state = State.opening
  var givingUpAt = MonotonicTime.zero
  /// Tries since media flowed last.
  var attempts = 0
  /// Whether media has ever flowed: what never did is stopped by a firewall, and will be again.
  var hasFlowed = false

  /// Between tries; the first one is made at once.
  static let backoff = Backoff(from: .seconds(1), upTo: .seconds(8))

  var isJoining: Bool { if case .joining = state { true } else { false } }

  var deadline: MonotonicTime {
    switch state {
    case .waiting(let until), .joining(let until): min(until, givingUpAt)
    case .opening: givingUpAt
    }
  }

  mutating func tryAgain(at now: MonotonicTime) {
    state = .waiting(until: attempts == 0 ? now : now + Self.backoff.pause(after: attempts - 1))
    attempts += 1
  }
}

/// A lost room is joined anew: a new signalling connection with the same token, new media connections, and everything that
/// we publish announced once more (the full reconnect of protocol sheet §6.4). Resuming saves but the new media connections, and
/// is of no use where the server itself was gone.
extension LiveKitSession {
  // MARK: - Losing

  public mutating func connectionClosed(at now: MonotonicTime) {
    // One that is given up anyway may close at any time.
    if phase == .reconnecting, case .waiting = reconnection.state { return }
    lost(at: now)
  }

  public mutating func mediaConnected(_ role: PeerRole, at now: MonotonicTime) {
    reconnection.hasFlowed = true
    reconnection.attempts = 0
  }

  public mutating func mediaFailed(_ role: PeerRole, at now: MonotonicTime) -> Bool {
    // With the room lost already, its connections fail by themselves.
    guard phase == .joined else { return phase == .reconnecting }
    guard reconnection.hasFlowed else { return false }
    lost(at: now)
    return true
  }

  /// The server sends us away, some of them only to come back.
  mutating func dismissed(_ leave: LiveKit.LeaveRequest, at now: MonotonicTime) {
    let reason = LeaveReason(leave)
    let isWanted = leave.canReconnect || leave.action != .disconnect
    switch reason {
    case .connectionLost, .serverShutdown, .mediaFailed, .unknown:
      if isWanted, phase != .awaitingJoin { return lost(at: now) }
    case .requested, .duplicateIdentity, .removed, .roomClosed, .protocolBroken, .refused: break
    }
    end(reason)
  }

  /// The signalling connection, the media, or what the server knew of us, is gone.
  mutating func lost(at now: MonotonicTime) {
    switch phase {
    case .left: return
    case .awaitingJoin: return end(.connectionLost)
    case .reconnecting: break
    case .joined:
      phase = .reconnecting
      reconnection.givingUpAt = now + configuration.reconnectTimeout
      output(.event(.reconnecting))
    }
    liveness = Liveness()
    reconnection.tryAgain(at: now)
  }

  private mutating func abandonReception() {
    reception.formerlyRequested.merge(reception.requested) { $1 }
    reception.requested = [:]
    reception.tracks = []
    announceSubscriptions()
    let hadConnection = subscriber.isDescriptionSent
    subscriber = PeerState(role: .subscriber)
    guard hadConnection else { return }
    output(.media(.receive([])))
    output(.media(.renew(.subscriber)))
  }

  private mutating func abandonPublications() {
    publishing.beginAnew()
    let hadConnection = publisher.isDescriptionSent
    publisher = PeerState(role: .publisher)
    guard hadConnection else { return }
    output(.media(.send([])))
    output(.media(.renew(.publisher)))
  }

  // MARK: - Finding again

  mutating func advanceReconnection(to now: MonotonicTime) {
    if now >= reconnection.givingUpAt { return end(.connectionLost) }
    switch reconnection.state {
    case .waiting(let until) where now >= until:
      reconnection.state = .opening
      output(.reopen)
    case .joining(let until) where now >= until: lost(at: now)
    case .waiting, .opening, .joining: break
    }
  }

  public mutating func connectionOpened(at now: MonotonicTime) {
    guard phase == .reconnecting, reconnection.state == .opening else { return }
    reconnection.state = .joining(until: now + configuration.joinTimeout)
    // Not before: pictures may flow all the while, and those that stand still are better than none.
    abandonReception()
    abandonPublications()
    roster = LiveKitRoster()
  }

  /// Tells the server again what it has to know of us; nothing the first time.
  mutating func announceAgain(at now: MonotonicTime) {
    for index in publishing.publications.indices {
      publishing.publications[index].deadline = now + configuration.publishTimeout
      let publication = publishing.publications[index]
      send(
        .addTrack(Self.request(for: publication.track, cid: publication.cid, encodings: publication.encodings)))
    }
    for track in reception.declined.sorted(by: { $0.raw < $1.raw }) where roster.owner(of: track) != nil {
      setSubscribed(track, false)
    }
  }
}
