import Conference
import RTCCore
import Testing

@testable import Screen

@Suite struct InspectorTests {
  /// Figures of a healthy track, with everything told.
  private static func figures(second: Int = 0) -> TileStatistics {
    var figures = TileStatistics(
      width: 160, height: 90, framesPerSecond: 14.9, bitrate: 90_000 + (second * 37 % 50) * 1_000)
    figures.codec = "vp8"
    figures.framesDecoded = 150 + second * 15
    figures.packetsReceived = 400 + second * 20
    figures.packetsLost = 3
    figures.jitterMilliseconds = 3.24
    figures.roundTripMilliseconds = 41.5
    figures.nacks = 7
    figures.keyFrameRequests = 2
    figures.freezes = 1
    figures.freezeMilliseconds = 640
    figures.drops.count(.duplicate, by: 4)
    figures.drops.count(.awaitingKeyFrame, by: 31)
    figures.drops.count(.tooLate)
    figures.drops.count(.padding, by: 2)
    figures.sinceLastPacket = .milliseconds(30)
    figures.sinceLastPicture = .milliseconds(60)
    return figures
  }

  private static func audio() -> TileStatistics {
    var figures = TileStatistics(bitrate: 32_000)
    figures.codec = "opus"
    figures.packetsReceived = 500
    return figures
  }

  /// The inspector over Ada after a minute, in a room of six.
  private static func state(
    columns: Int = 120, rows: Int = 40, _ change: (inout TileStatistics, inout RoomSnapshot) -> Void = { _, _ in }
  ) -> ScreenState {
    var state = Fixture.state(6, columns: columns, rows: rows)
    var room = Fixture.room(0..<6)
    room.system = "LiveKit"
    room.participants[1].isSpeaking = true
    room.participants[1].audioLevel = 0.42
    room.participants[1].quality = .good
    state.type(.character("i"))
    for second in 0..<70 {
      _ = reduce(&state, .tick(.zero + .seconds(10 + second)))
      var ada = figures(second: second)
      if second == 69 { change(&ada, &room) }
      _ = reduce(&state, .room(room))
      var all = Fixture.statistics(6)
      all[Fixture.video(0)] = ada
      all[TrackID("audio0")] = audio()
      _ = reduce(&state, .statistics(all))
    }
    return state
  }

