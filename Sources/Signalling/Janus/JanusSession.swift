import Conference
import RTCCore

/// The client's side of Janus' VideoRoom: one handle in the room for events, one that subscribes to everybody over a single
/// peer connection (fact sheet §4, §5, §7).
///
/// A message that cannot be read or used is counted in ``drops`` and otherwise ignored; only a server that begins with
/// something else than Janus' messages breaks the protocol. When the connection is lost after joining, the session asks for
/// a new one, claims what the server has kept, and otherwise joins again.
public struct JanusSession: SignallingAdapter {
  public struct Configuration: Equatable, Sendable {
    /// As somebody typed it: a number, or a name on servers that have those.
    public var room: String
    /// What others see; nil to be nobody in particular.
    public var displayName: String?
    public var pin: String?
    public var credentials = JanusCredentials()
    public var subscriber: LocalTransport
    public var publisher: LocalTransport
    /// Receive what others publish.
    public var subscribes = true
    /// From the opening of the signalling connection until we are in. Default 10 s: it takes four answers.
    public var joinTimeout = Duration.seconds(10)
    /// From a request to its answer. Default 10 s; Janus answers within milliseconds.
    public var requestTimeout = Duration.seconds(10)
    /// Between signs of life, after which the server is taken for lost within ``requestTimeout``. Default 10 s; Janus
    /// forgets sessions after 60 s of silence.
    public var keepaliveInterval = Duration.seconds(10)
    /// How long a lost server is tried again. Default 60 s, which a restart of a server takes at most.
    public var reconnectTimeout = Duration.seconds(60)

    public init(room: String, subscriber: LocalTransport, publisher: LocalTransport) {
      self.room = room
      self.subscriber = subscriber
      self.publisher = publisher
    }
  }

  enum Phase: Equatable {
    case connecting
    case joined
    /// Was in, and tries to be again until `givingUpAt`.
    case reconnecting(givingUpAt: MonotonicTime)
    case left
  }

  /// What a request was for.
  enum Purpose: Equatable {
    case create, claim
    case attachRoom
    case join(JanusID)
    case listParticipants
    case attachSubscriber
    case subscribe, update
    case start
    case restart
    case configure
    case publish
    case keepalive
  }

  /// New connections in a row over which no media came, after which there is no way for it.
  private static let maximumRenewals = 3
  /// Pauses before what failed in a room is tried again: a stream that was skipped, a connection that broke.
  static let backoff = Backoff(from: .milliseconds(500), upTo: .seconds(8))

  /// What was received and could not be used.
  public internal(set) var drops = DropCounters()
  public var system: String { "Janus" }
  /// Who mutes a stream of their own is not announced (fact sheet §4).
  public var tellsActivity: Bool { false }
  public let canonicalName: String

  let configuration: Configuration
  var randomness: any RandomNumberGenerator & Sendable
  /// Of the `o=` lines of our descriptions.
  let sessionID: String
  var phase = Phase.connecting
  private let joinDeadline: MonotonicTime
  private var outputs = OutputQueue<SignallingOutput>()

  var requests: JanusRequests<Purpose>
  var link = Link()
  var roster = JanusRoster()
  /// The handle in the room.
  var roomHandle: Int64?
  /// The room's id in the form that the server takes.
  var joinedRoom: JanusID?
  /// Opaque number that ties a subscription to its owner, for rooms that want it.
  var privateID: JSONValue = .null
  var subscription: JanusSubscription
  var publishing: JanusPublishing
  var layers = JanusLayers()
  /// Tracks that nobody here wants.
  var declined: Set<TrackID> = []
  /// When our own path counts as good again.
  var slowUntil: MonotonicTime?

  /// - Parameters:
  ///   - randomness: Gives names; a seeded one gives the same session again.
  ///   - openedAt: When the signalling connection opened.
  public init(
    configuration: Configuration, randomness: any RandomNumberGenerator & Sendable, openedAt: MonotonicTime
  ) {
    self.configuration = configuration
    self.randomness = randomness
    sessionID = String(UInt64.random(in: 1...(1 << 62), using: &self.randomness))
    canonicalName = String(UInt64.random(in: 0...UInt64.max, using: &self.randomness), radix: 36)
    joinDeadline = openedAt + configuration.joinTimeout
    requests = JanusRequests(credentials: configuration.credentials, timeout: configuration.requestTimeout)
    subscription = JanusSubscription(local: configuration.subscriber)
    publishing = JanusPublishing(local: configuration.publisher)
    opened(at: openedAt)
  }

  // MARK: - Inputs

  public mutating func receive(_ message: [UInt8], at now: MonotonicTime) {
    guard phase != .left else { return }
    guard let value = try? JSONValue(parsing: message), let message = JanusMessage(value) else {
      drops.count(.malformed)
      if phase == .connecting, !link.hasHeardJanus { end(.protocolBroken) }
      return
    }
    link.heard(at: now)
    if let request = requests.take(message) {
      answered(request, by: message, at: now)
    } else {
      noticed(message, at: now)
    }
    settle(at: now)
  }

