import Foundation
import Testing

extension EndToEnd {
  @Suite struct SecretTests {
    @Test func aTokenInAnArgumentIsBlankedFromTheProcessList() async throws {
      let server = try await ServerProcess.start()
      let token = try await Fixtures.token(room: "lab", identity: "ada")
      let child = try Subprocess.confab("join", server.url, "--token", token, "--headless", "--verbose")
      _ = try await child.line("joined")
      let listed = try String(contentsOfFile: "/proc/\(child.identifier)/cmdline", encoding: .utf8)
      #expect(listed.contains("--headless"))
      #expect(!listed.contains(token.prefix(20)))
      child.send(SIGINT)
      _ = try await child.exitCode()
      #expect(!child.standardError.contains(token))
      #expect(!child.standardOutput.contains(token))
      #expect(!server.process.standardError.contains(token))
    }

    @Test(arguments: ["access_token", "token", "jwt"])
    func aTokenInALinkIsBlankedFromTheProcessList(name: String) async throws {
      let token = try await Fixtures.token(room: "lab", identity: "ada")
      let terminal = try PseudoTerminal(["join", "ws://127.0.0.1:9?\(name)=\(token)"], columns: 80, rows: 24)
      try await terminal.waits(for: "Connect")
      let listed = try String(contentsOfFile: "/proc/\(terminal.process)/cmdline", encoding: .utf8)
      #expect(listed.contains("?\(name)=xxxxxxxx") && !listed.contains(token.suffix(20)))
      terminal.type("\u{3}")
      _ = try await terminal.exitCode()
    }

    /// What an address must not hold is refused with where it goes, and what it may hold is shown without its secrets.
    @Test(arguments: [
      (["ws://127.0.0.1:9/?access_token=hunter2"], 2, "--token-file"),
      (["ws://127.0.0.1:9/?access_token=hunter2", "--token", "hunter2"], 2, "--token-file"),
      (["ws://127.0.0.1:9/?access_token=hunter2", "ws://127.0.0.1:9/?jwt=hunter2"], 2, "--token-file"),
      (["ws://127.0.0.1:99999/?access_token=hunter2"], 2, "65535"),
      (["nonsense access_token=hunter2"], 2, "is not a URL"),
      (["ftp://ada:hunter2@h/?token=hunter2"], 2, "cannot be joined"),
      (["ws://ada:hunter2@127.0.0.1:9/", "--dev", "--room", "r", "--identity", "i"], 3, "ws://127.0.0.1:9"),
      (["ws://ada:hunter2@127.0.0.1:9/", "ws://ada:hunter2@127.0.0.1:9/"], 4, "token"),
      (["eyJhbGciOiJIUzI1NiJ9.hunter2.hunter2"], 2, "is not a URL"),
    ])
    func noMessageShowsTheSecretsOfAnAddress(arguments: [String], code: Int32, words: String) async throws {
      for verb in ["join", "publish"] where verb == "join" || arguments.dropFirst().first?.hasPrefix("ws") != true {
        let flags = verb == "join" ? ["--headless", "--verbose"] : ["--verbose"]
        let child = try Subprocess(Repository.program, [verb] + arguments + flags)
        #expect(try await child.exitCode() == code, "\(child.transcript)")
        #expect(child.standardError.contains(words), "\(child.transcript)")
        #expect(!(child.standardError + child.standardOutput).contains("hunter2"), "\(child.transcript)")
      }
    }

    @Test func aTokenOnTheConnectScreenIsSeenNowhere() async throws {
      let server = try await ServerProcess.start()
      let token = try await Fixtures.token(room: "lab", identity: "ada")
      let secrets = [String(token.prefix(24)), String(token.suffix(24))]
      try await Fixtures.withFolder { folder in
        let terminal = try await Tmux(columns: 120, rows: 40, environment: ["XDG_STATE_HOME": folder.path])
        let log = folder.appendingPathComponent("log")
        try await terminal.run("\(Repository.program) join --verbose --no-audio 2>\(log.path)")
        try await terminal.screen("the connect screen") { $0.contains("Server") }
        try await terminal.paste("\(server.url)?access_token=\(token)")
        var seen = try await terminal.screen("dots") { $0.contains("•••") }
        try await terminal.press("Enter")
        seen += try await terminal.screen("the room") { $0.contains("connected") }
        let process = try await terminal.processIdentifier(of: "confab")
        seen += try String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
        try await terminal.press("q")
        seen += try await terminal.screen("the list of rooms") { $0.contains("just now") }
        try await terminal.press("Escape")
        seen += try await terminal.screen("the shell") { $0.contains("ready>") && !$0.contains("Server") }
        seen += try await terminal.tmux(["capture-pane", "-p", "-S", "-"])
        await terminal.end()
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        for case let file as URL in files ?? .init() where !file.hasDirectoryPath {
          seen += try String(contentsOf: file, encoding: .utf8)
        }
        #expect(seen.contains(server.url))
        for secret in secrets { #expect(!seen.contains(secret) && !server.process.standardError.contains(secret)) }
      }
    }

    @Test func aSecretFileThatOthersCanReadIsRefused() async throws {
      try await Fixtures.withFolder { folder in
        let secret = folder.appendingPathComponent("secret")
        try "hush".write(to: secret, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: secret.path)
        let child = try Subprocess.confab(
          "token", "--room", "r", "--identity", "i", "--key", "k", "--secret-file", secret.path)
        #expect(try await child.exitCode() == 2)
        #expect(child.standardError.contains("0600"))
      }
    }

    @Test func aTokenComesFromAFileOrTheEnvironment() async throws {
      let server = try await ServerProcess.start()
      let token = try await Fixtures.token(room: "lab", identity: "ada")
      try await Fixtures.withFolder { folder in
        let file = folder.appendingPathComponent("token")
        try (token + "\n").write(to: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let byFile = try Subprocess.confab(
          "join", server.url, "--token-file", file.path, "--headless", "--seconds", "1")
        #expect(try await byFile.exitCode() == 0, "\(byFile.transcript)")
      }
      let byEnvironment = try Subprocess.confab(
        "join", server.url, "--headless", "--seconds", "1", environment: ["CONFAB_TOKEN": token])
      #expect(try await byEnvironment.exitCode() == 0, "\(byEnvironment.transcript)")
      let developed = try Subprocess.confab(
        "token", "--dev", "--room", "lab", "--identity", "cy",
        environment: ["LIVEKIT_API_KEY": "other", "LIVEKIT_API_SECRET": "another"])
      #expect(try await developed.exitCode() == 0, "\(developed.transcript)")
      let withDevelopmentKey = try Subprocess.confab(
        "join", server.url, "--headless", "--seconds", "1",
        environment: ["CONFAB_TOKEN": developed.standardOutput])
      #expect(try await withDevelopmentKey.exitCode() == 0, "\(withDevelopmentKey.transcript)")
      let minted = try Subprocess.confab(
        "join", "--dev", "--room", "lab", "--identity", "bo", "--headless", "--seconds", "1",
        environment: ["LIVEKIT_URL": server.url])
      #expect(try await minted.exitCode() == 0, "\(minted.transcript)")
    }
  }
}
