import Conference
import ConferenceClient
import Foundation

enum RoomsCommand: Command {
  static let name = "rooms"
  static let synopsis = "URL [options]"
  static let summary = "Lists the rooms of a Janus server and who is in them."
  static let flags = [
    Flag("--json", nil, "one JSON line a room"),
    Flag("--token", "T", "token of the server, if it wants one; blanked from the process list"),
    Flag("--token-file", "F", "file with the token, mode 0600 ($CONFAB_TOKEN)"),
    Flag("--ca-file", "F", "trust the certificate authorities in this PEM file too"),
  ]

  static func run(_ options: Options) async throws -> Int32 {
    guard let url = options.words.first, options.words.count == 1 else {
      throw UsageError("The rooms of one server are listed: give its URL, such as janus://127.0.0.1:8188/.")
    }
    guard RoomSystem(url: try JoinTarget.checked(url)) == .janus else {
      throw UsageError("LiveKit servers list their rooms only to administrators, with `lk room list`.")
    }
    let environment = ProcessInfo.processInfo.environment
    let joining = try JoinTarget.joinOptions(options, environment, publishes: false)
    try RoomConnection.inspect(url: url, options: joining)
    let rooms = try await RoomDirectory.list(
      url: url, token: try JoinTarget.givenToken(options, environment), options: joining)
    for line in options.has("--json") ? rooms.map(json) : table(rooms) where !StandardOutput.writeLine(line) {
      return ConferenceError.Code.internalError.exitCode
    }
    return 0
  }

  /// One line a room: what joins it, its title, and who is there.
  private static func table(_ rooms: [ListedRoom]) -> [String] {
    guard !rooms.isEmpty else { return ["There are no rooms, or only private ones."] }
    let rows = rooms.map { room in
      [room.id.visibleLine, room.title.visibleLine + (room.hasPin ? " (pin)" : ""), people(room)]
    }
    let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) + "  " }.joined() + row[2]
    }
  }

  private static func people(_ room: ListedRoom) -> String {
    func names(publishing: Bool) -> String {
      room.people.filter { $0.publishes == publishing }.map(\.name.visibleLine).joined(separator: ", ")
    }
    let watching = names(publishing: false)
    let parts = [names(publishing: true), watching.isEmpty ? "" : "watching: \(watching)"].filter { !$0.isEmpty }
    return parts.isEmpty ? "nobody" : parts.joined(separator: "; ")
  }

  private static func json(_ room: ListedRoom) -> String {
    let people = room.people.map { JSON.object([("name", .text($0.name)), ("publishes", .truth($0.publishes))]) }
    return JSON.object([
      ("room", .text(room.id)), ("title", .text(room.title)), ("pin", .truth(room.hasPin)),
      ("publisher_limit", room.publisherLimit.map { .number($0) } ?? .null), ("people", .list(people)),
    ]).text
  }
}