  public mutating func perform(_ command: ConferenceCommand, at now: MonotonicTime) {
    guard phase != .left else { return }
    switch command {
    case .requestLayer(let track, let request): layers.requested[track] = request
    case .setSubscribed(let track, let subscribe):
      if subscribe { declined.remove(track) } else { declined.insert(track) }
    case .publish(let track): publish(track)
    case .unpublish(let localID): unpublish(localID, at: now)
    case .setMuted(let localID, let isMuted): setMuted(localID, isMuted, at: now)
    case .leave:
      if requests.session != nil { send("destroy", at: now) }
      end(.requested)
    }
    settle(at: now)
  }

  public mutating func localCandidate(_ candidate: String, of role: PeerRole, at now: MonotonicTime) {
    guard phase != .left else { return }
    switch role {
    case .subscriber:
      subscription.connection.localCandidates.append(candidate)
      sendLocalCandidates(at: now)
    case .publisher:
      publishing.connection.localCandidates.append(candidate)
      sendPublisherCandidates(at: now)
    }
  }

  public mutating func pictureSize(of track: TrackID, width: Int, height: Int, at now: MonotonicTime) {
    guard phase != .left, let stream = subscription.stream(of: track) else { return }
    learn(JanusRoster.PictureSize(width: width, height: height), of: stream)
    settle(at: now)
  }

  public mutating func pathLost(_ role: PeerRole, at now: MonotonicTime) -> Bool {
    guard phase != .left, role == .subscriber, subscription.state == .active else { return false }
    subscription.needsRestart = true
    settle(at: now)
    return true
  }

  public mutating func mediaFailed(_ role: PeerRole, at now: MonotonicTime) -> Bool {
    guard phase != .left else { return false }
    switch role {
    case .subscriber:
      guard subscription.hasFlowed, subscription.renewals < Self.maximumRenewals else { return false }
      resubscribe(at: now)
    case .publisher:
      guard publishing.hasFlowed, publishing.failures < Self.maximumRenewals, let handle = roomHandle else {
        return false
      }
      ask(handle, ["request": "unpublish"], for: nil, at: now)
      publisherFailed(at: now)
    }
    settle(at: now)
    return true
  }

  public mutating func connectionClosed(at now: MonotonicTime) {
    guard phase != .left else { return }
    lost(at: now)
  }

  public mutating func advance(to now: MonotonicTime) {
    guard phase != .left else { return }
    if phase == .connecting, now >= joinDeadline { return end(.connectionLost) }
    advanceLink(to: now)
    if phase == .left { return }
    settleLayers(at: now)
    if let until = slowUntil, now >= until {
      slowUntil = nil
      tellOwnQuality(.good)
    }
    settle(at: now)
  }

  public mutating func pollOutput() -> SignallingOutput { outputs.take() ?? .wait(until: nextDeadline) }

  private var nextDeadline: MonotonicTime? {
    guard phase != .left else { return nil }
    var deadlines = [requests.deadline, link.deadline, layers.deadline, slowUntil]
    if phase == .connecting { deadlines.append(joinDeadline) }
    if phase == .joined { deadlines += [subscriptionDeadline, publishingDeadline] }
    if phase == .joined, subscription.state == .active { deadlines.append(layers.nextRepetition) }
    if case .reconnecting(let givingUpAt) = phase { deadlines.append(givingUpAt) }
    return deadlines.compactMap(\.self).min()
  }

  /// Does what follows from everything that is known now.
  private mutating func settle(at now: MonotonicTime) {
    guard phase == .joined else { return }
    settleSubscription(at: now)
    applyLayers(at: now)
    settlePublishing(at: now)
  }

  // MARK: - Outputs

  mutating func output(_ output: SignallingOutput) { outputs.append(output) }

  mutating func tell(_ event: ConferenceEvent?) {
    if let event { output(.event(event)) }
  }

  /// Sends a request, if there is anything to send it on; see ``JanusRequests/make(_:_:handle:for:at:)``.
  mutating func send(
    _ verb: String, _ fields: [String: JSONValue] = [:], handle: Int64? = nil, for purpose: Purpose? = nil,
    at now: MonotonicTime
  ) {
    guard link.isOpen else { return }
    output(.send(requests.make(verb, fields, handle: handle, for: purpose, at: now)))
  }

  /// Sends a message to the plugin behind a handle.
  mutating func ask(
    _ handle: Int64, _ body: [String: JSONValue], jsep: JSONValue = .null, for purpose: Purpose?,
    at now: MonotonicTime
  ) {
    var fields: [String: JSONValue] = ["body": .object(body)]
    if !jsep.isNull { fields["jsep"] = jsep }
    send("message", fields, handle: handle, for: purpose, at: now)
  }

  mutating func refuse(_ failure: JanusFailure, during step: JanusRefusal.Step) {
    tell(JanusRefusal(failure, during: step, credentials: configuration.credentials).event)
    end(.refused)
  }

  mutating func end(_ reason: LeaveReason) {
    guard phase != .left else { return }
    phase = .left
    output(.event(.left(reason)))
    output(.close)
  }
}
