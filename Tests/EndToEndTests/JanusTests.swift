import Foundation
import Testing

extension EndToEnd {
  /// Debian's Janus with people made by libwebrtc.
  @Suite(.enabled(if: JanusLab.isPossible, "needs to make a network of its own")) struct JanusTests {
    private func has(_ line: [String: Any], _ identity: String) -> Bool { line["identity"] as? String == identity }

    @Test func sixPeopleAreSeenAndHeardSoonAfterJoining() async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer()
        let names = ["ada", "bo", "cy", "di", "ed", "fay"]
        let people = try await lab.people(names)
        let viewer = try lab.join(JanusLab.room, ["--name", "wall"])
        let joined = try await viewer.line("joined")
        #expect(joined["room"] as? String == "Lab")
        let listed = (joined["participants"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
        #expect(Set(listed) == Set(names))
        for name in names {
          let id = try await people.id(of: name)
          let frame = try await viewer.line("first_frame") { self.has($0, id) }
          // One second is what a person should wait; a busy machine gets another.
          #expect(try #require(frame["since_join_ms"] as? Double) < 2_000)
        }
        _ = try await viewer.line("stats") { line in
          let tracks = line["tracks"] as? [[String: Any]] ?? []
          let sound = tracks.filter { $0["kind"] as? String == "audio" && $0["packets_received"] as? Int ?? 0 > 20 }
          return sound.count == 6
            // What is asked for; the first picture may have been of a lower layer, as senders begin with those.
            && tracks.filter {
              $0["kind"] as? String == "video" && $0["fps"] as? Double ?? 0 >= 8 && $0["width"] as? Int == 320
                && $0["height"] as? Int == 180
            }.count == 6
        }
        _ = try await viewer.line("speaking") { $0["level"] as? Double ?? 0 > 0 }
        viewer.send(SIGINT)
        #expect(try await viewer.exitCode() == 130)
        // Others saw us come and go by our name.
        _ = try await people.process.line("event") { ($0["data"] as? [String: Any])?["leaving"] != nil }
        withExtendedLifetime(server) {}
      }
    }

    @Test(arguments: [("low", 80, 45), ("medium", 160, 90), ("high", 320, 180)])
    func theLayerAskedForIsTheSizeDecoded(layer: String, width: Int, height: Int) async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer(nat: "full_trickle = true")
        let people = try await lab.people(["ada"])
        let viewer = try lab.join(JanusLab.room, ["--layer", layer])
        _ = try await viewer.line("stats") { line in
          (line["tracks"] as? [[String: Any]] ?? []).contains {
            $0["width"] as? Int == width && $0["height"] as? Int == height && $0["layer"] as? String == layer
              && $0["fps"] as? Double ?? 0 >= 8
          }
        }
        withExtendedLifetime((server, people)) {}
      }
    }

    @Test func aKeyChangesTheLayerWithinASecond() async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer()
        let people = try await lab.people(["ada"])
        let terminal = try await Tmux(columns: 120, rows: 40)
        try await terminal.run(
          (lab.prefix + [Repository.program, "join", "'\(JanusLab.room)'", "--no-audio"]).joined(separator: " "))
        try await terminal.screen("ada's picture") { $0.contains("ada") && $0.showsPicture }
        // The inspector tells the size that is decoded. Senders begin with the low layer until they trust the path.
        try await terminal.press("i")
        try await terminal.press("3")
        try await terminal.screen("the high layer") { $0.contains("320x180") }
        for (key, size) in [("1", "80x45"), ("2", "160x90"), ("3", "320x180")] {
          try await terminal.press(key)
          // One second for the layer; what tmux and a busy machine take comes on top.
          try await terminal.screen(within: .seconds(3), "\(size)") { $0.contains(size) }
        }
        try await terminal.press("q")
        await terminal.end()
        withExtendedLifetime((server, people)) {}
      }
    }

    @Test func peopleComeAndGoAndAreMutedRenamedAndKicked() async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer()
        let people = try await lab.people(["ada"])
        let viewer = try lab.join()
        let ada = try await people.id(of: "ada")
        _ = try await viewer.line("first_frame") { self.has($0, ada) }
        try people.tell("join bo")
        _ = try await viewer.line("participant_joined") { $0["name"] as? String == "bo" }
        let bo = try await people.id(of: "bo")
        _ = try await viewer.line("first_frame") { self.has($0, bo) }
        try people.tell("moderate bo on")
        _ = try await viewer.line("track_muted") { self.has($0, bo) && $0["kind"] as? String == "video" }
        try people.tell("moderate bo off")
        _ = try await viewer.line("track_unmuted") { self.has($0, bo) }
        // Somebody who mutes themselves is not announced: their silence is.
        try people.tell("send bo off")
        _ = try await viewer.line("activity") {
          self.has($0, bo) && $0["track"] as? String == "\(bo)/1" && $0["active"] as? Bool == false
        }
        try people.tell("send bo on")
        _ = try await viewer.line("activity") {
          self.has($0, bo) && $0["track"] as? String == "\(bo)/1" && $0["active"] as? Bool == true
        }
        try people.tell("leave ada")
        _ = try await viewer.line("participant_left") { self.has($0, ada) }
        // The section that ada's picture had is used again.
        try people.tell("join cy")
        _ = try await viewer.line("participant_joined") { $0["name"] as? String == "cy" }
        let cy = try await people.id(of: "cy")
        _ = try await viewer.line("first_frame") { self.has($0, cy) }
        let us = try #require(try await viewer.line("joined")["identity"] as? String)
        try people.tell("kick \(us)")
        #expect(try await viewer.exitCode() == 7, "\(viewer.transcript)")
        #expect(try await viewer.line("left")["reason"] as? String == "removed")
        withExtendedLifetime(server) {}
      }
    }

    @Test func aRoomThatIsDestroyedEndsTheView() async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer()
        let people = try await lab.people(["ada"])
        let viewer = try lab.join()
        _ = try await viewer.line("first_frame")
        try people.tell("destroy")
        #expect(try await viewer.exitCode() == 7, "\(viewer.transcript)")
        #expect(try await viewer.line("left")["reason"] as? String == "room_closed")
        withExtendedLifetime(server) {}
      }
    }

    @Test(arguments: [("low", 320, 180), ("high", 1_280, 720)])
    func whatWePublishArrivesOnEveryLayer(layer: String, width: Int, height: Int) async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer()
        let publisher = try lab.run(Repository.program, ["publish", JanusLab.room, "--name", "confab"])
        let viewer = try lab.join(JanusLab.room, ["--layer", layer])
        _ = try await viewer.line("participant_joined", within: .seconds(30)) { $0["name"] as? String == "confab" }
        _ = try await viewer.line("stats", within: .seconds(30)) { line in
          let tracks = line["tracks"] as? [[String: Any]] ?? []
          let video = tracks.contains {
            $0["width"] as? Int == width && $0["height"] as? Int == height && $0["fps"] as? Double ?? 0 >= 8
          }
          return video
            && tracks.contains { $0["kind"] as? String == "audio" && $0["packets_received"] as? Int ?? 0 > 20 }
        }
        publisher.send(SIGINT)
        #expect(try await publisher.exitCode() == 130, "\(publisher.transcript)")
        _ = try await viewer.line("participant_left")
        withExtendedLifetime(server) {}
      }
    }

    @Test func aFullRoomTakesNobodyElse() async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer()
        let host = "janus://192.0.2.2:8188/?room=77"
        let pin = ["CONFAB_PIN": "sesame"]
        let first = try lab.run(Repository.program, ["publish", host], environment: pin)
        let viewer = try lab.join(host, environment: pin)
        _ = try await viewer.line("first_frame", within: .seconds(30))
        let second = try lab.run(Repository.program, ["publish", host], environment: pin)
        #expect(try await second.exitCode() == 5, "\(second.transcript)")
        #expect(second.standardError.contains("full"), "\(second.standardError)")
        withExtendedLifetime((server, first)) {}
      }
    }

    @Test func roomsAreListedWithWhoIsInThem() async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer()
        let people = try await lab.people(["ada", "bo"], ["--simulcast"])
        let viewer = try lab.join(JanusLab.room, ["--name", "wall"])
        _ = try await viewer.line("first_frame")
        let table = try lab.run(Repository.program, ["rooms", "janus://192.0.2.2"])
        #expect(try await table.exitCode() == 0, "\(table.transcript)")
        let lab1234 = try #require(table.standardOutput.split(separator: "\n").first { $0.hasPrefix("1234") })
        for word in ["Lab", "ada", "bo", "watching: wall"] { #expect(lab1234.contains(word), "\(lab1234)") }
        #expect(table.standardOutput.contains("Locked (pin)"))
        let lines = try lab.run(Repository.program, ["rooms", "janus://192.0.2.2", "--json"])
        #expect(try await lines.exitCode() == 0, "\(lines.transcript)")
        let room = try #require(lines.lines.first { $0["room"] as? String == "1234" })
        #expect((room["people"] as? [[String: Any]])?.count == 3)
        let nobody = try lab.run(Repository.program, ["rooms", "janus://192.0.2.2:9"])
        #expect(try await nobody.exitCode() == 3)
        withExtendedLifetime((server, people)) {}
      }
    }

    // MARK: Reconnecting

    @Test func aServerThatRestartsIsJoinedAgain() async throws {
      try await JanusLab.with { lab in
        let first = try await lab.startServer()
        let people = try await lab.people(["ada"])
        let viewer = try lab.join()
        let before = try await people.id(of: "ada")
        _ = try await viewer.line("first_frame") { self.has($0, before) }
        first.send(SIGKILL)
        people.process.send(SIGKILL)
        _ = try await viewer.line("reconnecting")
        _ = try await first.exitCode()
        let second = try await lab.startServer()
        let others = try await lab.people(["bo"])
        _ = try await viewer.line("reconnected", within: .seconds(30))
        let bo = try await others.id(of: "bo")
        _ = try await viewer.line("first_frame", within: .seconds(30)) { self.has($0, bo) }
        viewer.send(SIGINT)
        #expect(try await viewer.exitCode() == 130)
        withExtendedLifetime(second) {}
      }
    }

    @Test func whatWePublishComesBackAfterARestart() async throws {
      try await JanusLab.with { lab in
        let first = try await lab.startServer()
        let publisher = try lab.run(Repository.program, ["publish", JanusLab.room, "--name", "confab"])
        let viewer = try lab.join()
        func decodes(after count: Int) async throws {
          _ = try await eventually(within: .seconds(40), "pictures", seen: { viewer.transcript }) {
            viewer.lines.dropFirst(count).contains { line in
              let tracks = line["tracks"] as? [[String: Any]] ?? []
              return tracks.contains { $0["kind"] as? String == "video" && $0["fps"] as? Double ?? 0 >= 8 }
            } ? true : nil
          }
        }
        try await decodes(after: 0)
        first.send(SIGKILL)
        _ = try await viewer.line("reconnecting")
        _ = try await first.exitCode()
        let second = try await lab.startServer()
        _ = try await viewer.line("reconnected", within: .seconds(30))
        try await decodes(after: viewer.lines.count)
        publisher.send(SIGINT)
        #expect(try await publisher.exitCode() == 130, "\(publisher.transcript)")
        withExtendedLifetime(second) {}
      }
    }

    /// Rooms of different systems side by side.
    @Test func aRoomOfJanusAndOneOfLiveKitShareAWall() async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer()
        let people = try await lab.people(["ada"])
        let rooms = try lab.run(Repository.program, ["serve", "--port", "7880", "--udp-port", "7882"])
        _ = try await eventually("the room server", seen: { rooms.transcript }) {
          rooms.standardError.contains("ws://127.0.0.1:7880") ? true : nil
        }
        let bo = try lab.run(
          Repository.program, ["publish", "--dev", "--room", "lab", "--identity", "bo", "--audio", "none"])
        let token = try await Fixtures.token(room: "lab", identity: "wall")
        let wall = try lab.run(
          Repository.program, ["join", JanusLab.room, "ws://127.0.0.1:7880", "--token", token, "--headless"])
        let ada = try await people.id(of: "ada")
        _ = try await wall.line("first_frame", within: .seconds(30)) { self.has($0, ada) }
        _ = try await wall.line("first_frame", within: .seconds(30)) { self.has($0, "bo") }
        wall.send(SIGINT)
        #expect(try await wall.exitCode() == 130)
        withExtendedLifetime((server, bo)) {}
      }
    }

    @Test func aSessionIsClaimedAfterItsConnectionBrokeAndMediaGoesOn() async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer(general: "reclaim_session_timeout = 30")
        let people = try await lab.people(["ada"])
        // Hangs up on everybody when it is told, and listens on.
        let proxy = try lab.run(
          "python3",
          [
            "-u", "-c",
            """
            import asyncio, signal
            open_ones = []
            async def pipe(reader, writer):
              try:
                while data := await reader.read(65536):
                  writer.write(data)
                  await writer.drain()
              except OSError: pass
              writer.close()
            async def accept(reader, writer):
              other_reader, other_writer = await asyncio.open_connection("\(JanusLab.address)", 8188)
              open_ones.extend([writer, other_writer])
              await asyncio.gather(pipe(reader, other_writer), pipe(other_reader, writer))
            def hang_up():
              for one in open_ones: one.transport.abort()
              open_ones.clear()
            async def main():
              server = await asyncio.start_server(accept, "127.0.0.1", 9000)
              asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, hang_up)
              print("listening")
              await server.serve_forever()
            asyncio.run(main())
            """,
          ])
        _ = try await eventually("the proxy", seen: { proxy.transcript }) {
          proxy.standardOutput.contains("listening") ? true : nil
        }
        let viewer = try lab.join("janus://127.0.0.1:9000/?room=1234")
        let ada = try await people.id(of: "ada")
        _ = try await viewer.line("first_frame") { self.has($0, ada) }
        proxy.send(SIGUSR1)
        _ = try await viewer.line("reconnecting")
        _ = try await viewer.line("reconnected", within: .seconds(30))
        try people.tell("join bo")
        _ = try await viewer.line("participant_joined") { $0["name"] as? String == "bo" }
        let bo = try await people.id(of: "bo")
        _ = try await viewer.line("first_frame") { self.has($0, bo) }
        // Ada's pictures came on all the time, over the same subscription.
        #expect(viewer.lines.filter { $0["type"] as? String == "first_frame" && has($0, ada) }.count == 1)
        #expect(!viewer.lines.contains { $0["type"] as? String == "track_unsubscribed" && has($0, ada) })
        viewer.send(SIGINT)
        #expect(try await viewer.exitCode() == 130)
        withExtendedLifetime(server) {}
      }
    }

    @Test func aPathThatBreaksIsRestartedOnTheSameConnection() async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer()
        let people = try await lab.people(["ada"], ["--simulcast"])
        let viewer = try lab.join("janus://127.0.0.1:8188/?room=1234", ["--verbose"])
        let ada = try await people.id(of: "ada")
        _ = try await viewer.line("first_frame") { self.has($0, ada) }
        func address(_ verb: String) async throws {
          let change = try lab.run(
            "ip", ["route", verb, "local", JanusLab.address, "dev", "peers0", "table", "local"])
          #expect(try await change.exitCode() == 0, "\(change.transcript)")
        }
        // The address is away for so long that nobody believes in the path any more.
        try await address("del")
        _ = try await eventually(within: .seconds(60), "the path is lost", seen: { viewer.transcript }) {
          viewer.standardError.contains("its path is lost") ? true : nil
        }
        try await address("add")
        let before = viewer.lines.count
        _ = try await eventually(within: .seconds(20), "pictures again", seen: { viewer.transcript }) {
          viewer.lines.dropFirst(before).contains { line in
            let tracks = line["tracks"] as? [[String: Any]] ?? []
            return tracks.contains { $0["kind"] as? String == "video" && $0["fps"] as? Double ?? 0 >= 8 }
          } ? true : nil
        }
        #expect(viewer.lines.filter { $0["type"] as? String == "first_frame" }.count == 1)
        #expect(!viewer.lines.contains { $0["type"] as? String == "reconnecting" })
        viewer.send(SIGINT)
        #expect(try await viewer.exitCode() == 130)
        withExtendedLifetime(server) {}
      }
    }

    // MARK: Refusals

    private func refused(
      _ viewer: Subprocess, exit code: Int32, saying words: String..., within limit: Duration = .seconds(20)
    ) async throws {
      #expect(try await viewer.exitCode(within: limit) == code, "\(viewer.transcript)")
      for word in words { #expect(viewer.standardError.contains(word), "\(viewer.standardError)") }
      #expect(viewer.standardError.split(separator: "\n").count == 1, "\(viewer.standardError)")
      #expect(viewer.lines.first?["type"] as? String == "error" || code == 2, "\(viewer.transcript)")
    }

    @Test func roomsAndPinsAreToldApart() async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer()
        let host = "janus://192.0.2.2:8188/"
        try await refused(try lab.join(host + "?room=99"), exit: 5, saying: "no room 99", "confab rooms")
        try await refused(try lab.join(host + "?room=blue"), exit: 5, saying: "blue")
        try await refused(try lab.join(host), exit: 2, saying: "?room=")
        try await refused(try lab.join(host + "?room=77"), exit: 4, saying: "--pin-file", "CONFAB_PIN")
        try await refused(
          try lab.join(host + "?room=77", environment: ["CONFAB_PIN": "wrong"]), exit: 4, saying: "not the pin")
        try await refused(try lab.join(host + "?room=77&pin=sesame"), exit: 2, saying: "CONFAB_PIN")
        let file = lab.folder.appendingPathComponent("pin")
        try "sesame\n".write(to: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let viewer = try lab.join(host + "?room=77", ["--pin-file", file.path, "--seconds", "1"])
        #expect(try await viewer.exitCode() == 0, "\(viewer.transcript)")
        withExtendedLifetime(server) {}
      }
    }

    @Test func aServersSecretIsNeeded() async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer(general: #"api_secret = "open""#)
        try await refused(try lab.join(), exit: 4, saying: "CONFAB_API_SECRET")
        try await refused(
          try lab.join(environment: ["CONFAB_API_SECRET": "wrong"]), exit: 4, saying: "does not take this API secret")
        let viewer = try lab.join(
          JanusLab.room, ["--seconds", "1", "--verbose"], environment: ["CONFAB_API_SECRET": "open"])
        #expect(try await viewer.exitCode() == 0, "\(viewer.transcript)")
        withExtendedLifetime(server) {}
      }
    }

    @Test func roomsWithNamesAreJoined() async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer(plugin: "string_ids = true")
        let viewer = try lab.join(JanusLab.room, ["--seconds", "1"])
        #expect(try await viewer.exitCode() == 0, "\(viewer.transcript)")
        withExtendedLifetime(server) {}
      }
    }

    @Test func whatIsNoVideoRoomIsSaid() async throws {
      try await JanusLab.with { lab in
        let server = try await lab.startServer(environment: ["PLUGINS": "none"])
        try await refused(try lab.join(), exit: 3, saying: "no VideoRoom plugin")
        try await refused(try lab.join("janus://192.0.2.2:9/?room=1"), exit: 3, saying: "cannot be reached")
        let web = try lab.run("python3", ["-u", "-m", "http.server", "8088", "--bind", "127.0.0.1"])
        _ = try await eventually("a web server", seen: { web.transcript }) {
          web.standardOutput.contains("Serving") ? true : nil
        }
        try await refused(
          try lab.join("janus://127.0.0.1:8088/?room=1"), exit: 3, saying: "answers", "WebSocket", "8188")
        withExtendedLifetime(server) {}
      }
    }

    @Test func aServerThatSaysNothingIsGivenUpAfterTenSeconds() async throws {
      try await JanusLab.with { lab in
        let silent = try lab.run(
          "python3",
          [
            "-u", "-c",
            """
            import socket, time
            listener = socket.create_server(("127.0.0.1", 8188))
            print("listening")
            kept = []
            while True: kept.append(listener.accept())
            """,
          ])
        _ = try await eventually("a listener", seen: { silent.transcript }) {
          silent.standardOutput.contains("listening") ? true : nil
        }
        let start = ContinuousClock.now
        try await refused(try lab.join("janus://127.0.0.1/?room=1"), exit: 3, saying: "did not answer in time")
        #expect(ContinuousClock.now - start < .seconds(12))
      }
    }
  }
}
