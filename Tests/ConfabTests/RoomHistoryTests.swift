import Foundation
import Glibc
import Screen
import Testing

@testable import confab

@Suite struct RoomHistoryTests {
  /// A history in a folder of its own, which is removed afterwards.
  private func withHistory(_ body: (RoomHistory) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("confab-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(RoomHistory(environment: ["XDG_STATE_HOME": folder.path]))
  }

  private func room(_ name: String, _ address: String = "wss://rooms.example", at time: Int64 = 5) throws -> KnownRoom {
    try #require(KnownRoom(address: address, name: name, joinedAt: time))
  }

  private func write(_ text: String, to history: RoomHistory) throws {
    try FileManager.default.createDirectory(
      atPath: (history.path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: history.path))
  }

  @Test func roomsAreRememberedAndForgotten() throws {
    try withHistory { history in
      #expect(history.load() == RoomHistory.Content())
      let rooms = [try room("Zürich \"会議\"", at: 7), try room("lab", "ws://127.0.0.1:7880")]
      #expect(history.add(rooms[1]).rooms == [rooms[1]])
      #expect(history.add(rooms[0]).rooms == rooms)
      #expect(history.load() == RoomHistory.Content(rooms: rooms))
      #expect(history.remove(rooms[1]).rooms == [rooms[0]])
      #expect(history.load().rooms == [rooms[0]])
    }
  }

  @Test func aRoomThatWasJoinedIsRememberedWithoutWhatLetUsIn() throws {
    try withHistory { history in
      let content = try #require(history.add("lab", at: "wss://me:word@rooms.example/path?access_token=abc"))
      #expect(content.rooms.map(\.address) == ["wss://rooms.example/path"])
      #expect(history.add("lab", at: "nonsense") == nil)
    }
  }

  @Test func onlyTheOwnerCanReadIt() throws {
    try withHistory { history in
      try write("", to: history)
      chmod(history.path, 0o644)
      _ = history.add(try room("lab"))
      var information = stat()
      #expect(stat(history.path, &information) == 0 && information.st_mode & 0o777 == 0o600)
      // Nothing else is left behind.
      let folder = (history.path as NSString).deletingLastPathComponent
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["rooms"])
    }
  }

  @Test func whereItIs() {
    #expect(RoomHistory(environment: ["XDG_STATE_HOME": "/s", "HOME": "/h"]).path == "/s/confab/rooms")
    #expect(RoomHistory(environment: ["XDG_STATE_HOME": "s", "HOME": "/h"]).path == "/h/.local/state/confab/rooms")
  }

  @Test func aDamagedFileIsUsedAsFarAsItGoesAndKept() throws {
    try withHistory { history in
      let good = #"{"url":"ws://h","room":"lab","joined":5}"#
      let text =
        "\u{0}\u{FF}[[[\n\(good)\n{\"url\":5}\n{\"url\":\"ws://h\",\"room\":\"x\",\"joined\":\"soon\"}\n\(good)"
      try write(text, to: history)
      let content = history.load()
      #expect(content.rooms == [try room("lab", "ws://h")])
      #expect(content.complaint?.contains("damaged") == true)
      #expect(history.add(try room("new")).rooms.map(\.name) == ["new", "lab"])
      #expect(history.load().complaint == nil)
      #expect(try String(contentsOfFile: history.path + ".damaged", encoding: .utf8) == text)
    }
  }

  @Test(arguments: [
    String(repeating: "x", count: 1 << 20), String(repeating: "[", count: 100_000),
    #"{"url":"ws://h\#u{1B}[2J","room":"\#u{202E}","joined":1e400}"#, "\n\n\n", "{}",
    #"{"url":"wss://u:p@h?access_token=s","room":"r","joined":-9223372036854775808}"#,
    #"{"url":"wss://h","room":"r","joined":9223372036854775807}"#, #"{"url":"wss://h","room":"r","joined":1e300}"#,
    #"{"url":"wss://h","room":"r","joined":-1e300}"#,
  ])
  func anyFileIsReadAndShown(text: String) throws {
    try withHistory { history in
      try write(text, to: history)
      let rooms = history.load().rooms
      for room in rooms { #expect(room.address == "wss://h") }
      for now in [0, Int64(Date().timeIntervalSince1970)] {
        var state = ConnectState()
        _ = reduce(&state, .tick(.zero, unixTime: now))
        _ = reduce(&state, .rooms(rooms))
        var grid = CellGrid(columns: 80, rows: 24)
        draw(state, on: &grid)
        #expect(grid.cells.contains { $0.glyph == "r" })
      }
    }
  }

  @Test func aPlaceThatCannotBeWrittenIsSaid() throws {
    let history = RoomHistory(environment: ["XDG_STATE_HOME": "/proc"])
    let content = history.add(try room("lab"))
    #expect(content.rooms.count == 1 && content.complaint?.contains("/proc/confab") == true)
  }
}
