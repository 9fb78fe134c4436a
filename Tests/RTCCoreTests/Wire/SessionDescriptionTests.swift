import RTCCore
import Testing

@Suite struct SessionDescriptionTests {
  private static let fingerprint = CertificateFingerprint(bytes: Array(0..<32))

  @Test(
    "what is read, written and read again is the same",
    arguments: [
      SDPFixture.chromeOffer, SDPFixture.liveKitOffer, SDPFixture.aiortcOffer,
    ]) func roundTrip(text: String) throws
  {
    let description = try SessionDescription(parsing: text)
    let written = description.serialized()
    #expect(try SessionDescription(parsing: written) == description)
    // Nothing is lost and nothing invented but for the pause mark and the spelling of one blank.
    func lines(_ text: String) -> [String] {
      let alike = text.replacing("msid-semantic: ", with: "msid-semantic:").replacing("~", with: "")
      return alike.split(separator: "\r\n").map(String.init).sorted()
    }
    #expect(lines(written) == lines(text))
  }

  @Test("LF alone, blank lines and a missing last line end are read") func lineEnds() throws {
    let text = SDPFixture.chromeOffer
    let plain = text.replacing("\r\n", with: "\n\n")
    #expect(try SessionDescription(parsing: String(plain.dropLast(2))) == SessionDescription(parsing: text))
  }

