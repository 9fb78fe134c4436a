import Conference
import RTCCore
import TestKit
import Testing

@testable import Screen

/// Speakers come into sight, calmly.
@Suite struct SpeakerTests {
  /// A room in which time goes on by tenths of a second.
  private struct Room {
    var state: ScreenState
    let count: Int
    private var speaking: Set<Int> = []
    private var tenths = 100

    init(_ count: Int, _ arrangement: Arrangement, columns: Int = 80, rows: Int = 24) {
      var view = ViewOptions()
      view.arrangement = arrangement
      state = Fixture.state(count, columns: columns, rows: rows, view: view)
      self.count = count
    }

    mutating func speak(_ speakers: Int..., for duration: Double) {
      var room = Fixture.room(0..<count)
      for speaker in speakers { room.participants[speaker + 1].isSpeaking = true }
      _ = reduce(&state, .room(room))
      for _ in 0..<Int(duration * 10) {
        tenths += 1
        _ = reduce(&state, .tick(MonotonicTime.zero + .milliseconds(tenths * 100)))
      }
    }

    var large: TileID? { state.layout.tiles.first?.id }
    func isInSight(_ index: Int) -> Bool { state.layout[Fixture.tile(index)] != nil }
  }

  @Test func theSpotlightIsTakenAfterSomeSpeakingAndHeldForAWhile() {
    var room = Room(5, .spotlight)
    #expect(room.large == Fixture.tile(0))
    room.speak(2, for: 1.3)
    #expect(room.large == Fixture.tile(0))
    room.speak(2, for: 0.4)
    #expect(room.large == Fixture.tile(2))
    room.speak(3, for: 3)
    #expect(room.large == Fixture.tile(2))
    room.speak(3, for: 1.5)
    #expect(room.large == Fixture.tile(3))
    // Silence changes nothing.
    room.speak(for: 60)
    #expect(room.large == Fixture.tile(3))
  }

  @Test func aCoughOrABreathMovesNothing() {
    var room = Room(5, .spotlight)
    for _ in 0..<20 {
      room.speak(3, for: 0.5)
      room.speak(for: 1.5)
    }
    #expect(room.large == Fixture.tile(0))
    // Breaths between words are no end of a turn.
    for _ in 0..<3 {
      room.speak(3, for: 0.5)
      room.speak(for: 0.3)
    }
    #expect(room.large == Fixture.tile(3))
  }

  @Test func interruptingTakesMoreThanAnswering() {
    var room = Room(5, .spotlight)
    room.speak(1, for: 8)
    room.speak(1, 2, for: 3)
    #expect(room.large == Fixture.tile(1))
    room.speak(1, 2, for: 2)
    #expect(room.large == Fixture.tile(2))
  }

  @Test func twoWhoSpeakAllTheTimeDoNotFlicker() {
    var room = Room(5, .spotlight)
    var changes = 0
    var before = room.large
    for _ in 0..<300 {
      room.speak(1, 2, for: 0.1)
      if room.large != before { changes += 1 }
      before = room.large
    }
    #expect(changes <= 2)
  }

  @Test func selectingLeavesTheSpotlightAloneAndPinningTakesIt() {
    var room = Room(5, .spotlight)
    room.speak(1, for: 2)
    room.state.type(.end)
    #expect(room.state.selected == Fixture.tile(4))
    #expect(room.large == Fixture.tile(1))
    room.state.type(.character("p"))
    #expect(room.large == Fixture.tile(4))
    room.speak(2, for: 10)
    #expect(room.large == Fixture.tile(4))
    room.state.type(.character("p"))
    #expect(room.large == Fixture.tile(2))
  }

  @Test func ownVoiceAndWhoLeftHaveNoSpotlight() {
    var room = Room(3, .spotlight)
    var snapshot = Fixture.room(0..<3)
    snapshot.participants[0].tracks = Fixture.participant(9).tracks
    snapshot.participants[0].isSpeaking = true
    _ = reduce(&room.state, .room(snapshot))
    for tenth in 0..<50 {
      _ = reduce(&room.state, .tick(MonotonicTime.zero + .seconds(20) + .milliseconds(tenth * 100)))
    }
    #expect(room.large == Fixture.tile(0))
    snapshot.participants[3].isSpeaking = true
    _ = reduce(&room.state, .room(snapshot))
    for tenth in 0..<50 {
      _ = reduce(&room.state, .tick(MonotonicTime.zero + .seconds(30) + .milliseconds(tenth * 100)))
    }
    #expect(room.large == Fixture.tile(2))
    _ = reduce(&room.state, .room(Fixture.room(0..<2)))
    #expect(room.large == Fixture.tile(0))
  }

