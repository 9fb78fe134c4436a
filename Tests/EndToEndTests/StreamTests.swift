import Foundation
import StreamLab
import Testing
import Transport

extension EndToEnd {
  /// `confab join` and the example of the library on a stream service on this machine.
  @Suite struct StreamTests {
    @Test func theStreamIsReportedAsLines() async throws {
      let service = try await Self.service([nil, "cam2"])
      let child = try Subprocess.confab("join", service.address, "--headless", "--layer", "low")
      let joined = try await child.line("joined")
      #expect(joined["room"] as? String == "match1")
      for source in ["match1", "cam2"] {
        _ = try await child.line("participant_joined") { $0["identity"] as? String == source }
        _ = try await child.line("track_subscribed") { $0["track"] as? String == source + "/video" }
        _ = try await child.line("first_frame") { $0["track"] as? String == source + "/video" }
        let layers = try await child.line("layers") { $0["track"] as? String == source + "/video" }
        #expect((layers["layers"] as? [[String: Any]])?.map { $0["id"] as? String } == ["low", "medium", "high"])
        _ = try await child.line("layer_changed") {
          $0["track"] as? String == source + "/video" && $0["layer"] as? String == "low"
        }
      }
      await service.unpublish("cam2")
      _ = try await child.line("activity") { $0["track"] as? String == "cam2/video" && $0["active"] as? Bool == false }
      try await service.publish("cam2")
      _ = try await child.line("activity") { $0["track"] as? String == "cam2/video" && $0["active"] as? Bool == true }
      await service.drop()
      _ = try await child.line("reconnecting")
      _ = try await child.line("reconnected")
      await service.tell("stopped")
      #expect(try await child.exitCode() == 7)
      let left = try await child.line("left")
      #expect(left["reason"] as? String == "room_closed")
      await service.close()
    }

    @Test func refusalsHaveTheirExitCodeAndASentence() async throws {
      let service = try await Self.service([nil])
      await Self.secure(service)
      func outcome(_ url: String, token: String? = nil) async throws -> (code: Int32, text: String) {
        let child = try Subprocess.confab(
          "join", url, "--headless", "--seconds", "1", environment: token.map { ["CONFAB_TOKEN": $0] } ?? [:])
        return (try await child.exitCode(), child.standardError)
      }
      let none = try await outcome(service.address)
      #expect(none.code == 4)
      #expect(none.text.contains("CONFAB_TOKEN"))
      let wrong = try await outcome(service.address, token: "not-this-one")
      #expect(wrong.code == 4)
      #expect(!wrong.text.contains("not-this-one"))
      #expect(try await outcome(service.address, token: "s3cret").code == 0)
      await service.unpublish(nil)
      #expect(try await outcome(service.address, token: "s3cret").code == 5)
      #expect(try await outcome("millicast://acme/match1?director=http://127.0.0.1:9").code == 3)
      #expect(try await outcome("millicast://acme/match1?director=http://example.org").code == 2)
      #expect(try await outcome("millicast://acme").code == 2)
      await service.close()
    }

    @Test func theExampleShowsEverySourceAndFollowsThem() async throws {
      let service = try await Self.service([nil, "cam2"])
      let program = Repository.root.appendingPathComponent(".build/debug/watch-stream").path
      // It prints into a pipe, line by line.
      let child = try Subprocess("stdbuf", ["-oL", program, service.address])
      func line(_ text: String) async throws {
        _ = try await eventually("“\(text)”", seen: { child.transcript }) {
          child.standardOutput.split(separator: "\n").contains { $0 == text } ? true : nil
        }
      }
      try await line("match1: video is received")
      try await line("cam2: shows 320x192")
      try await line("cam2: layer low, 80x48")
      await service.unpublish("cam2")
      try await line("cam2: inactive")
      try await service.publish("cam2")
      try await line("cam2: active")
      await service.tell("stopped")
      try await line("left: room_closed")
      #expect(try await child.exitCode() == 0)
      await service.close()
    }

    @Test func theExampleInTheDocumentationIsTheProgram() throws {
      let program = try String(
        contentsOf: Repository.root.appendingPathComponent("Examples/watch-stream/WatchStream.swift"), encoding: .utf8)
      let page = try String(
        contentsOf: Repository.root.appendingPathComponent("Docs/watching-a-stream.md"), encoding: .utf8)
      #expect(page.contains("```swift\n\(program)```\n"))
      #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count <= 40)
    }

    @NetworkActor
    private static func service(_ sources: [String?]) throws -> StreamService {
      let service = try StreamService()
      for source in sources { try service.publish(source) }
      return service
    }
    @NetworkActor
    private static func secure(_ service: StreamService) { service.token = "s3cret" }
  }
}
