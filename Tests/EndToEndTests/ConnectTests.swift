import Foundation
import Testing

extension EndToEnd {
  /// The connect screen on a real terminal, and the way from it into rooms and back.
  @Suite struct ConnectTests {
    /// A terminal with the program on it that asks where to join, whose history is in a folder of its own.
    private static func withScreen(
      _ arguments: String = "", columns: Int = 80, rows: Int = 24, environment: [String: String] = [:],
      _ body: (Tmux, URL) async throws -> Void
    ) async throws {
      try await Fixtures.withFolder { folder in
        let settings = environment.merging(["XDG_STATE_HOME": folder.path]) { $1 }
        let terminal = try await Tmux(columns: columns, rows: rows, environment: settings)
        try await terminal.run("clear; \(Repository.program) join --no-audio \(arguments); echo code''=$?")
        try await terminal.screen("the connect screen") { $0.contains("Connect") && $0.contains("Server") }
        try await body(terminal, folder)
        await terminal.end()
      }
    }

    private static func history(_ folder: URL) -> String {
      (try? String(contentsOf: folder.appendingPathComponent("confab/rooms"), encoding: .utf8)) ?? ""
    }

    @Test func intoARoomAndBackAgainAndAgain() async throws {
      let server = try await ServerProcess.start()
      let token = try await Fixtures.token(room: "lab", identity: "viewer")
      try await Self.withScreen { terminal, folder in
        let modes = "#{alternate_on} #{cursor_flag} #{mouse_any_flag}"
        // A token that was copied over two lines, and an address that is typed.
        try await terminal.tmux(["send-keys", "-l", server.url])
        try await terminal.press("Tab")
        try await terminal.paste(String(token.prefix(80)) + "\n" + token.dropFirst(80) + "\n")
        try await terminal.screen("dots") { $0.contains("•••") && $0.contains("\(token.count) characters") }
        for round in 1...3 {
          try await terminal.press("Enter")
          try await terminal.screen("the room, \(round)") { $0.contains("connected") && $0.contains("lab") }
          try await terminal.press("q")
          let shown = try await terminal.screen("the screen again, \(round)") {
            $0.contains("Connect") && $0.contains("just now") && !$0.contains("leaving")
          }
          #expect(shown.contains("lab") && shown.contains(server.url))
        }
        #expect(!(try await terminal.tmux(["capture-pane", "-p", "-S", "-"])).contains(token.prefix(12)))
        let remembered = Self.history(folder)
        #expect(remembered.contains(server.url) && !remembered.contains("ey"))
        try await terminal.press("Escape")
        try await terminal.screen("the shell") { $0.contains("code=0") && $0.contains("ready>") }
        #expect(try await terminal.tmux(["display-message", "-p", modes]).hasPrefix("0 1 0"))
      }
    }

    @Test func aRoomOfTheCommandLineIsRememberedToo() async throws {
      let server = try await ServerProcess.start()
      try await Fixtures.withFolder { folder in
        let terminal = try await Tmux(columns: 80, rows: 24, environment: ["XDG_STATE_HOME": folder.path])
        try await terminal.run(
          "clear; \(Repository.program) join \(server.url) --no-audio --dev --room lab --identity me")
        try await terminal.screen("the room") { $0.contains("connected") && $0.contains("lab") }
        try await terminal.press("q")
        try await terminal.screen("the shell") { $0.contains("ready>") }
        let remembered = Self.history(folder)
        #expect(remembered.contains(server.url) && remembered.contains("lab") && !remembered.contains("ey"))
        await terminal.end()
      }
    }

    /// tmux has 256 colours whatever the entry says that it goes by; the theme's colours must not become eight of them.
    @Test(arguments: ["xterm", "screen"]) func aModestTypeOfTerminalStillGetsTheThemesColours(term: String) async throws
    {
      let terminal = try await Tmux(columns: 80, rows: 24, term: term, colors: nil)
      try await terminal.run("clear; \(Repository.program) join --no-audio --theme night")
      try await terminal.screen("the connect screen") { $0.contains("Connect") && $0.contains("Server") }
      let shown = try await terminal.colours()
      let indexed = shown.matches(of: /[34]8;5;([0-9]+)/).compactMap { Int($0.1) }
      #expect(Set(indexed.filter { $0 >= 16 }).count >= 4, "\(Set(indexed))")
      try await terminal.press("Escape")
      try await terminal.screen("the shell") { $0.contains("ready>") }
      await terminal.end()
    }

    private static let refusal = "signed with a key or secret"

    @Test func aRefusalIsShownInPlaceAndIsTheExitCode() async throws {
      let server = try await ServerProcess.start()
      let wrong = try await Fixtures.token(
        room: "lab", identity: "viewer", ["--key", "devkey", "--secret-file", try wrongSecret()])
      let right = try await Fixtures.token(room: "lab", identity: "viewer")
      try await Self.withScreen(server.url) { terminal, folder in
        try await Self.refused(wrong, on: terminal)
        let remembered = Self.history(folder)
        #expect(remembered == "")
        // Mended in place.
        try await terminal.paste(right)
        try await terminal.press("Enter")
        try await terminal.screen("the room") { $0.contains("connected") }
        try await terminal.press("q")
        try await terminal.screen("the screen again") { $0.contains("just now") && !$0.contains(Self.refusal) }
        try await Self.refused(wrong, on: terminal)
        try await terminal.press("Escape")
        try await terminal.screen("the code of the refusal") { $0.contains("code=4") && $0.contains(Self.refusal) }
      }
    }

