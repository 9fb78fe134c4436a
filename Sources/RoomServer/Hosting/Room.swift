import RTCCore
import Signalling
import Transport

/// A room and those in it. It exists from the first join until some time after the last leave.
@NetworkActor final class Room {
  /// How long an empty room is kept, in seconds, so that somebody who reconnects finds it.
  static let departureTimeout: UInt32 = 20
  /// Seconds between two refreshed tokens; clients rejoin with the newest one.
  private static let refreshInterval: Duration = .seconds(300)

  let sid = ServerContext.makeID("RM_")
  let name: String
  let context: ServerContext
  private let createdAt = ServerContext.unixMilliseconds()
  private(set) var participants: [Participant] = []
  /// Those who only watch, over WHEP. Nobody in the room sees them, and one token may open many.
  private(set) var players: [Player] = []
  private var speakers = SpeakerDetector()
  private var nextSpeakers: MonotonicTime
  private var nextFollow: MonotonicTime
  private var nextRefresh: MonotonicTime
  /// When the last participant left; nil while somebody is there.
  private(set) var emptySince: MonotonicTime?

  init(name: String, context: ServerContext) {
    self.name = name
    self.context = context
    let now = NetworkActor.now
    nextSpeakers = now
    nextFollow = now
    nextRefresh = now + Self.refreshInterval
    emptySince = now
  }

  var info: LiveKit.Room {
    var info = LiveKit.Room()
    info.sid = sid
    info.name = name
    info.emptyTimeout = 300
    info.departureTimeout = Self.departureTimeout
    info.creationTime = createdAt / 1000
    info.creationTimeMilliseconds = createdAt
    info.enabledCodecs = Self.codecs
    info.participantCount = UInt32(participants.filter { !$0.isHidden }.count)
    info.publisherCount = UInt32(participants.filter { !$0.tracks.isEmpty }.count)
    return info
  }

  private static let codecs = [
    LiveKit.Codec(mime: "video/VP8"), LiveKit.Codec(mime: "video/rtx"), LiveKit.Codec(mime: "audio/opus"),
  ]

  /// Sids of those who speak now, the loudest first.
  var activeSpeakers: [String] { speakers.active.sorted { $0.value > $1.value }.map(\.key) }

  func track(sid: String) -> PublishedTrack? {
    for participant in participants { if let track = participant.track(sid: sid) { return track } }
    return nil
  }

  func isExpired(at now: MonotonicTime) -> Bool {
    players.isEmpty && emptySince.map { now - $0 > .seconds(Int64(Self.departureTimeout)) } ?? false
  }

  /// Lets somebody in over LiveKit's signalling.
  func join(_ admission: Admission, options: Participant.Options, socket: WebSocketConnection) {
    let participant = Participant(
      admission: admission, options: options, socket: socket, room: self, context: context)
    enter(participant)
    participant.send(.join(joinResponse(for: participant)))
    participant.listen()
    announce(participant)
    for other in participants {
      for track in other.tracks where participant.wants(track) {
        participant.subscriber?.subscribe(to: track, settings: participant.settings(for: track.sid))
      }
    }
    participant.subscriber?.scheduleOffer()
    refreshToken(of: participant)
    let active = speakers.active.map { LiveKit.SpeakerInfo(sid: $0.key, level: Float($0.value), isActive: true) }
    if !active.isEmpty { participant.send(.speakersChanged(.init(speakers: active))) }
  }

  /// Lets somebody in over WHIP with the answer to what they offer; throws when that cannot be taken, and nobody is let in.
  func publish(_ admission: Admission, offer: SessionDescription) throws(NegotiationError) -> (Participant, sdp: String)
  {
    let participant = Participant(
      admission: admission, options: Participant.Options(), socket: nil, room: self, context: context)
    let (sdp, sections) = try participant.takeStream(offer)
    enter(participant)
    announce(participant)
    participant.updateTracks(sections)
    return (participant, sdp)
  }

  /// Lets somebody watch.
  func add(_ player: Player) {
    players.append(player)
    context.log(.info, "\(player.sid) watches \(sid)")
  }

  /// Ends a player's session.
  func remove(_ player: Player) {
    guard players.contains(where: { $0 === player }) else { return }
    players.removeAll { $0 === player }
    context.log(.info, "\(player.sid) watches \(sid) no longer")
    player.close()
  }

  /// Whoever has the same identity already must go.
  private func enter(_ participant: Participant) {
    if let older = participants.first(where: { $0.identity == participant.identity }) {
      remove(older, reason: .duplicateIdentity, action: .disconnect)
    }
    participants.append(participant)
    emptySince = nil
    context.log(.info, "\(participant.sid) joined \(sid)")
  }

