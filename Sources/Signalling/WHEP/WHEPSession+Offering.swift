import Conference
import RTCCore

/// From the first request to the answer that lets media flow.
extension WHEPSession {
  /// What OPTIONS answered, or nil when nothing came. Whatever it is, the offer follows.
  mutating func learned(_ answer: HTTPAnswer?, at now: MonotonicTime) {
    guard phase == .learning else { return }
    if let answer, answer.isSuccess { use(ICEServerInfo.list(answer.links)) }
    beginGathering(at: now)
  }

  private mutating func use(_ servers: [ICEServerInfo]) {
    if !servers.isEmpty { send(.media(.iceServers(servers))) }
  }

  private mutating func beginGathering(at now: MonotonicTime) {
    phase = .gathering(until: now + Self.gatheringTimeout)
    send(.media(.gather(.subscriber)))
    if hasAllCandidates { makeOffer(at: now) }
  }

  mutating func makeOffer(at now: MonotonicTime) {
    phase = .offering
    descriptionVersion += 1
    let offer = WHEPOffer(
      kinds: kinds, local: local, candidates: candidates, areAll: hasAllCandidates, sessionID: sessionID,
      version: descriptionVersion)
    self.offer = offer
    toldCandidates = candidates.count + (hasAllCandidates ? 1 : 0)
    postOffer(at: now)
  }

  private mutating func postOffer(at now: MonotonicTime) {
    guard let offer else { return }
    request(
      "POST", endpoint, for: .offer,
      headers: [
        HTTPExchangeField("Content-Type", "application/sdp"),
        HTTPExchangeField("Accept", "application/sdp, application/problem+json, application/json, text/plain"),
      ], body: offer.description.serialized(), timeout: max(.seconds(1), deadline - now))
  }

  mutating func offerAnswered(_ answer: HTTPAnswer, at now: MonotonicTime) {
    guard phase == .offering else { return }
    switch answer.status {
    case 200..<300: accepted(answer, at: now)
    case 307, 308: redirected(answer, at: now)
    // Not every 406 is an offer: some mean the type of content (draft-ietf-wish-whep §4.2).
    case 406 where answer.isSessionDescription: countered(answer, at: now)
    case 409, 429, 503:
      retry(after: answer.retryAfter, refusal(answer), at: now)
    // While coming back, the publisher may be on the way back too, and some servers say 404 for that.
    case 404 where hasJoined, 500... where hasJoined: retry(after: answer.retryAfter, refusal(answer), at: now)
    default: giveUp(hasJoined ? .brokenOff(refusal(answer)) : refusal(answer))
    }
  }

  private func refusal(_ answer: HTTPAnswer) -> WHEPFailure {
    WHEPFailure.refused(answer, at: configuration.address.authority, hasToken: configuration.token != nil)
  }

  /// Method and body stay as they were (RFC 9110 §15.4.8). The token goes along, but never from an encrypted connection to
  /// an open one.
  private mutating func redirected(_ answer: HTTPAnswer, at now: MonotonicTime) {
    let authority = configuration.address.authority
    redirects += 1
    guard redirects <= Self.maximumRedirects else {
      return giveUp(.notWHEP(authority, "it sends us from one address to the next without end"))
    }
    guard let url = answer["Location"].flatMap({ WHEPAddress.resolve($0, against: endpoint) }) else {
      return giveUp(.notWHEP(authority, "it sends us elsewhere and does not say where"))
    }
    guard WHEPAddress.isSecured(url) || !WHEPAddress.isSecured(endpoint) else {
      return giveUp(.notWHEP(authority, "it sends us from an encrypted address to one that is not"))
    }
    endpoint = url
    postOffer(at: now)
  }

  /// Where the session is; nil when the server does not say, or says what must not be used.
  private mutating func sessionURL(_ answer: HTTPAnswer) -> String? {
    let authority = configuration.address.authority
    guard let location = answer["Location"] else {
      giveUp(.notWHEP(authority, "it took our offer and does not say where the session is (no Location)"))
      return nil
    }
    guard let url = WHEPAddress.resolve(location, against: endpoint) else {
      giveUp(.notWHEP(authority, "the address of the session that it made cannot be used"))
      return nil
    }
    guard WHEPAddress.isSecured(url) || !WHEPAddress.isSecured(endpoint) else {
      giveUp(.notWHEP(authority, "it moves an encrypted session to an address that is not"))
      return nil
    }
    return url
  }

  private mutating func accepted(_ answer: HTTPAnswer, at now: MonotonicTime) {
    let authority = configuration.address.authority
    guard answer.isSessionDescription, let offer else {
      return giveUp(.notWHEP(authority, "it answers with HTTP \(answer.status) and no session description"))
    }
    guard let url = sessionURL(answer) else { return }
    let reception: WHEPOffer.Reception
    do { reception = try offer.read(answer.body) } catch {
      request("DELETE", url, for: .delete, timeout: .seconds(2))
      return giveUp(.answer(error, at: authority))
    }
    establish(url, answer, reception, at: now)
  }

