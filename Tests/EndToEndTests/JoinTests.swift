import Foundation
import Testing

extension EndToEnd {
  @Suite struct JoinTests {
    @Test func aDemoWithoutAScreenShowsSixLivePeople() async throws {
      let demo = try Subprocess.confab("demo", "--headless", "--seconds", "12", "--participants", "6")
      #expect(try await demo.exitCode(within: .seconds(60)) == 0, "\(demo.transcript)")
      let lines = demo.lines
      #expect(lines.first?["type"] as? String == "joined")
      let shown = Set(lines.filter { $0["type"] as? String == "first_frame" }.compactMap { $0["identity"] as? String })
      #expect(shown.count == 6)
      let last = try #require(lines.last { $0["type"] as? String == "stats" })
      let tracks = try #require(last["tracks"] as? [[String: Any]])
      let videos = tracks.filter { $0["kind"] as? String == "video" }
      #expect(videos.count == 6)
      for video in videos {
        let framesPerSecond = try #require(video["fps"] as? Double)
        #expect(framesPerSecond >= 12, "\(video)")
      }
      #expect(lines.last?["type"] as? String == "left")
      #expect(lines.last?["reason"] as? String == "requested")
    }

    @Test func everyLineHasATypeAndATimeThatDoesNotGoBack() async throws {
      let demo = try Subprocess.confab("demo", "--headless", "--seconds", "3", "--participants", "2")
      #expect(try await demo.exitCode(within: .seconds(40)) == 0, "\(demo.transcript)")
      let printed = demo.standardOutput.split(separator: "\n").count
      let lines = demo.lines
      #expect(lines.count == printed)
      let times = lines.compactMap { $0["t"] as? Double }
      #expect(times.count == printed)
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func peopleWhoComeAndGoAreReported() async throws {
      let server = try await ServerProcess.start()
      let watcher = try Subprocess.confab(
        "join", server.url, "--token", try await Fixtures.token(room: "lab", identity: "watcher"), "--headless")
      _ = try await watcher.line("joined")
      let guest = try Subprocess.confab(
        "publish", server.url, "--token",
        try await Fixtures.token(room: "lab", identity: "guest", ["--name", "A Guest"]), "--video", "test", "--audio",
        "tone")
      let joined = try await watcher.line("participant_joined") { $0["identity"] as? String == "guest" }
      #expect(joined["name"] as? String == "A Guest")
      _ = try await watcher.line("track_published") { $0["kind"] as? String == "video" }
      _ = try await watcher.line("track_subscribed") { $0["kind"] as? String == "audio" }
      _ = try await watcher.line("layers")
      let first = try await watcher.line("first_frame")
      #expect(try #require(first["since_join_ms"] as? Double) > 0)
      guest.send(SIGINT)
      #expect(try await guest.exitCode() == 130, "\(guest.transcript)")
      _ = try await watcher.line("participant_left") { $0["identity"] as? String == "guest" }
      watcher.send(SIGINT)
      #expect(try await watcher.exitCode() == 130, "\(watcher.transcript)")
      #expect(watcher.lines.last?["type"] as? String == "left")
    }

    @Test func aSecondParticipantWithTheSameIdentityEvictsTheFirst() async throws {
      let server = try await ServerProcess.start()
      let token = try await Fixtures.token(room: "lab", identity: "twin")
      let first = try Subprocess.confab("join", server.url, "--token", token, "--headless")
      _ = try await first.line("joined")
      let second = try Subprocess.confab("join", server.url, "--token", token, "--headless", "--seconds", "3")
      #expect(try await first.exitCode() == 7, "\(first.transcript)")
      #expect(first.lines.last?["reason"] as? String == "duplicate_identity")
      #expect(try await second.exitCode() == 0, "\(second.transcript)")
    }

    @Test func anEmptyRoomFailsTheExpectationOfMedia() async throws {
      let server = try await ServerProcess.start()
      let token = try await Fixtures.token(room: "empty", identity: "monitor")
      let monitor = try Subprocess.confab(
        "join", server.url, "--token", token, "--headless", "--expect-within", "1")
      #expect(try await monitor.exitCode() == 8, "\(monitor.transcript)")
    }

    @Test func aServerThatStopsEndsTheConferenceWithItsReason() async throws {
      let server = try await ServerProcess.start()
      let token = try await Fixtures.token(room: "lab", identity: "watcher")
      let watcher = try Subprocess.confab("join", server.url, "--token", token, "--headless")
      _ = try await watcher.line("joined")
      server.process.send(SIGTERM)
      #expect(try await watcher.exitCode() == 7, "\(watcher.transcript)")
    }
  }
}
