import Conference
import RTCCore

extension JanusSession {
  /// Everything that can be received and is wanted here.
  private var wanted: [JanusStreamID] {
    configuration.subscribes ? roster.decodableStreams.filter { !declined.contains($0.track) } : []
  }

  // MARK: - What is wanted

  /// Brings the subscription towards what is wanted, one step at a time.
  mutating func settleSubscription(at now: MonotonicTime) {
    if let until = subscription.postponedUntil {
      // The offer that everything waits for is lost.
      if now >= until { resubscribe(at: now) } else { return }
    }
    guard !isNegotiating else { return }
    let wanted = wanted
    switch subscription.state {
    case .none:
      guard !wanted.isEmpty, subscription.notBefore.map({ $0 <= now }) ?? true else { return }
      send("attach", ["plugin": "janus.plugin.videoroom"], for: .attachSubscriber, at: now)
    case .attached:
      // One that is not there would fail all.
      guard let handle = subscription.handle, !wanted.isEmpty,
        wanted.allSatisfy({ subscription.mayAsk(for: $0, at: now) })
      else { return }
      subscribe(to: wanted, handle, at: now)
    case .active:
      if subscription.needsRestart { restart(at: now) } else { update(to: wanted, at: now) }
    }
  }

  /// A request or an offer is under way, and another must wait: the server takes one at a time.
  private var isNegotiating: Bool {
    subscription.waitingOffer != nil
      || requests.isWaiting { purpose in
        switch purpose {
        case .attachSubscriber, .subscribe, .update, .start, .restart: true
        default: false
        }
      }
  }

  private mutating func restart(at now: MonotonicTime) {
    guard let handle = subscription.handle else { return }
    subscription.needsRestart = false
    ask(handle, ["request": "configure", "restart": true], for: .restart, at: now)
  }

  private mutating func subscribe(to wanted: [JanusStreamID], _ handle: Int64, at now: MonotonicTime) {
    var body: [String: JSONValue] = [
      "request": "join", "ptype": "subscriber", "streams": selectors(of: wanted, at: now),
    ]
    if let room = joinedRoom { body["room"] = room.json }
    if let pin = configuration.pin { body["pin"] = .text(pin) }
    if let token = configuration.credentials.token { body["token"] = .text(token) }
    if !privateID.isNull { body["private_id"] = privateID }
    ask(handle, body, for: .subscribe, at: now)
  }

  private mutating func update(to wanted: [JanusStreamID], at now: MonotonicTime) {
    guard let handle = subscription.handle else { return }
    let have = subscription.sources
    let missing = wanted.filter { have[$0] == nil && subscription.mayAsk(for: $0, at: now) }
    let surplus = surplus(beyond: Set(wanted))
    guard !missing.isEmpty || !surplus.isEmpty else { return }
    var body: [String: JSONValue] = ["request": "update"]
    if !missing.isEmpty { body["subscribe"] = selectors(of: missing, at: now) }
    if !surplus.isEmpty { body["unsubscribe"] = .list(surplus.map { ["sub_mid": .text($0)] }) }
    subscription.mayBeStale = false
    ask(handle, body, for: .update, at: now)
  }

  /// Our mids of sections that carry what is not wanted, or what another one carries already. Streams whose publisher has
  /// just gone are left to the server, which takes them away by itself.
  private func surplus(beyond wanted: Set<JanusStreamID>) -> [String] {
    var seen: Set<JanusStreamID> = []
    return subscription.streams.compactMap { stream in
      guard let source = stream.source else { return nil }
      let isSecond = !seen.insert(source).inserted
      let isDeclined = declined.contains(source.track)
      return isSecond || isDeclined || (subscription.mayBeStale && !wanted.contains(source)) ? stream.mid : nil
    }
  }

  /// Names streams to the server, with the layers that are wanted of them.
  private mutating func selectors(of streams: [JanusStreamID], at now: MonotonicTime) -> JSONValue {
    subscription.asked(for: streams, at: now)
    return .list(
      streams.map { stream in
        var members: [String: JSONValue] = ["feed": stream.feed.json, "mid": .text(stream.mid)]
        let setting = layerSetting(of: stream)
        layers.told(setting, of: stream.track, at: now)
        if !setting.isSent { members["send"] = false }
        if let substream = setting.substream { members["substream"] = .integer(Int64(substream)) }
        return .object(members)
      })
  }

