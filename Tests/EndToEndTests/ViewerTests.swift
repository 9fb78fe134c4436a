import Foundation
import Testing

extension EndToEnd {
  /// The viewer on a real terminal, by way of tmux.
  @Suite struct ViewerTests {
    /// A room with two publishers of our own, and their names.
    private struct Room {
      let server: ServerProcess
      var publishers: [String: Subprocess] = [:]

      init(names: [String] = ["Ada One", "Bo Two"]) async throws {
        server = try await ServerProcess.start()
        for (index, name) in names.enumerated() {
          publishers[name] = try Subprocess.confab(
            "publish", server.url, "--token",
            try await Fixtures.token(room: "lab", identity: "p\(index)", ["--name", name]), "--video", "test",
            "--audio",
            "tone")
        }
      }

      func viewerCommand(_ more: String = "") async throws -> String {
        let token = try await Fixtures.token(room: "lab", identity: "viewer", ["--name", "Viewer"])
        return "\(Repository.program) join \(server.url) --token \(token) --no-audio \(more)"
      }
    }

    @Test(arguments: [(80, 24), (120, 40), (200, 60)])
    func everybodyIsShownByNameAndInMotion(columns: Int, rows: Int) async throws {
      let room = try await Room()
      let terminal = try await Tmux(columns: columns, rows: rows)
      try await terminal.run(try await room.viewerCommand())
      let shown = try await terminal.screen(within: .seconds(30), "both names and video") {
        $0.contains("Ada One") && $0.contains("Bo Two") && $0.showsPicture
      }
      #expect(shown.split(separator: "\n", omittingEmptySubsequences: false).count <= rows + 1)
      let before = try await terminal.colours()
      let deadline = ContinuousClock.now + .seconds(10)
      while try await terminal.colours() == before {
        try #require(ContinuousClock.now < deadline, "the picture stands still")
      }
      try await terminal.press("q")
      try await terminal.screen("the shell") { $0.contains("ready>") && !$0.contains("Ada One") }
      await terminal.end()
    }

    @Test func aKeyChangesTheLayerThatArrives() async throws {
      let room = try await Room(names: ["Ada One"])
      let terminal = try await Tmux(columns: 120, rows: 40)
      try await terminal.run(try await room.viewerCommand())
      try await terminal.screen(within: .seconds(30), "the name") { $0.contains("Ada One") }
      try await terminal.press("1")
      try await terminal.screen("the low layer's size") { $0.contains("320x180") || $0.contains("320×180") }
      try await terminal.press("2")
      try await terminal.screen("the medium layer's size") { $0.contains("640x360") || $0.contains("640×360") }
      try await terminal.press("q")
      await terminal.end()
    }

    @Test func theTileOfSomebodyWhoLeavesGoesAway() async throws {
      let room = try await Room()
      let terminal = try await Tmux(columns: 120, rows: 40)
      try await terminal.run(try await room.viewerCommand())
      try await terminal.screen(within: .seconds(30), "both names") { $0.contains("Ada One") && $0.contains("Bo Two") }
      room.publishers["Bo Two"]?.send(SIGINT)
      try await terminal.screen("word that Bo left") { $0.contains("Bo Two left") }
      try await terminal.screen(within: .seconds(30), "Bo only in the event line, if at all") { shown in
        shown.split(separator: "\n").filter { $0.contains("Bo Two") && !$0.contains("left") }.isEmpty
          && shown.contains("Ada One")
      }
      try await terminal.press("q")
      await terminal.end()
    }

    @Test func helpNamesTheKeysAndGoesAway() async throws {
      let room = try await Room(names: ["Ada One"])
      let terminal = try await Tmux(columns: 80, rows: 24)
      try await terminal.run(try await room.viewerCommand())
      try await terminal.screen(within: .seconds(30), "the name") { $0.contains("Ada One") }
      try await terminal.press("?")
      try await terminal.screen("help") {
        $0.localizedCaseInsensitiveContains("zoom") && $0.contains("louder")
      }
      try await terminal.press("?")
      try await terminal.screen("no help") {
        !$0.contains("louder") && $0.contains("Ada One")
      }
      try await terminal.press("q")
      await terminal.end()
    }