  @Test func aSharedScreenIsLarge() {
    var room = Room(3, .spotlight)
    var snapshot = Fixture.room(0..<3)
    snapshot.participants[1].tracks.append(
      Track(id: TrackID("screen"), kind: .video, source: .screenShare, width: 1280, height: 720, isSubscribed: true))
    snapshot.participants[2].isSpeaking = true
    _ = reduce(&room.state, .room(snapshot))
    #expect(room.large == TileID(Fixture.identity(0), extraTrack: TrackID("screen")))
  }

  // MARK: In the grid

  @Test func speakingReordersNothing() {
    var room = Room(9, .grid)
    let before = room.state.layout
    for speaker in [3, 8, 1, 5] { room.speak(speaker, for: 6) }
    #expect(room.state.layout == before)
  }

  @Test(arguments: [Arrangement.grid, .collection]) func aSpeakerOutOfSightTakesTheLastPlaceAndGivesItBack(
    arrangement: Arrangement
  ) {
    var room = Room(20, arrangement)
    let before = room.state.layout.tiles
    room.speak(17, for: 1.3)
    #expect(room.state.layout.tiles == before)
    room.speak(17, for: 0.4)
    #expect(room.isInSight(17))
    // One face changed, and the order of all is as it was.
    #expect(room.state.layout.tiles.dropLast().map(\.id) == before.dropLast().map(\.id))
    #expect(room.state.layout.tiles.last?.frame == before.last?.frame)
    #expect(room.state.tiles == (0..<20).map { Fixture.tile($0) })
    #expect(room.state.videoTargets[Fixture.video(17)] != nil)
    room.speak(for: 3.5)
    #expect(room.isInSight(17))
    room.speak(for: 1)
    #expect(room.state.layout.tiles == before)
    #expect(room.state.requested[Fixture.video(17)] == .off)
  }

  @Test func aGuestDisturbsNeitherTheSelectedTileNorAPinnedOneNorASpeaker() {
    var room = Room(20, .grid)
    let last = room.state.layout.tiles.count - 1
    for _ in 0..<last { room.state.type(.tab) }
    room.speak(last - 1, 17, for: 3)
    #expect(room.isInSight(17))
    #expect(room.isInSight(last))
    #expect(room.isInSight(last - 1))
    #expect(!room.isInSight(last - 2))
    // On their own page they are no guest.
    room.state.type(.pageDown)
    #expect(room.state.layout.tiles[5].id == Fixture.tile(17))
    // There the other speaker is the guest.
    #expect(room.state.layout.tiles.last?.id == Fixture.tile(last - 1))
  }

  @Test func aSelectedGuestStaysAndThePageIsNotTurned() {
    var room = Room(20, .grid)
    room.speak(17, for: 2)
    guard let place = room.state.layout[Fixture.tile(17)]?.frame else {
      Issue.record("the speaker is not in sight")
      return
    }
    room.state.type(.mouse(MouseEvent(button: .left, column: place.column + 2, row: place.row + 1)))
    #expect(room.state.selected == Fixture.tile(17))
    #expect(room.isInSight(0))
    room.speak(for: 20)
    #expect(room.isInSight(17) && room.isInSight(0))
    // Another speaker takes the place; the selection stays where it is seen.
    room.speak(18, for: 2)
    #expect(room.isInSight(18) && room.isInSight(0))
    #expect(room.state.selected == Fixture.tile(11))
  }

  @Test func whoIsZoomedInIsNotDisturbed() {
    var room = Room(20, .grid)
    room.state.type(.enter)
    room.speak(17, for: 10)
    #expect(room.state.layout.tiles.map(\.id) == [Fixture.tile(0)])
  }
}
