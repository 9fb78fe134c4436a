import RTCCore

/// Our answer to a WHEP player's offer: VP8 and Opus flow to it on the sections that it offers, and nothing back. There is no
/// other offer later (draft-ietf-wish-whep §4.2), so a section for which there is no track yet is taken as well.
struct PlayerAnswer: Equatable, Sendable {
  /// One section that we may send on.
  struct Line: Equatable, Sendable {
    /// Place among the offer's sections.
    var index: Int
    var kind: MediaKind
    var accepted: AcceptedSection
    var stream: OutgoingStream
  }

  /// Most sections of a kind that are filled: a wall of this many tiles. Those beyond are rejected.
  static let maximumLines = 16

  private(set) var description: SessionDescription
  private(set) var lines: [Line] = []
  let remote: RemoteEnd

  /// - Parameters:
  ///   - offer: checked by ``StreamOffer``.
  ///   - streamID: the first section of each kind belongs to the media stream `streamID`, the second to another, so that the
  ///     tracks of one participant play in step.
  init(
    to offer: SessionDescription, local: LocalEnd, streamID: String, makeSSRC: () -> SSRC
  ) throws(NegotiationError) {
    remote = try RemoteEnd(reading: offer)
    description = local.description(version: 1)
    description.allowsMixedExtensions = offer.allowsMixedExtensions
    var bundled: [String] = []
    for (index, section) in offer.media.enumerated() {
      var answer = answer(to: section, at: index, of: offer, streamID: streamID, makeSSRC: makeSSRC)
      if !answer.isRejected {
        local.describeTransport(of: &answer, setup: remote.ourSetup, withCandidates: bundled.isEmpty)
        if let mid = answer.mid { bundled.append(mid) }
      }
      description.media.append(answer)
    }
    if !bundled.isEmpty { description.bundleGroups = [bundled] }
  }

  private mutating func answer(
    to offered: MediaSection, at index: Int, of offer: SessionDescription, streamID: String, makeSSRC: () -> SSRC
  ) -> MediaSection {
    if let data = MediaSection(acceptingDataChannels: offered) { return data }
    guard let kind = offered.kind.mediaKind, !offered.isRejected, offered.isRTP, let mid = offered.mid,
      offered.direction.receives, let codec = offered.payload(encoding: StreamOffer.codec(of: kind))
    else { return MediaSection(rejecting: offered) }
    let ordinal = lines.filter { $0.kind == kind }.count
    guard ordinal < Self.maximumLines else { return MediaSection(rejecting: offered) }

    var answer = MediaSection(kind: offered.kind, transportProtocol: offered.transportProtocol, mid: mid)
    answer.connection = "IN IP4 0.0.0.0"
    answer.direction = .sendOnly
    answer.multiplexesRTCP = true
    answer.allowsReducedSizeRTCP = offered.allowsReducedSizeRTCP
    var sent = codec
    let feedback = offered.feedback(for: codec.payloadType)
    sent.feedback = (kind == .video ? ["ccm fir", "nack", "nack pli"] : ["nack"]).filter(feedback.contains)
    if kind == .audio { sent.parameters = "minptime=10;useinbandfec=1" }
    answer.payloads = [sent]
    let rtx = offered.payloads.first { $0.associatedPayloadType == codec.payloadType }
    if var rtx {
      rtx.feedback = []
      answer.payloads.append(rtx)
    }
    var wanted: Set<HeaderExtension> = kind == .audio ? [.mid, .audioLevel] : [.mid]
    answer.extensionMaps = offer.extensionMaps(for: offered).compactMap { map in
      guard let known = map.known, wanted.remove(known) != nil else { return nil }
      return ExtensionMap(id: map.id, known)
    }

    let stream = ordinal == 0 ? streamID : "\(streamID)-\(ordinal + 1)"
    let outgoing = OutgoingStream(ssrc: makeSSRC(), rtxSSRC: rtx == nil ? nil : makeSSRC(), cname: stream)
    answer.announce(outgoing, stream: stream, track: "\(stream)-\(kind.rawValue)")
    lines.append(
      Line(
        index: index, kind: kind,
        accepted: AcceptedSection(
          mid: mid, payloadType: codec.payloadType, rtxPayloadType: rtx?.payloadType,
          audioLevelID: answer.extensionID(.audioLevel), midID: answer.extensionID(.mid)), stream: outgoing))
    return answer
  }
}

extension MediaSection {
  /// Names the sources on which we send, and the media stream that they belong to.
  mutating func announce(_ outgoing: OutgoingStream, stream: String, track: String) {
    streamIdentifiers = [MediaStreamIdentifier(stream: stream, track: track)]
    var sources = [outgoing.ssrc]
    if let rtx = outgoing.rtxSSRC {
      sources.append(rtx)
      sourceGroups = [SourceGroup(semantics: "FID", sources: sources)]
    }
    for ssrc in sources {
      sourceAttributes.append(SourceAttribute(ssrc: ssrc, name: "cname", value: outgoing.cname))
      sourceAttributes.append(SourceAttribute(ssrc: ssrc, name: "msid", value: "\(stream) \(track)"))
    }
  }

  /// An answer that takes offered data channels, on which nothing comes; nil when the section offers none.
  init?(acceptingDataChannels offered: MediaSection) {
    guard offered.kind == .application, !offered.isRejected, offered.formats.contains("webrtc-datachannel") else {
      return nil
    }
    self.init(kind: .application, transportProtocol: offered.transportProtocol, mid: offered.mid)
    connection = "IN IP4 0.0.0.0"
    formats = offered.formats
    sctpPort = 5000
    maximumMessageSize = 65_536
  }

  /// An answer that does not take a section, which must be there all the same (RFC 3264 §6).
  init(rejecting offered: MediaSection) {
    self.init(kind: offered.kind, port: 0, transportProtocol: offered.transportProtocol, mid: offered.mid)
    connection = "IN IP4 0.0.0.0"
    payloads = offered.payloads
    formats = offered.formats
    writtenDirection = .inactive
  }
}