  @Test("a browser's offer: session") func chromeSession() throws {
    let offer = try SessionDescription(parsing: SDPFixture.chromeOffer)
    #expect(
      offer.origin
        == .init(sessionID: "4611731400430051336", sessionVersion: 2, connection: "IN IP4 127.0.0.1"))
    #expect(offer.bundleGroups == [["0", "1", "2"]])
    #expect(offer.allowsMixedExtensions && !offer.isICELite)
    #expect(offer.msidSemantic == "WMS stream-1")
    #expect(offer.media.map(\.kind) == [.audio, .video, .application])
    #expect(offer.media.map(\.mid) == ["0", "1", "2"])
    #expect(offer.attributes.isEmpty)
    #expect(offer.transportSection?.mid == "0")
  }

  @Test("a browser's offer: audio") func chromeAudio() throws {
    let audio = try #require(SessionDescription(parsing: SDPFixture.chromeOffer).section(mid: "0"))
    #expect(audio.payloads.map(\.payloadType) == [111, 63, 9, 0, 8, 13, 110])
    let opus = try #require(audio.payload(encoding: "OPUS"))
    #expect(
      opus
        == PayloadFormat(
          payloadType: 111, encodingName: "opus", clockRate: 48_000, channels: 2,
          parameters: "minptime=10;useinbandfec=1", feedback: ["transport-cc"]))
    #expect(opus.parameter("useinbandfec") == "1" && opus.parameter("stereo") == nil)
    #expect(audio.direction == .sendReceive)
    #expect(audio.multiplexesRTCP && audio.allowsReducedSizeRTCP)
    #expect(
      audio.iceCredentials == ICECredentials(usernameFragment: "EsAw", password: "P2uYro0UCOQ4zxjKXaWCBui1"))
    #expect(audio.iceOptions == ["trickle"])
    #expect(audio.fingerprints == [Self.fingerprint])
    #expect(audio.setup == .either)
    #expect(audio.extensionID(.audioLevel) == 1 && audio.extensionID(.rid) == nil)
    #expect(audio.sources == [SSRC(3_570_614_608)])
    #expect(audio.sourceAttribute("cname", of: SSRC(3_570_614_608)) == "4TOk42mSjXCkVIa6")
    #expect(audio.attributes == [SDPAttribute(name: "rtcp", value: "9 IN IP4 0.0.0.0")])
  }

  @Test("a browser's offer: simulcast video") func chromeVideo() throws {
    let video = try #require(SessionDescription(parsing: SDPFixture.chromeOffer).section(mid: "1"))
    #expect(video.payload(encoding: "vp8")?.payloadType == 96)
    #expect(video.retransmissionPayloadType(for: 96) == 97 && video.retransmissionPayloadType(for: 116) == nil)
    #expect(video.feedback(for: 96) == ["goog-remb", "transport-cc", "ccm fir", "nack", "nack pli"])
    #expect(video.direction == .sendOnly && video.direction.reversed == .receiveOnly)
    #expect(video.streamIdentifiers == [MediaStreamIdentifier(stream: "stream-1", track: "track-video")])
    #expect(video.bandwidths == ["AS:2500"])
    #expect(video.extensionMaps.map(\.id) == [14, 2, 13, 3, 4, 10, 11])
    #expect(
      video.extensionMaps.map(\.known) == [
        nil, .absoluteSendTime, nil, .transportSequence, .mid, .rid, .repairedRID,
      ])
    #expect(
      video.restrictionIdentifiers == [
        RestrictionIdentifier(id: "q", direction: .send),
        RestrictionIdentifier(
          id: "h", direction: .send,
          restrictions: [.init(name: "max-width", value: "640"), .init(name: "max-height", value: "360")]),
        RestrictionIdentifier(
          id: "f", direction: .send, payloadTypes: [96, 97], restrictions: [.init(name: "max-fps", value: "30")]),
      ])
    #expect(video.simulcast == SimulcastDescription(send: [["q"], ["h"], ["f"]]))
  }

  @Test("a browser's offer: data channels") func chromeData() throws {
    let data = try #require(SessionDescription(parsing: SDPFixture.chromeOffer).section(mid: "2"))
    #expect(data.formats == ["webrtc-datachannel"])
    #expect(data.payloads.isEmpty)
    #expect(data.transportProtocol == MediaSection.dataProtocol)
    #expect(data.sctpPort == 5000 && data.maximumMessageSize == 262_144)
    #expect(data.kind.mediaKind == nil)
  }

  @Test("a LiveKit offer: what sections take over from the session, sources by group") func liveKit() throws {
    let offer = try SessionDescription(parsing: SDPFixture.liveKitOffer)
    let video = try #require(offer.section(mid: "1"))
    #expect(video.fingerprints.isEmpty)
    #expect(offer.fingerprints(for: video) == [Self.fingerprint])
    #expect(offer.setup(for: video) == .either)
    #expect(offer.iceCredentials(for: video)?.usernameFragment == "mnBGsUvvQgCkbSwm")
    #expect(video.sources == [SSRC(1001), SSRC(1002)])
    #expect(video.retransmissionSource(for: SSRC(1001)) == SSRC(1002))
    #expect(video.retransmissionSource(for: SSRC(1002)) == nil)
    #expect(video.sourceAttribute("msid", of: SSRC(1001)) == "PA_alice|TR_camera TR_camera")
    #expect(video.streamIdentifiers.first == MediaStreamIdentifier(stream: "PA_alice|TR_camera", track: "TR_camera"))
    #expect(video.extensionID(.dependencyDescriptor) == 1)
    #expect(offer.section(mid: "2")?.direction == .inactive)
    #expect(offer.allowsMixedExtensions(in: video))
  }

  @Test("an aiortc offer: candidates, and a section that shares the first one's transport") func aiortc() throws {
    let offer = try SessionDescription(parsing: SDPFixture.aiortcOffer)
    let (audio, video) = (try #require(offer.section(mid: "0")), try #require(offer.section(mid: "1")))
    #expect(audio.candidates.map(\.kind) == [.host, .serverReflexive])
    #expect(audio.hasAllCandidates)
    #expect(audio.port == 46_011)
    #expect(audio.fingerprints.map(\.algorithm) == ["sha-256", "sha-384"])
    #expect(video.iceCredentials == nil && video.setup == nil)
    #expect(offer.iceCredentials(for: video)?.usernameFragment == "vTqR")
    #expect(offer.fingerprints(for: video).first == Self.fingerprint)
    #expect(offer.setup(for: video) == .either)
    #expect(video.direction == .receiveOnly)
  }

  private func minimal(session: String = "", media: String = "m=video 9 UDP/TLS/RTP/SAVPF 96\n") -> String {
    "v=0\no=- 1 2 IN IP4 0.0.0.0\ns=-\nt=0 0\n" + session + media
  }

  @Test("session attributes that WebRTC servers use") func sessionAttributes() throws {
    let description = try SessionDescription(
      parsing: minimal(
        session: """
          a=ice-lite
          a=ice-options:trickle ice2
          a=setup:passive
          a=extmap:5 urn:a b
          a=group:LS 0
          a=ice-ufrag:uuuu
          a=ice-pwd:pppp
          c=IN IP4 192.0.2.1
          b=AS:1

          """))
    #expect(description.isICELite)
    #expect(description.iceOptions == ["trickle", "ice2"])
    #expect(description.extensionMaps == [ExtensionMap(id: 5, uri: "urn:a", attributes: "b")])
    #expect(description.extensionMaps(for: description.media[0]).map(\.id) == [5])
    #expect(description.setup(for: description.media[0]) == .passive)
    #expect(description.iceCredentials(for: description.media[0])?.password == "pppp")
    #expect(description.attributes == [SDPAttribute(name: "group", value: "LS 0")])
    #expect(try SessionDescription(parsing: description.serialized()) == description)
  }

  @Test(
    "values that are not understood are kept as text",
    arguments: [
      "rtpmap:96 VP8", "rtpmap:96 VP8/x", "rtpmap:200 VP8/90000", "rtpmap:97 VP8/90000", "fmtp:97 apt=1", "fmtp:96",
      "rtcp-fb:97 nack",
      "extmap:0 urn:a", "extmap:4096 urn:a", "extmap:1/sideways urn:a", "extmap:1", "ssrc:x cname:a", "ssrc:1",
      "ssrc-group:FID",
      "ssrc-group:FID 1 x", "rid:a up", "rid:a", "rid:a send pt=x", "simulcast: send rid=h;l", "simulcast:send h recv",
      "simulcast:send h send l", "candidate:1 2 3", "sctp-port:65536", "max-message-size:-1", "msid:a b c", "msid:",
      "sendrecv:x",
      "unknown", "unknown:value:with:colons", "rtcp-mux-only", "", ":",
    ]) func unknownValues(attribute: String) throws
  {
    let description = try SessionDescription(parsing: minimal() + "a=\(attribute)\n")
    let kept = try #require(description.media[0].attributes.first)
    #expect(kept.name + (kept.value.map { ":\($0)" } ?? "") == attribute)
    #expect(try SessionDescription(parsing: description.serialized()) == description)
  }

  @Test("RFC 8853 §5.1: both directions and alternatives") func simulcastBothWays() throws {
    let description = try SessionDescription(
      parsing: minimal()
        + "a=simulcast:recv a,~b;c send ~d\na=rid:d recv\na=extmap:3/recvonly urn:a\na=rtcp-fb:* nack\n")
    let section = description.media[0]
    #expect(section.simulcast == SimulcastDescription(send: [["d"]], receive: [["a", "b"], ["c"]]))
    #expect(section.restrictionIdentifiers.first?.direction.reversed == .send)
    #expect(section.extensionMaps.first?.direction == .receiveOnly)
    #expect(section.feedback(for: 96) == ["nack"])
    #expect(try SessionDescription(parsing: description.serialized()) == description)
  }

  @Test("static payload types need no rtpmap, others without one have no name") func staticPayloads() throws {
    let description = try SessionDescription(parsing: minimal(media: "m=audio 9 UDP/TLS/RTP/SAVPF 0 8 99 0\n"))
    #expect(description.media[0].payloads.map(\.encodingName) == ["PCMU", "PCMA", ""])
    #expect(try SessionDescription(parsing: description.serialized()) == description)
  }

  @Test("RFC 9143 §6: a rejected section is told from one that is bundle-only") func rejected() throws {
    let description = try SessionDescription(
      parsing: minimal(media: "m=video 0 UDP/TLS/RTP/SAVPF 96\nm=video 0 UDP/TLS/RTP/SAVPF 96\na=bundle-only\n"))
    #expect(description.media.map(\.isRejected) == [true, false])
    #expect(description.transportSection == description.media[1])
  }

  @Test(
    "malformed descriptions name the line",
    arguments: [
      ("", SDPError(.missing, "v=")), ("o=- 1 2 IN IP4 0.0.0.0\n", SDPError(.missing, "v=", line: 1)),
      ("hello", SDPError(.malformed, "line", line: 1)), ("v=0\n", SDPError(.missing, "o=")),
      ("v=1\n", SDPError(.malformed, "v=", line: 1)),
      ("v=0\no=- 1 x IN IP4 0.0.0.0\n", SDPError(.malformed, "o=", line: 2)),
      ("v=0\no=- 1 2 IN IP4\n", SDPError(.malformed, "o=", line: 2)),
      ("v=0\n\nab=c\n", SDPError(.malformed, "line", line: 3)),
      ("v=0\nV=0\n", SDPError(.malformed, "line", line: 2)),
      ("v=0\nm=video 9 UDP/TLS/RTP/SAVPF\n", SDPError(.malformed, "m=", line: 2)),
      ("v=0\nm=video 65536 UDP/TLS/RTP/SAVPF 96\n", SDPError(.malformed, "m=", line: 2)),
      ("v=0\nm=video 9 UDP/TLS/RTP/SAVPF 128\n", SDPError(.malformed, "m=", line: 2)),
      ("v=0\nm=video 9 UDP/TLS/RTP/SAVPF x\n", SDPError(.malformed, "m=", line: 2)),
    ] as [(String, SDPError)]) func malformed(text: String, error: SDPError)
  {
    #expect(throws: error) { try SessionDescription(parsing: text) }
  }

  @Test(
    "what decides about security or identity must be right",
    arguments: [
      ("fingerprint", SDPError(.malformed, "fingerprint", line: 6)),
      ("fingerprint:sha-256 AB", SDPError(.malformed, "fingerprint", line: 6)),
      ("fingerprint:sha-256 \(SDPFixture.fingerprint):+1", SDPError(.malformed, "fingerprint", line: 6)),
      ("fingerprint:sha-256 \(SDPFixture.fingerprint) x", SDPError(.malformed, "fingerprint", line: 6)),
      ("setup:both", SDPError(.malformed, "setup", line: 6)), ("mid:", SDPError(.malformed, "mid", line: 6)),
      ("mid:a b", SDPError(.malformed, "mid", line: 6)), ("mid:a\u{1B}[2J", SDPError(.malformed, "line", line: 6)),
      ("x\u{0}:y", SDPError(.malformed, "line", line: 6)), ("x:\ry", SDPError(.malformed, "line", line: 6)),
      ("x:\u{7F}", SDPError(.malformed, "line", line: 6)),
      ("mid:a\na=mid:b", SDPError(.duplicate, "mid", line: 7)),
      ("mid:a\nm=audio 9 UDP/TLS/RTP/SAVPF 0\na=mid:a", SDPError(.duplicate, "mid")),
      ("ice-ufrag:", SDPError(.malformed, "ice-ufrag", line: 6)), ("ice-ufrag:abcd", SDPError(.missing, "ice-pwd")),
      ("ice-pwd:abcd\nm=audio 9 UDP/TLS/RTP/SAVPF 0", SDPError(.missing, "ice-ufrag", line: 7)),
      ("ice-pwd:" + String(repeating: "a", count: 257), SDPError(.malformed, "ice-pwd", line: 6)),
    ] as [(String, SDPError)]) func strict(attribute: String, error: SDPError)
  {
    #expect(throws: error) { try SessionDescription(parsing: minimal() + "a=\(attribute)\n") }
  }

  @Test("sizes and counts are bounded") func bounds() {
    #expect(throws: SDPError(.tooLarge, "session description")) {
      try SessionDescription(parsing: String(repeating: "a", count: SessionDescription.maximumLength + 1))
    }
    let section = "m=audio 9 UDP/TLS/RTP/SAVPF 0\n"
    #expect(throws: SDPError(.tooMany, "m=", line: 4 + SessionDescription.maximumSections + 1)) {
      try SessionDescription(
        parsing: minimal(media: String(repeating: section, count: SessionDescription.maximumSections + 1)))
    }
    #expect(throws: SDPError.self) {
      try SessionDescription(parsing: minimal() + String(repeating: "a=ssrc:1 x\n", count: 5000))
    }
    #expect(throws: SDPError(.tooMany, "formats", line: 5)) {
      try SessionDescription(parsing: minimal(media: "m=a 9 X" + String(repeating: " y", count: 300) + "\n"))
    }
    #expect(SDPError(.tooMany, "formats", line: 5).description == "too many formats in line 5")
  }

  @Test("no value that is written can begin a line of its own") func injection() throws {
    var description = SessionDescription(origin: .init(sessionID: "1"))
    description.name = "x\r\na=ice-lite"
    var section = MediaSection(kind: .video, mid: "0")
    section.payloads = [PayloadFormat(payloadType: 96, encodingName: "VP8", clockRate: 90_000)]
    section.streamIdentifiers = [MediaStreamIdentifier(stream: "s\na=setup:active", track: "t\u{0}\u{7F}")]
    section.attributes = [SDPAttribute(name: "x\r", value: "y\nm=audio 9 X 0")]
    description.media = [section]
    let read = try SessionDescription(parsing: description.serialized())
    #expect(read.media.count == 1 && !read.isICELite && read.media[0].setup == nil)
    #expect(read.media[0].attributes == [SDPAttribute(name: "x", value: "ym=audio 9 X 0")])
  }

  @Test("a mark that combines with a separator does not hide it") func combiningMarks() throws {
    let description = try SessionDescription(parsing: minimal() + "a=msid:stream \u{301}track\na=x:\u{301}y\n")
    #expect(
      description.media[0].streamIdentifiers == [MediaStreamIdentifier(stream: "stream", track: "\u{301}track")])
    #expect(description.media[0].attributes == [SDPAttribute(name: "x", value: "\u{301}y")])
  }
}
