import Foundation
import Testing

extension EndToEnd {
  /// The official LiveKit SDK (Rust core, from PyPI) at the other end.
  @Suite struct OfficialSDKTests {
    private func peer(_ server: ServerProcess, _ arguments: [String]) throws -> Subprocess {
      try Subprocess(
        Repository.python, [Repository.peer("livekit_peer.py"), "--url", server.url] + arguments)
    }

    @Test func itsSimulcastAndToneAreDecodedOnEveryLayer() async throws {
      let server = try await ServerProcess.start()
      let sdk = try peer(server, ["--identity", "sdk", "--publish", "--seconds", "90", "--size", "1280x720"])
      _ = try await sdk.line("published", within: .seconds(40))
      for (layer, width, height) in [("low", 320, 180), ("medium", 640, 360), ("high", 1_280, 720)] {
        let watcher = try Subprocess.confab(
          "join", server.url, "--token", try await Fixtures.token(room: "lab", identity: "watch-\(layer)"),
          "--headless",
          "--layer", layer)
        _ = try await watcher.line("stats", within: .seconds(30)) { line in
          let tracks = line["tracks"] as? [[String: Any]] ?? []
          let video = tracks.contains {
            $0["kind"] as? String == "video" && $0["width"] as? Int == width && $0["height"] as? Int == height
              && $0["fps"] as? Double ?? 0 >= 5
          }
          let audio = tracks.contains { $0["kind"] as? String == "audio" && $0["packets_received"] as? Int ?? 0 > 20 }
          return video && audio
        }
        watcher.send(SIGINT)
        #expect(try await watcher.exitCode() == 130)
      }
      sdk.send(SIGINT)
    }

    @Test func itReceivesWhatWePublish() async throws {
      let server = try await ServerProcess.start()
      let publisher = try Subprocess.confab(
        "publish", server.url, "--token", try await Fixtures.token(room: "lab", identity: "confab"), "--video", "test",
        "--audio", "tone")
      let sdk = try peer(server, ["--identity", "sdk", "--seconds", "60"])
      _ = try await sdk.line("connected", within: .seconds(30))
      let video = try await sdk.line("frames", within: .seconds(40)) {
        $0["kind"] as? String == "video" && $0["frames"] as? Int == 30
      }
      #expect(try #require(video["width"] as? Int) >= 320)
      let audio = try await sdk.line("frames", within: .seconds(40)) { $0["kind"] as? String == "audio" }
      #expect(try #require(audio["rms"] as? Double) > 500)
      _ = try await sdk.line("speakers", within: .seconds(20)) {
        ($0["identities"] as? [String])?.contains("confab") == true
      }
      publisher.send(SIGINT)
      _ = try await publisher.exitCode()
      _ = try await sdk.line("participant_disconnected") { $0["identity"] as? String == "confab" }
      sdk.send(SIGINT)
    }

    @Test func itIsRefusedWithABadToken() async throws {
      let server = try await ServerProcess.start()
      let sdk = try peer(server, ["--secret", "not-the-secret-of-this-server-at-all"])
      let failed = try await sdk.line("connect_failed", within: .seconds(40))
      #expect(try #require(failed["error"] as? String).contains("401"))
      #expect(try await sdk.exitCode() == 1)
    }
  }
}
