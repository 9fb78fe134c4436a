import RTCCore
import Signalling
import Transport

/// Somebody who watches a room over WHEP: one peer connection, one offer, and as many sections as that had.
@NetworkActor final class Player {
  /// A section that we may send on.
  private struct Section {
    var line: PlayerAnswer.Line
    var settings = TrackSettings()
    var subscription: Subscription?
    /// The stream's state between two tracks; the next continues it.
    var idle: DownTrack?
  }

  let sid: String
  /// Called once, whatever ends the session.
  var onEnd: (() -> Void)?
  /// Our description's ICE credentials and candidates.
  private(set) var local: LocalEnd
  let answer: String

  unowned let room: Room
  private let context: ServerContext
  private let media: OutgoingMedia
  /// Whom alone to show; nil is everybody in turn.
  private let wanted: String?
  private var programme: PlayerProgramme
  private var sections: [Section]
  private var isClosed = false
  private(set) lazy var events = PlayerEvents(player: self)

  /// - Parameter offer: checked by ``StreamOffer``.
  init(offer: SessionDescription, wanted: String?, room: Room, context: ServerContext) throws(NegotiationError) {
    self.room = room
    self.context = context
    self.wanted = wanted
    sid = ServerContext.makeID("PL_")
    let transport: MediaTransport
    (transport, local) = context.makeTransport()
    let media = OutgoingMedia(transport: transport)
    self.media = media
    let answer = try PlayerAnswer(to: offer, local: local, streamID: sid, makeSSRC: { media.unusedSSRC() })
    self.answer = answer.description.serialized()
    sections = answer.lines.map { Section(line: $0) }
    programme = PlayerProgramme(
      videoSections: answer.lines.filter { $0.kind == .video }.count,
      audioSections: answer.lines.filter { $0.kind == .audio }.count)
    media.onStateChange = { [weak self] state in self?.stateChanged(state) }
    media.connect(to: answer.remote)
    update()
  }

  /// Nothing of what there is in the room can be shown.
  var isIdle: Bool { programme.isEmpty }
  var drops: DropCounters { media.drops }

  /// The room's tracks are others than before.
  func update() {
    guard !isClosed else { return }
    programme.update(PlayerSources.list(of: room, wanted: wanted))
    let now = NetworkActor.now
    for kind in [MediaKind.video, .audio] {
      var tracks = programme.tracks(kind)[...]
      for index in sections.indices where sections[index].line.kind == kind {
        carry(tracks.popFirst()?.flatMap { room.track(sid: $0) }, on: index, at: now)
      }
    }
  }

  /// Does what time brings; called every few milliseconds.
  func advance(to now: MonotonicTime) {
    media.advance(to: now)
    events.advance(to: now)
  }

  /// Something is being sent.
  var isActive: Bool { sections.contains { $0.subscription != nil } }

  /// The layers of each section with a picture, by the section's place (draft-ietf-wish-whep-events §3.1.3).
  func describeLayers(at now: MonotonicTime) -> JSONValue {
    var described: [String: JSONValue] = [:]
    for section in sections where section.line.kind == .video {
      guard let track = section.subscription?.track else { continue }
      let active = track.up.activeLayers(at: now)
      described[String(section.line.index)] = .list(
        track.layers.enumerated().map { index, layer in
          var members: [String: JSONValue] = [
            "rid": .text(layer.name), "spatialLayerId": .integer(Int64(index)),
            "bitrate": .integer(active.indices.contains(index) && active[index] ? Int64(track.bitrate(of: index)) : 0),
          ]
          if layer.width > 0 { members["width"] = .integer(Int64(layer.width)) }
          if layer.height > 0 { members["height"] = .integer(Int64(layer.height)) }
          return .object(members)
        })
    }
    return .object(described)
  }

