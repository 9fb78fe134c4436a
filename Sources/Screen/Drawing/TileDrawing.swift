import Conference
import RTCCore

/// Draws one tile: its lines with name and details, and a placeholder where there is no picture.
struct TileDrawing {
  let state: ScreenState
  let place: TilePlacement
  let pen: Pen

  private var theme: Theme { pen.theme }
  private var isSelected: Bool { state.selected == place.id }
  private var isSpeaking: Bool {
    guard let participant = state.participant(of: place.id) else { return false }
    return state.isSpeaking(participant)
  }

  func draw(showsPicture: Bool, on grid: inout CellGrid) {
    if showsPicture {
      if let track = state.track(of: place.id)?.id, let area = state.pictureArea(of: place, showing: track) {
        pen.fill(place.video, CellStyle(background: CellColor(theme.letterbox)), on: &grid)
        grid.markPicture(area)
      } else {
        grid.markVideo(place.video)
      }
    } else {
      Placeholder(
        name: state.name(of: place.id.participant), identity: place.id.participant, reason: reason, pen: pen
      ).draw(in: place.video, on: &grid)
    }
    if place.isFramed { drawFrame(on: &grid) } else { drawPlate(on: &grid) }
  }

  /// Why there is no picture.
  private var reason: SanitizedText {
    guard let track = state.track(of: place.id) else { return "no video" }
    if state.isVideoOff(place.id) { return "video off" }
    return track.isMuted ? "camera off" : "waiting for video"
  }

  // MARK: Lines

  private func drawFrame(on grid: inout CellGrid) {
    let frame = place.frame
    let border = theme[isSpeaking ? .tileBorderSpeaking : isSelected ? .tileBorderSelected : .tileBorder]
    pen.box(frame, isSelected ? pen.signs.selectedBox : pen.signs.box, style: border, on: &grid)
    let room = frame.columns - 4
    let sound = soundSpans(ground: border.background)
    let soundWidth = sound.isEmpty ? 0 : pen.width(sound) + 2
    let name = nameSpans(limit: room - soundWidth - 3, ground: border.background)
    // Framed text stands in a gap of the line, a space on each side.
    writeGap(name, column: frame.column + 2, row: frame.row, border: border, on: &grid)
    writeGap(sound, column: frame.endColumn - 2 - soundWidth, row: frame.row, border: border, on: &grid)
    let voice = voiceSpans(ground: border.background)
    let voiceWidth = voice.isEmpty ? 0 : pen.width(voice) + 2
    writeGap(voice, column: frame.column + 2, row: frame.endRow - 1, border: border, on: &grid)
    let details = detailSpans(limit: room - voiceWidth - 3, ground: border.background)
    writeGap(
      details, column: frame.endColumn - 4 - pen.width(details), row: frame.endRow - 1, border: border, on: &grid)
  }

  private func writeGap(_ spans: [Span], column: Int, row: Int, border: CellStyle, on grid: inout CellGrid) {
    guard !spans.isEmpty else { return }
    pen.write(
      [Span(" ", border)] + spans + [Span(" ", border)], column: column, row: row,
      limit: min(place.frame.endColumn - 1 - column, pen.width(spans) + 2), on: &grid)
  }

  private func drawPlate(on grid: inout CellGrid) {
    let plate = theme[isSelected ? .tilePlateSelected : isSpeaking ? .tilePlateSpeaking : .tilePlate]
    let line = CellRect(
      column: place.frame.column, row: place.frame.endRow - 1, columns: place.frame.columns, rows: 1)
    pen.fill(line, plate, on: &grid)
    let ground = plate.background
    let mark: [Span] = [
      Span(isSelected ? pen.sign(pen.signs.selectionMark) : " ", theme[.tileBorderSelected].on(ground))
    ]
    let sound = soundSpans(ground: ground) + voiceSpans(ground: ground)
    let soundWidth = sound.isEmpty ? 0 : pen.width(sound) + 1
    let room = line.columns - 2
    // The name keeps half of the line if it needs it; figures come after it and its sound.
    let fullName = nameSpans(limit: room, ground: ground)
    let details = detailSpans(
      limit: room - soundWidth - min(pen.width(fullName), room / 2) - 1, ground: ground)
    let detailsWidth = details.isEmpty ? 0 : pen.width(details) + 1
    let name = nameSpans(limit: room - soundWidth - detailsWidth, ground: ground)
    let gap: [Span] = sound.isEmpty ? [] : [Span(" ", plate)]
    pen.write(mark + name + gap + sound, column: line.column, row: line.row, limit: line.columns, on: &grid)
    pen.write(
      details, column: line.endColumn - 1 - pen.width(details), row: line.row, limit: line.columns, on: &grid)
  }

  // MARK: What the lines say

  private func nameSpans(limit: Int, ground: CellColor) -> [Span] {
    var spans: [Span] = []
    var limit = limit
    if state.section(of: place.id.participant) != nil {
      let badge = roomBadge(place.id.participant.room, pen: pen)
      spans += [badge, Span(" ", theme[.tileName].on(ground))]
      limit -= badge.text.width + 1
    }
    if state.pinned.contains(place.id) {
      spans.append(Span(pen.sign(pen.signs.pinMark) + " ", theme[.tilePin].on(ground)))
      limit -= 2
    }
    var name = state.name(of: place.id.participant)
    if state.participant(of: place.id)?.isLocal ?? false { name = name + " (you)" }
    if let track = state.track(of: place.id), track.source == .screenShare { name = name + " (screen)" }
    let style = theme[isSpeaking ? .tileNameSpeaking : isSelected ? .tileNameSelected : .tileName].on(ground)
    spans.append(Span(name.cut(to: max(1, limit), ellipsis: pen.signs.ellipsis), style))
    return spans
  }

