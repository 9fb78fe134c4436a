import Conference
import RTCCore

/// The client's side of WHEP (draft-ietf-wish-whep, and what servers of its earlier versions do): one offer over HTTP, an
/// answer, and from then on only ICE changes. A stream has one picture and one sound at most; it is a participant, alone in
/// its room.
///
/// It has no signalling connection: everything is HTTP requests and what came of them (``HTTPExchangeRequest``,
/// ``HTTPExchangeResponse``).
public struct WHEPSession: SignallingAdapter {
  public struct Configuration: Equatable, Sendable {
    public var address: WHEPAddress
    /// For every request, if the server wants one.
    public var token: String?
    public var local: LocalTransport
    /// What to ask for; a kind that is left out is not offered.
    public var receivesVideo = true
    public var receivesAudio = true
    /// From the first request until the server has taken the offer, attempts while the stream is not live included.
    public var joinTimeout = Duration.seconds(10)
    /// How long a stream that broke off is tried again. Default 30 s: an encoder that is started anew is back by then.
    public var recoveryTimeout = Duration.seconds(30)

    public init(address: WHEPAddress, token: String?, local: LocalTransport) {
      self.address = address
      self.token = token
      self.local = local
    }
  }

  /// How far the session is. Each wait has an end.
  enum Phase: Equatable {
    /// OPTIONS was sent, to learn of STUN and TURN servers in time.
    case learning
    /// Our candidates are gathered, so that the offer has them: many servers take none later.
    case gathering(until: MonotonicTime)
    /// The offer is on its way.
    case offering
    /// The server made an offer of its own, and our answer is on its way.
    case answering
    /// Not live, or overloaded: the next offer follows.
    case waiting(until: MonotonicTime)
    case established
    case left
  }

  /// What a request was for.
  enum Purpose: Equatable {
    case options
    case offer
    case counterAnswer
    case trickle
    case restart
    case delete
    case subscribeEvents([String])
    case eventStream
    case chooseLayer
  }

  /// What our requests name and the server answered.
  struct Established: Equatable {
    /// Where PATCH and DELETE go.
    var url: String
    /// As the server wrote it, unquoted stars included.
    var entityTag: String?
    /// PATCH was refused for good.
    var refusesPatch = false
    var remote: RemoteTransport
    /// What fragments say of the section that carries the transport.
    var fragment: ICEFragment
  }

  /// An offer of the server's, which we have answered.
  struct Counter {
    var established: Established
    var reception: WHEPOffer.Reception
    var links: [WebLink]
  }

  /// What was received and could not be used.
  public internal(set) var drops = DropCounters()
  public var system: String { "WHEP" }
  public let canonicalName: String
  /// Servers with events tell; for others silence does.
  public var tellsActivity: Bool { false }

  let configuration: Configuration
  let sessionID: String
  var phase = Phase.learning
  /// Where offers go: the address, or where it sent us.
  var endpoint: String
  var redirects = 0
  var descriptionVersion: UInt64 = 0
  var offer: WHEPOffer?
  var established: Established?
  var counter: Counter?
  /// The stream.
  var participant: Participant
  var requests: [Int: Purpose] = [:]
  private var nextRequest = 1
  var local: LocalTransport
  var candidates: [String] = []
  /// Of ``candidates``, how many the server has been told, the end of them counted as one more.
  var toldCandidates = 0
  var hasAllCandidates = false
  var trickleAt: MonotonicTime?
  /// The newest restart of ICE; answers to older ones mean nothing.
  var restartRequest: Int?
  var restartIsQuoted = false
  var isRestarting = false
  /// Media has passed before, so what fails now can be taken up again.
  var hadMedia = false
  var hasJoined = false
  /// When to give up: joining first, later coming back.
  var deadline: MonotonicTime
  var attempts = 0
  var extensions = WHEPExtensions()
  private var outputs = OutputQueue<SignallingOutput>()