  var subscriptionDeadline: MonotonicTime? {
    if let until = subscription.postponedUntil { return until }
    guard !isNegotiating else { return nil }
    switch subscription.state {
    case .none: return wanted.isEmpty ? nil : subscription.notBefore
    case .attached: return subscription.attempts(for: wanted).max()
    case .active:
      let have = subscription.sources
      return subscription.attempts(for: wanted.filter { have[$0] == nil }).min()
    }
  }

  // MARK: - What the server answers

  mutating func subscriberAttached(_ data: JSONValue, at now: MonotonicTime) {
    guard let handle = data["id"].integerValue else {
      drops.count(.malformed)
      return abandonSubscription(at: now)
    }
    subscription.handle = handle
    subscription.state = .attached
  }

  /// The answer to `join`, `update` or `configure` with a restart, or news that the server has by itself.
  mutating func negotiated(_ message: JanusMessage, at now: MonotonicTime) {
    switch message.data["videoroom"].textValue {
    case "attached": subscription.state = .active
    case "updating":
      // An offer of the server's own crossed our request; one for both follows when that is answered.
      subscription.postponedUntil = now + configuration.requestTimeout
      return
    default: break
    }
    if case .list(let streams) = message.data["streams"] {
      subscription.took(streams.compactMap(JanusSubscribedStream.init))
    }
    // Without an offer nothing changed.
    guard let jsep = message.jsep, jsep.type == "offer" else { return }
    subscription.postponedUntil = nil
    answer(jsep, at: now)
  }

  mutating func subscriptionFailed(_ purpose: Purpose, _ failure: JanusFailure, at now: MonotonicTime) {
    switch (purpose, failure.code) {
    case (.subscribe, JanusFailure.noSuchFeed), (.subscribe, JanusFailure.nothingToOffer):
      // Somebody has left in this moment; the room says so, or the next try will do.
      break
    case (_, JanusFailure.noSuchSession):
      forgetSession(at: now)
      lost(at: now)
    case (.subscribe, JanusFailure.noSuchRoom): end(.roomClosed)
    case (.subscribe, 433), (.subscribe, JanusFailure.missingElement):
      refuse(failure, during: .joining(room: configuration.room, hasPin: configuration.pin != nil))
    default: resubscribe(at: now)
    }
  }

  mutating func subscriberNoticed(_ message: JanusMessage, at now: MonotonicTime) {
    switch message.kind {
    case "event":
      switch message.data["videoroom"].textValue {
      case "destroyed": end(.roomClosed)
      case "attached", "updated": negotiated(message, at: now)
      case "event": layerNoticed(message.data, at: now)
      default: break
      }
    case "webrtcup":
      subscription.renewals = 0
      subscription.hasFlowed = true
    case "trickle": addCandidate(message.whole["candidate"], to: \.subscription.connection)
    case "slowlink":
      // `uplink` is what the server receives, which is nothing.
      if message.whole["uplink"].truthValue == false { pathIsSlow(at: now) }
    case "hangup": resubscribe(at: now)
    case "detached":
      subscription.handle = nil
      resubscribe(at: now)
    default: break
    }
  }

  // MARK: - Beginning again

  /// Gives the handle up and gets another: once hung up it cannot be used again.
  mutating func resubscribe(at now: MonotonicTime) {
    if let handle = subscription.handle {
      requests.forget(handle: handle)
      send("detach", handle: handle, at: now)
    }
    abandonSubscription(at: now)
  }

  /// Begins with nothing, on a new connection: at once the first time, later after pauses while media does not flow.
  mutating func abandonSubscription(at now: MonotonicTime) {
    let former = subscription
    let hadConnection = former.connection.peer.remoteUfrag != nil
    subscription = JanusSubscription(local: former.connection.local)
    subscription.announced = former.announced
    subscription.hasFlowed = former.hasFlowed
    subscription.renewals = former.renewals + 1
    subscription.notBefore = former.renewals == 0 ? now : now + Self.backoff.pause(after: former.renewals)
    layers.forgetSent()
    announceSubscriptions()
    guard hadConnection else { return }
    output(.media(.receive([])))
    output(.media(.renew(.subscriber)))
  }

