import Conference
import RTCCore

extension MediaSection {
  /// One number an extension in all sections, as BUNDLE demands.
  private static let receivedExtensions = [
    ExtensionMap(id: 1, .mid), ExtensionMap(id: 2, .absoluteSendTime), ExtensionMap(id: 3, .transportSequence),
  ]

  /// A section of an offer of ours that only receives, what we decode and nothing else.
  static func receiving(_ kind: MediaKind, mid: String, local: LocalTransport) -> MediaSection {
    var section = MediaSection(kind: Kind(kind), mid: mid)
    section.extensionMaps = receivedExtensions
    switch kind {
    case .audio:
      section.payloads = [.opus(stereo: true, feedback: ["transport-cc"])]
      section.extensionMaps.append(ExtensionMap(id: 4, .audioLevel))
    case .video:
      section.payloads = PayloadFormat.vp8(feedback: ["transport-cc", "ccm fir", "nack", "nack pli"])
    }
    section.direction = .receiveOnly
    section.apply(local, setup: .either)
    return section
  }
}

extension ReceivedTrack {
  /// What the answer to a section of ours makes us receive; nil when nothing comes of it that we decode.
  /// - Parameter offered: the section of our offer; an answer may only keep or leave what stands there (RFC 8285 §6).
  init?(
    _ track: TrackID, kind: MediaKind, offered: MediaSection, answer: MediaSection, of description: SessionDescription
  ) {
    let types = answer.payloads.filter { $0.isEncoding(kind == .audio ? "opus" : "VP8") }.map(\.payloadType)
    guard !answer.isRejected, answer.isRTP, answer.direction.sends, !types.isEmpty else { return nil }
    var repairs: [UInt8: UInt8] = [:]
    for payload in answer.payloads {
      if let repaired = payload.associatedPayloadType, types.contains(repaired) {
        repairs[payload.payloadType] = repaired
      }
    }
    let feedback = Set(types.flatMap { answer.feedback(for: $0) })
    let extensions = description.extensionMaps(for: answer).filter { map in
      offered.extensionMaps.contains { $0.id == map.id && $0.uri == map.uri }
    }
    let source = answer.mainSource
    self.init(
      track: track, kind: kind, mid: offered.mid ?? "", ssrc: source,
      rtxSSRC: source.flatMap(answer.retransmissionSource), payloadTypes: types, rtxPayloadTypes: repairs,
      supportsNACK: feedback.contains("nack"), supportsPLI: feedback.contains("nack pli"),
      extensions: HeaderExtensionIDs(extensions))
  }
}
