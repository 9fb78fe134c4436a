import Conference
import Media
import RTCCore
import Signalling
import Testing
import Transport

@testable import ConferenceClient

/// To which track a packet belongs (RFC 9143 §9.2), with packets as they come out of SRTP.
@NetworkActor
@Suite struct ReceivedMediaTests {
  private let transport: MediaTransport
  private let media: ReceivedMedia

  init() throws {
    transport = try MediaTransport.client(certificate: DTLSCertificate(), iceServers: [], controlling: true)
    media = ReceivedMedia(
      transport: transport, outlets: TrackOutlets(mixer: AudioMixer(), directory: PlaybackDirectory()), feeder: 0,
      canonicalName: "test")
  }

  private static func video(_ track: String, mid: String, ssrc: UInt32? = nil) -> ReceivedTrack {
    var extensions = HeaderExtensionIDs()
    extensions.mid = 4
    return ReceivedTrack(
      track: TrackID(track), kind: .video, mid: mid, ssrc: ssrc.map { SSRC($0) }, payloadTypes: [96],
      rtxPayloadTypes: [97: 96], supportsNACK: true, supportsPLI: true, extensions: extensions)
  }
  private static func audio(_ track: String, mid: String) -> ReceivedTrack {
    var description = video(track, mid: mid)
    description.kind = .audio
    description.payloadTypes = [111]
    description.rtxPayloadTypes = [:]
    return description
  }

  private func arrive(_ ssrc: UInt32, type: UInt8 = 96, mid: String? = nil, number: UInt16 = 1) {
    var packet = RTPPacket(
      payloadType: type, sequenceNumber: SequenceNumber(number), timestamp: RTPTimestamp(0), ssrc: SSRC(ssrc),
      payload: type == 97 ? [0, 9, 0x10, 0] : [0x10, 0, 0, 0])
    if let mid { packet.extensions = [RTPPacket.Extension(id: 4, data: HeaderExtension.data(text: mid))] }
    transport.onRTP?(packet.serialized(), NetworkActor.now)
  }

  private func received(_ track: String) -> Int {
    var statistics = TrackStatistics(
      participant: ParticipantIdentity("p"), track: TrackID(track), kind: .video, codec: "vp8")
    media.path(TrackID(track))?.fill(&statistics, at: NetworkActor.now)
    return statistics.received.packetsReceived
  }

  @Test func aPacketOfAnUnknownSourceGoesToTheTrackOfItsMid() {
    media.update([Self.video("a", mid: "2"), Self.video("b", mid: "3")])
    arrive(70, mid: "3")
    // From then on its source is known, with or without the mid.
    arrive(70, number: 2)
    arrive(71, mid: "2")
    #expect(received("b") == 2)
    #expect(received("a") == 1)
    #expect(media.drops.total == 0)
  }

  @Test func retransmissionsAreToldFromMediaByTheirPayloadType() throws {
    media.update([Self.video("a", mid: "2"), Self.video("b", mid: "3")])
    arrive(71, type: 97, mid: "2")
    arrive(70, mid: "2")
    let path = try #require(media.path(TrackID("a")))
    #expect(path.ssrc == SSRC(70))
    #expect(path.rtxSSRC == SSRC(71))
    arrive(71, type: 97, number: 2)
    #expect(received("a") == 1)
    #expect(media.drops.total == 0)
  }

  @Test func withoutAMidAPayloadTypeThatOnlyOneTrackHasDecides() {
    media.update([Self.video("a", mid: "0"), Self.audio("b", mid: "1")])
    arrive(70)
    arrive(80, type: 111)
    arrive(71, type: 97)
    #expect(received("a") == 1)
    #expect(media.path(TrackID("b"))?.ssrc == SSRC(80))
    #expect(media.path(TrackID("a"))?.rtxSSRC == SSRC(71))
    // The track has its source now, so that this one is a stranger's.
    arrive(72)
    #expect(media.drops[.unknownSSRC] == 1)
  }

  @Test func whatBelongsToNoTrackIsCountedUnderItsName() {
    media.update([Self.video("a", mid: "2"), Self.video("b", mid: "3")])
    arrive(70)
    arrive(70, mid: "9")
    #expect(media.drops[.unknownSSRC] == 2)
    arrive(70, type: 100, mid: "2")
    #expect(media.drops[.unknownPayloadType] == 1)
    #expect(received("a") == 0)
  }

  @Test func aNewSourceReplacesTheOneBeforeWhoseLastPacketsAreLate() {
    media.update([Self.video("a", mid: "2", ssrc: 70)])
    arrive(70)
    arrive(75, mid: "2", number: 500)
    arrive(70, mid: "2", number: 2)
    #expect(media.path(TrackID("a"))?.ssrc == SSRC(75))
    #expect(media.drops[.tooLate] == 1)
    // What was counted before stays counted.
    #expect(received("a") == 2)
  }

  @Test func aSourceMayMoveToAnotherSection() {
    media.update([Self.video("a", mid: "2"), Self.video("b", mid: "3")])
    arrive(70, mid: "2")
    arrive(70, mid: "3", number: 2)
    #expect(media.path(TrackID("a"))?.ssrc == nil)
    #expect(media.path(TrackID("b"))?.ssrc == SSRC(70))
  }

  @Test func aMidThatServesAnotherTrackTakesNoSourceAlong() {
    media.update([Self.video("a", mid: "2")])
    arrive(70, mid: "2")
    media.update([Self.video("a", mid: ""), Self.video("b", mid: "2")])
    #expect(media.path(TrackID("a"))?.ssrc == nil)
    arrive(75, mid: "2")
    #expect(media.path(TrackID("b"))?.ssrc == SSRC(75))
    #expect(received("a") == 1)
    #expect(received("b") == 1)
  }

  @Test func aSignalledSourceIsNotTakenAwayByAMidOfNobody() {
    media.update([Self.video("a", mid: "2", ssrc: 70)])
    arrive(70, mid: "77")
    #expect(received("a") == 1)
    #expect(media.drops.total == 0)
  }
}
