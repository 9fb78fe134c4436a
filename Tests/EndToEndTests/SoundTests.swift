import Foundation
import Testing

extension EndToEnd {
  @Suite struct SoundTests {
    @Test func theToneOfAParticipantIsHeardAtItsFrequency() async throws {
      let sound = try await SoundServer()
      defer { sound.stop() }
      let server = try await ServerProcess.start()
      let publisher = try Subprocess.confab(
        "publish", server.url, "--token", try await Fixtures.token(room: "lab", identity: "ada"), "--video", "none",
        "--audio", "tone")
      let viewer = try Subprocess(
        Repository.program,
        [
          "join", server.url, "--token", try await Fixtures.token(room: "lab", identity: "ear"), "--headless",
          "--audio-device", "default",
        ], environment: sound.environment)
      _ = try await viewer.line("track_subscribed") { $0["kind"] as? String == "audio" }
      let recorder = try sound.record()
      let heard = try await eventually(
        within: .seconds(30), "two seconds of the tone", seen: { viewer.transcript }
      ) { () -> [Double]? in
        let samples = Tone.left(recorder.standardOutputData)
        let last = Array(samples.suffix(96_000))
        return last.count == 96_000 && Tone.rms(last) > 300 && Tone.share(of: 440, in: last) > 0.7 ? last : nil
      }
      #expect(Tone.share(of: 440, in: heard) > 0.7)
      #expect(Tone.share(of: 700, in: heard) < 0.05)
      recorder.send(SIGTERM)
      viewer.send(SIGINT)
      #expect(try await viewer.exitCode() == 130, "\(viewer.transcript)")
      publisher.send(SIGINT)
    }

    @Test func withoutASoundDeviceTheViewerSaysSoAndGoesOn() async throws {
      let viewer = try Subprocess.confab(
        "demo", "--headless", "--participants", "2", "--seconds", "3", "--audio-device", "no-such-device")
      #expect(try await viewer.exitCode(within: .seconds(40)) == 0, "\(viewer.transcript)")
      let complaints = viewer.standardError.split(separator: "\n").filter { $0.contains("no-such-device") }
      #expect(complaints.count == 1, "\(viewer.standardError)")
      #expect(viewer.lines.contains { $0["type"] as? String == "first_frame" })
    }

    @Test func aSoundServerThatGoesAwayAndComesBackDoesNotStopTheViewer() async throws {
      let sound = try await SoundServer()
      let viewer = try Subprocess(
        Repository.program,
        ["demo", "--headless", "--participants", "2", "--audio-device", "default"], environment: sound.environment)
      _ = try await viewer.line("first_frame", within: .seconds(30))
      sound.stop()
      _ = try await eventually("word of the lost device", seen: { viewer.transcript }) {
        viewer.standardError.contains("sound") ? true : nil
      }
      let before = viewer.lines.count { $0["type"] as? String == "stats" }
      _ = try await eventually("statistics going on", seen: { viewer.transcript }) {
        viewer.lines.count { $0["type"] as? String == "stats" } >= before + 2 ? true : nil
      }
      viewer.send(SIGINT)
      #expect(try await viewer.exitCode() == 130)
    }
  }
}
