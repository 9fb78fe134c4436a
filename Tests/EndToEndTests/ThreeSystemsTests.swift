import Foundation
import Testing

extension EndToEnd {
  /// A wall with a room of LiveKit's kind, one of Janus and a stream over WHEP.
  @Suite(.enabled(if: JanusLab.isPossible, "needs to make a network of its own")) struct ThreeSystemsTests {
    /// What the wall is made of, all in one network.
    private struct Cast {
      let server: Subprocess
      let url: String
      let publisher: Subprocess
      let people: JanusLab.People

      init(in lab: JanusLab) async throws {
        let server = try lab.run(Repository.program, ["serve", "--port", "0", "--udp-port", "0"])
        self.server = server
        let line = try await eventually("the server's address", seen: { server.transcript }) { () -> String? in
          server.standardError.split(separator: "\n").first { $0.contains("ws://") }.map(String.init)
        }
        let address = line.split(whereSeparator: { " ,".contains($0) }).first { $0.hasPrefix("ws://") }
        url = String(try #require(address))
        publisher = try lab.run(
          Repository.program,
          [
            "publish", url, "--token", try await Fixtures.token(room: "lab", identity: "liv"), "--video", "test",
            "--audio", "tone",
          ])
        people = try await lab.people(["jan"])
      }

      /// The three addresses, with what belongs to each.
      func addresses() async throws -> [String] {
        let token = try await Fixtures.token(room: "lab", identity: "watcher")
        return [
          url, "--token", token, JanusLab.room, url.replacing("ws://", with: "http://") + "/whep/lab", "--via", "whep",
          "--token", token,
        ]
      }
    }

    @Test func allThreeAreShownAndJanusComesBackByItself() async throws {
      try await JanusLab.with { lab in
        let janus = try await lab.startServer()
        let cast = try await Cast(in: lab)
        let watcher = try lab.run(
          Repository.program, ["join"] + (try await cast.addresses()) + ["--headless", "--name", "wall"])
        var rooms: Set<String> = []
        for _ in 0..<3 {
          let line = try await watcher.line("first_frame", within: .seconds(30)) {
            !rooms.contains($0["room"] as? String ?? "")
          }
          rooms.insert(try #require(line["room"] as? String))
        }
        #expect(rooms.contains("Lab"), "\(rooms)")
        #expect(rooms.count == 3, "\(rooms)")
        janus.send(SIGTERM)
        _ = try await janus.exitCode()
        _ = try await watcher.line("reconnecting") { $0["room"] as? String == "Lab" }
        let again = try await lab.startServer()
        _ = try await watcher.line("reconnected", within: .seconds(60)) { $0["room"] as? String == "Lab" }
        let guests = try await lab.people(["guest"])
        let guest = try await guests.id(of: "guest")
        _ = try await watcher.line("first_frame", within: .seconds(30)) { $0["identity"] as? String == guest }
        let others = watcher.lines.filter { ["reconnecting", "participant_left"].contains($0["type"] as? String) }
        #expect(others.allSatisfy { $0["room"] as? String == "Lab" }, "\(others)")
        watcher.send(SIGINT)
        #expect(try await watcher.exitCode() == 130, "\(watcher.transcript)")
        withExtendedLifetime((again, cast)) {}
      }
    }

    @Test func theWallOfThreeSystemsIsOneScreen() async throws {
      try await JanusLab.with { lab in
        let janus = try await lab.startServer()
        let cast = try await Cast(in: lab)
        let terminal = try await Tmux(columns: 120, rows: 40)
        let words =
          lab.prefix + [Repository.program, "join"] + (try await cast.addresses()) + ["--audio-device", "null"]
        try await terminal.run(words.map { "'\($0)'" }.joined(separator: " "))
        try await terminal.screen(within: .seconds(30), "three rooms") {
          $0.contains(" 1  lab") && $0.contains(" 2  Lab") && $0.contains(" 3  ") && $0.contains(" 1  liv")
            && $0.contains(" 2  jan") && $0.showsPicture
        }
        // The inspector names the system of the tile.
        try await terminal.press("i")
        try await terminal.screen("the first room's system") { $0.contains("LiveKit, room lab") }
        try await terminal.press("Tab")
        try await terminal.screen("the second room's system") { $0.contains("Janus, room Lab") }
        try await terminal.press("Tab")
        try await terminal.screen("the third room's system") { $0.contains("WHEP, room") }
        try await terminal.press("q")
        try await terminal.screen("the shell") { $0.contains("ready>") && !$0.contains("liv") }
        await terminal.end()
        withExtendedLifetime((janus, cast)) {}
      }
    }
  }
}
