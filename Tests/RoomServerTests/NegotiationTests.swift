import RTCCore
import TestKit
import Testing

@testable import RoomServer

/// What a client offers, as text, with only the lines that matter.
enum Offers {
  static func head(_ mids: String) -> String {
    """
    v=0
    o=- 1 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE \(mids)
    a=extmap-allow-mixed

    """
  }
  static let transport = """
    c=IN IP4 0.0.0.0
    a=ice-ufrag:abcd
    a=ice-pwd:0123456789abcdefghijklmn
    a=fingerprint:sha-256 \(Array(repeating: "0A", count: 32).joined(separator: ":"))
    a=setup:actpass

    """
  static let data = "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\n\(transport)a=mid:0\na=sctp-port:5000\n"
  /// The official SDK's simulcast: layers listed from high to low, one codec, no RTX.
  static func simulcast(mid: String, direction: String = "sendonly", track: String = "cam-cid") -> String {
    """
    m=video 9 UDP/TLS/RTP/SAVPF 96 102 97
    \(transport)a=mid:\(mid)
    a=\(direction)
    a=msid:- \(track)
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 goog-remb
    a=rtcp-fb:96 transport-cc
    a=rtcp-fb:96 ccm fir
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=rtpmap:102 H264/90000
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:2 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
    a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
    a=extmap:4 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:6 urn:3gpp:video-orientation
    a=rid:f send
    a=rid:h send
    a=rid:q send
    a=simulcast:send f;h;q

    """
  }
  static func audio(mid: String, direction: String = "sendonly") -> String {
    """
    m=audio 9 UDP/TLS/RTP/SAVPF 63 111
    \(transport)a=mid:\(mid)
    a=\(direction)
    a=msid:stream mic-cid
    a=rtcp-mux
    a=rtpmap:63 red/48000/2
    a=rtpmap:111 opus/48000/2
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtcp-fb:111 transport-cc
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:7 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=ssrc:77 cname:x

    """
  }
}

private let local = LocalEnd(
  credentials: ICECredentials(usernameFragment: "ours", password: "ours-password-ours-password"),
  fingerprint: Array(repeating: 0xBB, count: 32),
  candidates: [
    ICECandidate(foundation: "1", priority: 1, address: "127.0.0.1", port: 7882, kind: .host)
  ], sessionID: "42")

@Suite struct PublisherAnswerTests {
  private func answer(_ text: String) throws -> PublisherAnswer {
    try PublisherAnswer(to: SessionDescription(parsing: text), local: local, version: 1)
  }

  @Test func simulcastIsMirroredAndReadFromLowToHigh() throws {
    let answer = try answer(Offers.head("0 1 2") + Offers.data + Offers.simulcast(mid: "1") + Offers.audio(mid: "2"))
    #expect(answer.description.media.map(\.mid) == ["0", "1", "2"])
    #expect(answer.description.bundleGroups == [["0", "1", "2"]])
    #expect(answer.description.isICELite)
    let video = answer.description.media[1]
    #expect(video.direction == .receiveOnly)
    #expect(video.payloads.map(\.payloadType) == [96, 97])
    #expect(video.payloads[0].feedback == ["transport-cc", "ccm fir", "nack", "nack pli"])
    #expect(video.simulcast?.receive == [["f"], ["h"], ["q"]])
    #expect(video.restrictionIdentifiers.map(\.direction) == [.receive, .receive, .receive])
    #expect(video.extensionMaps.map(\.id).sorted() == [1, 2, 3, 4])
    #expect(video.setup == .passive)
    #expect(answer.description.media[0].candidates.count == 1)
    #expect(video.candidates.isEmpty)
    let section = try #require(answer.sections.first)
    #expect(section.rids == ["q", "h", "f"])
    #expect(section.trackID == "cam-cid")
    #expect(section.payloadType == 96)
    #expect(section.rtxPayloadType == 97)
    #expect(section.supportsNACK)
    #expect(answer.transportSequenceID == 4)
    #expect(answer.extensions == .init(mid: 1, rid: 2, repairedRid: 3))
    let audio = try #require(answer.sections.last)
    // Plain Opus, though RED came first.
    #expect(audio.payloadType == 111)
    #expect(answer.description.media[2].payloads.map(\.payloadType) == [111])
    #expect(audio.mediaSSRC == SSRC(77))
    #expect(audio.audioLevelID == 7)
    #expect(!audio.supportsNACK)
    // What was written can be read.
    #expect(try SessionDescription(parsing: answer.description.serialized()).media.count == 3)
  }