  // MARK: - Descriptions

  private mutating func answer(_ jsep: JanusMessage.JSEP, at now: MonotonicTime) {
    guard let offer = try? SessionDescription(parsing: jsep.sdp) else {
      drops.count(.malformed)
      return resubscribe(at: now)
    }
    let ufrag = offer.transportSection.flatMap { offer.iceCredentials(for: $0) }?.usernameFragment
    if let former = subscription.connection.peer.remoteUfrag, ufrag != former {
      // An ICE restart, for which our side needs new credentials too (RFC 8839 §4.4.1.1.1).
      subscription.waitingOffer = jsep
      subscription.connection.forgetCandidates()
      output(.media(.restart(.subscriber)))
    } else {
      answer(offer, at: now)
    }
  }

  public mutating func localTransport(_ local: LocalTransport, of role: PeerRole, at now: MonotonicTime) {
    guard phase != .left else { return }
    if role == .publisher { return publishing.connection.local = local }
    subscription.connection.local = local
    guard let jsep = subscription.waitingOffer, let offer = try? SessionDescription(parsing: jsep.sdp) else { return }
    subscription.waitingOffer = nil
    answer(offer, at: now)
  }

  private mutating func answer(_ offer: SessionDescription, at now: MonotonicTime) {
    let tracks = Dictionary(
      subscription.streams.compactMap { stream in stream.source.map { (stream.mid, $0.track) } }
    ) { first, _ in first }
    guard let handle = subscription.handle,
      let answer = SubscriberAnswer(
        to: offer, local: subscription.connection.local, sessionID: sessionID,
        version: subscription.connection.peer.descriptionVersion,
        track: { section in section.mid.flatMap { tracks[$0] } })
    else {
      drops.count(.malformed)
      return resubscribe(at: now)
    }
    drops.count(.malformed, by: answer.unusableSections)
    subscription.connection.peer.descriptionVersion += 1
    subscription.connection.peer.isDescriptionSent = true
    ask(
      handle, ["request": "start"],
      jsep: ["type": "answer", "sdp": .text(answer.description.serialized())], for: .start, at: now)
    sendLocalCandidates(at: now)
    for command in subscription.connection.peer.commands(for: answer.remote) { output(.media(command)) }
    subscription.received = answer.tracks
    output(.media(.receive(answer.tracks)))
    announceSubscriptions()
  }

  /// Tells which streams are newly received or no longer. One whose owner is gone has taken its subscription along.
  mutating func announceSubscriptions() {
    let received = Set(subscription.received.map(\.track))
    let now = Set(subscription.streams.compactMap(\.source).filter { received.contains($0.track) })
      .filter { roster.stream($0) != nil }
    for stream in roster.decodableStreams where subscription.announced.contains(stream) && !now.contains(stream) {
      output(.event(.unsubscribed(ParticipantIdentity(stream.feed.description), stream.track)))
    }
    for stream in roster.decodableStreams where now.contains(stream) && !subscription.announced.contains(stream) {
      output(.event(.subscribed(ParticipantIdentity(stream.feed.description), stream.track)))
    }
    layers.forget(subscription.announced.subtracting(now).map(\.track))
    subscription.announced = now
  }

  // MARK: - Candidates

  /// A candidate of the server's for one of our connections.
  mutating func addCandidate(_ value: JSONValue, to connection: WritableKeyPath<JanusSession, JanusConnection>) {
    do throws(SDPError) {
      if let command = try self[keyPath: connection].command(adding: value) { output(.media(command)) }
    } catch {
      drops.count(.malformed)
    }
  }

  mutating func sendLocalCandidates(at now: MonotonicTime) {
    guard let handle = subscription.handle, link.isOpen else { return }
    for trickle in subscription.connection.takeTrickles() { send("trickle", trickle, handle: handle, at: now) }
  }
}
