import Conference
import RTCCore
import Testing

@testable import Screen

@Suite struct WallScreenTests {
  private static func state(columns: Int = 120, rows: Int = 30) -> ScreenState {
    var state = ScreenState(columns: columns, rows: rows, subject: .wall)
    _ = reduce(&state, .tick(.zero + .seconds(9)))
    return state
  }

  private static func wall(_ change: (inout Wall) -> Void = { _ in }) -> Wall {
    var wall = Wall(rooms: ["demo", "1234"])
    wall.update(RoomKey(0), Fixture.room(0..<2))
    wall.update(
      RoomKey(1),
      RoomSnapshot(name: "1234", system: "Janus", connection: .joined, participants: [Fixture.participant(0)]))
    change(&wall)
    return wall
  }

  private static func events(_ state: ScreenState) -> [String] { state.events.map(\.fullText.description) }

  @Test func theTitleNamesEachRoomWithItsNumberAndState() {
    var state = Self.state()
    _ = reduce(&state, .room(Self.wall { $0.close(RoomKey(1), .reconnecting, problem: "lost") }.snapshot))
    let title = Fixture.drawn(state).text(row: 0)
    #expect(title.contains(" 1  demo 3"), "\(title)")
    #expect(title.contains(" 2  1234 reconnecting"), "\(title)")
  }

  @Test func roomsThatDoNotFitIntoTheTitleAreShortened() {
    var wall = Wall(rooms: (0..<4).map { "a room with a long name \($0)" })
    for index in 0..<4 { wall.close(RoomKey(index), .reconnecting, problem: nil) }
    var state = Self.state(columns: 100)
    _ = reduce(&state, .room(wall.snapshot))
    let title = Fixture.drawn(state).text(row: 0)
    for number in 1...4 { #expect(title.contains(" \(number)  a"), "\(title)") }
  }

  @Test func theSamePersonInTwoRoomsHasTwoTilesWithTheNumbersOfTheRooms() {
    var state = Self.state()
    _ = reduce(&state, .room(Self.wall().snapshot))
    #expect(state.tiles.count == 3)
    let text = Fixture.drawn(state).text
    #expect(text.contains(" 1  Ada"), "\(text)")
    #expect(text.contains(" 2  Ada"), "\(text)")
  }

  @Test func soundFollowsTheRoomOfTheSelectedTileUnlessAllRoomsAreHeard() {
    var state = Self.state()
    var heard: [RoomKey?] = []
    func note(_ effects: [ScreenEffect]) {
      for case .hear(let room) in effects { heard.append(room) }
    }
    note(reduce(&state, .room(Self.wall().snapshot)))
    #expect(heard.isEmpty, "the first room is heard from the start")
    note(state.type(.end))
    #expect(heard == [RoomKey(1)])
    note(state.type(.character("r")))
    #expect(heard == [RoomKey(1), nil])
    note(state.type(.home))
    #expect(heard.count == 2)
    note(state.type(.character("r")))
    #expect(heard == [RoomKey(1), nil, RoomKey(0)])
  }

  @Test func theFirstRoomIsSelectedAndHeardThoughAnotherWasQuicker() {
    var state = Self.state()
    var wall = Wall(rooms: ["demo", "1234"])
    wall.update(RoomKey(1), Fixture.room(0..<2))
    _ = reduce(&state, .room(wall.snapshot))
    #expect(state.selected?.participant.room == RoomKey(1))
    wall.update(RoomKey(0), Fixture.room(0..<2))
    #expect(reduce(&state, .room(wall.snapshot)).contains(.hear(RoomKey(0))))
    #expect(state.selected == state.tiles.first)
    // From now on nobody who comes takes the selection.
    _ = state.type(.end)
    let chosen = state.selected
    wall.update(RoomKey(0), Fixture.room(0..<3))
    _ = reduce(&state, .room(wall.snapshot))
    #expect(state.selected == chosen)
  }

  @Test func aRoomThatDoesNotLetUsInOrAKeyLeavesTheSelectionWhereItIs() {
    for isKey in [true, false] {
      var state = Self.state()
      var wall = Wall(rooms: ["demo", "1234"])
      wall.update(RoomKey(1), Fixture.room(0..<2))
      _ = reduce(&state, .room(wall.snapshot))
      if isKey {
        _ = state.type(.end)
      } else {
        wall.close(RoomKey(0), .joining, problem: "Nobody answers.")
        _ = reduce(&state, .room(wall.snapshot))
      }
      wall.update(RoomKey(0), Fixture.room(0..<2))
      _ = reduce(&state, .room(wall.snapshot))
      #expect(state.selected?.participant.room == RoomKey(1))
    }
  }

  @Test func whoeverIsInARoomThatIsLostIsNotToldToHaveLeftOneByOne() {
    var state = Self.state()
    _ = reduce(&state, .room(Self.wall().snapshot))
    var wall = Self.wall()
    wall.close(RoomKey(0), .reconnecting, problem: "The server went away.")
    _ = reduce(&state, .room(wall.snapshot))
    #expect(!Self.events(state).contains { $0.contains("left") })
    #expect(Self.events(state).contains { $0.contains("demo: connection lost, reconnecting") })
    #expect(Self.events(state).contains { $0.contains("demo: The server went away.") })
    wall.update(RoomKey(0), Fixture.room(0..<2))
    _ = reduce(&state, .room(wall.snapshot))
    #expect(Self.events(state).contains { $0.contains("demo: connected again") })
    #expect(!Self.events(state).contains { $0.contains("Ada joined") })
    wall.update(RoomKey(0), Fixture.room(0..<3))
    _ = reduce(&state, .room(wall.snapshot))
    #expect(Self.events(state).contains { $0.contains("Chidi joined in demo") })
  }

  @Test(arguments: [true, false]) func whoIsGoneWhenARoomComesBackIsToldInOneLine(isWall: Bool) {
    var state = Self.state()
    func snapshot(_ people: Range<Int>, _ connection: RoomSnapshot.Connection) -> RoomSnapshot {
      var room = Fixture.room(people)
      room.connection = connection
      guard isWall else { return room }
      return Self.wall { $0.update(RoomKey(0), room) }.snapshot
    }
    _ = reduce(&state, .room(snapshot(0..<5, .joined)))
    _ = reduce(&state, .room(snapshot(0..<5, .reconnecting)))
    _ = reduce(&state, .room(snapshot(4..<7, .joined)))
    let events = Self.events(state)
    #expect(events.contains(isWall ? "Meanwhile 4 people left in demo" : "Meanwhile 4 people left"), "\(events)")
    #expect(!events.contains { $0.hasPrefix("Ada") || $0.hasPrefix("Fumiko") }, "\(events)")
    _ = reduce(&state, .room(snapshot(4..<8, .joined)))
    #expect(Self.events(state).last?.contains("joined") == true)
  }

  @Test func theInspectorNamesTheSystemAndTheRoom() {
    var state = Self.state()
    _ = reduce(&state, .room(Self.wall().snapshot))
    state.type(.end, .character("i"))
    let text = Fixture.drawn(state).text
    #expect(text.contains("Janus, room 1234"), "\(text)")
  }

  @Test func aSingleRoomHasNoKeyForRooms() {
    var state = Fixture.state(3)
    let before = state.revision
    #expect(state.type(.character("r")).isEmpty)
    #expect(!state.hearsAllRooms)
    #expect(state.revision >= before)
    #expect(!KeyBinding.groups(for: .room).flatMap(\.bindings).contains { $0.command == .hearAllRooms })
  }
}
