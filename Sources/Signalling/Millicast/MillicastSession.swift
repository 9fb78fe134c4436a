import Conference
import RTCCore

/// A viewer of a Millicast stream: asks the director, views, puts the tracks that are wanted onto mids of its own, comes
/// back when a connection is lost, and moves to another one without a gap when the server asks for that.
///
/// A message that cannot be read or used is counted in ``drops`` and otherwise ignored.
public struct MillicastSession: SignallingAdapter {
  public struct Configuration: Sendable {
    public var address: Millicast.Address
    /// For secured streams; nil for open ones.
    public var token: String?
    /// What is received at all.
    public var kinds: Set<MediaKind> = [.audio, .video]
    /// Whether every source is received without being asked for.
    public var subscribes = true
    /// Longest wait for the director.
    public var timeout = Duration.seconds(10)
    /// How long a lost connection is looked for before the conference ends. Default 2 min: seven attempts.
    public var reconnectLimit = Duration.seconds(120)

    public init(address: Millicast.Address, token: String? = nil) {
      self.address = address
      self.token = token
    }
  }

  enum Phase: Equatable { case joining, joined, left }

  /// Pauses between attempts to connect, from the beginning after a success.
  private static let backoff = Backoff(from: .seconds(1), upTo: .seconds(32))
  /// From the answer to `view` to when sources that were not announced again are taken to be gone.
  static let announcementWait = Duration.seconds(3)
  /// How long the old connection goes on after the new one shows all that was shown.
  static let overlap = Duration.seconds(1)
  /// How long it goes on at most once the new one is connected.
  static let longestOverlap = Duration.seconds(6)

  /// What was received and could not be used.
  public internal(set) var drops = DropCounters()
  public var system: String { Millicast.system }
  public let canonicalName: String

  let configuration: Configuration
  private let sessionID: String
  var phase = Phase.joining
  private var outputs = OutputQueue<SignallingOutput>()

  var sources: MillicastSources
  var wishes: MillicastWishes
  /// Tracks that were told as subscribed.
  var subscribed: Set<Millicast.TrackKey> = []
  /// The source that each multiplexed audio mid was last said to carry.
  var voices: [String: Millicast.SourceKey] = [:]

  /// In order of age: the one that is shown, and while moving the one that comes after it.
  var links: [MillicastLink] = []
  private var lastLink = 0
  private var failedAttempts = 0
  /// When to connect again.
  private var retryAt: MonotonicTime?
  /// Media has passed once.
  private var hasConnected = false
  /// Since when there is no link that lets us view.
  private var lostSince: MonotonicTime?
  private var lastFailure = ""
  /// When to find out which sources were not announced again.
  var confirmAt: MonotonicTime?
  /// When to close the old link, and by when at the latest.
  private var closeOldAt: MonotonicTime?
  private var closeOldBy: MonotonicTime?

  /// - Parameter randomness: Gives names that must differ from others'; a seeded one gives the same session again.
  public init(
    configuration: Configuration, randomness: any RandomNumberGenerator & Sendable, startedAt now: MonotonicTime
  ) {
    var randomness = randomness
    self.configuration = configuration
    sessionID = String(UInt64.random(in: 1...(1 << 62), using: &randomness))
    canonicalName = String(UInt64.random(in: 0...UInt64.max, using: &randomness), radix: 36)
    sources = MillicastSources(streamName: configuration.address.stream)
    wishes = MillicastWishes(kinds: configuration.kinds, wantsAll: configuration.subscribes)
    connect()
  }

  // MARK: - Inputs

  public mutating func link(_ id: LinkID, did event: LinkEvent, at now: MonotonicTime) {
    guard phase != .left, let index = links.firstIndex(where: { $0.id == id }) else { return }
    switch event {
    case .opened(let local): view(index, local, at: now)
    case .message(let bytes): receive(bytes, on: index, at: now)
    case .failed(let failure):
      attemptFailed(index, configuration.address.sentence(for: failure, isDirector: false), at: now)
    case .closed:
      lost(index, .serverUnreachable, "The server closed the connection before it let us view. Try again.", at: now)
    case .mediaConnected: mediaConnected(index, at: now)
    case .mediaFailed(let reason):
      lost(
        index, .mediaFailed,
        "The server was reached, but media cannot pass: \(reason.visibleLine). A firewall may block UDP.", at: now)
    }
  }