  /// What the participant's side lacks: a connection worth the name, or sound.
  private func soundSpans(ground: CellColor) -> [Span] {
    let network = networkSpans(ground: ground)
    let voice = microphoneSpans(ground: ground)
    let gap = network.isEmpty || voice.isEmpty ? [] : [Span(" ", theme[.tileDetail].on(ground))]
    return network + gap + voice
  }

  /// That the server finds the participant's connection bad.
  private func networkSpans(ground: CellColor) -> [Span] {
    let style = theme[.tileWarning].on(ground)
    let isNarrow = place.video.columns < 30
    return switch state.participant(of: place.id)?.quality {
    case .poor: [Span(isNarrow ? "!" : "weak link", style)]
    case .lost: [Span(isNarrow ? "!!" : "link lost", style)]
    default: []
    }
  }

  /// The participant's own sound: level while speaking, or that the microphone is off.
  private func microphoneSpans(ground: CellColor) -> [Span] {
    guard place.id.extraTrack == nil, let participant = state.participant(of: place.id) else { return [] }
    guard let audio = participant.mainAudio else { return [] }
    if audio.isMuted {
      return [Span(place.video.columns < 30 ? pen.sign(pen.signs.cross) : "mic off", theme[.tileDetail].on(ground))]
    }
    guard participant.isSpeaking else { return [] }
    // Three bars, at least one of them raised, so that speaking is seen without colours too.
    let level = max(0, min(1, participant.audioLevel))
    let lit = max(1, Int(nearest: level * 3))
    let levels = pen.signs.levels
    return (0..<3).map { bar in
      bar < lit
        ? Span(pen.sign(levels[min(levels.count - 1, bar * 2 + 2)]), theme[.tileLevel].on(ground))
        : Span(pen.sign(levels[0]), theme[.tileDetail].on(ground))
    }
  }

  /// What the person set for the participant's sound, where it is not as usual.
  private func voiceSpans(ground: CellColor) -> [Span] {
    guard place.id.extraTrack == nil else { return [] }
    let voice = state.voice(of: place.id.participant)
    let style = theme[.tileWarning].on(ground)
    if voice.isMuted { return [Span("muted", style)] }
    return voice.volume == 100 ? [] : [Span(SanitizedText("vol \(voice.volume)"), style)]
  }

  /// Layer, size and rate of what arrives, as much of it as fits. A layer that the person chose stands in brackets.
  private func detailSpans(limit: Int, ground: CellColor) -> [Span] {
    guard let track = state.track(of: place.id), !track.isMuted, !state.isVideoOff(place.id) else { return [] }
    let received = state.receivedLayer(of: track)
    var layer = received.map(Self.shortName)
    if case .fixed(let choice) = state.layerChoice(of: place.id) {
      let chosen = "[\(Self.shortName(choice))]"
      layer = received == nil || received == choice ? chosen : "\(chosen) \(layer ?? "")"
    }
    let detail = theme[.tileDetail].on(ground)
    let quiet: (String?) -> [Span] = { $0.map { [Span(SanitizedText($0), detail)] } ?? [] }
    guard let figures = state.statistics[track.id], figures.width > 0 else {
      return (layer?.count ?? 0) <= limit ? quiet(layer) : []
    }
    // Figures of the last second say nothing yet about a video that has just begun or come into sight.
    let isNew = state.shownSince[track.id].map { state.now - $0 < Self.settlingTime } ?? true
    if !isNew, let frozen = TileCondition(of: place.id, in: state).frozenFor {
      let text = SanitizedText("frozen \(secondsText(frozen))")
      return text.width <= limit ? [Span(text, theme[.tileWarning].on(ground))] : []
    }
    let rate = SanitizedText("\(Int(nearest: min(999, figures.framesPerSecond)))")
    let isSlow = figures.framesPerSecond < TileCondition.slowRate
    let rateStyle = isSlow ? theme[.tileWarning].on(ground) : detail
    let size = "\(figures.width)\(pen.signs.times)\(figures.height)"
    let loss = Int(nearest: state.loss(of: track.id) * 100)
    let lost: [Span] = loss >= 2 ? [Span(SanitizedText("\(loss)% lost "), theme[.tileWarning].on(ground))] : []
    let prefix = layer.map { $0 + " " } ?? ""
    if isNew, isSlow { return [quiet("\(prefix)\(size)"), quiet(layer)].first { pen.width($0) <= limit } ?? [] }
    let choices: [[Span]] = [
      lost + quiet("\(prefix)\(size) ") + [Span(rate + " fps", rateStyle)],
      quiet("\(prefix)\(size) ") + [Span(rate + " fps", rateStyle)],
      quiet(prefix) + [Span(rate + " fps", rateStyle)],
      [Span(rate + " fps", rateStyle)],
      quiet(layer),
    ]
    return choices.first { pen.width($0) <= limit } ?? []
  }

  private static let settlingTime: Duration = .seconds(2)

  private static func shortName(_ layer: LayerID) -> String { layer == .medium ? "med" : layer.rawValue }
}
