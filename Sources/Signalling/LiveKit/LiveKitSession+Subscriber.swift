import Conference
import RTCCore

/// What the subscriber connection receives.
struct Reception {
  var tracks: [ReceivedTrack] = []
  /// Tracks whose subscription was told, with their owners.
  var announced: [TrackID: ParticipantIdentity] = [:]
  var requested: [TrackID: LayerRequest] = [:]
  /// What was requested before the room was lost, to be requested again of the tracks that come back.
  var formerlyRequested: [TrackID: LayerRequest] = [:]
  /// Tracks that nobody here wants.
  var declined: Set<TrackID> = []
}

extension LiveKitSession {
  mutating func answer(_ message: LiveKit.SessionDescription) {
    guard message.type == "offer", let offer = try? SessionDescription(parsing: message.sdp),
      let answer = SubscriberAnswer(
        to: offer, local: configuration.subscriber, sessionID: sessionID, version: subscriber.descriptionVersion,
        track: Self.trackID)
    else {
      drops.count(.malformed)
      return
    }
    subscriber.descriptionVersion += 1
    subscriber.isDescriptionSent = true
    drops.count(.malformed, by: answer.unusableSections)
    send(
      .answer(LiveKit.SessionDescription(type: "answer", sdp: answer.description.serialized(), id: message.id)))
    sendLocalCandidates(of: .subscriber)
    for command in subscriber.commands(for: answer.remote) { output(.media(command)) }
    reception.tracks = answer.tracks
    output(.media(.receive(answer.tracks)))
    announceSubscriptions()
  }

  /// Tells which tracks are newly received or no longer. A track counts once the roster knows whose it is, because the
  /// offer may overtake the update.
  mutating func announceSubscriptions() {
    let received = Set(reception.tracks.map(\.track))
    for (track, owner) in reception.announced.sorted(by: { $0.key.raw < $1.key.raw }) {
      if received.contains(track), roster.owner(of: track) == owner { continue }
      reception.announced[track] = nil
      // An owner who left or unpublished has taken the subscription along.
      if roster.owner(of: track) == owner { output(.event(.unsubscribed(owner, track))) }
    }
    for track in reception.tracks.map(\.track) where reception.announced[track] == nil {
      guard let owner = roster.owner(of: track) else { continue }
      reception.announced[track] = owner
      output(.event(.subscribed(owner, track)))
      if let request = reception.formerlyRequested.removeValue(forKey: track), reception.requested[track] == nil {
        requestLayer(request, of: track)
      }
    }
  }

  mutating func addRemoteCandidate(_ trickle: LiveKit.TrickleRequest) {
    guard let initial = LiveKit.CandidateInit(parsing: trickle.candidateInit) else {
      drops.count(.malformed)
      return
    }
    var candidate = ""
    if !initial.candidate.isEmpty {
      guard let parsed = try? ICECandidate(parsing: initial.candidate) else {
        drops.count(.malformed)
        return
      }
      // Hidden behind multicast DNS; its checks reach us all the same and show the address.
      if parsed.isMulticastDNS { return }
      candidate = parsed.attribute
    }
    let command =
      trickle.target == .subscriber
      ? subscriber.command(adding: candidate) : publisher.command(adding: candidate)
    if let command { output(.media(command)) }
  }

  /// Sends our candidates as soon as the server has our description.
  mutating func sendLocalCandidates(of role: PeerRole) {
    let peer = role == .subscriber ? subscriber : publisher
    guard phase == .joined, peer.isDescriptionSent else { return }
    if role == .subscriber { subscriber.localCandidates = [] } else { publisher.localCandidates = [] }
    for candidate in peer.localCandidates {
      let initial = LiveKit.CandidateInit(candidate: candidate, sdpMid: "0", sdpMLineIndex: 0)
      send(
        .trickle(
          LiveKit.TrickleRequest(
            candidateInit: initial.text, target: role == .subscriber ? .subscriber : .publisher)))
    }
  }

  /// The track's id from `msid:PA_…|TR_… TR_…`, or from the same in an `ssrc` line. The second half of the stream's name
  /// may be that of a group of synchronised tracks, so the track's own token comes first.
  static func trackID(of section: MediaSection) -> TrackID? {
    let fromSource = section.sourceAttributes.first { $0.name == "msid" }?.value.map { value in
      let words = value.split(separator: " ")
      return MediaStreamIdentifier(
        stream: String(words.first ?? "-"), track: words.count > 1 ? String(words[1]) : nil)
    }
    guard let identifier = section.streamIdentifiers.first ?? fromSource else { return nil }
    if let track = identifier.track, track.hasPrefix("TR_") { return TrackID(track) }
    let halves = identifier.stream.split(separator: "|", omittingEmptySubsequences: false)
    guard halves.count == 2, !halves[1].isEmpty else { return nil }
    return TrackID(String(halves[1]))
  }
}