  /// The director answers, or does not.
  public mutating func exchange(_ response: HTTPExchangeResponse, at now: MonotonicTime) {
    guard phase != .left, let index = links.firstIndex(where: { $0.id.raw == response.id }),
      links[index].stage == .asking
    else { return }
    switch response.outcome {
    case .answered(let status, _, let body): directed(index, status: status, body: body, at: now)
    case .failed(let failure):
      attemptFailed(index, configuration.address.sentence(for: failure, isDirector: true), at: now)
    case .piece, .ended: break
    }
  }

  public mutating func perform(_ command: ConferenceCommand, at now: MonotonicTime) {
    guard phase != .left else { return }
    switch command {
    case .requestLayer(let track, let request):
      guard let key = sources.key(of: track), wishes.request(request, of: key) else { return }
      settle(at: now)
    case .setSubscribed(let track, let wanted):
      guard let key = sources.key(of: track) else { return }
      wishes.setSubscribed(key, wanted)
      if !wanted, subscribed.remove(key) != nil, let source = sources[key.source] {
        output(.event(.unsubscribed(source.identity, track)))
      }
      settle(at: now)
    case .publish(let track):
      output(.event(.publishFailed(localID: track.localID, message: "Streams of Millicast are only viewed.")))
    case .unpublish, .setMuted: break
    case .leave: end(.requested)
    }
  }

  public mutating func advance(to now: MonotonicTime) {
    guard phase != .left else { return }
    if let lostSince, now >= lostSince + configuration.reconnectLimit { return giveUp() }
    if let due = retryAt, now >= due {
      retryAt = nil
      connect()
    }
    for id in links.map(\.id) {
      guard let index = links.firstIndex(where: { $0.id == id }) else { continue }
      let outcomes = links[index].giveUp(at: now)
      handle(outcomes, of: id, at: now)
    }
    if let due = confirmAt, now >= due { confirmSources(at: now) }
    if let due = [closeOldAt, closeOldBy].compactMap({ $0 }).min(), now >= due { closeOld() }
  }

  public mutating func pollOutput() -> SignallingOutput { outputs.take() ?? .wait(until: nextDeadline) }

  private var nextDeadline: MonotonicTime? {
    guard phase != .left else { return nil }
    let limit = lostSince.map { $0 + configuration.reconnectLimit }
    return ([limit, retryAt, confirmAt, closeOldAt, closeOldBy] + links.map(\.nextDeadline)).compactMap { $0 }.min()
  }

  // MARK: - Connecting

  /// The newest link that lets us view: what it says counts.
  var lead: Int? { links.lastIndex { $0.isViewed } }

  private mutating func connect() {
    lastLink += 1
    links.append(MillicastLink(id: LinkID(lastLink), pinned: pinned))
    output(
      .ask(
        Millicast.question(
          LinkID(lastLink), to: configuration.address, token: configuration.token, timeout: configuration.timeout)))
  }

  private var pinned: Millicast.SourceKey { Millicast.SourceKey(id: configuration.address.pinnedSource) }

  private mutating func directed(_ index: Int, status: Int, body: String, at now: MonotonicTime) {
    do throws(Millicast.Refusal) {
      let direction = try Millicast.direction(status: status, body: body, for: configuration.address)
      links[index].stage = .opening(direction)
      output(.link(links[index].id, .open(url: direction.url)))
    } catch {
      let sentence = configuration.address.sentence(for: error, hasToken: configuration.token != nil)
      if case .unauthorized = error { return refuse(sentence) }
      attemptFailed(index, sentence, at: now)
    }
  }

  private mutating func view(_ index: Int, _ local: LocalTransport, at now: MonotonicTime) {
    guard case .opening(let direction) = links[index].stage else { return }
    if !direction.iceServers.isEmpty { links[index].commands.append(.media(.iceServers(direction.iceServers))) }
    // Video first, as the service's own viewer has it; an offer of nothing would be none.
    let wanted = [MediaKind.video, .audio].filter { configuration.kinds.contains($0) }
    let receivers = MillicastReceivers(kinds: wanted.isEmpty ? [.audio] : wanted, local: local, sessionID: sessionID)
    links[index].view(
      receivers, streamID: direction.streamID, excluded: configuration.address.excludedSources, at: now)
    flush(index)
  }

