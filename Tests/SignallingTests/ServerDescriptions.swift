import RTCCore
import Signalling

/// Descriptions in the shape that LiveKit's server writes (protocol sheet §4.6).
enum ServerDescriptions {
  enum Section {
    case data
    case video(participant: String, track: String, ssrc: UInt32)
    case audio(participant: String, track: String, ssrc: UInt32)
    case inactiveVideo
    /// A section of only a codec that nobody here decodes.
    case h264(participant: String, track: String)
    case text(String)
  }

  static func offer(
    _ sections: [Section], ufrag: String = "srvU", setup: String = "actpass", extra: String = ""
  ) -> String {
    let mids = sections.indices.map(String.init).joined(separator: " ")
    let fingerprint = Array(repeating: "EF", count: 32).joined(separator: ":")
    var lines = [
      "v=0", "o=- 4215775240449105457 1 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=msid-semantic:WMS *",
      "a=fingerprint:sha-256 \(fingerprint)", "a=extmap-allow-mixed", "a=group:BUNDLE \(mids)",
    ]
    for (index, section) in sections.enumerated() {
      lines += media(section)
      lines += [
        "c=IN IP4 0.0.0.0", "a=setup:\(setup)", "a=mid:\(index)", "a=ice-ufrag:\(ufrag)",
        "a=ice-pwd:serverpassword12345678",
      ]
      if index == 0 { lines += extra.isEmpty ? [] : [extra] }
    }
    return lines.map { $0 + "\r\n" }.joined()
  }

  private static func media(_ section: Section) -> [String] {
    switch section {
    case .data:
      [
        "m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "a=sendrecv", "a=sctp-port:5000",
        "a=max-message-size:65536",
      ]
    case .video(let participant, let track, let ssrc):
      video
        + [
          "a=ssrc-group:FID \(ssrc) \(ssrc + 1)", "a=ssrc:\(ssrc) cname:\(participant)|\(track)",
          "a=ssrc:\(ssrc + 1) cname:\(participant)|\(track)", "a=msid:\(participant)|\(track) \(track)", "a=sendonly",
        ]
    case .audio(let participant, let track, let ssrc):
      [
        "m=audio 9 UDP/TLS/RTP/SAVPF 63 111", "a=rtcp-mux", "a=rtcp-rsize", "a=rtpmap:63 red/48000/2",
        "a=fmtp:63 111/111", "a=rtpmap:111 opus/48000/2", "a=fmtp:111 minptime=10;useinbandfec=1", "a=rtcp-fb:111 nack",
        "a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level",
        "a=extmap:7 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time",
        "a=ssrc:\(ssrc) cname:\(participant)|\(track)", "a=msid:\(participant)|\(track) \(track)", "a=sendrecv",
      ]
    case .inactiveVideo: video + ["a=inactive"]
    case .h264(let participant, let track):
      [
        "m=video 9 UDP/TLS/RTP/SAVPF 125 107", "a=rtcp-mux", "a=rtpmap:125 H264/90000",
        "a=fmtp:125 profile-level-id=42e01f", "a=rtpmap:107 rtx/90000", "a=fmtp:107 apt=125",
        "a=msid:\(participant)|\(track) \(track)", "a=sendonly",
      ]
    case .text(let text): [text]
    }
  }

  private static let video = [
    "m=video 9 UDP/TLS/RTP/SAVPF 96 97 125", "a=rtcp-mux", "a=rtcp-rsize", "a=rtpmap:96 VP8/90000",
    "a=rtcp-fb:96 ccm fir", "a=rtcp-fb:96 nack", "a=rtcp-fb:96 nack pli", "a=rtcp-fb:96 goog-remb",
    "a=rtcp-fb:96 transport-cc", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96", "a=rtpmap:125 H264/90000",
    "a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
    "a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
    "a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid", "a=extmap:12 urn:example:unknown",
  ]

  /// The server's answer to our offer: everything accepted, unless the test changes it.
  static func answer(
    to offer: String, setup: SetupRole = .active, ufrag: String = "srvP",
    change: (inout MediaSection) -> Void = { _ in }
  ) throws -> String {
    let offered = try SessionDescription(parsing: offer)
    var answer = SessionDescription(origin: SessionDescription.Origin(sessionID: "9"))
    answer.bundleGroups = offered.bundleGroups
    for section in offered.media {
      var described = section
      described.sourceGroups = []
      described.sourceAttributes = []
      described.streamIdentifiers = []
      described.restrictionIdentifiers = section.restrictionIdentifiers.map {
        RestrictionIdentifier(id: $0.id, direction: .receive)
      }
      described.simulcast = section.simulcast.map { SimulcastDescription(receive: $0.send) }
      described.writtenDirection = section.writtenDirection?.reversed
      described.setup = setup
      described.iceCredentials = ICECredentials(usernameFragment: ufrag, password: "serverpassword12345678")
      described.fingerprints = [CertificateFingerprint(bytes: Array(repeating: 0x11, count: 32))]
      change(&described)
      answer.media.append(described)
    }
    return answer.serialized()
  }
}
