import Conference
import RTCCore
import Screen
import Testing

@Suite struct ReducerTests {
  @Test func joiningAsksForTheLayerThatServesEachTile() {
    var state = ScreenState(columns: 80, rows: 24)
    let effects = reduce(&state, .room(Fixture.room(0..<2)))
    #expect(
      effects == [
        .setVideoTarget(Fixture.video(0), PixelSize(width: 37, height: 20)),
        .requestLayer(Fixture.video(0), .layer(.low)),
        .setVideoTarget(Fixture.video(1), PixelSize(width: 37, height: 20)),
        .requestLayer(Fixture.video(1), .layer(.low)),
      ])
    #expect(reduce(&state, .room(Fixture.room(0..<2))).isEmpty)
  }

  @Test func zoomAsksForMoreAndHiddenTilesForNothing() {
    var state = Fixture.state(3, columns: 120, rows: 40)
    #expect(state.requested[Fixture.video(0)] == .layer(.low))
    let effects = state.type(.tab, .enter)
    #expect(effects.contains(.requestLayer(Fixture.video(1), .layer(.medium))))
    #expect(effects.contains(.requestLayer(Fixture.video(0), .off)))
    #expect(effects.contains(.requestLayer(Fixture.video(2), .off)))
    #expect(effects.contains(.setVideoTarget(Fixture.video(0), nil)))
    #expect(Set(state.videoTargets.keys) == [Fixture.video(1)])
    let back = state.type(.escape)
    #expect(back.contains(.requestLayer(Fixture.video(0), .layer(.low))))
    #expect(back.contains(.requestLayer(Fixture.video(1), .layer(.low))))
  }

  @Test func tilesOfOtherPagesAskForNothing() {
    var state = Fixture.state(20)
    #expect(state.layout.positions == 2)
    #expect(state.requested[Fixture.video(12)] == .off)
    #expect(state.videoTargets[Fixture.video(12)] == nil)
    let effects = state.type(.pageDown)
    #expect(state.layout.position == 1)
    #expect(state.selected == Fixture.tile(12))
    #expect(effects.contains(.requestLayer(Fixture.video(12), .layer(.low))))
    #expect(effects.contains(.requestLayer(Fixture.video(0), .off)))
    state.type(.pageDown)
    #expect(state.layout.position == 1)
    state.type(.pageUp)
    #expect(state.selected == Fixture.tile(0))
  }

  @Test func withoutKnownLayersTheSizeIsAskedFor() {
    var room = Fixture.room(0..<1)
    room.participants[1].tracks[0].layers = [VideoLayer(id: .high, width: 0, height: 0)]
    var state = ScreenState(columns: 80, rows: 24)
    let effects = reduce(&state, .room(room))
    #expect(effects.contains(.requestLayer(Fixture.video(0), .size(width: 136, height: 76))))
  }

  @Test func onlySubscribedTracksAreAskedForAndAgainAfterResubscription() {
    var room = Fixture.room(0..<1)
    room.participants[1].tracks[0].isSubscribed = false
    var state = ScreenState()
    #expect(!reduce(&state, .room(room)).contains { if case .requestLayer = $0 { true } else { false } })
    let request = ScreenEffect.requestLayer(Fixture.video(0), .layer(.low))
    #expect(reduce(&state, .room(Fixture.room(0..<1))).contains(request))
    _ = reduce(&state, .room(room))
    #expect(reduce(&state, .room(Fixture.room(0..<1))).contains(request))
  }

  @Test func anInactiveLayerIsNotChosen() {
    var room = Fixture.room(0..<1)
    room.participants[1].tracks[0].layers[0].isActive = false
    var state = ScreenState()
    #expect(reduce(&state, .room(room)).contains(.requestLayer(Fixture.video(0), .layer(.medium))))
  }

  @Test func digitsFixTheLayerOfTheSelectedTile() {
    var state = Fixture.state(3)
    #expect(state.type(.character("3")) == [.requestLayer(Fixture.video(0), .layer(.high))])
    #expect(state.type(.tab, .character("2")) == [.requestLayer(Fixture.video(1), .layer(.medium))])
    #expect(state.type(.character("a")) == [.requestLayer(Fixture.video(1), .layer(.low))])
    #expect(state.requested[Fixture.video(0)] == .layer(.high))
    #expect(state.type(.character("1")) == [])
  }

  @Test func capitalASwitchesToAllTilesNewcomersIncluded() {
    var state = Fixture.state(2)
    state.type(.character("3"))
    let effects = state.type(.character("A"), .character("2"))
    #expect(
      effects == [
        .requestLayer(Fixture.video(0), .layer(.medium)), .requestLayer(Fixture.video(1), .layer(.medium)),
      ])
    #expect(
      reduce(&state, .room(Fixture.room(0..<3))).contains(.requestLayer(Fixture.video(2), .layer(.medium))))
    state.type(.character("A"))
    #expect(state.type(.character("1")) == [.requestLayer(Fixture.video(0), .layer(.low))])
  }

  @Test func videoOffAsksForNothingAndShowsNothing() {
    var state = Fixture.state(2)
    let effects = state.type(.character("v"))
    #expect(effects == [.setVideoTarget(Fixture.video(0), nil), .requestLayer(Fixture.video(0), .off)])
    #expect(Fixture.drawn(state).text.contains("video off"))
    #expect(state.type(.character("v")).contains(.requestLayer(Fixture.video(0), .layer(.low))))
    state.type(.character("A"), .character("v"))
    #expect(state.videoTargets.isEmpty)
    _ = reduce(&state, .room(Fixture.room(0..<3)))
    #expect(state.requested[Fixture.video(2)] == .off)
  }

  @Test func volumeIsClampedAndFollowsTheTarget() {
    var state = Fixture.state(2)
    #expect(state.type(.character("+")) == [.setVolume(Fixture.identity(0), 100)])
    #expect(state.type(.character("-")) == [.setVolume(Fixture.identity(0), 90)])
    for _ in 0..<20 { state.type(.character("-")) }
    #expect(state.voice(of: Fixture.identity(0)).volume == 0)
    #expect(state.type(.character("A"), .character("-")) == [.setMasterVolume(90)])
    #expect(state.voice(of: Fixture.identity(1)).volume == 100)
  }

  @Test func repeatedVolumeChangesAreOneEvent() {
    var state = Fixture.state(2)
    let before = state.events.count
    for _ in 0..<5 { state.type(.character("-")) }
    #expect(state.events.count == before + 1)
    #expect(state.events.last?.text.description.hasSuffix(": volume 50") == true)
    state.type(.right, .character("-"))
    #expect(state.events.count == before + 2)
    state.type(.character("A"), .character("-"), .character("-"))
    #expect(state.events.count == before + 4)
    #expect(state.events.last?.text.description == "Volume 80")
  }

  @Test func filesNeitherJoinNorConnect() {
    var state = ScreenState(subject: .files)
    _ = reduce(&state, .room(RoomSnapshot(name: "play", connection: .joined, participants: [Fixture.participant(0)])))
    #expect(state.events.isEmpty)
    let text = Fixture.drawn(state).text
    #expect(text.contains("1 file"))
    #expect(!text.contains("connected"))
  }

  @Test func muteOneAndAll() {
    var state = Fixture.state(2)
    #expect(state.type(.character("m")) == [.setMuted(Fixture.identity(0), true)])
    #expect(state.type(.character("m")) == [.setMuted(Fixture.identity(0), false)])
    #expect(state.type(.character("M")) == [.setAllMuted(true)])
    #expect(state.type(.character("A"), .character("m")) == [.setAllMuted(false)])
  }

  @Test func whoComesBackSoundsAsBefore() {
    var state = Fixture.state(2)
    state.type(.character("m"), .character("-"))
    _ = reduce(&state, .room(Fixture.room(1..<2)))
    let effects = reduce(&state, .room(Fixture.room([1, 0])))
    #expect(effects.starts(with: [.setVolume(Fixture.identity(0), 90), .setMuted(Fixture.identity(0), true)]))
  }

  @Test func whatWasSetForATileSurvivesLeavingAndComingBack() {
    var state = Fixture.state(3)
    state.type(.tab, .character("p"), .character("3"), .character("v"))
    #expect(state.tiles.first == Fixture.tile(1))
    _ = reduce(&state, .room(Fixture.room([0, 2])))
    #expect(state.tiles == [Fixture.tile(0), Fixture.tile(2)])
    let effects = reduce(&state, .room(Fixture.room([0, 2, 1])))
    #expect(state.tiles.first == Fixture.tile(1))
    #expect(state.requested[Fixture.video(1)] == .off)
    #expect(effects.contains(.requestLayer(Fixture.video(1), .off)))
    state.type(.home, .character("v"))
    #expect(state.requested[Fixture.video(1)] == .layer(.high))
  }

  @Test func ownTileIsHiddenOnRequest() {
    var room = Fixture.room(0..<2)
    room.participants[0].tracks = [Track(id: TrackID("own"), kind: .video, source: .camera)]
    var state = ScreenState()
    _ = reduce(&state, .room(room))
    #expect(state.tiles.count == 3)
    state.type(.character("h"))
    #expect(state.tiles == [Fixture.tile(0), Fixture.tile(1)])
    #expect(Fixture.drawn(state).text.contains("1 hidden"))
    state.type(.character("h"))
    #expect(state.tiles.count == 3)
  }

  @Test func whoSendsNothingHasNoTileToHide() {
    var state = Fixture.state(2)
    state.type(.character("h"))
    #expect(!state.view.hidesSelf)
    #expect(Fixture.drawn(state).text.contains("You send nothing here"))
  }

  @Test func thoseWhoWereNamedBeforehandArePinnedOnceInTheOrderOfTheirNames() {
    var view = ViewOptions()
    view.pins = ["p3", "BJÖRN", "nobody"]
    var state = Fixture.state(4, view: view)
    #expect(state.tiles == [3, 1, 0, 2].map { Fixture.tile($0) })
    state.type(.home, .character("p"))
    #expect(state.tiles == [1, 0, 2, 3].map { Fixture.tile($0) })
    _ = reduce(&state, .room(Fixture.room([0, 1, 2])))
    _ = reduce(&state, .room(Fixture.room([0, 1, 2, 3])))
    #expect(state.tiles == [1, 0, 2, 3].map { Fixture.tile($0) })
  }

  @Test func peopleWithoutVideoStandInPlaceThenLastThenNowhere() {
    var state = Fixture.state(4)
    var room = Fixture.room(0..<4)
    room.participants[1].tracks[0].isMuted = true
    room.participants[3].tracks.removeFirst()
    _ = reduce(&state, .room(room))
    #expect(state.tiles == (0..<4).map { Fixture.tile($0) })
    state.type(.character("n"))
    #expect(state.tiles == [1, 3, 0, 2].map { Fixture.tile($0) })
    state.type(.end, .character("p"), .character("n"))
    // A pin says that the person wants to see the tile.
    #expect(state.tiles == [2, 1, 3].map { Fixture.tile($0) })
    #expect(state.hiddenCount == 1)
    // Whose camera comes on again is there again.
    _ = reduce(&state, .room(Fixture.room(0..<4)))
    #expect(state.tiles == [2, 0, 1, 3].map { Fixture.tile($0) })
    state.type(.character("n"))
    #expect(state.view.withoutVideo == .inPlace)
  }

  @Test func aRoomWithoutVideoSaysHowToSeeEveryone() {
    var view = ViewOptions()
    view.withoutVideo = .hidden
    var state = Fixture.state(2, view: view)
    var room = Fixture.room(0..<2)
    for index in room.participants.indices { room.participants[index].tracks = [] }
    _ = reduce(&state, .room(room))
    #expect(state.tiles.isEmpty)
    #expect(Fixture.drawn(state).text.contains("n shows everyone"))
  }

  @Test func leavingKeys() {
    var state = Fixture.state(1)
    #expect(state.type(.character("q")) == [.leave])
    #expect(state.isLeaving)
    #expect(state.type(.control("c")) == [.leave])
  }

  @Test func orderIsThatOfArrivalWithPinnedOnesInFront() {
    var state = Fixture.state(4)
    state.type(.end, .character("p"))
    #expect(state.tiles == [3, 0, 1, 2].map { Fixture.tile($0) })
    #expect(state.selected == Fixture.tile(3))
    _ = reduce(&state, .room(Fixture.room([0, 2, 3, 5])))
    #expect(state.tiles == [3, 0, 2, 5].map { Fixture.tile($0) })
    state.type(.character("p"))
    #expect(state.tiles == [0, 2, 3, 5].map { Fixture.tile($0) })
  }

  @Test func selectionStaysOnTheSamePersonWhenOthersLeave() {
    var state = Fixture.state(6)
    state.type(.tab, .tab, .tab)
    _ = reduce(&state, .room(Fixture.room([1, 3, 5])))
    #expect(state.selected == Fixture.tile(3))
    _ = reduce(&state, .room(Fixture.room([1, 5])))
    #expect(state.selected == Fixture.tile(5))
    _ = reduce(&state, .room(Fixture.room([])))
    #expect(state.selected == nil)
    #expect(state.type(.tab, .enter, .character("1"), .character("m"), .down, .pageDown).isEmpty)
  }

  @Test func zoomEndsWhenItsPersonLeaves() {
    var state = Fixture.state(3)
    state.type(.tab, .enter)
    _ = reduce(&state, .room(Fixture.room([0, 2])))
    #expect(!state.isZoomed)
    #expect(state.layout.tiles.count == 2)
  }

  @Test func arrowsMoveAsTheEyeDoes() {
    var state = Fixture.state(5)
    // Three above, two centred below them.
    #expect(state.layout.tiles.filter { $0.frame.row == state.layout.tiles[0].frame.row }.count == 3)
    state.type(.right)
    #expect(state.selected == Fixture.tile(1))
    state.type(.down)
    #expect(state.selected == Fixture.tile(3))
    state.type(.right, .up)
    #expect(state.selected == Fixture.tile(1))
    state.type(.left, .left, .left)
    #expect(state.selected == Fixture.tile(0))
    state.type(.backTab)
    #expect(state.selected == Fixture.tile(4))
    state.type(.down)
    #expect(state.selected == Fixture.tile(4))
  }

  @Test func aClickSelectsAndADoubleClickZooms() {
    var state = Fixture.state(4)
    let place = state.layout.tiles[2].video
    state.type(.mouse(MouseEvent(button: .left, column: place.column + 2, row: place.row + 2)))
    #expect(state.selected == Fixture.tile(2))
    state.type(.mouse(MouseEvent(button: .left, column: place.column + 2, row: place.row + 2, isDouble: true)))
    #expect(state.isZoomed)
    state.type(.mouse(MouseEvent(button: .left, column: -1, row: 999)))
    #expect(state.selected == Fixture.tile(2))
  }

  @Test func aSharedScreenIsATileOfItsOwn() {
    var room = Fixture.room(0..<1)
    room.participants[1].tracks.append(
      Track(id: TrackID("screen"), kind: .video, source: .screenShare, width: 1280, height: 1024, isSubscribed: true))
    var state = ScreenState(columns: 120, rows: 40)
    _ = reduce(&state, .room(room))
    #expect(state.tiles == [Fixture.tile(0), TileID(Fixture.identity(0), extraTrack: TrackID("screen"))])
    // 5:4 in a 16:9 tile leaves space at the sides.
    let target = state.videoTargets[TrackID("screen")]
    #expect(target.map { $0.width * 4 } ?? 0 < (target?.height ?? 0) * 5 + 8)
    #expect(Fixture.drawn(state).text.contains("Ada (screen)"))
  }

  @Test func onlyAPublisherSeesThemselves() {
    var room = Fixture.room(0..<1)
    var state = ScreenState()
    _ = reduce(&state, .room(room))
    #expect(state.tiles == [Fixture.tile(0)])
    room.participants[0].tracks = [Track(id: TrackID("own"), kind: .video, source: .camera)]
    let effects = reduce(&state, .room(room))
    #expect(state.tiles.count == 2)
    #expect(!effects.contains { if case .requestLayer(TrackID("own"), _) = $0 { true } else { false } })
    #expect(state.type(.home, .character("m")).isEmpty)
  }

  @Test func theTargetFollowsTheShapeOfWhatArrives() {
    var state = Fixture.state(1, columns: 120, rows: 40)
    let wide = state.videoTargets[Fixture.video(0)]
    let effects = reduce(&state, .statistics([Fixture.video(0): TileStatistics(width: 320, height: 240)]))
    let narrow = PixelSize(width: 88, height: 66)
    #expect(effects.contains(.setVideoTarget(Fixture.video(0), narrow)))
    #expect(wide == PixelSize(width: 118, height: 66))
  }

  @Test func eventsAreTold() {
    var state = Fixture.state(2)
    var room = Fixture.room(1..<3)
    room.participants[1].tracks[1].isMuted = true
    room.participants[1].tracks[0].isMuted = true
    _ = reduce(&state, .room(room))
    #expect(
      state.events.map(\.text.description) == [
        "You joined demo", "Ada left", "Björn muted", "Björn stopped the video", "Chidi joined",
      ])
    room.connection = .reconnecting
    _ = reduce(&state, .room(room))
    #expect(state.events.last?.text.description == "Connection lost, reconnecting")
    for round in 0..<100 { _ = reduce(&state, .message("\(round)")) }
    #expect(state.events.count == 106)
    for round in 0..<500 { _ = reduce(&state, .message("more \(round)")) }
    #expect(state.events.count == 400)
  }

  @Test func aMissingSoundDeviceIsOneEventAndCoversNothing() {
    var state = Fixture.state(1)
    _ = reduce(&state, .audio(.silent(reason: "The sound device “hw:7” cannot be opened.")))
    _ = reduce(&state, .audio(.silent(reason: "The sound device “hw:7” is busy.")))
    #expect(state.toast == nil)
    #expect(
      state.events.map(\.text.description).filter { $0.contains("sound device") } == [
        "The sound device “hw:7” cannot be opened."
      ])
  }

  @Test func messagesGoAway() {
    var state = Fixture.state(1)
    _ = reduce(&state, .message("No picture of nobody."))
    #expect(Fixture.drawn(state).text.contains("No picture of nobody"))
    let revision = state.revision
    _ = reduce(&state, .tick(.zero + .seconds(10) + .milliseconds(500)))
    #expect(state.revision == revision)
    _ = reduce(&state, .tick(.zero + .seconds(16)))
    #expect(state.toast == nil)
    #expect(state.revision > revision)
  }

  @Test func everyKeyHasOneMeaningAndAPlaceInTheHelp() {
    let keys = KeyBinding.all.flatMap(\.keys)
    #expect(Set(keys).count == keys.count)
    for group in KeyBinding.groups { #expect(group.bindings.first?.entry != nil) }
    for binding in KeyBinding.all {
      for key in binding.keys { #expect(KeyBinding.command(for: key) == binding.command) }
    }
    #expect(KeyBinding.command(for: .character("z")) == nil)
  }
}
