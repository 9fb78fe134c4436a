import Foundation
import Testing

extension EndToEnd {
  /// Everything that stops a join before media starts: one sentence on stderr and the right exit code.
  @Suite struct RefusalTests {
    private func refused(
      _ arguments: [String], exit code: Int32, saying words: String..., environment: [String: String] = [:]
    )
      async throws
    {
      let child = try Subprocess(Repository.program, arguments, environment: environment)
      #expect(try await child.exitCode() == code, "\(child.transcript)")
      for word in words {
        #expect(
          child.standardError.localizedCaseInsensitiveContains(word), "\(word) is missing in: \(child.standardError)")
      }
      #expect(!child.lines.contains { $0["type"] as? String == "joined" })
      // Whoever reads the lines is told too.
      if code != 2, arguments.first == "join", arguments.contains("--headless") {
        let line = child.lines.first
        #expect(line?["type"] as? String == "error", "\(child.standardOutput)")
        #expect((line?["message"] as? String).map { child.standardError.contains($0) } == true)
      }
      // A sentence, not a dump.
      #expect(child.standardError.split(separator: "\n").count <= 3, "\(child.standardError)")
    }

    @Test func tokensThatAreRefusedAreToldApart() async throws {
      let server = try await ServerProcess.start()
      let good = try await Fixtures.token(room: "lab", identity: "ada")
      try await refused(["join", server.url, "--headless"], exit: 4, saying: "token", "--token")
      try await refused(
        ["join", server.url, "--headless", "--token", "not-a-token"], exit: 4, saying: "not an access token")
      let expired = try await Fixtures.token(room: "lab", identity: "ada", ["--valid-for", "-1h"])
      try await refused(["join", server.url, "--headless", "--token", expired], exit: 4, saying: "expired")
      try await Fixtures.withFolder { folder in
        let secret = folder.appendingPathComponent("secret")
        try "another-secret".write(to: secret, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret.path)
        let wrong = try await Fixtures.token(
          room: "lab", identity: "ada", ["--key", "devkey", "--secret-file", secret.path])
        try await refused(["join", server.url, "--headless", "--token", wrong], exit: 4, saying: "secret")
      }
      try await refused(
        ["join", server.url, "--headless", "--token", good, "--room", "other"], exit: 4, saying: "room", "lab", "other")
    }

    /// All descriptors in use is a bad moment, not the end.
    @Test func aServerWithoutDescriptorsLeftCanBeJoinedLater() async throws {
      let server = try Subprocess(
        "sh", ["-c", "ulimit -n 100; exec \"$0\" serve --port 0 --udp-port 0", Repository.program])
      let port = try await eventually("the server's port", seen: { server.transcript }) { () -> Int? in
        guard let range = server.standardError.range(of: "ws://127.0.0.1:") else { return nil }
        return Int(server.standardError[range.upperBound...].prefix { $0.isNumber })
      }
      let crowd = """
        import socket
        crowd = [socket.socket() for _ in range(150)]
        for one in crowd:
          one.setblocking(False)
          one.connect_ex(("127.0.0.1", \(port)))
        live = socket.create_connection(("127.0.0.1", \(port)))
        live.settimeout(1)
        live.send(b"GET /")
        try: live.recv(1)
        except OSError: pass
        """
      try await Subprocess.run("python3", ["-c", crowd])
      let token = try await Fixtures.token(room: "lab", identity: "ada")
      let viewer = try Subprocess(
        Repository.program, ["join", "ws://127.0.0.1:\(port)", "--headless", "--seconds", "1", "--token", token])
      #expect(try await viewer.exitCode() == 0, "\(viewer.transcript) \(server.transcript)")
    }

    @Test(arguments: [
      "token --room a --identity b >/dev/full", "--version >/dev/full", "token --room a --identity b >&-",
    ])
    func whatCannotBePrintedIsAFailure(command: String) async throws {
      let child = try Subprocess("sh", ["-c", "exec \"$0\" \(command)", Repository.program])
      #expect(try await child.exitCode() == 70)
      #expect(child.standardError.contains("cannot be written"), "\(child.transcript)")
    }

