import RTCCore

/// Our answer to a publisher's offer: it may send VP8 and Opus, and nothing flows back.
///
/// Sections keep the offer's order and mids; those that we cannot use are rejected or inactive, never left out.
struct PublisherAnswer: Equatable, Sendable {
  /// One section on which the publisher sends media that we take.
  struct Section: Equatable, Sendable {
    var mid: String
    var kind: MediaKind
    /// The track part of the msid, by which the publisher's announcement is found; empty when there is none.
    var trackID: String
    /// Lowest layer first; empty without simulcast.
    var rids: [String]
    var payloadType: UInt8
    var rtxPayloadType: UInt8?
    var mediaSSRC: SSRC?
    var rtxSSRC: SSRC?
    var supportsNACK: Bool
    var audioLevelID: UInt8?
  }

  /// Most simulcast layers taken of one track.
  static let maximumLayers = 3

  private(set) var description: SessionDescription
  /// Only those that send.
  private(set) var sections: [Section] = []
  private(set) var remote: RemoteEnd
  /// Header extensions for ``StreamBinder``.
  private(set) var extensions = StreamBinder.ExtensionIDs()
  /// Id of the transport-wide sequence number when feedback about it was negotiated: the publisher's estimate then needs it.
  private(set) var transportSequenceID: UInt8?
  /// The publisher takes a bitrate estimate instead.
  private(set) var usesBitrateEstimate = false

  /// - Parameter version: of our description, growing by one with each answer.
  init(to offer: SessionDescription, local: LocalEnd, version: UInt64) throws(NegotiationError) {
    remote = try RemoteEnd(reading: offer)
    description = local.description(version: version)
    description.allowsMixedExtensions = offer.allowsMixedExtensions
    var bundled: [String] = []
    for section in offer.media {
      var answer = answer(to: section, of: offer)
      if !answer.isRejected {
        local.describeTransport(of: &answer, setup: remote.ourSetup, withCandidates: bundled.isEmpty)
        if let mid = answer.mid { bundled.append(mid) }
      }
      description.media.append(answer)
    }
    if !bundled.isEmpty { description.bundleGroups = [bundled] }
  }

  private mutating func answer(to offered: MediaSection, of offer: SessionDescription) -> MediaSection {
    if let data = MediaSection(acceptingDataChannels: offered) { return data }
    guard let kind = offered.kind.mediaKind, !offered.isRejected, offered.isRTP, offered.mid != nil,
      let codec = offered.payload(encoding: StreamOffer.codec(of: kind))
    else { return MediaSection(rejecting: offered) }
    var answer = MediaSection(
      kind: offered.kind, transportProtocol: offered.transportProtocol, mid: offered.mid)
    answer.connection = "IN IP4 0.0.0.0"
    let rtx = offered.payloads.first { $0.associatedPayloadType == codec.payloadType }
    answer.writtenDirection = offered.direction.sends ? .receiveOnly : .inactive
    answer.multiplexesRTCP = true
    answer.allowsReducedSizeRTCP = offered.allowsReducedSizeRTCP
    answer.payloads = [accepted(codec, kind: kind, offered: offered.feedback(for: codec.payloadType))]
    if var rtx {
      rtx.feedback = []
      answer.payloads.append(rtx)
    }
    let maps = offer.extensionMaps(for: offered)
    answer.extensionMaps = acceptedExtensions(maps, kind: kind, feedback: answer.payloads[0].feedback)
    let rids = acceptRids(of: offered, in: &answer)
    if offered.direction.sends {
      noteSection(offered, kind: kind, codec: answer.payloads[0], rtx: rtx, rids: rids, maps: answer.extensionMaps)
    }
    return answer
  }

  private func accepted(_ codec: PayloadFormat, kind: MediaKind, offered: [String]) -> PayloadFormat {
    var result = codec
    let wanted =
      kind == .audio
      ? ["nack"]
      : offered.contains("transport-cc")
        ? ["transport-cc", "ccm fir", "nack", "nack pli"] : ["goog-remb", "ccm fir", "nack", "nack pli"]
    result.feedback = wanted.filter { offered.contains($0) }
    if kind == .audio { result.parameters = "minptime=10;useinbandfec=1" }
    return result
  }

