import Conference
import RTCCore
import Signalling
import TestKit
import Testing

@testable import RoomServer

/// The client's side of the protocol against the server's negotiation, without a network.
@Suite struct ClientAgreementTests {
  private final class Client {
    private var session = LiveKitSession(
      configuration: .init(subscriber: local("sub"), publisher: local("pub")), randomness: SeededGenerator(seed: 7),
      openedAt: .zero)
    private(set) var requests: [LiveKit.SignalRequest] = []
    private(set) var media: [MediaCommand] = []

    private static func local(_ name: String) -> LocalTransport {
      LocalTransport(
        iceUfrag: name, icePassword: "password-of-\(name)-0123456789", fingerprint: Array(repeating: 1, count: 32))
    }
    func receive(_ response: LiveKit.SignalResponse) throws {
      session.receive(response.serialized(), at: .zero)
      try drain()
    }
    func perform(_ command: ConferenceCommand) throws {
      session.perform(command, at: .zero)
      try drain()
    }
    private func drain() throws {
      while true {
        switch session.pollOutput() {
        case .send(let bytes): requests.append(try LiveKit.SignalRequest(parsing: bytes))
        case .media(let command): media.append(command)
        case .wait: return
        default: break
        }
      }
    }
    func join() throws {
      var join = LiveKit.JoinResponse()
      join.room = LiveKit.Room()
      join.participant = LiveKit.ParticipantInfo()
      join.participant?.sid = "PA_me"
      join.participant?.identity = "me"
      join.participant?.permission = LiveKit.VideoGrant(joining: "lab").permission
      join.subscriberPrimary = true
      join.pingInterval = 5
      join.pingTimeout = 15
      try receive(.join(join))
    }
  }

  private let local = LocalEnd(
    credentials: ICECredentials(usernameFragment: "host", password: "host-password-host-password"),
    fingerprint: Array(repeating: 2, count: 32),
    candidates: [ICECandidate(foundation: "1", priority: 1, address: "127.0.0.1", port: 7882, kind: .host)],
    sessionID: "1")

  @Test func ourPublisherSendsAllLayersItOffers() throws {
    let client = Client()
    try client.join()
    let layers = [(LayerID.low, 180), (.medium, 360), (.high, 720)].map {
      VideoLayer(id: $0.0, width: $0.1 * 16 / 9, height: $0.1)
    }
    try client.perform(
      .publish(LocalTrack(localID: "cam", kind: .video, source: .camera, name: "cam", layers: layers)))
    guard case .addTrack(let request) = client.requests.last else {
      Issue.record("no announcement")
      return
    }
    let pending = PendingTrack(request)
    try client.receive(.trackPublished(.init(cid: request.cid, track: pending.info)))
    guard case .offer(let offer) = client.requests.last(where: { if case .offer = $0 { true } else { false } }) else {
      Issue.record("no offer")
      return
    }
    let answer = try PublisherAnswer(to: SessionDescription(parsing: offer.sdp), local: local, version: 1)
    let section = try #require(answer.sections.first)
    #expect(section.rids == ["q", "h", "f"])
    #expect(section.trackID == request.cid)
    #expect(answer.transportSequenceID != nil)
    #expect(section.rtxPayloadType != nil)
    try client.receive(.answer(.init(type: "answer", sdp: answer.description.serialized(), id: offer.id)))
    let sent = client.media.compactMap { if case .send(let tracks) = $0 { tracks } else { nil } }.last
    let track = try #require(sent?.first)
    #expect(track.encodings.map(\.rid) == ["q", "h", "f"])
    #expect(track.payloadType == section.payloadType)
    #expect(track.mid == section.mid)
    #expect(
      client.media.contains { if case .connect(.publisher, let remote) = $0 { remote.weAreDTLSClient } else { false } })
  }

  @Test func ourSubscriberReceivesWhatIsOffered() throws {
    let client = Client()
    try client.join()
    var sections = SubscriberSections()
    _ = sections.add(
      .init(participantSID: "PA_a", trackSID: "TR_v", kind: .video, ssrc: SSRC(10), rtxSSRC: SSRC(11)))
    _ = sections.add(.init(participantSID: "PA_a", trackSID: "TR_a", kind: .audio, ssrc: SSRC(20), rtxSSRC: nil))
    try client.receive(.offer(.init(type: "offer", sdp: sections.makeOffer(local: local).serialized(), id: 9)))
    guard case .answer(let answer) = client.requests.last(where: { if case .answer = $0 { true } else { false } })
    else {
      Issue.record("no answer")
      return
    }
    #expect(answer.id == 9)
    let accepted = try sections.accept(SessionDescription(parsing: answer.sdp))
    #expect(accepted.map(\.mid) == ["1", "2"])
    #expect(accepted[0].rtxPayloadType == 97)
    #expect(accepted[1].audioLevelID != nil)
    let received = client.media.compactMap { if case .receive(let tracks) = $0 { tracks } else { nil } }.last
    #expect(received?.map(\.ssrc) == [SSRC(10), SSRC(20)])
    #expect(received?.map(\.track.raw) == ["TR_v", "TR_a"])
    #expect(received?.first?.rtxSSRC == SSRC(11))
  }
}
