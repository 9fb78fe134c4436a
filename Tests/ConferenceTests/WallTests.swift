import Conference
import Testing

@Suite struct WallTests {
  private static func room(_ name: String, _ people: [String]) -> RoomSnapshot {
    RoomSnapshot(
      name: name, system: "Janus", connection: .joined,
      participants: people.map {
        Participant(
          id: ParticipantIdentity($0), tracks: [Track(id: TrackID("v"), kind: .video, isSubscribed: true)])
      })
  }

  private static func wall() -> Wall { Wall(rooms: ["one", "two"]) }

  @Test func theSameIdentityInTwoRoomsIsTwoPeopleWithTracksOfTheirOwn() {
    var wall = Self.wall()
    wall.update(RoomKey(0), Self.room("one", ["ada"]))
    wall.update(RoomKey(1), Self.room("two", ["ada"]))
    let people = wall.snapshot.participants
    #expect(people.map(\.id) == [ParticipantIdentity("ada"), ParticipantIdentity("ada", room: RoomKey(1))])
    #expect(Set(people.flatMap(\.tracks).map(\.id)).count == 2)
    #expect(people.map(\.name) == ["ada", "ada"])
  }

  @Test func peopleStandRoomByRoomHoweverTheyCome() {
    var wall = Self.wall()
    wall.update(RoomKey(1), Self.room("two", ["bo"]))
    wall.update(RoomKey(0), Self.room("one", ["ada"]))
    wall.update(RoomKey(0), Self.room("one", ["ada", "cy"]))
    #expect(wall.snapshot.participants.map(\.id.raw) == ["ada", "cy", "bo"])
  }

  @Test func aRoomThatFailsTakesNobodyElseAway() {
    var wall = Self.wall()
    wall.update(RoomKey(0), Self.room("one", ["ada"]))
    wall.update(RoomKey(1), Self.room("two", ["bo"]))
    wall.close(RoomKey(0), .left, problem: "It was closed.")
    #expect(wall.snapshot.participants.map(\.id.raw) == ["bo"])
    #expect(wall.snapshot.connection == .joined)
    #expect(wall.snapshot.sections.map(\.connection) == [.left, .joined])
    #expect(wall.snapshot.sections[0].problem == "It was closed.")
    wall.update(RoomKey(0), Self.room("one", ["ada"]))
    #expect(wall.snapshot.sections[0].problem == nil)
  }

  @Test func theWallIsAsGoodAsTheBestOfItsRooms() {
    var wall = Self.wall()
    #expect(wall.snapshot.connection == .joining)
    wall.close(RoomKey(0), .reconnecting, problem: "lost")
    #expect(wall.snapshot.connection == .reconnecting)
    wall.close(RoomKey(0), .left, problem: "lost")
    #expect(wall.snapshot.connection == .joining)
    wall.close(RoomKey(1), .left, problem: "lost")
    #expect(wall.snapshot.connection == .left)
  }

  @Test func roomsOfOneNameAreToldApart() {
    var wall = Self.wall()
    wall.update(RoomKey(0), Self.room("demo", []))
    wall.update(RoomKey(1), Self.room("demo", []))
    #expect(wall.snapshot.sections.map(\.name) == ["demo", "demo (2)"])
  }

  @Test func aWallOfOneRoomIsThatRoom() {
    var wall = Wall(rooms: ["one"])
    wall.update(.only, Self.room("one", ["ada"]))
    #expect(wall.snapshot == Self.room("one", ["ada"]))
  }
}
