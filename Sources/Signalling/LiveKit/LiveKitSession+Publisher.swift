import Conference
import RTCCore

/// What we publish and how far each track has come.
struct Publishing {
  struct Publication: Equatable {
    let track: LocalTrack
    /// Our name of the track towards the server.
    let cid: String
    var encodings: [SentTrack.Encoding]
    var isMuted: Bool
    /// The server's id; nil until it has given one.
    var id: TrackID?
    /// When to give up waiting for the id.
    var deadline: MonotonicTime
  }
  struct Offer: Equatable {
    var id: UInt32
    /// How many sections it had; later ones wait for the next offer.
    var sections: Int
    var deadline: MonotonicTime
  }

  let cname: String
  var isAllowed = true
  var publications: [Publication] = []
  var sections: [PublisherSection] = []
  var sent: [SentTrack] = []
  private(set) var lastOfferID: UInt32 = 0
  /// The one offer without an answer.
  var pendingOffer: Offer?
  /// Something changed since the last offer.
  var needsOffer = false

  init(cname: String) { self.cname = cname }

  var deadlines: [MonotonicTime?] {
    [pendingOffer?.deadline] + publications.map { $0.id == nil ? $0.deadline : nil }
  }

  /// Nothing of what is published is known to the server any more.
  mutating func beginAnew() {
    for index in publications.indices { publications[index].id = nil }
    sections = []
    sent = []
    pendingOffer = nil
    needsOffer = false
  }

  /// The number of the next offer; never 0, which stands for "unnumbered".
  mutating func nextOfferID() -> UInt32 {
    lastOfferID = lastOfferID == .max ? 1 : lastOfferID + 1
    return lastOfferID
  }
}

extension LiveKitSession {
  // MARK: - Announcing tracks

  mutating func publish(_ track: LocalTrack, at now: MonotonicTime) {
    guard publishing.isAllowed else {
      output(.event(.publishFailed(localID: track.localID, message: "The token does not allow to publish.")))
      return
    }
    guard !publishing.publications.contains(where: { $0.track.localID == track.localID }) else {
      output(.event(.publishFailed(localID: track.localID, message: "This track is published already.")))
      return
    }
    let cid = "confab-" + String(UInt64.random(in: 0...UInt64.max, using: &randomness), radix: 16)
    let encodings = PublisherSection.encodings(of: track, using: &randomness)
    publishing.publications.append(
      Publishing.Publication(
        track: track, cid: cid, encodings: encodings, isMuted: track.isMuted,
        deadline: now + configuration.publishTimeout))
    send(.addTrack(Self.request(for: track, cid: cid, encodings: encodings)))
  }

  static func request(
    for track: LocalTrack, cid: String, encodings: [SentTrack.Encoding]
  ) -> LiveKit.AddTrackRequest {
    var request = LiveKit.AddTrackRequest()
    request.cid = cid
    request.name = track.name
    request.type = track.kind == .audio ? .audio : .video
    request.source = LiveKit.TrackSource(track.source)
    request.isMuted = track.isMuted
    // Opus goes out plain, not wrapped in RED.
    request.disablesRED = track.kind == .audio
    guard track.kind == .video else { return request }
    let qualities: [LiveKit.VideoQuality] = [.low, .medium, .high]
    let layers = track.layers.suffix(encodings.count)
    request.width = UInt32(clamping: layers.last?.width ?? 0)
    request.height = UInt32(clamping: layers.last?.height ?? 0)
    // Without simulcast there is no rid, and a layer without one is HIGH.
    request.layers = zip(layers, encodings).enumerated().map { index, pair in
      LiveKit.VideoLayer(
        quality: encodings.count == 1 ? .high : qualities[index], width: UInt32(clamping: pair.0.width),
        height: UInt32(clamping: pair.0.height), bitrate: UInt32(clamping: pair.0.bitrate),
        spatialLayer: Int32(index), rid: pair.1.rid ?? "")
    }
    var codec = LiveKit.SimulcastCodec()
    codec.codec = "vp8"
    codec.cid = cid
    codec.layers = request.layers
    codec.layerMode = .oneSpatialLayerPerStream
    request.simulcastCodecs = [codec]
    return request
  }

  mutating func trackPublished(_ response: LiveKit.TrackPublishedResponse, at now: MonotonicTime) {
    let isWaiting = { (publication: Publishing.Publication) in
      publication.cid == response.cid && publication.id == nil
    }
    guard let track = response.track, !track.sid.isEmpty,
      let index = publishing.publications.firstIndex(where: isWaiting)
    else {
      drops.count(.malformed)
      return
    }
    let id = TrackID(track.sid)
    publishing.publications[index].id = id
    let publication = publishing.publications[index]
    output(.event(.published(localID: publication.track.localID, id)))
    if publication.isMuted != track.isMuted {
      send(.mute(LiveKit.MuteTrackRequest(sid: id.raw, isMuted: publication.isMuted)))
    }
    publishing.sections.append(
      PublisherSection(
        mid: String(publishing.sections.count),
        content: .track(
          localID: publication.track.localID, kind: publication.track.kind, cid: publication.cid,
          encodings: publication.encodings)))
    publishing.needsOffer = true
    offer(at: now)
  }

  mutating func requestEnded(_ response: LiveKit.RequestResponse) {
    guard let request = response.addTrack, response.reason != .ok, response.reason != .queued else { return }
    guard let index = publishing.publications.firstIndex(where: { $0.cid == request.cid && $0.id == nil }) else {
      return
    }
    let localID = publishing.publications.remove(at: index).track.localID
    let message = response.message.isEmpty ? "The server refused the track." : response.message
    output(.event(.publishFailed(localID: localID, message: message)))
  }

