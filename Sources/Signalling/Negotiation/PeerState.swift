import RTCCore

/// One peer connection as far as signalling carries it.
struct PeerState {
  /// More candidates than any host has addresses.
  static let maximumCandidates = 256

  let role: PeerRole
  /// Ours that wait until the server has a description to put them to.
  var localCandidates: [String] = []
  var isDescriptionSent = false
  /// The server's that came before its description.
  var earlyCandidates: [String] = []
  /// Names the ICE session; a new one means a restart.
  var remoteUfrag: String?
  var knownCandidates: Set<String> = []
  /// Of the `o=` line of our next description.
  var descriptionVersion: UInt64 = 1

  init(role: PeerRole) { self.role = role }

  /// What the media path must do now that the server's description is known.
  mutating func commands(for remote: RemoteTransport) -> [MediaCommand] {
    guard remote.iceUfrag != remoteUfrag else { return remote.candidates.compactMap { command(adding: $0) } }
    remoteUfrag = remote.iceUfrag
    var remote = remote
    remote.candidates = Array((remote.candidates + earlyCandidates).prefix(Self.maximumCandidates))
    earlyCandidates = []
    knownCandidates = Set(remote.candidates)
    return [.connect(role, remote)]
  }

  /// A candidate of the server; nil while it must wait, or when it is known already.
  mutating func command(adding candidate: String) -> MediaCommand? {
    guard remoteUfrag != nil else {
      if earlyCandidates.count < Self.maximumCandidates { earlyCandidates.append(candidate) }
      return nil
    }
    guard knownCandidates.count < Self.maximumCandidates, knownCandidates.insert(candidate).inserted else { return nil }
    return .addCandidate(role, candidate)
  }
}
