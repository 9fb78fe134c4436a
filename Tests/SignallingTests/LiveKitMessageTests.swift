import Signalling
import TestKit
import Testing

@Suite struct LiveKitMessageTests {
  @Test func joinIsReadAsTheOfficialPackageWritesIt() throws {
    let response = try LiveKit.SignalResponse(parsing: GoldenMessages.bytes(GoldenMessages.join))
    guard case .join(let join) = response else { throw Missing() }
    #expect(join.room?.sid == "RM_1")
    #expect(join.room?.name == "demo")
    #expect(join.room?.emptyTimeout == 300)
    #expect(join.room?.creationTimeMilliseconds == 1_700_000_000_001)
    #expect(join.room?.isRecording == true)
    #expect(join.participant?.identity == "me")
    #expect(join.participant?.state == .joining)
    #expect(join.pingTimeout == 15)
    #expect(join.pingInterval == 5)
    #expect(join.subscriberPrimary)
    #expect(!join.fastPublish)
    #expect(join.iceServers.first?.urls == ["turn:t.example:3478?transport=udp", "stun:s.example"])
    #expect(join.iceServers.first?.credential == "c")
    #expect(join.serverInfo?.version == "1.13.5")
    #expect(join.serverInfo?.protocolVersion == 17)
    #expect(join.serverInfo?.edition == .cloud)
    #expect(join.serverInjectedFrameTrailer == [0, 255])
    #expect(join.enabledPublishCodecs == [LiveKit.Codec(mime: "video/VP8", formatParameters: "x")])

    let alice = try #require(join.otherParticipants.first)
    #expect(alice.name == "Alice Ä")
    #expect(alice.state == .active)
    #expect(alice.kind == .agent)
    #expect(alice.version == 7)
    #expect(alice.attributes == ["lk.agent.state": "idle", "b": ""])
    #expect(alice.permission?.canPublishSources == [.camera, .microphone])
    #expect(alice.permission?.canUpdateMetadata == true)
    #expect(alice.tracks.map(\.sid) == ["TR_VC1", "TR_AM1"])
    #expect(alice.tracks[0].codecs.first?.layers.map(\.width) == [320, 640, 1280])
    #expect(alice.tracks[0].codecs.first?.layers.map(\.quality) == [.low, .medium, .high])
    #expect(alice.tracks[0].codecs.first?.layers.map(\.rid) == ["q", "h", "f"])
    #expect(alice.tracks[0].version?.ticks == 3)
    #expect(alice.tracks[1].isMuted)
    #expect(alice.tracks[1].type == .audio)
    #expect(alice.tracks[1].disablesRED)
    #expect(try LiveKit.SignalResponse(parsing: response.serialized()) == response)
  }

  @Test(arguments: [
    GoldenMessages.speakers, GoldenMessages.quality, GoldenMessages.stream, GoldenMessages.dynacast,
    GoldenMessages.leave, GoldenMessages.pong, GoldenMessages.pongResponse, GoldenMessages.refresh,
    GoldenMessages.request, GoldenMessages.subscriptionResponse, GoldenMessages.reconnect,
    GoldenMessages.trackPublished, GoldenMessages.offer, GoldenMessages.trickle, GoldenMessages.trackSubscribed,
    GoldenMessages.roomUpdate, GoldenMessages.trackUnpublished, GoldenMessages.update,
  ])
  func responsesAreWrittenByteForByteAsTheOfficialPackageDoes(text: String) throws {
    let bytes = GoldenMessages.bytes(text)
    let message = try LiveKit.SignalResponse(parsing: bytes)
    #expect(message != .unknown)
    #expect(message.serialized() == bytes)
  }

  @Test(arguments: [
    GoldenMessages.addTrack, GoldenMessages.subscription, GoldenMessages.settings, GoldenMessages.ping,
    GoldenMessages.pingRequest, GoldenMessages.metadata, GoldenMessages.sync, GoldenMessages.mute,
  ])
  func requestsAreWrittenByteForByteAsTheOfficialPackageDoes(text: String) throws {
    let bytes = GoldenMessages.bytes(text)
    let message = try LiveKit.SignalRequest(parsing: bytes)
    #expect(message != .unknown)
    #expect(message.serialized() == bytes)
  }

