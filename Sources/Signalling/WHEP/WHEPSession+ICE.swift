import Conference
import RTCCore

/// Candidates after the offer, and restarts of ICE (draft-ietf-wish-whep §4.4).
extension WHEPSession {
  /// Tells the candidates that the offer did not have, all in one request.
  mutating func trickle() {
    guard phase == .established, let established, !established.refusesPatch, !isRestarting else { return }
    let known = min(toldCandidates, candidates.count)
    guard toldCandidates < candidates.count + (hasAllCandidates ? 1 : 0) else { return }
    // One at a time, so that a refusal is known before the next.
    guard !requests.values.contains(.trickle) else { return }
    var fragment = fragment(with: Array(candidates[known...]))
    fragment.hasAllCandidates = hasAllCandidates
    toldCandidates = candidates.count + (hasAllCandidates ? 1 : 0)
    patch(fragment, match: established.entityTag, for: .trickle)
  }

  mutating func trickled(_ answer: HTTPAnswer, at now: MonotonicTime) {
    // Whatever the failure, the session goes on (draft-ietf-wish-whep §4.4.3); without candidates of ours it often can.
    // 412: ICE has been restarted since, and the restart has told them all.
    if !answer.isSuccess, answer.status != 412 { established?.refusesPatch = true }
    if toldCandidates < candidates.count + (hasAllCandidates ? 1 : 0) { trickleAt = now + Self.trickleDelay }
  }

  /// Asks the media path for new credentials, which ``sendRestart()`` then tells. False when the server does not know how.
  mutating func restart(at now: MonotonicTime) -> Bool {
    // A session without an entity tag cannot be restarted (draft-ietf-wish-whep §4.4.1).
    guard let established, !established.refusesPatch, established.entityTag != nil, !isRestarting else { return false }
    isRestarting = true
    restartIsQuoted = false
    candidates = []
    hasAllCandidates = false
    toldCandidates = 0
    trickleAt = nil
    send(.event(.reconnecting))
    send(.media(.restart(.subscriber)))
    return true
  }

  mutating func sendRestart() {
    guard established != nil else { return }
    var fragment = fragment(with: candidates)
    fragment.hasAllCandidates = hasAllCandidates
    toldCandidates = candidates.count + (hasAllCandidates ? 1 : 0)
    // The draft's example has the star in quotes, which HTTP has not (RFC 9110 §13.1.1); who insists gets them.
    restartRequest = patch(fragment, match: restartIsQuoted ? "\"*\"" : "*", for: .restart)
  }

  mutating func restarted(_ answer: HTTPAnswer, request id: Int, at now: MonotonicTime) {
    // Only the answer to the newest counts.
    guard isRestarting, id == restartRequest, phase == .established else { return }
    if [400, 412, 428].contains(answer.status), !restartIsQuoted {
      restartIsQuoted = true
      return sendRestart()
    }
    guard answer.isSuccess, let fragment = try? ICEFragment(parsing: answer.body),
      let credentials = fragment.credentials,
      var remote = established?.remote, credentials.usernameFragment != remote.iceUfrag
    else {
      established?.refusesPatch = true
      return beginAnew(at: now)
    }
    isRestarting = false
    restartRequest = nil
    remote.iceUfrag = credentials.usernameFragment
    remote.icePassword = credentials.password
    if !fragment.candidates.isEmpty {
      remote.candidates = fragment.candidates.filter { !$0.isMulticastDNS }.map(\.attribute)
    }
    established?.remote = remote
    if let tag = answer["ETag"] { established?.entityTag = tag }
    send(.media(.connect(.subscriber, remote)))
    tellJoined()
    if toldCandidates < candidates.count + (hasAllCandidates ? 1 : 0) { trickleAt = now + Self.trickleDelay }
  }

  private func fragment(with candidates: [String]) -> ICEFragment {
    var fragment = established?.fragment ?? ICEFragment(credentials: nil)
    fragment.credentials = ICECredentials(usernameFragment: local.iceUfrag, password: local.icePassword)
    fragment.candidates = candidates.compactMap { try? ICECandidate(parsing: $0) }
    return fragment
  }

  @discardableResult
  private mutating func patch(_ fragment: ICEFragment, match: String?, for purpose: Purpose) -> Int? {
    guard let established else { return nil }
    var headers = [HTTPExchangeField("Content-Type", ICEFragment.contentType)]
    if let match { headers.append(HTTPExchangeField("If-Match", match)) }
    return request(
      "PATCH", established.url, for: purpose, headers: headers, body: fragment.serialized(), timeout: .seconds(5))
  }
}
