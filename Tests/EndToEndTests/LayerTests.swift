import Foundation
import Testing

extension EndToEnd {
  @Suite struct LayerTests {
    @Test func aPictureTooSmallForLayersIsSentAsOneAndThatIsSaid() async throws {
      try await Fixtures.withFolder { folder in
        let clip = folder.appendingPathComponent("small.y4m")
        try Fixtures.writeClip(to: clip, width: 160, height: 90, frames: 15)
        let server = try await ServerProcess.start()
        let publisher = try Subprocess.confab(
          "publish", server.url, "--token", try await Fixtures.token(room: "lab", identity: "ada"), "--video",
          clip.path, "--audio", "none", "--simulcast")
        #expect(try await publisher.exitCode() == 0, "\(publisher.transcript)")
        #expect(publisher.standardError.contains("multi-stream not supported"))
      }
    }

    @Test(arguments: [("low", 160, 90), ("medium", 320, 180), ("high", 640, 360)])
    func theLayerAskedForIsTheSizeDecoded(layer: String, width: Int, height: Int) async throws {
      try await Fixtures.withFolder { folder in
        let clip = folder.appendingPathComponent("clip.y4m")
        try Fixtures.writeClip(to: clip, width: 640, height: 360, frames: 30)
        let server = try await ServerProcess.start()
        var publishers: [Subprocess] = []
        for identity in ["ada", "bo"] {
          publishers.append(
            try Subprocess.confab(
              "publish", server.url, "--token", try await Fixtures.token(room: "lab", identity: identity), "--video",
              clip.path, "--audio", "none", "--loop"))
        }
        let watcher = try Subprocess.confab(
          "join", server.url, "--token", try await Fixtures.token(room: "lab", identity: "watcher"), "--headless",
          "--layer", layer)
        for identity in ["ada", "bo"] {
          _ = try await watcher.line("stats", within: .seconds(30)) { line in
            let tracks = line["tracks"] as? [[String: Any]] ?? []
            return tracks.contains {
              $0["identity"] as? String == identity && $0["width"] as? Int == width && $0["height"] as? Int == height
                && $0["layer"] as? String == layer && $0["fps"] as? Double ?? 0 > 5
            }
          }
        }
        withExtendedLifetime((server, publishers)) {}
      }
    }
  }
}