  @Test func sectionsThatDoNotSendAreInactiveButAcceptLayers() throws {
    let answer = try answer(Offers.head("0 1") + Offers.data + Offers.simulcast(mid: "1", direction: "recvonly"))
    #expect(answer.sections.isEmpty)
    let video = answer.description.media[1]
    #expect(video.direction == .inactive)
    #expect(!video.isRejected)
    #expect(video.extensionMaps.contains { $0.known == .rid })
  }

  @Test func otherCodecsAreRejectedInPlace() throws {
    let h264 = Offers.simulcast(mid: "1").replacing("VP8", with: "AV1")
    let answer = try answer(Offers.head("0 1 2") + Offers.data + h264 + Offers.audio(mid: "2"))
    #expect(answer.description.media[1].isRejected)
    #expect(answer.description.media[1].mid == "1")
    #expect(answer.description.bundleGroups == [["0", "2"]])
    #expect(answer.sections.map(\.mid) == ["2"])
  }

  @Test func withoutTransportFeedbackTheEstimateIsTaken() throws {
    let old = Offers.simulcast(mid: "1").split(separator: "\n").filter { !$0.contains("transport-cc") }
    let answer = try answer(Offers.head("1") + old.joined(separator: "\n") + "\n")
    #expect(answer.usesBitrateEstimate)
    #expect(answer.transportSequenceID == nil)
    #expect(answer.description.media[0].payloads[0].feedback.contains("goog-remb"))
    #expect(answer.description.media[0].extensionMaps.contains { $0.known == .absoluteSendTime })
  }

  @Test func dtlsRolesFollowTheOffer() throws {
    let offer = Offers.head("0") + Offers.data
    #expect(try answer(offer).description.media[0].setup == .passive)
    #expect(
      try answer(offer.replacing("setup:actpass", with: "setup:passive")).description.media[0].setup == .active)
    #expect(
      try answer(offer.replacing("setup:actpass", with: "setup:active")).description.media[0].setup == .passive)
  }

  @Test func anOfferWithoutItsTransportIsAnError() {
    for line in ["a=ice-ufrag", "a=ice-pwd", "a=fingerprint"] {
      let text = (Offers.head("0") + Offers.data).split(separator: "\n").filter { !$0.hasPrefix(line) }
      #expect(throws: (any Error).self) { try answer(text.joined(separator: "\n") + "\n") }
    }
    #expect(throws: NegotiationError.missing("m=")) { try answer(Offers.head("0")) }
  }
}

@Suite struct SubscriberSectionsTests {
  private func media(_ kind: MediaKind, _ number: UInt32) -> SubscriberSections.Media {
    .init(
      participantSID: "PA_a", trackSID: "TR_\(number)", kind: kind, ssrc: SSRC(number),
      rtxSSRC: kind == .video ? SSRC(number + 1) : nil)
  }
  /// A client's answer that accepts everything.
  private func accept(_ offer: SessionDescription) -> SessionDescription {
    var answer = offer
    for index in answer.media.indices where answer.media[index].kind != .application {
      answer.media[index].writtenDirection = offer.media[index].direction == .sendOnly ? .receiveOnly : .inactive
    }
    return answer
  }

