import Conference
import RTCCore

/// Our offer to a WHEP server, and how its answer is read.
struct WHEPOffer {
  /// The ids of the stream's tracks; there is one of a kind at most (draft-ietf-wish-whep §4.5.2).
  static let video = TrackID("video")
  static let audio = TrackID("audio")

  static func track(_ kind: MediaKind) -> TrackID { kind == .video ? video : audio }

  let description: SessionDescription

  /// - Parameter candidates: of ours, known so far; values of attributes.
  init(
    kinds: [MediaKind], local: LocalTransport, candidates: [String], areAll: Bool, sessionID: String, version: UInt64
  ) {
    var description = SessionDescription(sessionID: sessionID, version: version)
    description.allowsMixedExtensions = true
    description.bundleGroups = [kinds.indices.map(String.init)]
    description.media = kinds.enumerated().map { index, kind in
      var section = MediaSection.receiving(kind, mid: String(index), local: local)
      section.attributes.append(SDPAttribute(name: "rtcp-mux-only"))
      // All of them share the first section's transport (RFC 9143 §7.1).
      if index == 0 {
        section.candidates = candidates.compactMap { try? ICECandidate(parsing: $0) }
        section.hasAllCandidates = areAll
      }
      return section
    }
    self.description = description
  }

  /// Why an answer is none to this offer.
  enum AnswerError: Error, Equatable {
    case unreadable(SDPError)
    /// The number of its sections.
    case sections(Int, offered: Int)
    case otherKinds
    case noTransport
    /// Nothing that we can decode, or pictures that we cannot: what it names instead.
    case nothingUsable([String])
  }

  /// What the server's answer makes us receive.
  struct Reception: Equatable {
    var tracks: [ReceivedTrack]
    var remote: RemoteTransport
    /// By the place of their sections.
    var sections: [Int: MediaKind]
  }

  /// Reads the answer.
  func read(_ text: String) throws(AnswerError) -> Reception {
    let answer: SessionDescription
    do { answer = try SessionDescription(parsing: text) } catch { throw .unreadable(error) }
    guard answer.media.count == description.media.count else {
      throw .sections(answer.media.count, offered: description.media.count)
    }
    for (section, offered) in zip(answer.media, description.media)
    where section.kind != offered.kind || section.mid.map({ $0 != offered.mid }) ?? false {
      throw .otherKinds
    }
    let setup = answer.transportSection.flatMap { answer.setup(for: $0) }
    // To "actpass" an answer says "passive" or "active" (RFC 8842 §5.3); one that says nothing waits for us.
    guard let remote = RemoteTransport(answer, weAreDTLSClient: setup != .active) else { throw .noTransport }
    var reception = Reception(tracks: [], remote: remote, sections: [:])
    for (index, section) in answer.media.enumerated() {
      guard let kind = section.kind.mediaKind,
        let track = ReceivedTrack(
          Self.track(kind), kind: kind, offered: description.media[index], answer: section, of: answer)
      else { continue }
      reception.tracks.append(track)
      reception.sections[index] = kind
    }
    let foreign = Self.foreignVideo(in: answer)
    guard foreign.isEmpty, !reception.tracks.isEmpty else {
      throw .nothingUsable(foreign.isEmpty ? Self.codecs(of: answer.media) : foreign)
    }
    return reception
  }

  /// The codecs of pictures that are sent, and that we cannot decode: whoever wants to see them should not hear them only.
  static func foreignVideo(in description: SessionDescription) -> [String] {
    codecs(
      of: description.media.filter { section in
        section.kind == .video && !section.isRejected && section.direction.sends
          && section.payload(encoding: "VP8") == nil
      })
  }

  /// The codecs that sections name, each once, without what only helps them.
  static func codecs(of sections: [MediaSection]) -> [String] {
    let helpers: Set<String> = ["rtx", "red", "ulpfec", "flexfec-03", "telephone-event", "cn", ""]
    var names: [String] = []
    for payload in sections.filter({ !$0.isRejected }).flatMap(\.payloads)
    where !helpers.contains(payload.encodingName.lowercased()) && !names.contains(payload.encodingName) {
      names.append(payload.encodingName)
    }
    return names
  }
}