  /// Longest wait for OPTIONS, without which one can live.
  static let learningTimeout = Duration.seconds(2)
  /// Longest wait for our own candidates: a STUN server answers within it, or the offer goes without.
  static let gatheringTimeout = Duration.seconds(1)
  /// Candidates that come within this time go together.
  static let trickleDelay = Duration.milliseconds(50)
  /// Pauses between offers where the server names none.
  static let backoff = Backoff(from: .seconds(1), upTo: .seconds(32))
  static let maximumRedirects = 5
  static let maximumCandidates = 64

  public init(
    configuration: Configuration, randomness: some RandomNumberGenerator & Sendable, openedAt now: MonotonicTime
  ) {
    self.configuration = configuration
    var randomness = randomness
    sessionID = String(UInt64.random(in: 1...(1 << 62), using: &randomness))
    canonicalName = String(UInt64.random(in: 0...UInt64.max, using: &randomness), radix: 36)
    endpoint = configuration.address.url
    local = configuration.local
    participant = Participant(id: ParticipantIdentity(configuration.address.name))
    // Before whoever waits for us gives up without knowing why.
    deadline = now + configuration.joinTimeout - .milliseconds(500)
    request("OPTIONS", endpoint, for: .options, timeout: Self.learningTimeout)
  }

  /// The kinds that are asked for, in the order of the offer.
  var kinds: [MediaKind] {
    (configuration.receivesVideo ? [.video] : []) + (configuration.receivesAudio ? [.audio] : [])
  }

  // MARK: - Inputs

  public mutating func exchange(_ response: HTTPExchangeResponse, at now: MonotonicTime) {
    guard let purpose = requests[response.id] else { return drops.count(.malformed) }
    switch response.outcome {
    case .piece, .ended: break
    case .answered where purpose == .eventStream: break
    case .answered, .failed: requests[response.id] = nil
    }
    guard phase != .left else { return }
    switch response.outcome {
    case .answered(let status, let headers, let body):
      answered(HTTPAnswer(status: status, headers: headers, body: body), purpose, request: response.id, at: now)
    case .failed(let failure): failed(failure, purpose, request: response.id, at: now)
    case .piece(let text): if purpose == .eventStream { receiveEvents(text, at: now) }
    case .ended:
      requests[response.id] = nil
      if purpose == .eventStream { eventStreamEnded(at: now) }
    }
  }

  private mutating func answered(_ answer: HTTPAnswer, _ purpose: Purpose, request id: Int, at now: MonotonicTime) {
    switch purpose {
    case .options: learned(answer, at: now)
    case .offer: offerAnswered(answer, at: now)
    case .counterAnswer: counterAnswered(answer, at: now)
    case .trickle: trickled(answer, at: now)
    case .restart: restarted(answer, request: id, at: now)
    case .delete: break
    case .subscribeEvents(let events): eventsSubscribed(answer, events, at: now)
    case .eventStream: eventStreamOpened(answer, request: id, at: now)
    case .chooseLayer: layerChosen(answer, at: now)
    }
  }

  private mutating func failed(_ failure: LinkFailure, _ purpose: Purpose, request id: Int, at now: MonotonicTime) {
    switch purpose {
    case .options: learned(nil, at: now)
    case .offer, .counterAnswer:
      let failure = WHEPFailure.unreachable(failure, at: configuration.address.authority)
      // While coming back, the network may be the one that has to come back first.
      if hasJoined, failure.code == .serverUnreachable { retry(after: nil, failure, at: now) } else { giveUp(failure) }
    case .trickle, .delete: break
    case .restart: if id == restartRequest { beginAnew(at: now) }
    case .subscribeEvents: break
    case .eventStream: eventStreamEnded(at: now)
    case .chooseLayer: layerChosen(nil, at: now)
    }
  }

  public mutating func perform(_ command: ConferenceCommand, at now: MonotonicTime) {
    guard phase != .left else { return }
    switch command {
    case .leave: leave(.requested)
    case .requestLayer(let track, let request): requestLayer(request, of: track)
    case .publish(let track):
      send(.event(.publishFailed(localID: track.localID, message: "A WHEP stream can only be watched.")))
    // There is no message for it: media that nobody wants is not offered, or not rendered.
    case .setSubscribed, .unpublish, .setMuted: break
    }
  }