    @Test func serversThatCannotBeJoinedAreToldApart() async throws {
      let token = try await Fixtures.token(room: "lab", identity: "ada")
      try await refused(["join", "ws://127.0.0.1:9", "--headless", "--token", token], exit: 3, saying: "reach")
      try await refused(
        ["join", "ws://no-such-host.invalid", "--headless", "--token", token], exit: 3, saying: "no-such-host")
      let folder = FileManager.default.temporaryDirectory.path
      let web = try Subprocess(
        "python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "-d", folder])
      let address = try await eventually("the web server's port", seen: { web.transcript }) { () -> String? in
        guard let range = web.standardOutput.range(of: "http://127.0.0.1:") else { return nil }
        let rest = web.standardOutput[range.upperBound...]
        guard let end = rest.firstIndex(of: "/") else { return nil }
        return "ws://127.0.0.1:" + rest[..<end]
      }
      try await refused(
        ["join", address, "--headless", "--token", token], exit: 3, saying: "not a LiveKit server", "--via whep")
    }

    @Test func aCertificateThatNobodyVouchesForIsNotTrusted() async throws {
      try await Fixtures.withFolder { folder in
        let certificate = folder.appendingPathComponent("cert.pem").path
        let key = folder.appendingPathComponent("key.pem").path
        try await Subprocess.run(
          "openssl",
          [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
          ])
        let tls = try Subprocess(
          "openssl", ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"])
        let port = try await eventually("the TLS server's port", seen: { tls.transcript }) { () -> String? in
          let line = tls.standardOutput.split(separator: "\n").first { $0.hasPrefix("ACCEPT 127.0.0.1:") }
          return line.map { String($0.dropFirst("ACCEPT 127.0.0.1:".count)) }
        }
        let token = try await Fixtures.token(room: "lab", identity: "ada")
        try await refused(
          ["join", "wss://localhost:\(port)", "--headless", "--token", token], exit: 3, saying: "certificate",
          "--ca-file"
        )
      }
    }

    @Test func wrongUsageNamesTheNearestWord() async throws {
      try await refused(["demo", "--participant", "6"], exit: 2, saying: "--participants")
      try await refused(["jion"], exit: 2, saying: "join")
      try await refused(["join"], exit: 2, saying: "URL")
      try await refused(["join", "ws://x", "--token", "t", "--expect-within", "5"], exit: 2, saying: "--headless")
      try await refused(
        ["token", "--room", "r", "--identity", "i", "--dev", "--key", "k"], exit: 2, saying: "--dev", "--key")
      try await refused(["doctor", "me"], exit: 2, saying: "me")
      try await refused(["theme", "show", "nosuch"], exit: 2, saying: "confab theme list")
      try await refused(["demo", "--participants", "many"], exit: 2, saying: "whole number")
      try await refused(["join", "ftp://x", "--token", "t", "--headless"], exit: 2, saying: "ftp")
      try await refused(
        ["join", "ws://x:99999", "--token", "t", "--headless"], exit: 2, saying: "no port 99999", "65535")
    }

    @Test(arguments: [
      ["\u{1B}]0;x\u{7}"], ["token", "x\u{1B}[31m"], ["demo", "--participants", "\u{1B}[31m"],
      ["play", "/nope\u{1B}[31m"], ["serve", "--keys", "/nope\u{1B}[31m"], ["serve", "--bind", "\u{9B}31m"],
      ["join", "ws://h", "--via", "\u{1B}[31m"], ["demo", "--headless", "--layer", "\u{1B}[31m"],
      ["join", "ws://h", "--token-file", "/nope\u{1B}[31m"], ["join", "ws://h", "--ca-file", "/nope\u{1B}[31m"],
      ["join", "--\u{1B}[31m"], ["join", "no url\u{1B}[31m", "--headless"], ["theme", "list", "\u{1B}[31m"],
      ["publish", "--video", "/nope\u{1B}[31m"], ["rooms", "ws://h\u{1B}[31m"],
    ])
    func whatIsTypedDoesNotSteerTheTerminal(arguments: [String]) async throws {
      try await refused(arguments, exit: 2)
      let child = try Subprocess(Repository.program, arguments)
      _ = try await child.exitCode()
      let isPlain = child.standardError.unicodeScalars.allSatisfy {
        $0 == "\n" || $0.properties.generalCategory != .control
      }
      #expect(isPlain, "\(child.transcript)")
    }

    @Test func whatIsTooLongToReadIsCut() async throws {
      let long = String(repeating: "x", count: 100_000)
      for arguments in [
        [long], ["join", long, "--headless"], ["join", "ws://\(long)", "--headless"], ["demo", "--\(long)"],
      ] {
        let child = try Subprocess(Repository.program, arguments)
        #expect(try await child.exitCode() != 0)
        #expect(child.standardError.utf8.count < 1_000 && child.standardOutput.utf8.count < 1_000)
      }
    }

    @Test func numbersBeyondAllMeaningAreRefused() async throws {
      for time in ["-9223372036854775808s", "9223372036854775807d"] {
        try await refused(
          ["token", "--room", "r", "--identity", "i", "--valid-for", time], exit: 2, saying: "--valid-for")
      }
      for speed in ["1e-300", "nan", "0"] {
        try await refused(["play", "clip.ivf", "--speed", speed], exit: 2, saying: "--speed")
      }
      try await refused(
        ["join", "ws://h:99999999999999999999", "--headless", "--token", "t"], exit: 2, saying: "65535")
      try await refused(["demo", "--headless", "--seconds", "1e300"], exit: 2, saying: "--seconds")
    }

    @Test func addressesThatAreNotOfThisMachineAreToldAsSuch() async throws {
      try await Fixtures.withFolder { folder in
        let keys = folder.appendingPathComponent("keys")
        try "key: a secret".write(to: keys, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keys.path)
        for bind in ["", "127.evil.example", "203.0.113.77"] {
          try await refused(
            ["serve", "--bind", bind, "--keys", keys.path, "--port", "0", "--udp-port", "0"], exit: 2,
            saying: "“\(bind)” is not an address of this machine")
        }
      }
    }

    @Test func filesThatAreNoneAreToldWithTheReason() async throws {
      try await refused(["serve", "--keys", "/tmp"], exit: 2, saying: "it is a folder")
      try await refused(["serve", "--keys", "/dev/null"], exit: 2, saying: "it is not a file")
      try await refused(["join", "ws://h", "--token-file", "/tmp"], exit: 2, saying: "it is a folder")
      try await refused(["serve", "--keys", ""], exit: 2, saying: "--keys takes the name of a file")
      try await refused(["publish", "--video", "", "ws://h"], exit: 2, saying: "--video takes the name of a file")
      try await refused(["publish", "--audio", "", "ws://h"], exit: 2, saying: "--audio takes the name of a file")
      try await refused(["play", ""], exit: 2, saying: "There is no file “”")
      try await refused(
        ["join", "ws://127.0.0.1:9", "--headless", "--token", "t", "--ca-file", "/nope"], exit: 2, saying: "/nope")
    }

    @Test func filesThatCannotBePublishedAreNamed() async throws {
      let server = try await ServerProcess.start()
      let token = try await Fixtures.token(room: "lab", identity: "ada")
      try await Fixtures.withFolder { folder in
        let text = folder.appendingPathComponent("notes.txt")
        try "hello".write(to: text, atomically: true, encoding: .utf8)
        let wave = folder.appendingPathComponent("broken.wav")
        try "RIFF".write(to: wave, atomically: true, encoding: .utf8)
        try await refused(
          ["publish", server.url, "--token", token, "--video", "/no/such.ivf"], exit: 2, saying: "/no/such.ivf")
        try await refused(
          ["publish", server.url, "--token", token, "--video", text.path], exit: 2, saying: "notes.txt", "Y4M")
        try await refused(
          ["publish", server.url, "--token", token, "--video", "test", "--audio", wave.path], exit: 2,
          saying: "broken.wav")
      }
    }

    @Test func aScreenNeedsATerminal() async throws {
      try await refused(["demo"], exit: 2, saying: "--headless")
    }

    @Test func aPortInUseIsSaid() async throws {
      let server = try await ServerProcess.start()
      let port = try #require(server.url.split(separator: ":").last.map(String.init))
      try await refused(
        ["serve", "--port", port, "--udp-port", "0"], exit: 3, saying: port, "already", "--port and --udp-port")
      let words = server.process.standardError.split(whereSeparator: { " \n".contains($0) })
      let media = try #require(words.last { Int($0) != nil }.map(String.init))
      try await refused(
        ["serve", "--port", "0", "--udp-port", media], exit: 3, saying: media, "already", "--port and --udp-port")
    }

    @Test func bindingBeyondLoopbackNeedsKeys() async throws {
      try await refused(["serve", "--bind", "0.0.0.0", "--port", "0"], exit: 2, saying: "--keys")
    }
  }
}