    @Test func inspectorHistoryCommandsAndPictures() async throws {
      try await Fixtures.withFolder { folder in
        let room = try await Room(names: ["Ada One"])
        let terminal = try await Tmux(columns: 120, rows: 40, environment: ["XDG_PICTURES_DIR": folder.path])
        try await terminal.run(try await room.viewerCommand())
        try await terminal.screen(within: .seconds(30), "the name and video") {
          $0.contains("Ada One") && $0.showsPicture
        }
        try await terminal.press("i")
        try await terminal.screen("figures of the tile") {
          $0.contains("VP8 180p 360p 720p") && $0.contains("LiveKit") && $0.contains("a second") && $0.contains("PLI")
        }
        try await terminal.press("e")
        try await terminal.screen("the history") { $0.contains("Events") && $0.contains("close with e or Esc") }
        try await terminal.press("Escape")
        try await terminal.screen("no panel") { !$0.contains("close with") }
        try await terminal.press(":")
        try await terminal.screen("what could be typed") { $0.contains("layer") && $0.contains("volume") }
        try await terminal.run("layer low")
        try await terminal.screen("the low layer's size") { $0.contains("[low] 320×180") || $0.contains("low 320×180") }
        try await terminal.run(":lyaer low")
        try await terminal.screen("what was meant") { $0.contains("did you mean layer?") }
        try await terminal.press("Escape", "s")
        try await terminal.screen("where the picture is") { $0.contains("Picture saved to") }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.count == 1 && files[0].hasPrefix("confab-lab-Ada-One-"))
        let bytes = try Data(contentsOf: folder.appendingPathComponent(files.first ?? ""))
        // The signature, and the size in the header.
        #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(Array(bytes[16..<24]) == [0, 0, 1, 0x40, 0, 0, 0, 0xB4])
        try await terminal.press("q")
        await terminal.end()
      }
    }

    @Test(arguments: [true, false]) func whatWasLoggedIsShownInTheEndWhenItWasAskedFor(isVerbose: Bool) async throws {
      let room = try await Room(names: ["Ada One"])
      let terminal = try await Tmux(columns: 120, rows: 40)
      try await terminal.run("clear; " + (try await room.viewerCommand(isVerbose ? "--verbose" : "")))
      try await terminal.screen(within: .seconds(30), "the name") { $0.contains("Ada One") && !$0.contains("debug") }
      try await terminal.press("q")
      let shown = try await terminal.screen("the shell") { $0.contains("ready>") && !$0.showsPicture }
      #expect(shown.contains(" debug ") == isVerbose, "\(shown)")
      await terminal.end()
    }

    @Test func whichStreamIsNoTerminalIsSaid() async throws {
      let terminal = try await Tmux(columns: 160, rows: 24)
      for (line, sentence) in [
        ("true | \(Repository.program) join ws://h", "Standard input is not a terminal"),
        ("\(Repository.program) join ws://h | cat", "Standard output is not a terminal"),
        ("true | \(Repository.program) join ws://h | cat", "Neither standard input nor standard output"),
        ("true | \(Repository.program) play -", "Standard input is for keys here"),
      ] {
        try await terminal.run("clear; \(line)")
        try await terminal.screen(sentence) { $0.contains(sentence) }
      }
      await terminal.end()
    }

    @Test func aTooSmallTerminalSaysSoAndRecovers() async throws {
      let room = try await Room(names: ["Ada One"])
      let terminal = try await Tmux(columns: 80, rows: 24)
      try await terminal.run(try await room.viewerCommand())
      try await terminal.screen(within: .seconds(30), "the name") { $0.contains("Ada One") }
      try await terminal.resize(columns: 20, rows: 6)
      try await terminal.screen("the least size") {
        $0.localizedCaseInsensitiveContains("too small") || $0.contains("needs")
      }
      try await terminal.resize(columns: 120, rows: 40)
      try await terminal.screen("the room again") { $0.contains("Ada One") && $0.showsPicture }
      try await terminal.press("q")
      try await terminal.screen("the shell") { $0.contains("ready>") }
      await terminal.end()
    }

    @Test func aNameFullOfEscapesCannotTouchTheScreen() async throws {
      let hostile = "Eve\u{1B}[2J\u{1B}[31;5mX\u{9B}2J\u{202E}\u{200B}\u{7}\r\nZ"
      let room = try await Room(names: [hostile])
      let terminal = try await Tmux(columns: 120, rows: 40)
      try await terminal.run(try await room.viewerCommand())
      let shown = try await terminal.screen(within: .seconds(30), "the name, defused") {
        $0.contains("Eve") && $0.showsPicture
      }
      // Every escape was drawn as something visible; none was obeyed.
      #expect(!shown.contains("\u{202E}") && !shown.contains("\u{200B}"))
      #expect(!(try await terminal.colours()).contains("\u{1B}[5m"))
      try await terminal.press("q")
      try await terminal.screen("the shell") { $0.contains("ready>") }
      await terminal.end()
    }

    @Test func aClipPlaysWithoutANetwork() async throws {
      try await Fixtures.withFolder { folder in
        let clip = folder.appendingPathComponent("clip.y4m")
        try Fixtures.writeClip(to: clip, width: 320, height: 180, frames: 45)
        let terminal = try await Tmux(columns: 80, rows: 24)
        try await terminal.run("\(Repository.program) play \(clip.path) --loop")
        try await terminal.screen("the picture") { $0.showsPicture }
        try await terminal.press("q")
        try await terminal.screen("the shell") { $0.contains("ready>") && !$0.showsPicture }
        await terminal.end()
      }
    }
  }
}