  /// The server cannot use our offer and makes one itself, which we answer by PATCH (draft-ietf-wish-whep §4.2, since 2025).
  private mutating func countered(_ answer: HTTPAnswer, at now: MonotonicTime) {
    let authority = configuration.address.authority
    guard let url = sessionURL(answer) else { return }
    let wanted = kinds
    var sections: [Int: MediaKind] = [:]
    guard let theirs = try? SessionDescription(parsing: answer.body),
      let reply = SubscriberAnswer(
        to: theirs, local: local, sessionID: sessionID, version: descriptionVersion,
        track: { section in
          section.kind.mediaKind.flatMap { wanted.contains($0) ? WHEPOffer.track($0) : nil }
        })
    else {
      request("DELETE", url, for: .delete, timeout: .seconds(2))
      return giveUp(.notWHEP(authority, "the offer that it makes itself cannot be read"))
    }
    for (index, section) in reply.description.media.enumerated() where section.direction == .receiveOnly {
      sections[index] = section.kind.mediaKind
    }
    let foreign = wanted.contains(.video) ? WHEPOffer.foreignVideo(in: theirs) : []
    guard foreign.isEmpty, !reply.tracks.isEmpty else {
      request("DELETE", url, for: .delete, timeout: .seconds(2))
      return giveUp(.nothingUsable(foreign.isEmpty ? WHEPOffer.codecs(of: theirs.media) : foreign))
    }
    var description = reply.description
    if let index = description.media.firstIndex(where: { !$0.isRejected }) {
      description.media[index].candidates = candidates.compactMap { try? ICECandidate(parsing: $0) }
      description.media[index].hasAllCandidates = hasAllCandidates
    }
    phase = .answering
    counter = Counter(
      established: Established(
        url: url, entityTag: answer["ETag"], remote: reply.remote, fragment: Self.fragment(of: description)),
      reception: WHEPOffer.Reception(tracks: reply.tracks, remote: reply.remote, sections: sections),
      links: answer.links)
    established = counter?.established
    var headers = [HTTPExchangeField("Content-Type", "application/sdp")]
    if let tag = answer["ETag"] { headers.append(HTTPExchangeField("If-Match", tag)) }
    request(
      "PATCH", url, for: .counterAnswer, headers: headers, body: description.serialized(),
      timeout: max(.seconds(1), deadline - now))
  }

  mutating func counterAnswered(_ answer: HTTPAnswer, at now: MonotonicTime) {
    guard phase == .answering, var counter else { return }
    self.counter = nil
    guard answer.isSuccess else { return giveUp(refusal(answer)) }
    if let tag = answer["ETag"] { counter.established.entityTag = tag }
    begin(counter.established, counter.reception, links: counter.links + answer.links, at: now)
  }

  private mutating func establish(
    _ url: String, _ answer: HTTPAnswer, _ reception: WHEPOffer.Reception, at now: MonotonicTime
  ) {
    guard let offer else { return }
    begin(
      Established(
        url: url, entityTag: answer["ETag"], remote: reception.remote, fragment: Self.fragment(of: offer.description)),
      reception, links: answer.links, at: now)
  }

  /// What fragments say besides credentials and candidates.
  private static func fragment(of description: SessionDescription) -> ICEFragment {
    var fragment = ICEFragment(credentials: nil)
    fragment.options = ["trickle"]
    fragment.bundleGroup = description.bundleGroups.first ?? []
    if let section = description.media.first(where: { !$0.isRejected }) {
      fragment.kind = section.kind
      fragment.mid = section.mid
    }
    return fragment
  }

  /// Media can flow.
  private mutating func begin(
    _ established: Established, _ reception: WHEPOffer.Reception, links: [WebLink], at now: MonotonicTime
  ) {
    phase = .established
    self.established = established
    attempts = 0
    // Of use to a restart only: what was gathered before did without them.
    use(ICEServerInfo.list(links))
    send(.media(.connect(.subscriber, reception.remote)))
    participant.tracks = reception.tracks.map {
      Track(id: $0.track, kind: $0.kind, source: $0.kind == .video ? .camera : .microphone)
    }
    hasJoined = true
    tellJoined()
    send(.media(.receive(reception.tracks)))
    if toldCandidates < candidates.count + (hasAllCandidates ? 1 : 0) { trickleAt = now + Self.trickleDelay }
    beginExtensions(links, sections: reception.sections, at: now)
  }

  /// We are in, or in again.
  mutating func tellJoined() {
    send(.event(.joined(room: configuration.address.name, participants: [participant])))
    for track in participant.tracks { send(.event(.subscribed(participant.id, track.id))) }
  }

  /// Offers again later, unless the time for it is over.
  mutating func retry(after asked: Duration?, _ failure: WHEPFailure, at now: MonotonicTime) {
    let next = now + max(asked ?? Self.backoff.pause(after: attempts), .seconds(1))
    attempts += 1
    guard next < deadline else { return giveUp(hasJoined ? .brokenOff(failure) : failure) }
    phase = .waiting(until: next)
  }

  /// Gives the broken session up, and tries to come back by another.
  mutating func beginAnew(at now: MonotonicTime) {
    guard phase != .left else { return }
    endEvents()
    deleteSession()
    isRestarting = false
    restartRequest = nil
    trickleAt = nil
    candidates = []
    hasAllCandidates = false
    toldCandidates = 0
    hadMedia = false
    endpoint = configuration.address.url
    redirects = 0
    counter = nil
    deadline = now + configuration.recoveryTimeout
    send(.event(.reconnecting))
    send(.media(.renew(.subscriber)))
    send(.media(.gather(.subscriber)))
    phase = .gathering(until: now + Self.gatheringTimeout)
  }
}
