import Foundation
import Testing

extension EndToEnd {
  /// Streams over WHEP as `confab join` plays them: from our own server, and from aiortc behaving as servers do.
  @Suite struct WHEPJoinTests {
    private func server(_ arguments: String...) async throws -> (process: Subprocess, url: String) {
      let process = try Subprocess(Repository.python, [Repository.peer("whep_server.py")] + arguments)
      let line = try await process.line("listening", within: .seconds(30))
      return (process, try #require(line["url"] as? String))
    }

    private func requests(_ server: Subprocess) -> [(method: String, path: String)] {
      server.lines.filter { $0["type"] as? String == "request" }.map {
        ($0["method"] as? String ?? "", $0["path"] as? String ?? "")
      }
    }

    @Test func aRoomOfOurOwnServerPlaysAndIsLeftProperly() async throws {
      let server = try await ServerProcess.start(["--verbose"])
      let publisher = try Subprocess.confab(
        "publish", server.url, "--token", try await Fixtures.token(room: "lab", identity: "ada"), "--video", "test",
        "--audio", "tone")
      let authority = server.url.replacing("ws://", with: "")
      let token = try await Fixtures.token(room: "lab", identity: "watcher")
      for arguments in [["whep://\(authority)/whep/lab"], ["http://\(authority)/whep/lab", "--via", "whep"]] {
        let viewer = try Subprocess(
          Repository.program, ["join"] + arguments + ["--headless"], environment: ["CONFAB_TOKEN": token])
        let joined = try await viewer.line("joined", within: .seconds(30))
        #expect(joined["room"] as? String == "lab")
        let picture = try await viewer.line("first_frame", within: .seconds(30))
        #expect(picture["identity"] as? String == "lab")
        #expect(try #require(picture["width"] as? Int) >= 320)
        _ = try await viewer.line("stats", within: .seconds(20)) { line in
          (line["tracks"] as? [[String: Any]] ?? []).contains {
            $0["kind"] as? String == "audio" && $0["packets_received"] as? Int ?? 0 > 20
          }
        }
        viewer.send(SIGINT)
        #expect(try await viewer.exitCode() == 130)
      }
      _ = try await eventually("both sessions ended by DELETE", seen: { server.process.transcript }) {
        server.process.standardError.components(separatedBy: "no longer\"").count == 3 ? true : nil
      }
      publisher.send(SIGINT)
      _ = try await publisher.exitCode()
    }

    @Test(arguments: [[], ["--counter-offer"], ["--redirect"], ["--not-live", "2"]])
    func aStreamOfAnotherServerPlays(behaviour: [String]) async throws {
      let server = try Subprocess(
        Repository.python, [Repository.peer("whep_server.py"), "--token", "s3cret"] + behaviour)
      let url = try #require(try await server.line("listening", within: .seconds(30))["url"] as? String)
      let viewer = try Subprocess(
        Repository.program, ["join", "\(url)/whep/cam", "--via", "whep", "--headless"],
        environment: ["CONFAB_TOKEN": "s3cret"])
      let picture = try await viewer.line("first_frame", within: .seconds(30))
      #expect(picture["identity"] as? String == "cam")
      #expect(picture["width"] as? Int == 640)
      _ = try await viewer.line("stats", within: .seconds(20)) { line in
        let tracks = line["tracks"] as? [[String: Any]] ?? []
        return tracks.contains { $0["kind"] as? String == "video" && $0["fps"] as? Double ?? 0 >= 10 }
          && tracks.contains { $0["kind"] as? String == "audio" && $0["packets_received"] as? Int ?? 0 > 20 }
      }
      viewer.send(SIGINT)
      #expect(try await viewer.exitCode() == 130)
      #expect(requests(server).contains { $0 == ("DELETE", "/session") })
      #expect(
        !server.lines.contains {
          $0["type"] as? String == "request" && $0["authorized"] as? Bool == false
        }, "every request has the token")
    }

    @Test(arguments: [("current", "\"rid\":\"l\""), ("older", "\"encodingId\":\"0\"")])
    func layersAreListedAndChosenInTheServersSpelling(spelling: String, choice: String) async throws {
      let (server, url) = try await server("--extensions", spelling)
      let viewer = try Subprocess(
        Repository.program, ["join", "\(url)/whep/cam", "--via", "whep", "--headless", "--layer", "low"])
      let line = try await viewer.line("layers", within: .seconds(30))
      let layers = try #require(line["layers"] as? [[String: Any]])
      #expect(layers.map { $0["height"] as? Int } == [180, 360])
      _ = try await server.line("request", within: .seconds(20)) {
        $0["path"] as? String == "/layer" && ($0["body"] as? String)?.contains(choice) == true
      }
      viewer.send(SIGINT)
      #expect(try await viewer.exitCode() == 130)
    }

    @Test(
      arguments: [
        (["--token", "other"], Int32(4), "needs a token"),
        (["--status", "404"], 5, "no such stream"), (["--status", "422", "--problem", "Send VP9."], 5, "Send VP9"),
        (["--status", "500"], 5, "The server failed"), (["--not-live", "99"], 5, "not live"),
        (["--no-location"], 3, "no Location"), (["--sections", "missing"], 3, "2 offered sections with 1"),
        (["--sections", "extra"], 3, "2 offered sections with 3"),
        (["--counter-offer", "--codec", "H264"], 6, "H264"), (["--silent"], 3, "did not answer in time"),
        (["--deaf"], 6, "named no address"),
      ] as [([String], Int32, String)])
    func whatGoesWrongIsSaidInTime(behaviour: [String], code: Int32, words: String) async throws {
      let server = try Subprocess(Repository.python, [Repository.peer("whep_server.py")] + behaviour)
      let url = try #require(try await server.line("listening", within: .seconds(30))["url"] as? String)
      let viewer = try Subprocess(Repository.program, ["join", "\(url)/whep/cam", "--via", "whep", "--headless"])
      #expect(try await viewer.exitCode(within: .seconds(40)) == code, "\(viewer.transcript)")
      #expect(viewer.standardError.contains(words), "\(viewer.transcript)")
      let error = try #require(viewer.lines.last { $0["type"] as? String == "error" })
      #expect((error["message"] as? String)?.contains(words) == true)
    }

    @Test func whatIsNoAddressOfAStreamIsAMistakeOfTheCommandLine() async throws {
      for (arguments, words) in [
        (["wheps://h/x?access_token=abc", "--headless"], "does not belong into one"),
        (["ws://h/x", "--via", "whep", "--headless"], "not for --via whep"),
        (["whep://h/x", "--no-audio", "--no-video", "--headless"], "nothing is left"),
      ] {
        let viewer = try Subprocess(Repository.program, ["join"] + arguments)
        #expect(try await viewer.exitCode() == 2)
        #expect(viewer.standardError.contains(words), "\(viewer.transcript)")
      }
      for address in ["whep://127.0.0.1:9/x", "millicast://account/stream"] {
        let publisher = try Subprocess.confab("publish", address)
        #expect(try await publisher.exitCode() == 2)
        #expect(publisher.standardError.contains("can only be watched"))
      }
    }
  }
}