    /// Tries a token that the server does not take.
    private static func refused(_ token: String, on terminal: Tmux) async throws {
      try await terminal.paste(token)
      try await terminal.screen("dots") { $0.contains("•••") }
      try await terminal.press("Enter")
      try await terminal.screen("the refusal") { $0.contains(refusal) && $0.contains("Connect") }
    }

    private func wrongSecret() throws -> String {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("confab-\(UUID().uuidString)")
      try Data("not the secret of any server, and long".utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      return file.path
    }

    @Test func aRoomThatTheServerClosesComesBackWithTheReason() async throws {
      let server = try await ServerProcess.start()
      try await Self.withScreen("--dev \(server.url)") { terminal, _ in
        try await terminal.tmux(["send-keys", "-l", "lab"])
        try await terminal.press("Tab")
        try await terminal.tmux(["send-keys", "-l", "viewer"])
        try await terminal.press("Enter")
        try await terminal.screen("the room") { $0.contains("connected") }
        server.process.send(SIGINT)
        try await terminal.screen("the reason") { $0.contains("Connect") && $0.contains("shut down") }
        try await terminal.press("Enter")
        try await terminal.screen("that nobody answers") { $0.contains("cannot be reached") }
        try await terminal.press("C-c")
        try await terminal.screen("the shell") { $0.contains("code=130") }
      }
    }

    @Test func aJoinIsGivenUpWithEscape() async throws {
      // Takes connections and says nothing.
      let silent = try Subprocess(
        "python3",
        [
          "-uc",
          "import socket,time; s=socket.socket(); s.bind(('127.0.0.1',0)); s.listen(); print(s.getsockname()[1]); time.sleep(99)",
        ])
      let port = try await eventually("a port", seen: { silent.transcript }) {
        silent.standardOutput.contains("\n") ? silent.standardOutput.trimmingCharacters(in: .newlines) : nil
      }
      let token = try await Fixtures.token(room: "lab", identity: "viewer")
      try await Self.withScreen("ws://127.0.0.1:\(port)") { terminal, _ in
        try await terminal.paste(token)
        try await terminal.press("Enter")
        try await terminal.screen("joining, and for how long") { $0.contains("joining") && $0.contains("0:01") }
        try await terminal.press("Escape")
        try await terminal.screen("that it was given up") { $0.contains("given up") && $0.contains("Connect") }
        try await terminal.press("Escape")
        try await terminal.screen("the shell") { $0.contains("code=0") }
      }
    }

    @Test func nothingIsLeftBehindByTwentyRooms() async throws {
      let server = try await ServerProcess.start()
      let publisher = try Subprocess.confab(
        "publish", server.url, "--token", try await Fixtures.token(room: "lab", identity: "ada"), "--video", "test",
        "--audio", "tone")
      defer { publisher.send(SIGINT) }
      let token = try await Fixtures.token(room: "lab", identity: "viewer")
      try await Self.withScreen("\(server.url)", environment: ["CONFAB_TOKEN": ""]) { terminal, _ in
        try await terminal.paste(token)
        let process = try await terminal.processIdentifier(of: "confab")
        func visit(_ number: Int) async throws {
          try await terminal.press("Enter")
          try await terminal.screen("the picture, \(number)") { $0.contains("connected") && $0.showsPicture }
          try await terminal.press("q")
          try await terminal.screen("the screen again, \(number)") { $0.contains("Connect") && !$0.contains("leaving") }
        }
        for number in 1...3 { try await visit(number) }
        let before = try Footprint(process)
        for number in 4...20 { try await visit(number) }
        let after = try Footprint(process)
        #expect(after.threads <= before.threads + 2, "\(before) \(after)")
        #expect(after.descriptors <= before.descriptors + 2, "\(before) \(after)")
        #expect(after.megabytes <= before.megabytes + 25, "\(before) \(after)")
        try await terminal.press("Escape")
        try await terminal.screen("the shell") { $0.contains("code=0") }
      }
    }

    /// What a process takes of the system.
    private struct Footprint {
      var threads: Int
      var descriptors: Int
      var megabytes: Int

      init(_ process: Int32) throws {
        threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
        let pages = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8).split(separator: " ")
        megabytes = (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE)) / 1_048_576
      }
    }

    @Test func aPasteCannotSteerTheScreen() async throws {
      try await Self.withScreen { terminal, _ in
        try await terminal.paste("ws://h\u{1B}[A\u{1B}\r\nq\u{1B}]0;x\u{7}")
        try await terminal.screen("the text of the paste, and the program") {
          $0.contains("ws://h") && $0.contains("Connect")
        }
        try await terminal.press("C-c")
        try await terminal.screen("the shell") { $0.contains("code=130") }
      }
    }

    @Test func withoutATerminalTheErrorIsAsBefore() async throws {
      let nothing = try Subprocess.confab("join")
      #expect(try await nothing.exitCode() == 2)
      #expect(nothing.standardError.contains("A URL to join is needed"))
      let noToken = try Subprocess.confab("join", "ws://127.0.0.1:1", "--headless")
      #expect(try await noToken.exitCode() == 4)
      #expect(noToken.standardError.contains("An access token is needed"))
    }
  }
}
