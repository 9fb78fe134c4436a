import Conference
import RTCCore

/// One peer connection of a handle, as far as signalling carries it.
struct JanusConnection: Sendable {
  var local: LocalTransport
  var peer: PeerState
  /// Ours, an empty one at their end; those from `sentCandidates` on are not sent yet.
  var localCandidates: [String] = []
  var sentCandidates = 0

  init(local: LocalTransport, role: PeerRole) {
    self.local = local
    peer = PeerState(role: role)
  }

  /// Credentials are to change, and with them what candidates belong to.
  mutating func forgetCandidates() {
    localCandidates = []
    sentCandidates = 0
    peer.isDescriptionSent = false
  }

  /// Takes the messages that tell our candidates, once the server has our description: those that are there as one.
  mutating func takeTrickles() -> [[String: JSONValue]] {
    guard peer.isDescriptionSent else { return [] }
    let new = localCandidates.dropFirst(sentCandidates)
    sentCandidates = localCandidates.count
    let candidates = new.filter { !$0.isEmpty }.map { candidate -> JSONValue in
      ["sdpMid": "0", "sdpMLineIndex": 0, "candidate": .text(candidate)]
    }
    var messages: [[String: JSONValue]] = candidates.isEmpty ? [] : [["candidates": .list(candidates)]]
    if new.contains("") { messages.append(["candidate": ["completed": true]]) }
    return messages
  }

  /// What the media path must do about a candidate of the server's; nil when there is nothing to do.
  mutating func command(adding value: JSONValue) throws(SDPError) -> MediaCommand? {
    if value["completed"].truthValue == true { return peer.command(adding: "") }
    let candidate = try ICECandidate(parsing: value["candidate"].textValue ?? "")
    // Hidden behind multicast DNS; its checks reach us all the same and show the address.
    return candidate.isMulticastDNS ? nil : peer.command(adding: candidate.attribute)
  }
}

/// What we publish over the handle in the room (fact sheet §6).
struct JanusPublishing: Sendable {
  struct Publication: Sendable {
    let track: LocalTrack
    let encodings: [SentTrack.Encoding]
    var isMuted: Bool
    /// The section that carries it; nil before the first offer of the present connection.
    var mid: String?
    /// Others were told of it.
    var isPublished = false
  }

  var publications: [Publication] = []
  /// Of the present connection; never removed from it.
  var sections: [PublisherSection] = []
  /// What may be sent now.
  var sent: [SentTrack] = []
  /// The server has taken an offer on this handle.
  var isActive = false
  /// Something changed since the last offer.
  var needsOffer = false
  /// Not to be offered before this time.
  var notBefore: MonotonicTime?
  /// Connections in a row that did not last.
  var failures = 0
  /// Media flowed, at some time.
  var hasFlowed = false
  var connection: JanusConnection

  init(local: LocalTransport) { connection = JanusConnection(local: local, role: .publisher) }

  /// Begins on a new connection with everything that is published.
  mutating func beginAnew() {
    sections = []
    sent = []
    isActive = false
    for index in publications.indices { publications[index].mid = nil }
    needsOffer = !publications.isEmpty
    connection = JanusConnection(local: connection.local, role: .publisher)
  }
}