  /// Takes a choice of layer; the next track of the section begins with it too.
  func choose(_ wish: LayerWish) throws(ProblemDetails) {
    guard
      let index = sections.firstIndex(where: {
        $0.line.kind == .video && wish.section ?? $0.line.index == $0.line.index
      })
    else { throw ProblemDetails(422, "There is no section of video at this place.") }
    guard let settings = wish.settings(of: sections[index].subscription?.track.layers ?? []) else {
      throw ProblemDetails(422, "There is no such layer; the event “layers” lists them.")
    }
    choose(settings, at: index)
  }

  /// Gives every picture its best layer again.
  func chooseFreely() {
    for index in sections.indices where sections[index].line.kind == .video { choose(TrackSettings(), at: index) }
  }

  private func choose(_ settings: TrackSettings, at index: Int) {
    sections[index].settings = settings
    sections[index].subscription?.apply(settings, at: NetworkActor.now)
  }

  /// Restarts ICE from our side; false when it cannot be.
  func restartICE() -> Bool {
    guard let credentials = media.restartICE() else { return false }
    local.credentials = credentials
    return true
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    events.close()
    sections = []
    media.close()
    context.drops.merge(media.drops)
    onEnd?()
    onEnd = nil
  }

  private func carry(_ track: PublishedTrack?, on index: Int, at now: MonotonicTime) {
    guard sections[index].subscription?.track !== track else { return }
    if let ended = sections[index].subscription {
      media.remove(ended)
      sections[index].idle = ended.down
      sections[index].subscription = nil
    }
    guard let track else { return }
    let section = sections[index]
    let subscription = Subscription(
      track: track, stream: section.line.stream, media: media, settings: section.settings, continued: section.idle)
    sections[index].subscription = subscription
    sections[index].idle = nil
    media.add(subscription)
    subscription.negotiated(section.line.accepted, at: now)
    subscription.retarget(at: now)
  }

  private func stateChanged(_ state: MediaTransport.State) {
    switch state {
    case .failed(let error):
      context.log(.info, "\(sid) lost its connection: \(error)")
      room.remove(self)
    case .closed: room.remove(self)
    case .connected, .new, .connecting: break
    }
  }
}

/// What a room has to show.
enum PlayerSources {
  /// Cameras and microphones before screens; among them those with a picture first, then who speaks, then who came first.
  /// - Parameter wanted: identity of whom alone to show.
  @NetworkActor static func list(of room: Room, wanted: String?) -> [PlayerProgramme.Source] {
    let speakers = room.activeSpeakers
    var ranked: [(rank: [Int], source: PlayerProgramme.Source)] = []
    for (arrival, participant) in room.participants.enumerated()
    where !participant.isHidden && (wanted == nil || participant.identity == wanted) {
      for (number, source) in sources(of: participant).enumerated() {
        let turn = speakers.firstIndex(of: participant.sid) ?? speakers.count
        ranked.append(([number, source.video == nil ? 1 : 0, turn, arrival], source))
      }
    }
    return ranked.sorted { $0.rank.lexicographicallyPrecedes($1.rank) }.map(\.source)
  }

  /// Somebody's pictures, each with the sound that came as the same number of its kind.
  @NetworkActor private static func sources(of participant: Participant) -> [PlayerProgramme.Source] {
    let videos = ordered(participant.tracks, .video, first: .camera)
    let sounds = ordered(participant.tracks, .audio, first: .microphone)
    return (0..<max(videos.count, sounds.count)).map { number in
      PlayerProgramme.Source(
        id: "\(number) \(participant.identity)", video: number < videos.count ? videos[number].sid : nil,
        audio: number < sounds.count ? sounds[number].sid : nil)
    }
  }

  @NetworkActor private static func ordered(
    _ tracks: [PublishedTrack], _ kind: MediaKind, first: LiveKit.TrackSource
  ) -> [PublishedTrack] {
    let all = tracks.filter { $0.kind == kind }
    return all.filter { $0.info.source == first } + all.filter { $0.info.source != first }
  }
}
