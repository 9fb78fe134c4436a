import Conference
import RTCCore

extension JanusSession {
  // MARK: - What is wanted

  mutating func publish(_ track: LocalTrack) {
    guard !publishing.publications.contains(where: { $0.track.localID == track.localID }) else {
      return output(.event(.publishFailed(localID: track.localID, message: "This track is published already.")))
    }
    let encodings = PublisherSection.encodings(of: track, using: &randomness)
    publishing.publications.append(
      JanusPublishing.Publication(track: track, encodings: encodings, isMuted: track.isMuted))
    publishing.needsOffer = true
  }

  mutating func unpublish(_ localID: String, at now: MonotonicTime) {
    guard let index = publishing.publications.firstIndex(where: { $0.track.localID == localID }) else { return }
    let ended = publishing.publications.remove(at: index)
    endSection(of: ended)
    tell(roster.setLocalStreams(localStreams))
    guard publishing.publications.isEmpty, publishing.isActive, let handle = roomHandle else { return }
    // Without anything to send the connection is of no use.
    ask(handle, ["request": "unpublish"], for: nil, at: now)
    renewPublisher()
  }

  mutating func setMuted(_ localID: String, _ isMuted: Bool, at now: MonotonicTime) {
    guard let index = publishing.publications.firstIndex(where: { $0.track.localID == localID }) else { return }
    publishing.publications[index].isMuted = isMuted
    tell(roster.setLocalStreams(localStreams))
    tellMuted(at: now) { $0.track.localID == localID }
  }

  private mutating func tellMuted(
    at now: MonotonicTime, _ isMeant: (JanusPublishing.Publication) -> Bool
  ) {
    let streams = publishing.publications.filter(isMeant).compactMap { publication -> JSONValue? in
      guard publication.isPublished, let mid = publication.mid else { return nil }
      return ["mid": .text(mid), "send": .truth(!publication.isMuted)]
    }
    guard !streams.isEmpty, let handle = roomHandle else { return }
    ask(handle, ["request": "configure", "streams": .list(streams)], for: .configure, at: now)
  }

  // MARK: - Offers and answers

  var publishingDeadline: MonotonicTime? {
    publishing.needsOffer && !requests.isWaiting(for: { $0 == .publish }) ? publishing.notBefore : nil
  }

  /// Offers what has changed, one offer at a time.
  mutating func settlePublishing(at now: MonotonicTime) {
    guard publishing.needsOffer, let handle = roomHandle, publishing.notBefore.map({ $0 <= now }) ?? true,
      !requests.isWaiting(for: { $0 == .publish })
    else { return }
    publishing.needsOffer = false
    for index in publishing.publications.indices where publishing.publications[index].mid == nil {
      let mid = String(publishing.sections.count)
      let publication = publishing.publications[index]
      publishing.publications[index].mid = mid
      publishing.sections.append(
        PublisherSection(
          mid: mid,
          content: .track(
            localID: publication.track.localID, kind: publication.track.kind, cid: "confab\(mid)",
            encodings: publication.encodings)))
    }
    guard !publishing.sections.isEmpty else { return }
    var offer = SessionDescription(sessionID: sessionID, version: publishing.connection.peer.descriptionVersion)
    publishing.connection.peer.descriptionVersion += 1
    offer.allowsMixedExtensions = true
    offer.bundleGroups = [publishing.sections.map(\.mid)]
    offer.media = publishing.sections.map { $0.offered(local: publishing.connection.local, cname: canonicalName) }
    let descriptions = publishing.publications.compactMap { publication -> JSONValue? in
      publication.mid.map { ["mid": .text($0), "description": .text(publication.track.name)] }
    }
    // Our layers are listed from the lowest, which the server would take for the highest.
    ask(
      handle, ["request": publishing.isActive ? "configure" : "publish", "descriptions": .list(descriptions)],
      jsep: ["type": "offer", "sdp": .text(offer.serialized()), "rid_order": "lmh"], for: .publish, at: now)
    publishing.connection.peer.isDescriptionSent = true
    sendPublisherCandidates(at: now)
  }

