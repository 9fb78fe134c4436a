import RTCCore
import Signalling

/// What a participant without signalling publishes: an offer over HTTP announces its tracks.
extension Participant {
  /// Answers the offer, and takes each section that sends for an announcement of its track.
  func takeStream(
    _ offer: SessionDescription
  ) throws(NegotiationError) -> (sdp: String, sections: [PublisherAnswer.Section]) {
    guard let publisher else { throw .sectionsDiffer }
    var (sdp, sections) = try publisher.answer(offer)
    for index in sections.indices {
      // Tracks are found again by their id, which encoders leave out or give to audio and video alike.
      sections[index].trackID = sections[index].mid
      let isFirst = !sections[..<index].contains { $0.kind == sections[index].kind }
      pending.append(PendingTrack(Self.announcement(of: sections[index], isFirst: isFirst)))
    }
    return (sdp, sections)
  }

  /// The first of each kind is camera and microphone, others what people stream besides: their screen and its sound.
  static func source(of kind: MediaKind, isFirst: Bool) -> LiveKit.TrackSource {
    switch kind {
    case .video: isFirst ? .camera : .screenShare
    case .audio: isFirst ? .microphone : .screenShareAudio
    }
  }

  private static func announcement(of section: PublisherAnswer.Section, isFirst: Bool) -> LiveKit.AddTrackRequest {
    var request = LiveKit.AddTrackRequest()
    request.cid = section.mid
    request.type = section.kind == .video ? .video : .audio
    request.source = source(of: section.kind, isFirst: isFirst)
    request.name = request.source.tokenName
    guard section.kind == .video else { return request }
    let qualities: [LiveKit.VideoQuality] = section.rids.count < 2 ? [.high] : [.low, .medium, .high]
    request.layers = zip(qualities, section.rids.isEmpty ? [""] : section.rids).map { .init(quality: $0, rid: $1) }
    return request
  }
}
