import Foundation
import Testing

extension EndToEnd {
  /// WHIP publishers and WHEP players from outside: aiortc, Chrome's engine and ffmpeg.
  @Suite struct WebRTCHTTPTests {
    private func address(_ server: ServerProcess, _ path: String) -> String {
      server.url.replacing("ws://", with: "http://") + path
    }

    private func peer(
      _ role: String, _ server: ServerProcess, _ path: String, identity: String, _ arguments: [String] = []
    ) async throws -> Subprocess {
      try Subprocess(
        Repository.python,
        [
          Repository.peer("webrtc_http_peer.py"), role, address(server, path), "--token",
          try await Fixtures.token(room: "lab", identity: identity),
        ] + arguments)
    }

    private func viewer(_ server: ServerProcess, _ arguments: [String] = []) async throws -> Subprocess {
      try Subprocess(
        Repository.program,
        [
          "join", server.url, "--token", try await Fixtures.token(room: "lab", identity: "viewer"), "--headless",
        ] + arguments)
    }

    @Test func theServerSaysWhereEncodersAndPlayersGo() async throws {
      let server = try await ServerProcess.start()
      _ = try await eventually("the addresses", seen: { server.process.transcript }) { () -> Bool? in
        server.process.standardError.contains("publish at \(address(server, "/whip/ROOM")) (WHIP)")
          && server.process.standardError.contains("watch at \(address(server, "/whep/ROOM")) (WHEP)") ? true : nil
      }
    }

    @Test func aiortcPublishesAndEverybodySeesAndHearsIt() async throws {
      let server = try await ServerProcess.start()
      let encoder = try await peer("publish", server, "/whip/lab", identity: "encoder", ["--seconds", "60"])
      _ = try await encoder.line("state", within: .seconds(30)) { $0["state"] as? String == "connected" }
      let viewer = try await viewer(server)
      let picture = try await viewer.line("first_frame", within: .seconds(30))
      #expect(picture["identity"] as? String == "encoder")
      #expect(picture["width"] as? Int == 640)
      #expect(picture["height"] as? Int == 360)
      // Nobody announced a size; the server has read it.
      _ = try await viewer.line("layer_changed") { $0["layer"] as? String == "high" }
      let player = try await peer("play", server, "/whep/lab", identity: "player", ["--seconds", "60"])
      let frames = try await player.line("frames", within: .seconds(30)) {
        $0["kind"] as? String == "video" && $0["frames"] as? Int == 30
      }
      #expect(frames["width"] as? Int == 640)
      let sound = try await player.line("frames") { $0["kind"] as? String == "audio" && $0["frames"] as? Int == 100 }
      #expect(try #require(sound["rms"] as? Double) > 500)
      player.send(SIGINT)
      _ = try await player.line("deleted") { $0["status"] as? Int == 200 }
      encoder.send(SIGINT)
      _ = try await encoder.line("deleted") { $0["status"] as? Int == 200 }
      _ = try await viewer.line("participant_left") { $0["identity"] as? String == "encoder" }
      viewer.send(SIGINT)
      #expect(try await viewer.exitCode() == 130)
    }

    @Test func chromesSimulcastIsChosenFromAndItsPlayerRestartsICE() async throws {
      let server = try await ServerProcess.start()
      let encoder = try await peer(
        "publish", server, "/whip/lab", identity: "encoder",
        ["--engine", "chrome", "--simulcast", "--size", "960x540", "--seconds", "90"])
      _ = try await encoder.line("state", within: .seconds(30)) { $0["state"] as? String == "connected" }
      for (layer, width, height) in [("low", 240, 135), ("high", 960, 540)] {
        let viewer = try await viewer(server, ["--layer", layer])
        _ = try await viewer.line("stats", within: .seconds(30)) { line in
          (line["tracks"] as? [[String: Any]] ?? []).contains {
            $0["width"] as? Int == width && $0["height"] as? Int == height && $0["layer"] as? String == layer
              && $0["fps"] as? Double ?? 0 >= 5
          }
        }
        viewer.send(SIGINT)
        _ = try await viewer.exitCode()
      }
      let player = try await peer(
        "play", server, "/whep/lab?participant=encoder", identity: "player",
        ["--engine", "chrome", "--restart-after", "2", "--seconds", "60"])
      let restarted = try await player.line("restarted", within: .seconds(30))
      #expect(restarted["status"] as? Int == 200)
      let before =
        player.lines.filter { $0["kind"] as? String == "video" }.compactMap { $0["frames"] as? Int }.max() ?? 0
      _ = try await player.line("frames", within: .seconds(30)) {
        $0["kind"] as? String == "video" && $0["frames"] as? Int ?? 0 >= before + 70
      }
      player.send(SIGINT)
      encoder.send(SIGINT)
      _ = try await player.exitCode()
      _ = try await encoder.exitCode()
    }

    @Test func ffmpegsSoundIsHeardAndItsH264Refused() async throws {
      let server = try await ServerProcess.start(["--verbose"])
      let encoder = try await peer(
        "publish", server, "/whip/lab", identity: "ffmpeg",
        ["--engine", "ffmpeg", "--codec", "none", "--seconds", "60"])
      let first = try await eventually(within: .seconds(30), "ffmpeg", seen: { encoder.transcript }) {
        encoder.lines.first { ["state", "unavailable"].contains($0["type"] as? String) }
      }
      // The libraries that came with aiortc may be of an ffmpeg without WHIP.
      guard first["type"] as? String == "state" else { return }
      let viewer = try await viewer(server)
      _ = try await viewer.line("stats", within: .seconds(20)) { line in
        (line["tracks"] as? [[String: Any]] ?? []).contains {
          $0["identity"] as? String == "ffmpeg" && $0["packets_received"] as? Int ?? 0 > 20
        }
      }
      encoder.send(SIGKILL)
      viewer.send(SIGINT)
      _ = try await viewer.exitCode()
      let video = try await peer("publish", server, "/whip/lab", identity: "ffmpeg", ["--engine", "ffmpeg"])
      _ = try await video.line("refused", within: .seconds(30))
      // ffmpeg keeps to itself what the server says, so the server's log says it too.
      _ = try await eventually("the reason", seen: { server.process.transcript }) {
        server.process.standardError.contains("Set the video encoder to VP8") ? true : nil
      }
    }

    @Test func anEncoderThatSendsH264IsToldWhatToSet() async throws {
      let server = try await ServerProcess.start()
      let encoder = try await peer("publish", server, "/whip/lab", identity: "encoder", ["--codec", "H264"])
      let refused = try await encoder.line("refused", within: .seconds(30))
      #expect(refused["status"] as? Int == 422)
      #expect(
        refused["detail"] as? String
          == "This server forwards VP8 only, and the offer's video has H264. Set the video encoder to VP8.")
      #expect(try await encoder.exitCode() == 1)
    }
  }
}
