import Foundation
import Testing

extension EndToEnd {
  /// Several rooms on one wall, on servers of their own.
  @Suite struct SeveralRoomsTests {
    private static func publisher(to server: ServerProcess, _ identity: String) async throws -> Subprocess {
      try Subprocess.confab(
        "publish", server.url, "--token", try await Fixtures.token(room: "lab", identity: identity), "--video", "test",
        "--audio", "tone")
    }

    private static func isOf(_ room: String, _ identity: String? = nil) -> ([String: Any]) -> Bool {
      { line in line["room"] as? String == room && (identity == nil || line["identity"] as? String == identity) }
    }

    @Test func theSameIdentityInTwoRoomsIsToldApartByItsRoom() async throws {
      let servers = [try await ServerProcess.start(), try await ServerProcess.start()]
      let people = [try await Self.publisher(to: servers[0], "ada"), try await Self.publisher(to: servers[1], "ada")]
      let token = try await Fixtures.token(room: "lab", identity: "watcher")
      let watcher = try Subprocess.confab(
        "join", "--token", token, servers[0].url, servers[1].url, "--headless")
      for room in ["lab", "lab (2)"] {
        _ = try await watcher.line("joined", where: Self.isOf(room))
        _ = try await watcher.line("first_frame", where: Self.isOf(room, "ada"))
      }
      let statistics = try await watcher.line("stats") { line in
        let tracks = line["tracks"] as? [[String: Any]] ?? []
        let decoded = tracks.filter { $0["frames_decoded"] as? Int ?? 0 > 0 }.compactMap { $0["room"] as? String }
        return Set(decoded) == ["lab", "lab (2)"]
      }
      #expect(statistics["type"] as? String == "stats")
      watcher.send(SIGINT)
      #expect(try await watcher.exitCode() == 130, "\(watcher.transcript)")
      for person in people { person.send(SIGINT) }
    }

    @Test func aRoomWhoseServerGoesAwayComesBackByItselfAndTheOtherGoesOn() async throws {
      let servers = [try await ServerProcess.start(), try await ServerProcess.start()]
      let people = [try await Self.publisher(to: servers[0], "ada"), try await Self.publisher(to: servers[1], "bo")]
      let watcher = try Subprocess.confab(
        "join", servers[0].url, "--token", try await Fixtures.token(room: "lab", identity: "watcher"), servers[1].url,
        "--token", try await Fixtures.token(room: "lab", identity: "watcher"), "--headless")
      _ = try await watcher.line("first_frame", where: Self.isOf("lab", "ada"))
      _ = try await watcher.line("first_frame", where: Self.isOf("lab (2)", "bo"))
      servers[0].process.send(SIGTERM)
      #expect(try await servers[0].process.exitCode() == 0)
      _ = try await watcher.line("reconnecting", where: Self.isOf("lab"))
      _ = try await watcher.line("error", where: Self.isOf("lab"))
      let again = try servers[0].restart()
      _ = try await watcher.line("reconnected", within: .seconds(30), where: Self.isOf("lab"))
      let guest = try await Self.publisher(to: servers[0], "cy")
      _ = try await watcher.line("first_frame", where: Self.isOf("lab", "cy"))
      #expect(!watcher.lines.contains { $0["type"] as? String == "reconnecting" && Self.isOf("lab (2)")($0) })
      #expect(!watcher.lines.contains { $0["type"] as? String == "participant_left" && Self.isOf("lab (2)")($0) })
      watcher.send(SIGINT)
      #expect(try await watcher.exitCode() == 130, "\(watcher.transcript)")
      for process in people + [guest, again] { process.send(SIGINT) }
    }

    @Test func aRoomThatCannotBeJoinedDisturbsNoOther() async throws {
      let server = try await ServerProcess.start()
      let person = try await Self.publisher(to: server, "ada")
      let elsewhere = try await Fixtures.token(room: "other", identity: "watcher")
      let watcher = try Subprocess.confab(
        "join", "ws://127.0.0.1:1/nobody", "--token", elsewhere, server.url, "--token",
        try await Fixtures.token(room: "lab", identity: "watcher"), server.url, "--token", elsewhere, "--room", "third",
        "--headless", "--seconds", "4")
      _ = try await watcher.line("error") {
        Self.isOf("other")($0) && $0["code"] as? String == "server_unreachable"
      }
      _ = try await watcher.line("error") {
        Self.isOf("third")($0) && $0["code"] as? String == "token_for_other_room"
      }
      _ = try await watcher.line("first_frame", where: Self.isOf("lab", "ada"))
      #expect(try await watcher.exitCode() == 0, "\(watcher.transcript)")
      person.send(SIGINT)
    }

    @Test func aWallWhoseRoomsAllFailEndsWithTheFirstFailure() async throws {
      let server = try await ServerProcess.start()
      let wrong = try await Fixtures.token(room: "other", identity: "watcher")
      let watcher = try Subprocess.confab(
        "join", "--token", wrong, server.url, "--room", "one", server.url, "--room", "two", "--headless")
      #expect(try await watcher.exitCode() == 4, "\(watcher.transcript)")
      #expect(watcher.lines.filter { $0["type"] as? String == "error" }.count == 2)
    }

    @Test func aTokenBelongsToTheAddressThatItFollows() async throws {
      let watcher = try Subprocess.confab(
        "join", "ws://127.0.0.1:1/one", "ws://127.0.0.1:1/two", "--token", "x", "--headless")
      #expect(try await watcher.exitCode() == 4, "\(watcher.transcript)")
      #expect(watcher.standardError.contains("ws://127.0.0.1:1/one"))
    }

    @Test func theWallShowsBothRoomsWithTheirNumbersAndSoundFollowsTheSelection() async throws {
      let servers = [try await ServerProcess.start(), try await ServerProcess.start()]
      let people = [try await Self.publisher(to: servers[0], "ada"), try await Self.publisher(to: servers[1], "bo")]
      let terminal = try await Tmux(columns: 120, rows: 40)
      let token = try await Fixtures.token(room: "lab", identity: "watcher")
      try await terminal.run(
        "\(Repository.program) join --token \(token) \(servers[0].url) \(servers[1].url) --audio-device null")
      try await terminal.screen(within: .seconds(30), "both rooms") {
        $0.contains(" 1  lab") && $0.contains(" 2  lab (2)") && $0.contains(" 1  ada") && $0.contains(" 2  bo")
          && $0.showsPicture
      }
      try await terminal.screen("the first room is heard") { $0.contains("room 1") }
      try await terminal.press("End")
      try await terminal.screen("the second room is heard") { $0.contains("room 2") }
      try await terminal.press("r")
      try await terminal.screen("all rooms are heard") { $0.contains("all rooms") }
      servers[0].process.send(SIGTERM)
      try await terminal.screen("one room reconnects, the other goes on") {
        $0.contains(" 1  lab reconnecting") && !$0.contains(" 1  ada") && $0.contains(" 2  bo")
      }
      try await terminal.press("q")
      try await terminal.screen("the shell") { $0.contains("ready>") && !$0.contains("lab") }
      await terminal.end()
      for person in people { person.send(SIGINT) }
    }
  }
}
