import RTCCore

/// The media sections of our offers to a subscriber: one for data, which carries the transport, then one for each
/// subscription ever made. A section is never used again and never moves; one that ended stays as `inactive`.
struct SubscriberSections: Equatable, Sendable {
  /// A track on its way to the subscriber.
  struct Media: Equatable, Sendable {
    var participantSID: String
    var trackSID: String
    var kind: MediaKind
    var ssrc: SSRC
    /// Nil for audio.
    var rtxSSRC: SSRC?

    /// Id of the media stream, also the CNAME: both of a participant's tracks play in step.
    var streamID: String { "\(participantSID)|\(trackSID)" }
  }

  private struct Section: Equatable {
    var mid: String
    var media: Media
    var isActive = true
  }

  /// Most sections that one session may ever use; a subscriber that reaches it must join anew.
  static let maximum = 1000
  static let dataMid = "0"
  private static let audioLevelID: UInt8 = 1

  private var sections: [Section] = []
  private var version: UInt64 = 0

  init() {}

  var isFull: Bool { sections.count >= Self.maximum }

  /// Adds a section and returns its mid.
  mutating func add(_ media: Media) -> String {
    let mid = String(sections.count + 1)
    sections.append(Section(mid: mid, media: media))
    return mid
  }

  /// Makes a section inactive for good.
  mutating func end(_ mid: String) {
    guard let index = sections.firstIndex(where: { $0.mid == mid }) else { return }
    sections[index].isActive = false
  }

  /// The next offer.
  mutating func makeOffer(local: LocalEnd) -> SessionDescription {
    version += 1
    var offer = local.description(version: version)
    var data = MediaSection(kind: .application, transportProtocol: "UDP/DTLS/SCTP", mid: Self.dataMid)
    data.formats = ["webrtc-datachannel"]
    data.connection = "IN IP4 0.0.0.0"
    data.sctpPort = 5000
    data.maximumMessageSize = 65_536
    local.describeTransport(of: &data, setup: .either, withCandidates: true)
    offer.media = [data]
    for section in sections {
      var media = Self.describe(section)
      local.describeTransport(of: &media, setup: .either, withCandidates: false)
      offer.media.append(media)
    }
    offer.bundleGroups = [offer.media.compactMap(\.mid)]
    return offer
  }

  /// Reads the answer to an offer that had all of these sections up to now; sections added since are left out.
  func accept(_ answer: SessionDescription) throws(NegotiationError) -> [AcceptedSection] {
    guard answer.media.count <= sections.count + 1, let first = answer.media.first, first.kind == .application else {
      throw .sectionsDiffer
    }
    var accepted: [AcceptedSection] = []
    for (section, offered) in zip(answer.media.dropFirst(), sections) {
      guard section.mid == offered.mid, section.kind == MediaSection.Kind(offered.media.kind) else {
        throw .sectionsDiffer
      }
      guard offered.isActive, !section.isRejected, section.direction.receives,
        let codec = section.payload(encoding: offered.media.kind == .video ? "VP8" : "opus")
      else { continue }
      accepted.append(
        AcceptedSection(
          mid: offered.mid, payloadType: codec.payloadType,
          rtxPayloadType: section.retransmissionPayloadType(for: codec.payloadType),
          audioLevelID: section.extensionID(.audioLevel)))
    }
    return accepted
  }

  private static func describe(_ section: Section) -> MediaSection {
    var result = MediaSection(kind: MediaSection.Kind(section.media.kind), mid: section.mid)
    result.connection = "IN IP4 0.0.0.0"
    result.multiplexesRTCP = true
    result.allowsReducedSizeRTCP = true
    switch section.media.kind {
    case .audio:
      result.payloads = [.opus(feedback: ["nack"])]
      result.extensionMaps = [ExtensionMap(id: audioLevelID, .audioLevel)]
    case .video:
      result.payloads = PayloadFormat.vp8(feedback: ["ccm fir", "nack", "nack pli"])
    }
    result.writtenDirection = section.isActive ? .sendOnly : .inactive
    guard section.isActive else { return result }
    let media = section.media
    result.announce(
      .init(ssrc: media.ssrc, rtxSSRC: media.rtxSSRC, cname: media.streamID), stream: media.streamID,
      track: media.trackSID)
    return result
  }
}