  @Test func theFirstOfferHasDataOnly() throws {
    var sections = SubscriberSections()
    let offer = try SessionDescription(parsing: sections.makeOffer(local: local).serialized())
    #expect(offer.media.map(\.kind) == [.application])
    #expect(offer.media[0].setup == .either)
    #expect(offer.media[0].sctpPort == 5000)
    #expect(offer.media[0].candidates.count == 1)
    #expect(offer.bundleGroups == [["0"]])
  }

  @Test func tracksAreOfferedWithStreamAndSources() throws {
    var sections = SubscriberSections()
    #expect(sections.add(media(.video, 10)) == "1")
    #expect(sections.add(media(.audio, 20)) == "2")
    let offer = try SessionDescription(parsing: sections.makeOffer(local: local).serialized())
    let video = offer.media[1]
    #expect(video.direction == .sendOnly)
    #expect(video.streamIdentifiers == [.init(stream: "PA_a|TR_10", track: "TR_10")])
    #expect(video.retransmissionSource(for: SSRC(10)) == SSRC(11))
    #expect(video.sourceAttribute("cname", of: SSRC(11)) == "PA_a|TR_10")
    #expect(offer.media[2].sources == [SSRC(20)])
    #expect(
      try sections.accept(accept(offer)) == [
        .init(mid: "1", payloadType: 96, rtxPayloadType: 97, audioLevelID: nil),
        .init(mid: "2", payloadType: 111, rtxPayloadType: nil, audioLevelID: 1),
      ])
  }

  @Test func endedSectionsStayInactiveAndAreNeverUsedAgain() throws {
    var sections = SubscriberSections()
    let first = sections.add(media(.video, 10))
    let offer = sections.makeOffer(local: local)
    sections.end(first)
    // The answer to the older offer arrives after the end.
    #expect(try sections.accept(accept(offer)).isEmpty)
    #expect(sections.add(media(.audio, 20)) == "2")
    let next = sections.makeOffer(local: local)
    #expect(next.media.map(\.mid) == ["0", "1", "2"])
    #expect(next.media[1].direction == .inactive)
    #expect(next.media[1].streamIdentifiers.isEmpty)
    #expect(next.origin.sessionVersion == offer.origin.sessionVersion + 1)
    #expect(try sections.accept(accept(next)).map(\.mid) == ["2"])
  }

  @Test func refusedSectionsAndWrongOrdersAreSeen() throws {
    var sections = SubscriberSections()
    _ = sections.add(media(.video, 10))
    _ = sections.add(media(.audio, 20))
    let offer = sections.makeOffer(local: local)
    var answer = accept(offer)
    answer.media[1].port = 0
    #expect(try sections.accept(answer).map(\.mid) == ["2"])
    answer.media.swapAt(1, 2)
    #expect(throws: NegotiationError.sectionsDiffer) { try sections.accept(answer) }
    answer.media.removeAll()
    #expect(throws: NegotiationError.sectionsDiffer) { try sections.accept(answer) }
    // RTX that the client does not take is not used.
    answer = accept(offer)
    answer.media[1].payloads.removeLast()
    #expect(try sections.accept(answer).first?.rtxPayloadType == nil)
  }
}

@Suite struct HostileDescriptionTests {
  @Test(arguments: UInt64(1)...6) func mangledDescriptionsNeverTrap(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let good = Array((Offers.head("0 1 2") + Offers.data + Offers.simulcast(mid: "1") + Offers.audio(mid: "2")).utf8)
    var sections = SubscriberSections()
    _ = sections.add(.init(participantSID: "PA_a", trackSID: "TR_b", kind: .video, ssrc: SSRC(1), rtxSSRC: SSRC(2)))
    for _ in 0..<200 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        default: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 30)], at: index)
        }
      }
      guard let description = try? SessionDescription(parsing: String(decoding: bytes, as: UTF8.self)) else { continue }
      if let answer = try? PublisherAnswer(to: description, local: local, version: 1) {
        #expect(answer.description.media.count == description.media.count)
      }
      _ = try? sections.accept(description)
    }
  }
}
