import Foundation
import Testing

/// A real terminal of a given size, kept by tmux, in which a command runs.
final class Tmux {
  private let socket = "confab-\(UUID().uuidString.prefix(8))"
  /// Rooms that tests join are not rooms of whoever runs them.
  private var state: URL { FileManager.default.temporaryDirectory.appendingPathComponent("\(socket).state") }

  /// Starts a shell, so that what a program leaves behind can be looked at afterwards.
  ///
  /// - Parameter colors: the value of `COLORTERM`; nil leaves every variable unset that is about colours.
  init(
    columns: Int, rows: Int, term: String = "tmux-256color", colors: String? = "truecolor",
    environment: [String: String] = [:]
  ) async throws {
    let directory = FileManager.default.temporaryDirectory
    var arguments = ["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "-c", directory.path]
    let environment = ["XDG_STATE_HOME": state.path].merging(environment) { $1 }
    for (name, value) in environment { arguments += ["-e", "\(name)=\(value)"] }
    let claim = colors.map { "COLORTERM=\($0)" } ?? "-u COLORTERM -u NO_COLOR"
    arguments += ["env \(claim) PS1='ready> ' TERM=\(term) LC_ALL=C.UTF-8 sh"]
    // The server that this starts would hold on to our pipes, and to whatever else was open, for as long as it lives.
    let closing = (3...9).map { "\($0)>&-" }.joined(separator: " ")
    try await Subprocess.run(
      "sh", ["-c", "exec tmux -L \(socket) -f /dev/null -u \"$@\" >/dev/null 2>&1 \(closing)", "sh"] + arguments,
      environment: ["TMUX": ""])
    _ = try await screen(within: .seconds(10), "a shell") { $0.contains("ready>") }
  }

  @discardableResult
  func tmux(_ arguments: [String]) async throws -> String {
    try await Subprocess.run("tmux", ["-L", socket, "-f", "/dev/null", "-u"] + arguments, environment: ["TMUX": ""])
  }

  /// Types a line of shell.
  func run(_ line: String) async throws { try await tmux(["send-keys", "-l", line + "\n"]) }
  /// Presses keys by tmux's names: `q`, `Enter`, `C-c`.
  func press(_ keys: String...) async throws { try await tmux(["send-keys"] + keys) }
  /// Pastes text as a terminal does: between marks, where the program asked for them.
  func paste(_ text: String) async throws {
    try await tmux(["set-buffer", "-b", "pasted", text])
    try await tmux(["paste-buffer", "-p", "-r", "-b", "pasted"])
  }
  func resize(columns: Int, rows: Int) async throws {
    try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
  }

  /// What the screen shows now, as text.
  func text() async throws -> String { try await tmux(["capture-pane", "-p"]) }
  /// The screen with its colours as escapes.
  func colours() async throws -> String { try await tmux(["capture-pane", "-epN"]) }

  /// Waits until the screen meets `condition`, and gives it.
  @discardableResult
  func screen(
    within limit: Duration = .seconds(20), _ what: String, _ condition: (String) -> Bool
  ) async throws -> String {
    let deadline = ContinuousClock.now + limit
    while true {
      let shown = try await text()
      if condition(shown) { return shown }
      if ContinuousClock.now > deadline { throw Timeout(description: "not on the screen: \(what)\n\(shown)") }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Process id of the newest child of the shell whose command line holds `word`.
  func processIdentifier(of word: String) async throws -> Int32 {
    let shell = try await tmux(["display-message", "-p", "#{pane_pid}"]).trimmingCharacters(in: .whitespacesAndNewlines)
    let limit = ContinuousClock.now + .seconds(10)
    while true {
      let found = try await Subprocess.run("pgrep", ["-P", shell, "-f", word])
      if let last = found.split(separator: "\n").last, let identifier = Int32(last) { return identifier }
      if ContinuousClock.now > limit { throw Timeout(description: "no process \(word) under the shell") }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Also after a test that failed half-way.
  deinit {
    _ = try? Subprocess("tmux", ["-L", socket, "kill-server"])
    try? FileManager.default.removeItem(at: state)
  }

  func end() async { _ = try? await tmux(["kill-server"]) }
}

extension String {
  /// Blocks or shades, whichever suit a picture at the terminal's number of colours.
  var showsPicture: Bool { contains { "▄▀█░▒▓".contains($0) } }
}
