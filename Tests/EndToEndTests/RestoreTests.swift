import Foundation
import Testing

extension EndToEnd {
  /// The terminal is given back whole, whatever ends the program.
  @Suite struct RestoreTests {
    private static let modes = "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag}"

    /// Runs a demo, ends it by `end`, and compares the terminal with what it was before.
    private func restores(after end: (Tmux, Int32) async throws -> Void) async throws {
      let terminal = try await Tmux(columns: 80, rows: 24)
      try await terminal.run("stty -a > before.txt; tput cols")
      let before = try await terminal.tmux(["display-message", "-p", Self.modes])
      try await terminal.run("clear; \(Repository.program) demo --participants 2 --no-audio")
      try await terminal.screen(within: .seconds(40), "the room") { $0.showsPicture }
      try await end(terminal, try await terminal.processIdentifier(of: "confab"))
      try await terminal.screen(within: .seconds(30), "the shell") { $0.contains("ready>") }
      #expect(try await terminal.tmux(["display-message", "-p", Self.modes]) == before)
      try await terminal.run("clear; stty -a > after.txt; cmp before.txt after.txt && echo same''modes")
      try await terminal.screen("the same modes") { $0.contains("samemodes") }
      await terminal.end()
    }

    @Test(arguments: [
      SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGUSR1, SIGALRM, SIGXFSZ, 40,
    ])
    func afterASignal(signal: Int32) async throws {
      try await restores { _, process in kill(process, signal) }
    }

    @Test func afterTheQuitKey() async throws {
      try await restores { terminal, _ in try await terminal.press("q") }
    }

    @Test func afterATrapInAWorkerThread() async throws {
      try await restores { _, process in
        let tasks = "/proc/\(process)/task"
        let worker = try FileManager.default.contentsOfDirectory(atPath: tasks).first {
          (try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8))?.hasPrefix("decode") == true
        }
        let number = try #require(worker)
        // What a failed check raises, raised on that very thread: tgkill has another number on each kind of machine.
        #if arch(x86_64)
          let tgkill = 234
        #else
          let tgkill = 131
        #endif
        try await Subprocess.run(
          "python3", ["-c", "import ctypes; ctypes.CDLL(None).syscall(\(tgkill), \(process), \(number), \(SIGILL))"])
      }
    }

    /// Another thread is in the middle of a frame that the terminal takes only slowly.
    @Test(arguments: 1...3) func nothingIsDrawnAfterACrashGaveTheTerminalBack(run: Int) async throws {
      try await Fixtures.withFolder { folder in
        let clip = folder.appendingPathComponent("clip.y4m")
        try Fixtures.writeClip(to: clip, width: 320, height: 180, frames: 300)
        let terminal = try PseudoTerminal(
          ["play", clip.path], columns: 160, rows: 50, environment: ["COLORTERM": "truecolor"])
        try await terminal.waits(for: "▄")
        terminal.setRate(150_000)
        try await Task.sleep(for: .milliseconds(700 + 90 * run))
        kill(terminal.process, SIGSEGV)
        #expect(try await terminal.exitCode() == 128 + SIGSEGV)
        try await terminal.waits(for: "\u{1B}[?1049l")
        try await terminal.settles()
        let bytes = terminal.received
        let leave = Array("\u{1B}[?1049l".utf8)
        let place = try #require(bytes.indices.last { bytes[$0...].starts(with: leave) })
        #expect(!String(decoding: bytes[place...], as: UTF8.self).showsPicture)
      }
    }

    @Test func suspendedAndResumed() async throws {
      let terminal = try await Tmux(columns: 80, rows: 24)
      try await terminal.run("\(Repository.program) demo --participants 2 --no-audio")
      try await terminal.screen(within: .seconds(40), "the room") { $0.showsPicture }
      try await terminal.press("C-z")
      try await terminal.screen("the shell") { $0.contains("ready>") && !$0.showsPicture }
      try await terminal.run("fg")
      try await terminal.screen("the room again") { $0.showsPicture }
      try await terminal.press("q")
      try await terminal.screen("the shell") { $0.contains("ready>") && !$0.showsPicture }
      await terminal.end()
    }
  }
}