  /// We are let in on a link, which leads from now on.
  mutating func viewed(_ id: LinkID, at now: MonotonicTime) {
    confirmAt = now + Self.announcementWait
    if phase == .joining || lostSince != nil {
      phase = .joined
      // Who was there is still there until the server does not announce it again.
      output(.event(.joined(room: configuration.address.stream, participants: sources.sources.map(\.participant))))
    }
    guard let index = links.firstIndex(where: { $0.id == id }) else { return }
    flush(index)
    let early = links[index].early
    links[index].early = []
    tellReceived(id)
    for event in early { handle(event, on: id, at: now) }
  }

  private mutating func mediaConnected(_ index: Int, at now: MonotonicTime) {
    guard links[index].stage == .viewed else { return }
    links[index].stage = .connected
    hasConnected = true
    failedAttempts = 0
    lostSince = nil
    if links.count > 1 { closeOldBy = now + Self.longestOverlap }
    considerClosingOld(at: now)
  }

  // MARK: - Losing a connection

  /// A link came to nothing before it let us view.
  mutating func attemptFailed(
    _ index: Int, _ sentence: (code: ConferenceError.Code, text: String), at now: MonotonicTime
  ) {
    guard phase == .joined else { return refuse(sentence) }
    lastFailure = sentence.text
    close(index)
    retry(at: now)
  }

  /// A link ended; what is said counts only when it is the first.
  private mutating func lost(_ index: Int, _ code: ConferenceError.Code, _ text: String, at now: MonotonicTime) {
    let isFirst = phase == .joining || code == .mediaFailed && !hasConnected
    if isFirst { return refuse((code, text)) }
    guard links[index].isViewed else { return attemptFailed(index, (code, text), at: now) }
    lastFailure = text
    let wasNewest = index == links.count - 1
    close(index)
    if lead == nil {
      lostSince = lostSince ?? now
      output(.event(.reconnecting))
    }
    // Of two that let us view, the older one goes on when the newer is lost, and moving is tried again.
    if wasNewest, retryAt == nil { retry(at: now) }
  }

  private mutating func retry(at now: MonotonicTime) {
    retryAt = now + Self.backoff.pause(after: failedAttempts)
    failedAttempts += 1
  }

  /// The server wants us elsewhere: another link is made, and this one goes on until that one shows everything.
  mutating func migrate(at now: MonotonicTime) {
    guard links.count == 1, retryAt == nil else { return }
    connect()
  }

  private mutating func close(_ index: Int) {
    let link = links.remove(at: index)
    output(.link(link.id, .close))
    if links.count < 2 {
      closeOldAt = nil
      closeOldBy = nil
    }
  }

  mutating func considerClosingOld(at now: MonotonicTime) {
    guard closeOldAt == nil, links.count > 1, let new = links.last, let old = links.first, new.stage == .connected
    else { return }
    let isComplete = old.places.keys.allSatisfy { key in
      !old.isProjected(key) || !wishes.isEnabled(key) || new.isProjected(key)
    }
    if isComplete { closeOldAt = now + Self.overlap }
  }

  private mutating func closeOld() {
    closeOldAt = nil
    closeOldBy = nil
    guard links.count > 1 else { return }
    close(0)
  }

  // MARK: - The end

  private mutating func refuse(_ sentence: (code: ConferenceError.Code, text: String)) {
    output(.event(.refused(sentence.code, sentence.text)))
    end(.refused)
  }

  private mutating func giveUp() {
    let limit = Int(configuration.reconnectLimit.inSeconds)
    output(
      .event(
        .refused(
          .closedByServer, "The connection was lost, and for \(limit) s no other could be made. \(lastFailure)")))
    end(.connectionLost)
  }

  mutating func end(_ reason: LeaveReason) {
    guard phase != .left else { return }
    phase = .left
    for link in links { output(.link(link.id, .close)) }
    links = []
    output(.event(.left(reason)))
    output(.close)
  }

  // MARK: - Outputs

  mutating func output(_ output: SignallingOutput) { outputs.append(output) }

  /// Hands on what a link wants done.
  mutating func flush(_ index: Int) {
    for command in links[index].commands { output(.link(links[index].id, command)) }
    links[index].commands = []
  }
}

/// Everything of this system goes over links.
extension MillicastSession {
  public mutating func receive(_ message: [UInt8], at now: MonotonicTime) {}
  public mutating func localCandidate(_ candidate: String, of role: PeerRole, at now: MonotonicTime) {}
  public mutating func connectionClosed(at now: MonotonicTime) {}
}
