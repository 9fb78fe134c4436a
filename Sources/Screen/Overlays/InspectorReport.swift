import Conference
import RTCCore

/// Everything that is known about one tile, in the order of what matters most.
struct InspectorReport {
  struct Field {
    var label: SanitizedText
    var value: SanitizedText
    var role = ThemeRole.panel
  }

  /// Fields under one heading, where there is room for headings.
  struct Section {
    var title: SanitizedText
    var fields: [Field]
  }

  var title: SanitizedText
  /// What the room calls the participant, where that differs from the name.
  var identity: SanitizedText?
  var condition: TileCondition
  var sections: [Section] = []
  /// Bits of each second of the last minute, oldest first; empty where nothing was received.
  var bitrates: [Int] = []

  init(of tile: TileID, in state: ScreenState) {
    let name = state.name(of: tile.participant)
    let identity = SanitizedText(name: tile.participant.raw)
    let isScreen = state.track(of: tile)?.source == .screenShare
    title = name + (isScreen ? " (screen)" : "")
    self.identity = identity == name ? nil : identity
    condition = TileCondition(of: tile, in: state)
    let track = state.track(of: tile)
    if let track {
      bitrates = state.histories[track.id]?.bitrates ?? []
      sections.append(Section(title: "Picture", fields: Self.picture(track, tile, state)))
    }
    sections.append(Section(title: "Network", fields: Self.network(track, tile, state)))
    sections.append(Section(title: "Sound", fields: Self.sound(tile, state)))
    let drops = track.flatMap { state.statistics[$0.id]?.drops } ?? DropCounters()
    sections.append(
      Section(
        title: "Dropped",
        fields: Self.sorted(drops).map { Field(label: SanitizedText("\($0.count)"), value: Self.words($0.reason)) }))
    sections.append(Section(title: "Whole screen", fields: Self.screen(state)))
  }

  // MARK: Picture

  private static func picture(_ track: Track, _ tile: TileID, _ state: ScreenState) -> [Field] {
    let isFile = state.subject == .files
    var fields = isFile ? [] : [Field(label: "Asked", value: asked(track, tile, state))]
    guard let figures = state.statistics[track.id] else { return fields + [sent(track, codec: "")] }
    // What came before it was switched off is nobody's trouble.
    let isOff = state.isVideoOff(tile) || state.requested[track.id] == .off
    if isOff {
      return fields + [
        Field(label: "Receives", value: "nothing"), Field(label: "Frames", value: "\(figures.framesDecoded) in all"),
        sent(track, codec: figures.codec),
      ]
    }
    var received = figures.width > 0 ? "\(figures.width)x\(figures.height)" : "nothing yet"
    if let layer = state.receivedLayer(of: track), !isFile { received = "\(layer.rawValue), \(received)" }
    let isSlow = figures.width > 0 && figures.framesPerSecond < TileCondition.slowRate
    fields.append(Field(label: isFile ? "Size" : "Receives", value: SanitizedText(received)))
    fields.append(
      Field(
        label: "Frames",
        value: SanitizedText("\(decimal(min(figures.framesPerSecond, 999))) a second, \(figures.framesDecoded) in all"),
        role: isSlow ? .panelWarning : .panel))
    let frozen = Duration.milliseconds(Int(nearest: min(figures.freezeMilliseconds, 1e9)))
    fields.append(
      figures.freezes == 0
        ? Field(label: "Freezes", value: "none")
        : Field(
          label: "Freezes", value: SanitizedText("\(figures.freezes), \(secondsText(frozen)) in all"),
          role: .panelWarning))
    return fields + [sent(track, codec: figures.codec)]
  }

  private static func asked(_ track: Track, _ tile: TileID, _ state: ScreenState) -> SanitizedText {
    let reason = state.layerChoice(of: tile) == .auto ? "by tile size" : "as chosen"
    return switch state.requested[track.id] {
    case .layer(let layer): SanitizedText("\(layer.rawValue), \(reason)")
    case .size(let width, let height): SanitizedText("\(width)x\(height), \(reason)")
    case .automatic: "the server's choice"
    case .off: "nothing"
    case nil: "nothing yet"
    }
  }

  /// The codec, and the layers that the sender announces.
  private static func sent(_ track: Track, codec: String) -> Field {
    let layers = track.layers.map { layer in
      (layer.height > 0 ? "\(layer.height)p" : layer.id.rawValue) + (layer.isActive ? "" : " off")
    }
    let sizes = layers.isEmpty && track.height > 0 ? ["\(track.height)p"] : layers
    let words = (codec.isEmpty ? [] : [codec.uppercased()]) + sizes
    return Field(label: "Sends", value: SanitizedText(name: words.joined(separator: " "), fallback: "unknown"))
  }

