import Conference
import RTCCore

/// One section of the publisher connection. Sections are never removed or reused: an ended track's stays inactive.
struct PublisherSection: Equatable {
  enum Content: Equatable {
    case dataChannels
    case track(localID: String, kind: MediaKind, cid: String, encodings: [SentTrack.Encoding])
    case ended(MediaKind)
  }
  let mid: String
  var content: Content

  /// Names of layers from the lowest (protocol sheet §4.5).
  static let rids = ["q", "h", "f"]

  /// One encoding a layer of a track, at most the three that have names.
  static func encodings(
    of track: LocalTrack, using randomness: inout any RandomNumberGenerator & Sendable
  ) -> [SentTrack.Encoding] {
    // A random SSRC (RFC 3550 §8.1). Two alike among a handful of 32-bit numbers are not worth a table.
    func makeSSRC() -> SSRC { SSRC(UInt32.random(in: 1...UInt32.max, using: &randomness)) }
    let layers = track.kind == .audio ? [] : track.layers.suffix(rids.count).map(\.id)
    guard layers.count > 1 else {
      let repair = track.kind == .video ? makeSSRC() : nil
      return [SentTrack.Encoding(layer: layers.first ?? .high, rid: nil, ssrc: makeSSRC(), rtxSSRC: repair)]
    }
    return zip(layers, rids).map { layer, rid in
      SentTrack.Encoding(layer: layer, rid: rid, ssrc: makeSSRC(), rtxSSRC: makeSSRC())
    }
  }

  /// One number an extension in all sections, as BUNDLE demands.
  private static let commonExtensions = [
    ExtensionMap(id: 2, .absoluteSendTime), ExtensionMap(id: 3, .transportSequence), ExtensionMap(id: 4, .mid),
  ]

  /// The section as an offer shows it.
  func offered(local: LocalTransport, cname: String) -> MediaSection {
    var section: MediaSection
    switch content {
    case .dataChannels: section = .dataChannels(mid: mid)
    case .ended(let kind):
      section = Self.media(kind, mid: mid)
      section.direction = .inactive
    case .track(_, let kind, let cid, let encodings):
      section = Self.media(kind, mid: mid)
      section.direction = .sendOnly
      section.streamIdentifiers = [MediaStreamIdentifier(stream: "-", track: cid)]
      let rids = encodings.compactMap(\.rid)
      if !rids.isEmpty {
        section.restrictionIdentifiers = rids.map { RestrictionIdentifier(id: $0, direction: .send) }
        section.simulcast = SimulcastDescription(send: rids.map { [$0] })
      } else {
        for encoding in encodings { Self.announce(encoding, cid: cid, cname: cname, in: &section) }
      }
    }
    section.apply(local, setup: .either)
    return section
  }

  /// Lists the sources of a track without rids, whose packets say nothing of their track.
  private static func announce(
    _ encoding: SentTrack.Encoding, cid: String, cname: String, in section: inout MediaSection
  ) {
    if let repair = encoding.rtxSSRC {
      section.sourceGroups.append(SourceGroup(semantics: "FID", sources: [encoding.ssrc, repair]))
    }
    for ssrc in [encoding.ssrc, encoding.rtxSSRC].compactMap({ $0 }) {
      section.sourceAttributes.append(SourceAttribute(ssrc: ssrc, name: "cname", value: cname))
      section.sourceAttributes.append(SourceAttribute(ssrc: ssrc, name: "msid", value: "- \(cid)"))
    }
  }

  private static func media(_ kind: MediaKind, mid: String) -> MediaSection {
    var section = MediaSection(kind: MediaSection.Kind(kind), mid: mid)
    switch kind {
    case .audio:
      section.payloads = [.opus(feedback: ["transport-cc", "nack"])]
      section.extensionMaps = [ExtensionMap(id: 1, .audioLevel)] + commonExtensions
    case .video:
      section.payloads = PayloadFormat.vp8(feedback: ["transport-cc", "ccm fir", "nack", "nack pli"])
      section.extensionMaps =
        commonExtensions + [ExtensionMap(id: 10, .rid), ExtensionMap(id: 11, .repairedRID)]
    }
    return section
  }

  /// What the server's answer lets this section send; nil when it sends nothing or was refused.
  func sent(by answer: MediaSection, of description: SessionDescription) -> SentTrack? {
    guard case .track(let localID, let kind, _, var encodings) = content, !answer.isRejected,
      answer.direction.receives, let codec = answer.payload(encoding: kind == .audio ? "opus" : "VP8")
    else { return nil }
    if encodings.count > 1 {
      let accepted = Set((answer.simulcast?.receive ?? []).joined())
      let layers = encodings.filter { accepted.contains($0.rid ?? "") }
      // A server without simulcast gets one stream, the best, which needs no name.
      encodings = layers.isEmpty ? Array(encodings.suffix(1)) : layers
      if layers.isEmpty { encodings[0].rid = nil }
    }
    let repair = answer.retransmissionPayloadType(for: codec.payloadType)
    if repair == nil {
      for index in encodings.indices { encodings[index].rtxSSRC = nil }
    }
    // An answer may only keep or leave what was offered (RFC 8285 §6).
    let offered = Self.media(kind, mid: mid).extensionMaps
    let extensions = description.extensionMaps(for: answer).filter { map in
      offered.contains { $0.id == map.id && $0.uri == map.uri }
    }
    return SentTrack(
      localID: localID, kind: kind, mid: mid, payloadType: codec.payloadType, rtxPayloadType: repair,
      encodings: encodings, extensions: HeaderExtensionIDs(extensions))
  }
}
