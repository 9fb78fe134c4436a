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