  // MARK: - Muting and ending

  mutating func setMuted(_ localID: String, _ isMuted: Bool) {
    guard let index = publishing.publications.firstIndex(where: { $0.track.localID == localID }) else { return }
    publishing.publications[index].isMuted = isMuted
    if let id = publishing.publications[index].id {
      send(.mute(LiveKit.MuteTrackRequest(sid: id.raw, isMuted: isMuted)))
    }
  }

  /// A moderator mutes us; the server expects the state back. The room's update of ourselves tells the rest.
  mutating func muteDemanded(_ mute: LiveKit.MuteTrackRequest) {
    guard let publication = publishing.publications.first(where: { $0.id?.raw == mute.sid }) else { return }
    setMuted(publication.track.localID, mute.isMuted)
  }

  /// There is no message for it: the section becomes inactive (protocol sheet §4.4).
  mutating func unpublish(_ localID: String, at now: MonotonicTime) {
    publishing.publications.removeAll { $0.track.localID == localID }
    endSection(of: localID)
    offer(at: now)
  }

  mutating func trackUnpublished(_ sid: String, at now: MonotonicTime) {
    guard let publication = publishing.publications.first(where: { $0.id?.raw == sid }) else { return }
    let localID = publication.track.localID
    output(.event(.publishFailed(localID: localID, message: "The server ended the track.")))
    unpublish(localID, at: now)
  }

  private mutating func endSection(of localID: String) {
    for index in publishing.sections.indices {
      guard case .track(localID, let kind, _, _) = publishing.sections[index].content else { continue }
      publishing.sections[index].content = .ended(kind)
      publishing.needsOffer = true
    }
    let remaining = publishing.sent.filter { $0.localID != localID }
    if remaining != publishing.sent {
      publishing.sent = remaining
      output(.media(.send(remaining)))
    }
  }

  // MARK: - Offers and answers

  /// Offers the publisher connection before there is anything to publish.
  mutating func openPublisher(at now: MonotonicTime) {
    publishing.sections.append(PublisherSection(mid: "0", content: .dataChannels))
    publishing.needsOffer = true
    offer(at: now)
  }

  /// Sends an offer if something changed and none is under way.
  private mutating func offer(at now: MonotonicTime) {
    guard publishing.needsOffer, publishing.pendingOffer == nil else { return }
    publishing.needsOffer = false
    var description = SessionDescription(sessionID: sessionID, version: publisher.descriptionVersion)
    publisher.descriptionVersion += 1
    description.allowsMixedExtensions = true
    description.bundleGroups = [publishing.sections.map(\.mid)]
    description.media = publishing.sections.map {
      $0.offered(local: configuration.publisher, cname: publishing.cname)
    }
    let id = publishing.nextOfferID()
    publishing.pendingOffer = Publishing.Offer(
      id: id, sections: publishing.sections.count, deadline: now + configuration.publishTimeout)
    send(.offer(LiveKit.SessionDescription(type: "offer", sdp: description.serialized(), id: id)))
    publisher.isDescriptionSent = true
    sendLocalCandidates(of: .publisher)
  }

  mutating func accept(_ message: LiveKit.SessionDescription, at now: MonotonicTime) {
    guard let offer = publishing.pendingOffer, message.id == 0 || message.id == offer.id else {
      drops.count(.tooLate)
      return
    }
    guard message.type == "answer", let answer = try? SessionDescription(parsing: message.sdp),
      let remote = RemoteTransport(
        answer, weAreDTLSClient: answer.transportSection.flatMap { answer.setup(for: $0) } == .passive)
    else {
      // Without a usable one in time the tracks fail.
      drops.count(.malformed)
      return
    }
    publishing.pendingOffer = nil
    for command in publisher.commands(for: remote) { output(.media(command)) }
    var sent: [SentTrack] = []
    for (index, section) in publishing.sections.prefix(offer.sections).enumerated() {
      let described =
        answer.section(mid: section.mid) ?? (answer.media.indices.contains(index) ? answer.media[index] : nil)
      if let described, let track = section.sent(by: described, of: answer) {
        sent.append(track)
      } else if case .track(let localID, _, _, _) = section.content {
        fail(localID, "The server does not take this track.")
      }
    }
    if sent != publishing.sent {
      publishing.sent = sent
      output(.media(.send(sent)))
    }
    self.offer(at: now)
  }

  /// Fails the tracks for which the server has said nothing in time.
  mutating func giveUpPublishing(at now: MonotonicTime) {
    for publication in publishing.publications where publication.id == nil && now >= publication.deadline {
      publishing.publications.removeAll { $0.cid == publication.cid }
      output(
        .event(
          .publishFailed(localID: publication.track.localID, message: "The server did not answer the announcement.")))
    }
    guard let offer = publishing.pendingOffer, now >= offer.deadline else { return }
    publishing.pendingOffer = nil
    let accepted = Set(publishing.sent.map(\.localID))
    for section in publishing.sections.prefix(offer.sections) {
      guard case .track(let localID, _, _, _) = section.content, !accepted.contains(localID) else { continue }
      fail(localID, "The server did not answer the offer.")
    }
    self.offer(at: now)
  }

  private mutating func fail(_ localID: String, _ message: String) {
    publishing.publications.removeAll { $0.track.localID == localID }
    output(.event(.publishFailed(localID: localID, message: message)))
    endSection(of: localID)
  }
}
