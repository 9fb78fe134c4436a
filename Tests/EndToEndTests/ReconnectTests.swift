import Foundation
import Testing

extension EndToEnd {
  /// A room of our own server is joined again by itself, by those who watch and those who publish.
  @Suite struct ReconnectTests {
    private static func join(_ server: ServerProcess, _ identity: String) async throws -> Subprocess {
      try Subprocess.confab(
        "join", server.url, "--token", try await Fixtures.token(room: "lab", identity: identity), "--headless")
    }

    private static func publish(_ server: ServerProcess, _ identity: String) async throws -> Subprocess {
      try Subprocess.confab(
        "publish", server.url, "--token", try await Fixtures.token(room: "lab", identity: identity), "--video", "test",
        "--audio", "tone")
    }

    /// The first picture after the connection was there again.
    private static func pictureAfterwards(in watcher: Subprocess) async throws {
      _ = try await watcher.line("reconnected", within: .seconds(40))
      _ = try await eventually(within: .seconds(30), "a picture afterwards", seen: { watcher.transcript }) {
        watcher.lines.drop { $0["type"] as? String != "reconnected" }
          .contains { $0["type"] as? String == "first_frame" } ? true : nil
      }
    }

    @Test func aServerThatCrashesAndComesBackIsFoundAgainByViewersAndPublishers() async throws {
      let server = try await ServerProcess.start()
      let ada = try await Self.publish(server, "ada")
      let watcher = try await Self.join(server, "watcher")
      _ = try await watcher.line("first_frame")
      server.process.send(SIGKILL)
      _ = try await server.process.exitCode()
      _ = try await watcher.line("reconnecting")
      let again = try server.restart()
      try await Self.pictureAfterwards(in: watcher)
      for process in [watcher, ada] {
        process.send(SIGINT)
        #expect(try await process.exitCode() == 130, "\(process.transcript)")
      }
      again.send(SIGINT)
    }

    @Test func whoWasStoppedForLongIsBackAfterwards() async throws {
      let server = try await ServerProcess.start()
      let ada = try await Self.publish(server, "ada")
      let observer = try await Self.join(server, "observer")
      let watcher = try await Self.join(server, "watcher")
      _ = try await watcher.line("first_frame")
      _ = try await observer.line("participant_joined") { $0["identity"] as? String == "watcher" }
      watcher.send(SIGSTOP)
      // Until the server has given it up.
      _ = try await observer.line("participant_left", within: .seconds(60)) {
        $0["identity"] as? String == "watcher"
      }
      watcher.send(SIGCONT)
      try await Self.pictureAfterwards(in: watcher)
      for process in [watcher, observer, ada] {
        process.send(SIGINT)
        #expect(try await process.exitCode() == 130, "\(process.transcript)")
      }
    }
  }
}
