import Conference
import RTCCore

/// Our answer to the server's offer on the subscriber connection, and what it makes us receive.
///
/// Each section of VP8 or Opus that the server sends on is accepted, receiving only; sections whose codec we cannot
/// decode, or whose track is not known, become inactive; a data-channel section is accepted.
struct SubscriberAnswer {
  var description: SessionDescription
  var tracks: [ReceivedTrack] = []
  var remote: RemoteTransport
  /// Sections that send, but no known track, or that of a section before.
  var unusableSections = 0

  /// Nil when the offer lacks what a transport needs. `track` tells which track a section carries, if that can be told.
  init?(
    to offer: SessionDescription, local: LocalTransport, sessionID: String, version: UInt64,
    track: (MediaSection) -> TrackID?
  ) {
    // The offer leaves the choice to us, or has made it.
    let offeredSetup = offer.transportSection.flatMap { offer.setup(for: $0) } ?? .either
    let setup: SetupRole = offeredSetup == .active ? .passive : .active
    guard let remote = RemoteTransport(offer, weAreDTLSClient: setup == .active) else { return nil }
    self.remote = remote
    description = SessionDescription(sessionID: sessionID, version: version)
    description.allowsMixedExtensions = offer.allowsMixedExtensions

    var mids: [String] = []
    for offered in offer.media {
      var answer = accept(offered, of: offer, track: track)
      if !answer.isRejected {
        answer.apply(local, setup: setup)
        if let mid = answer.mid { mids.append(mid) }
      }
      description.media.append(answer)
    }
    if !offer.bundleGroups.isEmpty { description.bundleGroups = [mids] }
  }

  private mutating func accept(
    _ offered: MediaSection, of offer: SessionDescription, track: (MediaSection) -> TrackID?
  ) -> MediaSection {
    switch offered.kind {
    case .application where !offered.isRejected && offered.transportProtocol.hasSuffix("DTLS/SCTP"):
      return .dataChannels(mid: offered.mid)
    case .audio where !offered.isRejected && offered.isRTP:
      return accept(offered, kind: .audio, encoding: "opus", of: offer, track: track)
    case .video where !offered.isRejected && offered.isRTP:
      return accept(offered, kind: .video, encoding: "VP8", of: offer, track: track)
    default:
      var answer = MediaSection(
        kind: offered.kind, port: 0, transportProtocol: offered.transportProtocol, mid: offered.mid)
      answer.payloads = offered.payloads
      answer.formats = offered.formats
      answer.connection = "IN IP4 0.0.0.0"
      answer.direction = .inactive
      return answer
    }
  }

  private mutating func accept(
    _ offered: MediaSection, kind: MediaKind, encoding: String, of offer: SessionDescription,
    track: (MediaSection) -> TrackID?
  ) -> MediaSection {
    var answer = MediaSection(kind: offered.kind, transportProtocol: offered.transportProtocol, mid: offered.mid)
    let codecs = offered.payloads.filter { $0.isEncoding(encoding) }
    let types = codecs.map(\.payloadType)
    answer.payloads = offered.payloads.filter { payload in
      types.contains(payload.payloadType) || payload.associatedPayloadType.map(types.contains) == true
    }
    for index in answer.payloads.indices {
      answer.payloads[index].feedback = offered.feedback(for: answer.payloads[index].payloadType)
        .filter { Self.feedback.contains($0) }
      if kind == .audio { answer.payloads[index].parameters = "minptime=10;useinbandfec=1" }
    }
    answer.extensionMaps = Self.acceptedExtensions(
      offer.extensionMaps(for: offered), mixed: offer.allowsMixedExtensions(in: offered))
    answer.direction = .inactive
    guard !codecs.isEmpty else {
      // An answer lists at least one format; this one is never used.
      answer.payloads = Array(offered.payloads.prefix(1))
      return answer
    }
    guard offered.direction.sends else { return answer }
    guard let track = track(offered), !tracks.contains(where: { $0.track == track }) else {
      unusableSections += 1
      return answer
    }
    answer.direction = .receiveOnly
    tracks.append(received(track, kind: kind, offered: offered, answer: answer, payloadTypes: types))
    return answer
  }

  private func received(
    _ track: TrackID, kind: MediaKind, offered: MediaSection, answer: MediaSection, payloadTypes: [UInt8]
  ) -> ReceivedTrack {
    let feedback = Set(payloadTypes.flatMap { answer.feedback(for: $0) })
    let source = offered.mainSource
    var repairs: [UInt8: UInt8] = [:]
    for payload in answer.payloads {
      if let repaired = payload.associatedPayloadType { repairs[payload.payloadType] = repaired }
    }
    return ReceivedTrack(
      track: track, kind: kind, mid: offered.mid ?? "", ssrc: source,
      rtxSSRC: source.flatMap(offered.retransmissionSource), payloadTypes: payloadTypes, rtxPayloadTypes: repairs,
      supportsNACK: feedback.contains("nack"), supportsPLI: feedback.contains("nack pli"),
      extensions: HeaderExtensionIDs(answer.extensionMaps))
  }

  /// The RTCP feedback that we send. Bandwidth estimates (`goog-remb`) we do not: layers are asked for by size.
  private static let feedback: Set<String> = ["nack", "nack pli", "ccm fir", "transport-cc"]

  private static func acceptedExtensions(_ offered: [ExtensionMap], mixed: Bool) -> [ExtensionMap] {
    let wanted: Set<HeaderExtension> = [.mid, .absoluteSendTime, .transportSequence, .audioLevel]
    var accepted: [ExtensionMap] = []
    for map in offered {
      // 15 is reserved, and numbers above need the two-byte form (RFC 8285 §4.2, §4.3).
      guard let known = map.known, wanted.contains(known), (1...14).contains(map.id) || mixed && map.id >= 16,
        !accepted.contains(where: { $0.id == map.id || $0.uri == map.uri })
      else { continue }
      accepted.append(ExtensionMap(id: map.id, known))
    }
    return accepted
  }
}
