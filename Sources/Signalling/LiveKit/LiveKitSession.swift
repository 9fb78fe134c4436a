import Conference
import RTCCore

/// The client's side of LiveKit's signalling, protocol "v0": the server offers the subscriber connection, we offer the
/// publisher connection (protocol sheet §4 to §6).
///
/// A message that cannot be read or used is counted in ``drops`` and otherwise ignored; only a server that does not begin
/// with a usable `join` breaks the protocol.
public struct LiveKitSession: SignallingAdapter {
  public struct Configuration: Equatable, Sendable {
    public var subscriber: LocalTransport
    public var publisher: LocalTransport
    /// From the opening of the signalling connection to the server's `join`. Default 10 s; the server has checked the
    /// token before the connection opens, so that only a dead path takes long.
    public var joinTimeout = Duration.seconds(10)
    /// How long a lost room is looked for. Default 60 s: a server that restarts, or a network that changes, is back by then.
    public var reconnectTimeout = Duration.seconds(60)
    /// From our offer to the answer, and from the announcement of a track to its id. Default 10 s, as other clients wait.
    public var publishTimeout = Duration.seconds(10)

    public init(subscriber: LocalTransport, publisher: LocalTransport) {
      self.subscriber = subscriber
      self.publisher = publisher
    }
  }

  enum Phase: Equatable {
    case awaitingJoin
    case joined
    /// Lost, and looked for again.
    case reconnecting
    case left
  }

  /// What was received and could not be used.
  public internal(set) var drops = DropCounters()

  public var system: String { "LiveKit" }
  public var canonicalName: String { publishing.cname }

  /// Its transports are those of the connections that there are now.
  private(set) var configuration: Configuration
  var randomness: any RandomNumberGenerator & Sendable
  /// Of the `o=` lines of our descriptions.
  let sessionID: String
  var phase = Phase.awaitingJoin
  private let joinDeadline: MonotonicTime
  private var outputs = OutputQueue<SignallingOutput>()
  /// What was asked for before we were in.
  private var earlyCommands: [ConferenceCommand] = []

  var reconnection = LiveKitReconnection()
  var roster = LiveKitRoster()
  var liveness = Liveness()
  var subscriber = PeerState(role: .subscriber)
  var publisher = PeerState(role: .publisher)
  var reception = Reception()
  var publishing: Publishing

  /// - Parameters:
  ///   - randomness: Gives SSRCs and track names; a seeded one gives the same session again.
  ///   - openedAt: When the signalling connection opened.
  public init(
    configuration: Configuration, randomness: any RandomNumberGenerator & Sendable, openedAt: MonotonicTime
  ) {
    self.configuration = configuration
    self.randomness = randomness
    joinDeadline = openedAt + configuration.joinTimeout
    sessionID = String(UInt64.random(in: 1...(1 << 62), using: &self.randomness))
    publishing = Publishing(cname: String(UInt64.random(in: 0...UInt64.max, using: &self.randomness), radix: 36))
  }

  // MARK: - Inputs

  public mutating func receive(_ message: [UInt8], at now: MonotonicTime) {
    // What is still said on a connection that is given up is not meant for the next one.
    guard phase != .left, phase != .reconnecting || reconnection.isJoining else { return }
    let response: LiveKit.SignalResponse
    do { response = try LiveKit.SignalResponse(parsing: message) } catch {
      drops.count(.malformed)
      if phase == .awaitingJoin { end(.protocolBroken) }
      return
    }
    liveness.heard(at: now)
    if phase == .joined { return handle(response, at: now) }
    switch response {
    case .join(let join): enter(join, at: now)
    case .leave(let leave): dismissed(leave, at: now)
    default: drops.count(.malformed)
    }
  }

  public mutating func perform(_ command: ConferenceCommand, at now: MonotonicTime) {
    switch phase {
    case .left: return
    case .awaitingJoin where command != .leave, .reconnecting where command != .leave:
      earlyCommands.append(command)
      return
    case .awaitingJoin, .reconnecting, .joined: break
    }
    switch command {
    case .requestLayer(let track, let request): requestLayer(request, of: track)
    case .setSubscribed(let track, let subscribe): setSubscribed(track, subscribe)
    case .publish(let track): publish(track, at: now)
    case .unpublish(let localID): unpublish(localID, at: now)
    case .setMuted(let localID, let isMuted): setMuted(localID, isMuted)
    case .leave:
      send(.leave(LiveKit.LeaveRequest(canReconnect: false, reason: .clientInitiated, action: .disconnect)))
      end(.requested)
    }
  }

  public mutating func localCandidate(_ candidate: String, of role: PeerRole, at now: MonotonicTime) {
    // LiveKit's clients never tell the end of candidates.
    guard phase != .left, !candidate.isEmpty else { return }
    if role == .subscriber {
      subscriber.localCandidates.append(candidate)
    } else {
      publisher.localCandidates.append(candidate)
    }
    sendLocalCandidates(of: role)
  }

  public mutating func localTransport(_ local: LocalTransport, of role: PeerRole, at now: MonotonicTime) {
    if role == .subscriber { configuration.subscriber = local } else { configuration.publisher = local }
  }

  public mutating func advance(to now: MonotonicTime) {
    switch phase {
    case .left: return
    case .awaitingJoin:
      if now >= joinDeadline { end(.connectionLost) }
    case .reconnecting: advanceReconnection(to: now)
    case .joined:
      if let deadline = liveness.deadline, now >= deadline { return lost(at: now) }
      if let ping = liveness.pingIfDue(at: now) {
        send(.ping(ping.timestamp))
        send(.pingRequest(ping))
      }
      giveUpPublishing(at: now)
    }
  }

  public mutating func pollOutput() -> SignallingOutput { outputs.take() ?? .wait(until: nextDeadline) }

  private var nextDeadline: MonotonicTime? {
    switch phase {
    case .left: nil
    case .awaitingJoin: joinDeadline
    case .reconnecting: reconnection.deadline
    case .joined: ([liveness.deadline, liveness.nextPing] + publishing.deadlines).compactMap { $0 }.min()
    }
  }

  // MARK: - Joining and leaving

  private mutating func enter(_ join: LiveKit.JoinResponse, at now: MonotonicTime) {
    guard let room = join.room, let participants = roster.join(join) else {
      drops.count(.malformed)
      end(.protocolBroken)
      return
    }
    phase = .joined
    liveness.start(interval: join.pingInterval, timeout: join.pingTimeout, at: now)
    publishing.isAllowed = join.participant?.permission?.canPublish ?? true
    let servers = join.iceServers.compactMap(ICEServerInfo.init)
    if !servers.isEmpty { output(.media(.iceServers(servers))) }
    output(.event(.joined(room: room.name, participants: participants)))
    announceAgain(at: now)
    // With nothing to receive the publisher connection alone shows that media can flow, so it is opened at once.
    if !join.subscriberPrimary { openPublisher(at: now) }
    let commands = earlyCommands
    earlyCommands = []
    for command in commands { perform(command, at: now) }
  }

  mutating func end(_ reason: LeaveReason) {
    guard phase != .left else { return }
    phase = .left
    output(.event(.left(reason)))
    output(.close)
  }

  // MARK: - Outputs

  mutating func output(_ output: SignallingOutput) { outputs.append(output) }
  mutating func send(_ request: LiveKit.SignalRequest) { output(.send(request.serialized())) }
}