  private func acceptedExtensions(_ maps: [ExtensionMap], kind: MediaKind, feedback: [String]) -> [ExtensionMap] {
    var wanted: Set<HeaderExtension> = [.mid]
    switch kind {
    case .audio: wanted.insert(.audioLevel)
    case .video:
      wanted.formUnion([.rid, .repairedRID])
      if feedback.contains("transport-cc") { wanted.insert(.transportSequence) }
      if feedback.contains("goog-remb") { wanted.insert(.absoluteSendTime) }
    }
    return maps.compactMap { map in
      guard let known = map.known, wanted.remove(known) != nil else { return nil }
      return ExtensionMap(id: map.id, known)
    }
  }

  /// Mirrors the offered layers; returns them lowest first.
  private func acceptRids(of offered: MediaSection, in answer: inout MediaSection) -> [String] {
    let known = Set(offered.restrictionIdentifiers.filter { $0.direction == .send }.map(\.id))
    let listed = (offered.simulcast?.send ?? []).compactMap(\.first).filter { known.contains($0) }
    guard listed.count > 1, answer.extensionMaps.contains(where: { $0.known == .rid }) else { return [] }
    let ascending = Array(Self.ascending(listed, of: offered).prefix(Self.maximumLayers))
    let kept = listed.filter { ascending.contains($0) }
    answer.restrictionIdentifiers = kept.map { RestrictionIdentifier(id: $0, direction: .receive) }
    answer.simulcast = SimulcastDescription(receive: kept.map { [$0] })
    return ascending
  }

  /// Lowest first: by the sizes that `a=rid` says, else by the usual names, else as listed.
  private static func ascending(_ rids: [String], of section: MediaSection) -> [String] {
    for limit in ["max-width", "max-height", "max-fs", "max-br"] {
      let limits = rids.compactMap { rid in
        section.restrictionIdentifiers.first { $0.id == rid }?.number(limit).map { (rid, $0) }
      }
      if limits.count == rids.count, Set(limits.map(\.1)).count == rids.count {
        return limits.sorted { $0.1 < $1.1 }.map(\.0)
      }
    }
    for order in orders where rids.allSatisfy({ order.contains($0) }) { return order.filter { rids.contains($0) } }
    return rids
  }

  /// What encoders call their layers, lowest first. OBS numbers them from the largest.
  private static let orders = [
    ["q", "h", "f"], ["2", "1", "0"], ["l", "m", "h"], ["low", "mid", "high"], ["low", "medium", "high"],
    ["lo", "mid", "hi"],
  ]

  private mutating func noteSection(
    _ offered: MediaSection, kind: MediaKind, codec: PayloadFormat, rtx: PayloadFormat?, rids: [String],
    maps: [ExtensionMap]
  ) {
    func id(_ known: HeaderExtension) -> UInt8? { maps.first { $0.known == known }?.id }
    let media = rids.isEmpty ? offered.sources.first : nil
    sections.append(
      Section(
        mid: offered.mid ?? "", kind: kind, trackID: Self.trackID(of: offered), rids: rids,
        payloadType: codec.payloadType, rtxPayloadType: rtx?.payloadType, mediaSSRC: media,
        rtxSSRC: media.flatMap { offered.retransmissionSource(for: $0) },
        supportsNACK: codec.feedback.contains("nack"), audioLevelID: id(.audioLevel)))
    extensions.mid = extensions.mid ?? id(.mid)
    extensions.rid = extensions.rid ?? id(.rid)
    extensions.repairedRid = extensions.repairedRid ?? id(.repairedRID)
    transportSequenceID = transportSequenceID ?? id(.transportSequence)
    if codec.feedback.contains("goog-remb") { usesBitrateEstimate = true }
  }

  /// From `a=msid`, or from the older `a=ssrc … msid:` of some clients.
  private static func trackID(of section: MediaSection) -> String {
    if let identifier = section.streamIdentifiers.first { return identifier.track ?? identifier.stream }
    for source in section.sourceAttributes where source.name == "msid" {
      let parts = (source.value ?? "").split(separator: " ")
      if let last = parts.last, parts.count == 2 { return String(last) }
    }
    return ""
  }
}

extension RestrictionIdentifier {
  /// The value of a restriction that is a number, `max-width=1280`.
  fileprivate func number(_ name: String) -> Int? {
    restrictions.first { $0.name == name }?.value.flatMap { Int($0) }
  }
}