  /// Ends somebody's session and tells the others.
  func remove(
    _ participant: Participant, reason: LiveKit.DisconnectReason, action: LiveKit.LeaveAction, tell: Bool = true
  ) {
    guard participants.contains(where: { $0 === participant }) else { return }
    participants.removeAll { $0 === participant }
    if participants.isEmpty { emptySince = NetworkActor.now }
    speakers.remove(participant.sid)
    for track in participant.tracks { endSubscriptions(to: track) }
    for player in players { player.update() }
    participant.leave(reason: reason, action: action, tell: tell)
    context.log(.info, "\(participant.sid) left \(sid): \(reason)")
    guard !participant.isHidden else { return }
    var info = participant.info
    info.tracks = []
    info.disconnectReason = reason
    broadcast(.update(.init(participants: [info])))
  }

  /// Tells everybody, the participant included, how it is now.
  func announce(_ participant: Participant) {
    let update = LiveKit.SignalResponse.update(.init(participants: [participant.info]))
    if participant.isHidden { participant.send(update) } else { broadcast(update) }
  }

  /// Some of a participant's tracks ended, others began. Everybody learns of it before the offers that carry it.
  func tracksChanged(of participant: Participant, ended: [PublishedTrack], begun: [PublishedTrack]) {
    announce(participant)
    for track in ended {
      context.drops.merge(track.up.drops)
      endSubscriptions(to: track)
    }
    for track in begun where !participant.isHidden {
      for other in participants where other.wants(track) {
        other.subscriber?.subscribe(to: track, settings: other.settings(for: track.sid))
      }
    }
    for player in players { player.update() }
  }

  func close(reason: LiveKit.DisconnectReason) {
    for participant in participants { participant.leave(reason: reason, action: .disconnect, tell: true) }
    participants = []
    for player in players { player.close() }
    players = []
  }

  func advance(to now: MonotonicTime) {
    let follows = now >= nextFollow
    if follows { nextFollow = now + .milliseconds(100) }
    for participant in participants { participant.advance(to: now, follows: follows) }
    for player in players { player.advance(to: now) }
    if now >= nextSpeakers {
      nextSpeakers = now + SpeakerDetector.interval
      tellSpeakers(at: now)
    }
    if now >= nextRefresh {
      nextRefresh = now + Self.refreshInterval
      for participant in participants { refreshToken(of: participant) }
    }
  }

  private func endSubscriptions(to track: PublishedTrack) {
    for other in participants { other.subscriber?.unsubscribe(from: track.sid) }
  }

  private func broadcast(_ response: LiveKit.SignalResponse) {
    for participant in participants { participant.send(response) }
  }

  private func tellSpeakers(at now: MonotonicTime) {
    var levels: [String: Double] = [:]
    for participant in participants where !participant.isHidden {
      let level = participant.tracks.filter { $0.kind == .audio }.map { $0.level(at: now) }.max() ?? 0
      if level > 0 { levels[participant.sid] = level }
    }
    let changes = speakers.update(levels)
    guard !changes.isEmpty else { return }
    for participant in participants {
      let heard = participant.subscriber?.owners ?? []
      let told = changes.filter { $0.speaker == participant.sid || heard.contains($0.speaker) || !$0.isActive }
      guard !told.isEmpty else { continue }
      participant.send(
        .speakersChanged(
          .init(
            speakers: told.map { .init(sid: $0.speaker, level: Float($0.level), isActive: $0.isActive) })))
    }
  }

  private func joinResponse(for participant: Participant) -> LiveKit.JoinResponse {
    var response = LiveKit.JoinResponse()
    response.room = info
    response.participant = participant.info
    response.otherParticipants = participants.filter { $0 !== participant && !$0.isHidden }.map(\.info)
    response.subscriberPrimary = participant.subscriber != nil
    response.pingInterval = 5
    response.pingTimeout = 15
    response.serverVersion = RoomServer.version
    var server = LiveKit.ServerInfo()
    server.version = RoomServer.version
    server.protocolVersion = LiveKit.protocolVersion
    response.serverInfo = server
    response.enabledPublishCodecs = Self.codecs.filter { $0.mime != "video/rtx" }
    response.fastPublish = false
    return response
  }

  /// A token for the same person and grants that lives for as long as the first one would, ten minutes at least.
  private func refreshToken(of participant: Participant) {
    guard participant.isSignalled else { return }
    var claims = participant.admission.claims
    let now = ServerContext.unixMilliseconds() / 1000
    guard let secret = context.configuration.keys[claims.apiKey] else { return }
    claims.expiresAt = max(claims.expiresAt ?? 0, now + 600)
    claims.notBefore = nil
    claims.name = participant.name
    claims.metadata = participant.metadata
    claims.attributes = participant.attributes
    let token = try? LiveKit.AccessToken.mint(
      claims, secret: Array(secret.utf8), mac: { MessageAuthentication.hmacSHA256(key: $0, message: $1) })
    if let token { participant.send(.refreshToken(token)) }
  }
}
