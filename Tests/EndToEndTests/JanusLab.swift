import Foundation
import Testing

/// A network of its own on this machine, in which Janus runs and everybody who talks to it.
struct JanusLab {
  /// Making a network takes the rights of the superuser.
  static let isPossible = geteuid() == 0

  let folder: URL
  private let network: Subprocess
  /// A process in the network.
  private let inside: String

  static let address = "192.0.2.2"
  static let room = "janus://192.0.2.2:8188/?room=1234"

  /// Everything is gone at the end of `body`.
  static func with<Result>(_ body: (JanusLab) async throws -> Result) async throws -> Result {
    try await Fixtures.withFolder { folder in
      let network = try Subprocess(Repository.peer("network.sh"), [])
      let line = try await eventually("a network", seen: { network.transcript }) { () -> Substring? in
        network.standardOutput.split(separator: "\n").first { $0.hasPrefix("network ") }
      }
      let lab = JanusLab(folder: folder, network: network, inside: String(line.dropFirst("network ".count)))
      defer { withExtendedLifetime(network) {} }
      return try await body(lab)
    }
  }

  /// The words that run a program in the network.
  var prefix: [String] { ["nsenter", "--target", inside, "--net"] }

  func run(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Subprocess {
    try Subprocess(prefix[0], prefix.dropFirst() + [program] + arguments, environment: environment)
  }

  /// Janus, listening.
  func startServer(
    general: String = "", nat: String = "", room: String = "", plugin: String = "", environment: [String: String] = [:]
  ) async throws -> Subprocess {
    let server = try run(
      Repository.peer("janus_server.sh"), [folder.path, general, nat, room, plugin], environment: environment)
    let probe = "import socket; socket.create_connection(('\(Self.address)', 8188), 1)"
    let limit = ContinuousClock.now + .seconds(20)
    while try await run("python3", ["-c", probe]).exitCode() != 0 {
      try #require(ContinuousClock.now < limit && server.isRunning, "Janus does not listen: \(server.transcript)")
    }
    return server
  }

  /// People who publish, all of them there.
  func people(_ names: [String], _ more: [String] = ["--simulcast", "--audio"]) async throws -> People {
    let pipe = folder.appendingPathComponent("commands-\(names.joined())").path
    mkfifo(pipe, 0o600)
    let process = try run(
      Repository.python, [Repository.peer("janus_peer.py"), "--commands", pipe] + more + ["--people"] + names)
    _ = try await process.line("ready", within: .seconds(30))
    return People(process: process, pipe: pipe)
  }

  func join(
    _ url: String = JanusLab.room, _ more: [String] = [], environment: [String: String] = [:]
  ) throws -> Subprocess {
    try run(Repository.program, ["join", url, "--headless"] + more, environment: environment)
  }

  /// People of one process, who do what they are told.
  struct People {
    let process: Subprocess
    let pipe: String

    func tell(_ command: String) throws {
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: pipe))
      try file.write(contentsOf: Data("\(command)\n".utf8))
      try file.close()
    }
    /// Of somebody who publishes, or is about to: the room hears of them before they know that they are heard.
    func id(of name: String) async throws -> String {
      let line = try await eventually("\(name) to publish", seen: { process.transcript }) {
        process.lines.last { $0["type"] as? String == "publishing" && $0["name"] as? String == name }
      }
      return String(try #require(line["id"] as? Int))
    }
  }
}
