import Conference
import RTCCore

/// The media sections of one connection of a viewer: our offer, the server's answer, and what was added to both since.
///
/// The server is never told of additions: whatever is projected onto a mid simply arrives with that mid in its packets
/// (protocol sheet §2.4). So both halves of the negotiation are written here, the answer's as a copy of the first section
/// of the same kind.
struct MillicastReceivers: Equatable, Sendable {
  /// Sections of one kind: as many as a wall of tiles shows, and again as many.
  static let maximumSections = 64

  private(set) var offer: SessionDescription
  /// Nil before the server's answer.
  private(set) var answer: SessionDescription?
  private let local: LocalTransport

  /// - Parameter kinds: what is to be received at all; each gets the section that the main source is put onto.
  init(kinds: [MediaKind], local: LocalTransport, sessionID: String) {
    self.local = local
    offer = SessionDescription(sessionID: sessionID, version: 1)
    offer.media = kinds.enumerated().map { .receiving($1, mid: String($0), local: local) }
    offer.bundleGroups = [offer.media.compactMap(\.mid)]
  }

  /// Takes the server's answer; nil when it lacks what a transport needs.
  mutating func accept(_ sdp: String) -> RemoteTransport? {
    guard answer == nil, let description = try? SessionDescription(parsing: sdp),
      let section = description.transportSection,
      let remote = RemoteTransport(description, weAreDTLSClient: description.setup(for: section) != .active)
    else { return nil }
    answer = description
    return remote
  }

  /// The mid that the main source of this kind is put onto.
  func mainMid(_ kind: MediaKind) -> String? { offer.media.first { $0.kind == .init(kind) }?.mid }

  /// Whether the server sends this kind in a codec that we decode.
  func receives(_ kind: MediaKind) -> Bool {
    mainMid(kind).flatMap { received(TrackID(""), kind: kind, mid: $0) } != nil
  }

  /// Negotiates one more section and gives its mid; nil when there are enough, or when the kind is not received.
  mutating func add(_ kind: MediaKind) -> String? {
    guard receives(kind), offer.media.count(where: { $0.kind == .init(kind) }) < Self.maximumSections,
      var description = answer, var copy = answeredSection(of: kind)
    else { return nil }
    let mid = String(offer.media.count)
    offer.media.append(.receiving(kind, mid: mid, local: local))
    offer.bundleGroups = [offer.media.compactMap(\.mid)]
    offer.origin.sessionVersion += 1
    copy.mid = mid
    copy.direction = .sendOnly
    // Its packets tell nobody beforehand from which source they come.
    copy.sourceAttributes = []
    copy.sourceGroups = []
    copy.streamIdentifiers = []
    copy.candidates = []
    description.media.append(copy)
    description.bundleGroups = description.bundleGroups.map { $0 + [mid] }
    answer = description
    return mid
  }

  /// How a track arrives on a mid, or, without one, how it would.
  func received(_ track: TrackID, kind: MediaKind, mid: String?) -> ReceivedTrack? {
    guard let answer, let main = mainMid(kind), let offered = offer.section(mid: mid ?? main),
      let answered = answer.section(mid: mid ?? main),
      var received = ReceivedTrack(track, kind: kind, offered: offered, answer: answered, of: answer)
    else { return nil }
    guard mid == nil else { return received }
    received.mid = ""
    received.ssrc = nil
    received.rtxSSRC = nil
    return received
  }

  private func answeredSection(of kind: MediaKind) -> MediaSection? {
    mainMid(kind).flatMap { answer?.section(mid: $0) }
  }
}