  // MARK: Network

  private static func network(_ track: Track?, _ tile: TileID, _ state: ScreenState) -> [Field] {
    var fields: [Field] = []
    if let track, let figures = state.statistics[track.id], state.subject != .files {
      let loss = state.loss(of: track.id)
      let sent = figures.packetsReceived &+ figures.packetsLost
      fields = [
        Field(label: "Rate", value: SanitizedText(rateText(figures.bitrate))),
        Field(
          label: "Lost",
          value: SanitizedText("\(figures.packetsLost) of \(sent), now \(percent(loss))"),
          role: loss >= 0.02 ? .panelWarning : .panel),
        Field(label: "Delay", value: SanitizedText(delay(figures))),
        Field(
          label: "Repairs",
          value: SanitizedText("\(figures.nacks) NACK, \(figures.keyFrameRequests) PLI")),
      ]
    }
    if let track, let figures = state.statistics[track.id] {
      fields.append(Field(label: "Drops", value: figures.drops.total == 0 ? "none" : "\(figures.drops.total) in all"))
    }
    let quality = state.participant(of: tile)?.quality ?? .unknown
    let section = state.section(of: tile.participant)
    let named = SanitizedText(name: section?.system ?? state.room.system, fallback: "files")
    let system = section.map { named + ", room " + SanitizedText(name: $0.name) } ?? named
    fields.append(
      Field(
        label: "Via", value: quality == .unknown ? system : system + SanitizedText(", quality \(quality.rawValue)"),
        role: quality == .poor || quality == .lost ? .panelWarning : .panel))
    return fields
  }

  private static func delay(_ figures: TileStatistics) -> String {
    let trip = figures.roundTripMilliseconds.map { "trip \(decimal($0)) ms, " } ?? ""
    return trip + "jitter \(decimal(figures.jitterMilliseconds)) ms"
  }

  /// The most frequent reasons first.
  private static func sorted(_ drops: DropCounters) -> [(reason: DropReason, count: Int)] {
    drops.counts.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
      .map { (reason: $0.key, count: $0.value) }
  }

  private static func words(_ reason: DropReason) -> SanitizedText {
    SanitizedText(reason.rawValue.split(separator: "_").joined(separator: " "))
  }

  // MARK: Screen

  /// What is of no tile's own.
  private static func screen(_ state: ScreenState) -> [Field] {
    var fields = [
      Field(
        label: "Skipped",
        value: state.picturesSkipped == 0
          ? "no picture" : SanitizedText("\(state.picturesSkipped) pictures, for the terminal's sake"))
    ]
    if state.subject != .files {
      let strays = sorted(state.unclaimedDrops).map { SanitizedText("\($0.count) ") + words($0.reason) }
      fields.append(
        Field(label: "Strays", value: strays.first.map { strays.dropFirst().reduce($0) { $0 + ", " + $1 } } ?? "none"))
    }
    return fields
  }

  // MARK: Sound

  private static func sound(_ tile: TileID, _ state: ScreenState) -> [Field] {
    guard tile.extraTrack == nil, let participant = state.participant(of: tile) else { return [] }
    guard let audio = participant.mainAudio else { return [Field(label: "Sound", value: "sends none")] }
    let voice = state.voice(of: participant.id)
    var words: [String] = []
    if audio.isMuted {
      words.append("microphone off")
    } else if participant.isSpeaking {
      words.append("speaks, level \(Int(nearest: min(1, participant.audioLevel) * 100))%")
    }
    if voice.isMuted { words.append("muted here") }
    if state.isAllMuted { words.append("everyone is muted here") }
    switch state.audio {
    case .off: words.append("sound is off here")
    case .silent: words.append("no sound device here")
    case .starting, .playing: break
    }
    if words.isEmpty { words.append("silent") }
    if voice.volume != 100 { words.append("volume \(voice.volume)") }
    var fields = [Field(label: "Sound", value: SanitizedText(words.joined(separator: ", ")))]
    if let figures = state.statistics[audio.id] {
      fields.append(
        Field(
          label: "Stream",
          value: SanitizedText(
            name: "\(figures.codec) \(rateText(figures.bitrate)), lost \(percent(state.loss(of: audio.id)))")))
    }
    return fields
  }

  private static func percent(_ share: Double) -> String { "\(decimal(max(0, min(1, share)) * 100))%" }

  /// One decimal below 100, where it still says something; what is no number counts as 0.
  private static func decimal(_ value: Double) -> String {
    let tenths = Int(nearest: value * 10)
    return tenths < 1_000 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(nearest: value))"
  }
}