  public mutating func localCandidate(_ candidate: String, of role: PeerRole, at now: MonotonicTime) {
    guard role == .subscriber, phase != .left else { return }
    if candidate.isEmpty {
      hasAllCandidates = true
    } else if candidates.count < Self.maximumCandidates, !candidates.contains(candidate) {
      candidates.append(candidate)
    }
    switch phase {
    case .gathering: if hasAllCandidates { makeOffer(at: now) }
    case .established: if !isRestarting, trickleAt == nil { trickleAt = now + Self.trickleDelay }
    default: break
    }
  }

  /// There is no signalling connection that could say something or close.
  public mutating func receive(_ message: [UInt8], at now: MonotonicTime) {}
  public mutating func connectionClosed(at now: MonotonicTime) {}

  public mutating func localTransport(_ local: LocalTransport, of role: PeerRole, at now: MonotonicTime) {
    guard role == .subscriber, phase != .left else { return }
    self.local = local
    if isRestarting { sendRestart() }
  }

  public mutating func mediaConnected(_ role: PeerRole, at now: MonotonicTime) {
    guard role == .subscriber else { return }
    hadMedia = true
  }

  public mutating func pathLost(_ role: PeerRole, at now: MonotonicTime) -> Bool {
    guard role == .subscriber, phase == .established, restart(at: now) else { return false }
    return true
  }

  public mutating func mediaFailed(_ role: PeerRole, at now: MonotonicTime) -> Bool {
    guard role == .subscriber, phase == .established || isRestarting else { return false }
    guard hadMedia else {
      giveUp(.noMedia(namesNoAddress: established?.remote.candidates.isEmpty ?? false))
      return true
    }
    beginAnew(at: now)
    return true
  }

  public mutating func mediaClosed(_ role: PeerRole, at now: MonotonicTime) {
    guard role == .subscriber, phase == .established else { return }
    beginAnew(at: now)
  }

  public mutating func advance(to now: MonotonicTime) {
    switch phase {
    case .gathering(let until) where now >= until: makeOffer(at: now)
    case .waiting(let until) where now >= until: makeOffer(at: now)
    default: break
    }
    if let trickleAt, now >= trickleAt {
      self.trickleAt = nil
      trickle()
    }
    advanceExtensions(to: now)
  }

  public mutating func pollOutput() -> SignallingOutput { outputs.take() ?? .wait(until: nextDeadline) }

  private var nextDeadline: MonotonicTime? {
    var deadlines = [trickleAt, extensions.reopenAt]
    switch phase {
    case .left: return nil
    case .gathering(let until), .waiting(let until): deadlines.append(until)
    default: break
    }
    return deadlines.compactMap(\.self).min()
  }

  // MARK: - Outputs

  mutating func send(_ output: SignallingOutput) { outputs.append(output) }

  /// Sends a request and remembers what it is for. Every one has the token (RFC 9725 §4.7.1).
  @discardableResult
  mutating func request(
    _ method: String, _ url: String, for purpose: Purpose, headers: [HTTPExchangeField] = [], body: String = "",
    timeout: Duration = .seconds(10), isStream: Bool = false
  ) -> Int {
    let id = nextRequest
    nextRequest += 1
    requests[id] = purpose
    var headers = headers
    if let token = configuration.token { headers.insert(HTTPExchangeField("Authorization", "Bearer \(token)"), at: 0) }
    let request = HTTPExchangeRequest(
      id: id, method: method, url: url, headers: headers, body: body, timeout: timeout, isStream: isStream,
      isFarewell: purpose == .delete)
    send(.ask(request))
    return id
  }

  /// Ends the session on the server, if there is one.
  mutating func deleteSession() {
    guard let established else { return }
    self.established = nil
    request("DELETE", established.url, for: .delete, timeout: .seconds(2))
  }

  mutating func leave(_ reason: LeaveReason) {
    endEvents()
    deleteSession()
    end(reason)
  }

  mutating func giveUp(_ failure: WHEPFailure) {
    endEvents()
    deleteSession()
    send(.event(.refused(failure.code, failure.message)))
    end(.refused)
  }

  mutating func end(_ reason: LeaveReason) {
    guard phase != .left else { return }
    phase = .left
    send(.event(.left(reason)))
    send(.close)
  }
}