  @Test func fieldsLandWhereTheirNamesSay() throws {
    func response(_ text: String) throws -> LiveKit.SignalResponse {
      try LiveKit.SignalResponse(parsing: GoldenMessages.bytes(text))
    }
    #expect(
      try response(GoldenMessages.speakers)
        == .speakersChanged(
          LiveKit.SpeakersChanged(speakers: [
            LiveKit.SpeakerInfo(sid: "PA_a", level: 0.625, isActive: true), LiveKit.SpeakerInfo(sid: "PA_b"),
          ])))
    #expect(
      try response(GoldenMessages.leave)
        == .leave(LiveKit.LeaveRequest(canReconnect: true, reason: .duplicateIdentity, action: .reconnect)))
    #expect(try response(GoldenMessages.pong) == .pong(0))
    #expect(
      try response(GoldenMessages.pongResponse) == .pongResponse(LiveKit.Pong(lastPingTimestamp: 5, timestamp: -1)))
    #expect(try response(GoldenMessages.refresh) == .refreshToken("tok"))
    #expect(
      try response(GoldenMessages.offer)
        == .offer(
          LiveKit.SessionDescription(type: "offer", sdp: "v=0\r\n", id: 300, midToTrackID: ["0": "TR_1"])))
    let settings = try LiveKit.SignalRequest(parsing: GoldenMessages.bytes(GoldenMessages.settings))
    guard case .trackSetting(let setting) = settings else { throw Missing() }
    #expect(setting.trackSIDs == ["TR_1"])
    #expect(setting.isDisabled)
    #expect(setting.quality == .high)
    #expect([setting.width, setting.height, setting.framesPerSecond, setting.priority] == [640, 360, 15, 1])
  }

  @Test func aMemberOfTheOneofThatIsNotKnownIsUnknown() throws {
    // room_moved, field 24.
    #expect(try LiveKit.SignalResponse(parsing: [0xC2, 0x01, 0x02, 0x12, 0x00]) == .unknown)
    #expect(try LiveKit.SignalRequest(parsing: []) == .unknown)
  }

  @Test func everyPrefixOfJoinIsReadOrRefused() {
    let bytes = GoldenMessages.bytes(GoldenMessages.join)
    for length in 1..<bytes.count {
      #expect(throws: ProtobufError.self) { try LiveKit.SignalResponse(parsing: Array(bytes[..<length])) }
    }
  }

  @Test(arguments: UInt64(1)...4) func damagedMessagesNeverTrap(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let original = GoldenMessages.bytes(GoldenMessages.join)
    for _ in 0..<2_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      if let message = try? LiveKit.SignalResponse(parsing: bytes) { _ = message.serialized() }
    }
  }

  @Test func candidatesAreWrittenWithAllThatStrictReadersWant() {
    let initial = LiveKit.CandidateInit(candidate: "candidate:1 1 udp 1 10.0.0.1 9 typ host")
    #expect(
      initial.text
        == #"{"candidate":"candidate:1 1 udp 1 10.0.0.1 9 typ host","sdpMLineIndex":0,"sdpMid":"0"}"#)
    #expect(LiveKit.CandidateInit(parsing: initial.text) == initial)
  }

  @Test func candidatesAreReadAsBrowsersWriteThem() {
    let text = #"{"candidate":"candidate:1 ufrag a/b","sdpMid":null,"sdpMLineIndex":null,"usernameFragment":"a/b"}"#
    #expect(
      LiveKit.CandidateInit(parsing: text)
        == LiveKit.CandidateInit(
          candidate: "candidate:1 ufrag a/b", sdpMid: "", sdpMLineIndex: 0, usernameFragment: "a/b"))
    #expect(LiveKit.CandidateInit(parsing: #"{"candidate":""}"#)?.candidate == "")
    #expect(LiveKit.CandidateInit(parsing: "{}")?.candidate == "")
    let bad = ["", "[]", "{", #"{"candidate":3}"#, "{\"candidate\":\"a\\nb\"}", String(repeating: "x", count: 5000)]
    for text in bad { #expect(LiveKit.CandidateInit(parsing: text) == nil) }
  }
}

struct Missing: Error {}