  mutating func published(_ message: JanusMessage, at now: MonotonicTime) {
    guard let jsep = message.jsep, jsep.type == "answer", let answer = try? SessionDescription(parsing: jsep.sdp),
      let remote = RemoteTransport(
        answer, weAreDTLSClient: answer.transportSection.flatMap { answer.setup(for: $0) } == .passive)
    else {
      drops.count(.malformed)
      return failPublications("The server's answer to the offer makes no sense.")
    }
    publishing.isActive = true
    for command in publishing.connection.peer.commands(for: remote) { output(.media(command)) }
    var sent: [SentTrack] = []
    for (index, section) in publishing.sections.enumerated() {
      guard answer.media.indices.contains(index) else { continue }
      let described = answer.section(mid: section.mid) ?? answer.media[index]
      if let track = section.sent(by: described, of: answer) {
        sent.append(track)
      } else if let publication = publishing.publications.first(where: { $0.mid == section.mid }) {
        let codec = publication.track.kind == .audio ? "Opus" : "VP8"
        fail(publication, "The room does not take \(codec).")
      }
    }
    setSent(sent)
    for index in publishing.publications.indices {
      guard let mid = publishing.publications[index].mid, sent.contains(where: { $0.mid == mid }),
        !publishing.publications[index].isPublished, let id = roster.localID
      else { continue }
      publishing.publications[index].isPublished = true
      output(
        .event(
          .published(
            localID: publishing.publications[index].track.localID, JanusStreamID(feed: id, mid: mid).track)))
    }
    tell(roster.setLocalStreams(localStreams))
    tellMuted(at: now, \.isMuted)
  }

  mutating func publishingRefused(_ failure: JanusFailure) {
    failPublications(JanusRefusal(failure, during: .publishing, credentials: configuration.credentials).message)
  }

  /// What was not taken yet will not be.
  mutating func failPublications(_ message: String) {
    for publication in publishing.publications where !publishing.sent.contains(where: { $0.mid == publication.mid }) {
      fail(publication, message)
    }
  }

  private mutating func fail(_ publication: JanusPublishing.Publication, _ message: String) {
    publishing.publications.removeAll { $0.track.localID == publication.track.localID }
    output(.event(.publishFailed(localID: publication.track.localID, message: message)))
    endSection(of: publication)
  }

  private mutating func endSection(of publication: JanusPublishing.Publication) {
    guard let index = publishing.sections.firstIndex(where: { $0.mid == publication.mid }) else { return }
    publishing.sections[index].content = .ended(publication.track.kind)
    publishing.needsOffer = publishing.isActive
    setSent(publishing.sent.filter { $0.mid != publication.mid })
  }

  private mutating func setSent(_ sent: [SentTrack]) {
    guard sent != publishing.sent else { return }
    publishing.sent = sent
    output(.media(.send(sent)))
  }

  /// Our own streams, as others see them.
  private var localStreams: [JanusStream] {
    publishing.publications.compactMap { publication in
      guard publication.isPublished, let mid = publication.mid else { return nil }
      return JanusStream(
        mid: mid, kind: publication.track.kind, description: publication.track.name,
        hasSimulcast: publication.encodings.count > 1, isMuted: publication.isMuted)
    }
  }

  // MARK: - The connection

  mutating func sendPublisherCandidates(at now: MonotonicTime) {
    guard let handle = roomHandle, link.isOpen else { return }
    for trickle in publishing.connection.takeTrickles() { send("trickle", trickle, handle: handle, at: now) }
  }

  /// Gives the connection up for a new one, on which everything is published again.
  mutating func renewPublisher() {
    let hadConnection = publishing.connection.peer.isDescriptionSent
    setSent([])
    publishing.beginAnew()
    if hadConnection { output(.media(.renew(.publisher))) }
  }

  /// The connection broke, or the server hung it up.
  mutating func publisherFailed(at now: MonotonicTime) {
    guard publishing.isActive else { return }
    publishing.notBefore = now + Self.backoff.pause(after: publishing.failures)
    publishing.failures += 1
    renewPublisher()
  }
}
