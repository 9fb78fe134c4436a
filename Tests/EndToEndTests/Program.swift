import Foundation
import Synchronization
import Testing

/// Everything that starts whole programs. One after another: they would starve each other on two cores.
@Suite(.serialized) enum EndToEnd {}

/// Where things are in the working copy.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  /// The program under test: `CONFAB_BINARY`, or what `swift build` made.
  static let program =
    ProcessInfo.processInfo.environment["CONFAB_BINARY"] ?? root.appendingPathComponent(".build/debug/confab").path
  static let python = root.appendingPathComponent(".lab/venv/bin/python").path
  static func peer(_ name: String) -> String {
    root.appendingPathComponent("Tests/EndToEndTests/Peers/\(name)").path
  }
}

/// A condition did not come about in time; carries what was seen instead.
struct Timeout: Error, CustomStringConvertible {
  let description: String
}

/// Waits until `condition` gives a value, looking again every few milliseconds; fails with what `seen` says after `limit`.
func eventually<Value>(
  within limit: Duration = .seconds(20), _ what: String, seen: () -> String = { "" },
  _ condition: () throws -> Value?
) async throws -> Value {
  let deadline = ContinuousClock.now + limit
  while true {
    if let value = try condition() { return value }
    if ContinuousClock.now > deadline {
      throw Timeout(description: "not within \(limit): \(what)\n\(seen())")
    }
    try await Task.sleep(for: .milliseconds(20))
  }
}

/// A child process whose output is collected while it runs.
///
/// Spawned without Foundation's `Process`, which waits for every descendant that keeps a descriptor of its own.
final class Subprocess: Sendable {
  private struct State {
    var standardOutput = Data()
    var standardError = Data()
    var openPipes = 2
    /// As `waitpid` gives it.
    var status: Int32?
  }
  /// Outlives the child's object while a reader still needs it.
  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  let identifier: pid_t
  private let shared = Shared()

  /// `executable` is searched for in PATH unless it has a slash.
  init(_ executable: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    let (child, out, err) = try Self.spawning.withLock { _ in
      try Self.spawn(executable, arguments, environment: environment)
    }
    identifier = child
    collect(out) { $0.standardOutput.append($1) }
    collect(err) { $0.standardError.append($1) }
    let waiter = Thread { [shared] in
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      shared.state.withLock { [status] in $0.status = status }
    }
    waiter.start()
  }

  /// One at a time: a pipe that a second child inherited would stay open as long as that child lives.
  private static let spawning = Mutex(())

  private static func spawn(
    _ executable: String, _ arguments: [String], environment: [String: String]
  ) throws -> (child: pid_t, standardOutput: Int32, standardError: Int32) {
    var out: [Int32] = [0, 0]
    var err: [Int32] = [0, 0]
    guard pipe(&out) == 0, pipe(&err) == 0 else { throw Timeout(description: "no pipe") }
    for descriptor in out + err { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, out[1], 1)
    posix_spawn_file_actions_adddup2(&actions, err[1], 2)
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
    var words = ([executable] + arguments).map { strdup($0) } + [nil]
    var settings = variables.map { strdup($0) } + [nil]
    // Threads of the test runner block signals, and children would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var child: pid_t = 0
    let failure = posix_spawnp(&child, executable, &actions, &attributes, &words, &settings)
    posix_spawnattr_destroy(&attributes)
    for word in words + settings { free(word) }
    posix_spawn_file_actions_destroy(&actions)
    close(out[1])
    close(err[1])
    guard failure == 0 else {
      throw Timeout(description: "\(executable) cannot be started: \(String(cString: strerror(failure)))")
    }
    return (child, out[0], err[0])
  }

  /// Reads a pipe to its end on a thread of its own.
  private func collect(_ descriptor: Int32, into store: @escaping @Sendable (inout State, Data) -> Void) {
    let reader = Thread { [shared] in
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = read(descriptor, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        shared.state.withLock { [bytes] in store(&$0, Data(bytes[..<count])) }
      }
      close(descriptor)
      shared.state.withLock { $0.openPipes -= 1 }
    }
    reader.start()
  }

  /// The program under test.
  static func confab(_ arguments: String..., environment: [String: String] = [:]) throws -> Subprocess {
    try Subprocess(Repository.program, arguments, environment: environment)
  }

  /// Runs a tool to its end and gives what it printed.
  @discardableResult
  static func run(_ tool: String, _ arguments: [String], environment: [String: String] = [:]) async throws -> String {
    let child = try Subprocess(tool, arguments, environment: environment)
    _ = try await child.exitCode(within: .seconds(30))
    return child.standardOutput
  }

  var isRunning: Bool { shared.state.withLock { $0.status == nil } }
  var standardOutput: String { shared.state.withLock { String(decoding: $0.standardOutput, as: UTF8.self) } }
  var standardError: String { shared.state.withLock { String(decoding: $0.standardError, as: UTF8.self) } }
  var standardOutputData: Data { shared.state.withLock { $0.standardOutput } }

  /// All JSON lines printed so far.
  var lines: [[String: Any]] {
    standardOutput.split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  /// The first line, so far or to come, of this type that also meets `condition`.
  func line(
    _ type: String, within limit: Duration = .seconds(20), where condition: ([String: Any]) -> Bool = { _ in true }
  ) async throws -> [String: Any] {
    try await eventually(within: limit, "a line “\(type)”", seen: { self.transcript }) {
      if let line = self.lines.first(where: { $0["type"] as? String == type && condition($0) }) { return line }
      if !self.isRunning { throw Timeout(description: "ended without a line “\(type)”\n\(self.transcript)") }
      return nil
    }
  }

  /// Waits for the end, and gives the exit code, or 128 and the signal. The output is complete when this returns.
  func exitCode(within limit: Duration = .seconds(20)) async throws -> Int32 {
    try await eventually(within: limit, "the end of the process", seen: { self.transcript }) {
      self.shared.state.withLock { state in
        guard let status = state.status, state.openPipes == 0 else { return nil }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
      }
    }
  }

  func send(_ signal: Int32) { if isRunning { kill(identifier, signal) } }

  var transcript: String {
    let out = standardOutput.suffix(3_000)
    let err = standardError.suffix(3_000)
    return "stdout:\n\(out)\nstderr:\n\(err)"
  }

  deinit { send(SIGKILL) }
}

/// A room server of our own in a process of its own, on free ports.
struct ServerProcess {
  let process: Subprocess
  let url: String

  static func start(_ arguments: [String] = []) async throws -> ServerProcess {
    let process = try Subprocess(Repository.program, ["serve", "--port", "0", "--udp-port", "0"] + arguments)
    let line = try await eventually("the server's address", seen: { process.transcript }) { () -> String? in
      process.standardError.split(separator: "\n").first { $0.contains("ws://") }.map(String.init)
    }
    let url = try #require(line.split(whereSeparator: { " ,".contains($0) }).first { $0.hasPrefix("ws://") })
    return ServerProcess(process: process, url: String(url))
  }

  /// Another one at the same address, when this one has ended.
  func restart() throws -> Subprocess {
    let port = try #require(url.split(separator: ":").last.map { $0.filter(\.isNumber) })
    return try Subprocess(Repository.program, ["serve", "--port", port, "--udp-port", "0"])
  }
}
