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
    ProcessInfo.processInfo.environment["CONFAB_BINARY"].map { URL(fileURLWithPath: $0) }
    ?? root.appendingPathComponent(".build/debug/confab")
  static let python = root.appendingPathComponent(".lab/venv/bin/python")
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
final class Subprocess: Sendable {
  private struct Output {
    var standardOutput = Data()
    var standardError = Data()
    /// Both pipes were read to their end.
    var openPipes = 2
  }

  private let process: Process
  private let output = Mutex(Output())

  init(_ executable: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    self.process = process
    let out = Pipe()
    let err = Pipe()
    // A pipe that another child inherits stays open as long as that child lives.
    for pipe in [out, err] {
      for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
        _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
      }
    }
    process.standardOutput = out
    process.standardError = err
    collect(out) { $0.standardOutput.append($1) }
    collect(err) { $0.standardError.append($1) }
    try process.run()
  }

  private func collect(_ pipe: Pipe, into store: @escaping @Sendable (inout Output, Data) -> Void) {
    pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
      let data = handle.availableData
      if data.isEmpty { handle.readabilityHandler = nil }
      self?.output.withLock { output in
        store(&output, data)
        if data.isEmpty { output.openPipes -= 1 }
      }
    }
  }

  /// The program under test.
  static func confab(_ arguments: String..., environment: [String: String] = [:]) throws -> Subprocess {
    try Subprocess(Repository.program, arguments, environment: environment)
  }

  /// Runs a tool to its end and gives what it printed.
  @discardableResult
  static func run(_ tool: String, _ arguments: [String], environment: [String: String] = [:]) async throws -> String {
    let child = try Subprocess(URL(fileURLWithPath: "/usr/bin/env"), [tool] + arguments, environment: environment)
    _ = try await child.exitCode(within: .seconds(30))
    return child.standardOutput
  }

  var identifier: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }
  var standardOutput: String { output.withLock { String(decoding: $0.standardOutput, as: UTF8.self) } }
  var standardError: String { output.withLock { String(decoding: $0.standardError, as: UTF8.self) } }
  var standardOutputData: Data { output.withLock { $0.standardOutput } }

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

  /// Waits for the end. The output is complete when this returns.
  func exitCode(within limit: Duration = .seconds(20)) async throws -> Int32 {
    _ = try await eventually(within: limit, "the end of the process", seen: { self.transcript }) {
      self.isRunning || self.output.withLock({ $0.openPipes > 0 }) ? nil : true
    }
    return process.terminationReason == .uncaughtSignal ? 128 + process.terminationStatus : process.terminationStatus
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  var transcript: String {
    let out = standardOutput.suffix(3_000)
    let err = standardError.suffix(3_000)
    return "stdout:\n\(out)\nstderr:\n\(err)"
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
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
}