  @Test(arguments: [(80, 24), (120, 40), (200, 60)]) func everythingIsToldBesideThePictures(size: (Int, Int)) throws {
    let state = Self.state(columns: size.0, rows: size.1)
    let panel = try #require(state.layout.panel)
    for tile in state.layout.tiles { #expect(tile.frame.intersection(panel).isEmpty) }
    try expectGolden(Fixture.drawn(state).text, "inspector-\(size.0)x\(size.1)")
  }

  @Test func asciiOnly() throws {
    let grid = Fixture.drawn(Self.state(), signs: .ascii)
    for cell in grid.cells where cell.plane == .chrome { #expect(cell.glyph.isASCII, "\(cell.glyph)") }
    try expectGolden(grid.text, "inspector-ascii-120x40")
  }

  @Test func itFollowsTheSelection() {
    var state = Self.state()
    #expect(Fixture.drawn(state).text.contains("Ada · p0"))
    state.type(.tab)
    #expect(Fixture.drawn(state).text.contains("Björn · p1"))
    _ = reduce(&state, .room(Fixture.room([])))
    #expect(Fixture.drawn(state).text.contains("nobody is selected"))
    state.type(.character("i"))
    #expect(state.overlay == nil && state.layout.panel == nil)
  }

  @Test func everyReasonForDropsIsToldAndWhatDoesNotFitIsScrolledTo() {
    var state = Self.state { figures, _ in
      for (index, reason) in DropReason.allCases.enumerated() { figures.drops.count(reason, by: index + 1) }
    }
    var unclaimed = DropCounters()
    unclaimed.count(.unknownSSRC, by: 17)
    _ = reduce(&state, .totals(unclaimed: unclaimed, picturesSkipped: 23))
    let wanted =
      DropReason.allCases.map { $0.rawValue.split(separator: "_").joined(separator: " ") }
      + ["17 unknown ssrc", "23 pictures"]
    var seen = ""
    for size in [(80, 24), (120, 40), (200, 60)] {
      _ = reduce(&state, .resize(columns: size.0, rows: size.1, cellAspect: 0.5))
      state.type(.character("i"), .character("i"))
      seen = ""
      for _ in 0..<12 {
        seen += Fixture.drawn(state).text
        state.type(.pageDown)
      }
      for words in wanted { #expect(seen.contains(words), "\(words) at \(size)") }
      let end = Fixture.drawn(state).text
      state.type(.pageDown)
      #expect(Fixture.drawn(state).text == end)
      for _ in 0..<12 { state.type(.pageUp) }
      #expect(Fixture.drawn(state).text.contains("Asked"))
      #expect(state.selected == Fixture.tile(0))
    }
  }

  @Test func aFileHasItsFiguresToo() {
    var state = ScreenState(columns: 120, rows: 40, subject: .files)
    _ = reduce(&state, .room(Fixture.room([0])))
    state.type(.character("i"))
    var figures = TileStatistics(width: 640, height: 360, framesPerSecond: 29.9)
    figures.codec = "vp8"
    figures.framesDecoded = 300
    figures.drops.count(.superseded, by: 4)
    _ = reduce(&state, .statistics([Fixture.video(0): figures]))
    let text = Fixture.drawn(state).text
    for words in ["640x360", "29.9 a second, 300 in all", "VP8", "4 in all", "superseded"] {
      #expect(text.contains(words), "\(words)\n\(text)")
    }
    for words in ["Asked", "NACK", "jitter", "Strays"] { #expect(!text.contains(words), "\(words)\n\(text)") }
  }

  @Test func aTileOfAWallHasTheFiguresOfItsRoom() throws {
    var wall = Wall(rooms: ["demo", "1234"])
    for room in 0..<2 {
      wall.update(
        RoomKey(room), RoomSnapshot(name: "\(room)", connection: .joined, participants: [Fixture.participant(room)]))
    }
    var state = ScreenState(columns: 120, rows: 40, subject: .wall)
    _ = reduce(&state, .room(wall.snapshot))
    state.type(.end, .character("i"))
    let track = try #require(state.selected.flatMap { state.track(of: $0) })
    for second in 0..<3 { _ = reduce(&state, .statistics([track.id: Self.figures(second: second)])) }
    var unclaimed = DropCounters()
    unclaimed.count(.unknownSSRC, by: 17)
    _ = reduce(&state, .totals(unclaimed: unclaimed, picturesSkipped: 0))
    let text = Fixture.drawn(state).text
    for words in ["Björn", "Rate", "kbit/s", "3 of 443", "jitter 3.2 ms", "7 NACK, 2 PLI", "17 unknown ssrc"] {
      #expect(text.contains(words), "\(words)\n\(text)")
    }
  }

  private static let reasons: [(String, @Sendable (inout TileStatistics, inout RoomSnapshot) -> Void)] = [
    ("the picture is in motion", { _, _ in }),
    (
      "waiting for a key frame since 2.1 s; 3 requests",
      { figures, _ in
        figures.waitingForKeyFrame = .milliseconds(2_140)
        figures.keyFrameRequestsWhileWaiting = 3
        figures.sinceLastPicture = .milliseconds(2_200)
      }
    ),
    (
      "no packet came yet, in 2.5 s",
      { figures, _ in (figures.packetsReceived, figures.sinceLastPacket) = (0, .milliseconds(2_500)) }
    ),
    ("no packets for 4.0 s", { figures, _ in figures.sinceLastPacket = .seconds(4) }),
    ("packets come, but no whole picture for 12 s", { figures, _ in figures.sinceLastPicture = .seconds(12) }),
    ("the sender muted its camera", { _, room in room.participants[1].tracks[0].isMuted = true }),
    ("the server paused this track", { _, room in room.participants[1].tracks[0].isActive = false }),
    ("the server has not offered this track yet", { _, room in room.participants[1].tracks[0].isSubscribed = false }),
    ("sends no video", { _, room in room.participants[1].tracks.removeFirst() }),
    ("waiting for the first picture", { figures, _ in figures.width = 0 }),
    ("of the packets are lost on the way", { figures, _ in figures.packetsLost = 40 }),
    ("no picture came in the last second", { figures, _ in figures.framesPerSecond = 0 }),
    ("only 3 pictures a second come", { figures, _ in figures.framesPerSecond = 3 }),
    ("layer low is asked for, medium comes", { figures, _ in (figures.width, figures.height) = (320, 180) }),
  ]

  @Test(arguments: reasons.indices) func aPlainSentenceTellsWhatIsWrong(index: Int) {
    let (sentence, change) = Self.reasons[index]
    let text = Fixture.drawn(Self.state(columns: 200, rows: 40, change)).text
    #expect(text.contains(sentence), "\(text)")
  }

  @Test func videoThatIsSwitchedOffIsNotAFault() {
    var state = Self.state(columns: 200)
    state.type(.character("v"))
    var renderer = ScreenRenderer()
    renderer.render(state, pictures: Fixture.pictures(state))
    let grid = renderer.grid
    #expect(grid.text.contains("video is switched off here: nothing is asked for"))
    #expect(grid.text.contains("Receives nothing") && !grid.text.contains("Freezes"))
    let warning = renderer.theme[.panelWarning]
    #expect(!grid.cells.contains { $0.style == warning })
  }

  @Test func aFrozenPictureIsMarkedInItsTile() {
    let state = Self.state { figures, _ in figures.sinceLastPicture = .milliseconds(3_400) }
    #expect(Fixture.drawn(state).text.contains("frozen 3.4 s"))
  }

  @Test func figuresThatAreNoNumbersAreDrawnAsNone() {
    let state = Self.state { figures, _ in
      figures.jitterMilliseconds = .nan
      figures.roundTripMilliseconds = .infinity
      figures.freezeMilliseconds = -.infinity
      figures.framesPerSecond = .nan
      figures.bitrate = .max
      figures.packetsReceived = .max
      figures.packetsLost = .min
    }
    #expect(Fixture.drawn(state).text.contains("jitter 0.0 ms"))
  }

  @Test func aLayerThatChangedIsInTheHistoryAndNotInTheEventLine() {
    var state = Fixture.state(1)
    _ = reduce(&state, .statistics(Fixture.statistics(1)))
    _ = reduce(&state, .statistics(Fixture.statistics(1, width: 320, height: 180)))
    #expect(!Fixture.drawn(state).text.contains("layer medium comes now"))
    state.type(.character("e"))
    #expect(Fixture.drawn(state).text.contains("Ada: layer medium comes now"))
  }
}
