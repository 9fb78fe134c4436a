import Conference
import RTCCore
import Signalling
import TestKit

/// A session on virtual time with the server's part spoken by the test.
final class SessionHarness: SessionDriver<LiveKitSession> {
  static let subscriber = LocalTransport(
    iceUfrag: "subU", icePassword: "subscriberpassword123456", fingerprint: Array(repeating: 0xAB, count: 32))
  static let publisher = LocalTransport(
    iceUfrag: "pubU", icePassword: "publisherpassword1234567", fingerprint: Array(repeating: 0xCD, count: 32))

  init(seed: UInt64 = 1) {
    super.init(
      LiveKitSession(
        configuration: LiveKitSession.Configuration(subscriber: Self.subscriber, publisher: Self.publisher),
        randomness: SeededGenerator(seed: seed), openedAt: .zero))
  }

  /// A session that has joined a room with the given participants besides "me".
  static func joined(
    others: [LiveKit.ParticipantInfo] = [], change: (inout LiveKit.JoinResponse) -> Void = { _ in }
  ) -> SessionHarness {
    let harness = SessionHarness()
    var join = LiveKit.JoinResponse()
    join.room = .named("demo")
    join.participant = .named("me", sid: "PA_me")
    join.otherParticipants = others
    join.subscriberPrimary = true
    join.pingInterval = 5
    join.pingTimeout = 15
    change(&join)
    harness.receive(.join(join))
    _ = harness.drain()
    return harness
  }

  func receive(_ response: LiveKit.SignalResponse) { session.receive(response.serialized(), at: now) }
  func perform(_ command: ConferenceCommand) { session.perform(command, at: now) }

  func deliver(_ response: LiveKit.SignalResponse) -> [SignallingOutput] {
    receive(response)
    return drain()
  }
}

extension [SignallingOutput] {
  var requests: [LiveKit.SignalRequest] {
    compactMap { output in
      guard case .send(let bytes) = output else { return nil }
      return try? LiveKit.SignalRequest(parsing: bytes)
    }
  }
  var events: [ConferenceEvent] {
    compactMap { if case .event(let event) = $0 { event } else { nil } }
  }
  var media: [MediaCommand] {
    compactMap { if case .media(let command) = $0 { command } else { nil } }
  }
  var candidates: [LiveKit.TrickleRequest] {
    requests.compactMap { if case .trickle(let trickle) = $0 { trickle } else { nil } }
  }
  var answers: [LiveKit.SessionDescription] {
    requests.compactMap { if case .answer(let answer) = $0 { answer } else { nil } }
  }
  var offers: [LiveKit.SessionDescription] {
    requests.compactMap { if case .offer(let offer) = $0 { offer } else { nil } }
  }
  var sentTracks: [[SentTrack]] { media.compactMap { if case .send(let tracks) = $0 { tracks } else { nil } } }
  var receivedTracks: [[ReceivedTrack]] {
    media.compactMap { if case .receive(let tracks) = $0 { tracks } else { nil } }
  }
  var connects: [RemoteTransport] {
    media.compactMap { if case .connect(_, let remote) = $0 { remote } else { nil } }
  }
}

extension LiveKit.Room {
  static func named(_ name: String) -> Self {
    var room = Self()
    room.sid = "RM_1"
    room.name = name
    return room
  }
}

extension LiveKit.ParticipantInfo {
  static func named(
    _ identity: String, sid: String, version: UInt32 = 1, tracks: [LiveKit.TrackInfo] = []
  ) -> Self {
    var info = Self()
    info.sid = sid
    info.identity = identity
    info.name = identity.capitalizedFirst
    info.version = version
    info.state = .active
    info.tracks = tracks
    return info
  }
}

extension LiveKit.TrackInfo {
  static func camera(_ sid: String, simulcast: Bool = true) -> Self {
    var info = Self()
    info.sid = sid
    info.type = .video
    info.source = .camera
    info.width = 1280
    info.height = 720
    guard simulcast else { return info }
    var codec = LiveKit.SimulcastCodecInfo()
    codec.mimeType = "video/VP8"
    codec.layers = [
      LiveKit.VideoLayer(quality: .high, width: 1280, height: 720, bitrate: 1_700_000),
      LiveKit.VideoLayer(quality: .low, width: 320, height: 180, bitrate: 160_000),
      LiveKit.VideoLayer(quality: .medium, width: 640, height: 360, bitrate: 450_000),
    ]
    info.codecs = [codec]
    return info
  }
  static func microphone(_ sid: String, isMuted: Bool = false) -> Self {
    var info = Self()
    info.sid = sid
    info.type = .audio
    info.source = .microphone
    info.isMuted = isMuted
    return info
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
