import Conference
import Foundation
import Glibc
import Media
import Terminal
import Transport

enum DoctorCommand: Command {
  static let name = "doctor"
  static let synopsis = ""
  static let summary = "Says what works on this machine, and what to do about the rest."
  static let flags: [Flag] = []

  /// One thing that was looked at.
  private struct Finding {
    enum Verdict: String { case good = "ok", note = "note", bad = "bad" }

    let verdict: Verdict
    let subject: String
    let text: String
    /// What other commands would fail with for this reason.
    var code: ConferenceError.Code?
  }

  /// - Returns: 0, or the exit code with which other commands would fail here.
  static func run(_ options: Options) async throws -> Int32 {
    guard options.words.isEmpty else { throw UsageError("doctor takes nothing, not “\(options.words[0])”.") }
    let findings = terminal() + locale() + [sound(), camera(), libraries()] + (await network())
    for finding in findings {
      let head = finding.subject.padding(toLength: 10, withPad: " ", startingAt: 0)
      guard
        StandardOutput.writeLine(
          "\(finding.verdict.rawValue.padding(toLength: 4, withPad: " ", startingAt: 0))  \(head)  \(finding.text)")
      else { return 0 }
    }
    let devices = AudioDevices.playback()
    if !devices.isEmpty {
      _ = StandardOutput.writeLine("\nsound devices for --audio-device:")
      let width = devices.map(\.name.count).max() ?? 0
      for device in devices {
        let name = device.name.padding(toLength: width, withPad: " ", startingAt: 0)
        _ = StandardOutput.writeLine("  \(name)  \(device.description)")
      }
    }
    return findings.compactMap(\.code).first?.exitCode ?? 0
  }

  private static func terminal() -> [Finding] {
    let environment = ProcessInfo.processInfo.environment
    var findings: [Finding] = []
    do throws(TerminalError) {
      let entry = try TerminalDescription.load(term: environment["TERM"] ?? "")
      let found = TerminalCapabilities.detect(environment: environment, terminfo: entry)
      let reason = environment["COLORTERM"].map { "COLORTERM=\($0)" } ?? "TERM=\(entry.name)"
      switch found.colorDepth {
      case .trueColor: findings.append(Finding(verdict: .good, subject: "colours", text: "24 bits (\(reason))"))
      case .indexed256:
        findings.append(
          Finding(
            verdict: .note, subject: "colours",
            text: "256 (\(reason)); if the terminal can do more, set COLORTERM=truecolor or give --colors 24bit"))
      case .indexed16, .indexed8, .none:
        findings.append(
          Finding(
            verdict: .note, subject: "colours",
            text: "\(found.colorDepth.rawValue) (\(reason)); pictures need TERM with 256 colours to look right"))
      }
      if found.isMultiplexed {
        findings.append(Finding(verdict: .good, subject: "terminal", text: "\(entry.name), inside tmux or screen"))
      } else {
        findings.append(Finding(verdict: .good, subject: "terminal", text: entry.name))
      }
    } catch {
      findings.append(Finding(verdict: .bad, subject: "terminal", text: "\(error)", code: .usage))
    }
    var size = winsize()
    if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      findings.append(Finding(verdict: .good, subject: "size", text: "\(size.ws_col)x\(size.ws_row) cells"))
    } else {
      findings.append(
        Finding(verdict: .note, subject: "size", text: "standard output is not a terminal; only --headless works here"))
    }
    return findings
  }

  private static func locale() -> [Finding] {
    setlocale(LC_ALL, "")
    let codeset = String(cString: nl_langinfo(Int32(CODESET)))
    return codeset == "UTF-8"
      ? [Finding(verdict: .good, subject: "glyphs", text: "half blocks (UTF-8)")]
      : [
        Finding(
          verdict: .note, subject: "glyphs",
          text: "half blocks, as UTF-8 although the locale is \(codeset); a terminal without UTF-8 shows them wrong")
      ]
  }

  private static func sound() -> Finding {
    switch AudioOutput.probe("default") {
    case nil: Finding(verdict: .good, subject: "sound", text: "the device default plays")
    case let reason?: Finding(verdict: .note, subject: "sound", text: "\(reason) Confab runs silently.")
    }
  }

  private static func camera() -> Finding {
    let devices = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
    let cameras = devices.filter { $0.hasPrefix("video") }.sorted().map { "/dev/" + $0 }
    return Finding(
      verdict: .note, subject: "camera",
      text: cameras.isEmpty
        ? "none found; publish takes files and a test picture"
        : "\(cameras.joined(separator: ", ")): not used yet; publish takes files and a test picture")
  }

  private static func libraries() -> Finding {
    Finding(verdict: .good, subject: "libraries", text: MediaLibraries.versions.joined(separator: ", "))
  }

  private static func network() async -> [Finding] {
    do throws(ConferenceError) {
      let server = try await EmbeddedServer.start(
        bind: "127.0.0.1", port: 0, udpPort: 0, keysFile: nil, log: Log(isVerbose: false))
      await server.stop()
      return [Finding(verdict: .good, subject: "network", text: "a room server starts on this machine")]
    } catch {
      return [Finding(verdict: .bad, subject: "network", text: error.message, code: error.code)]
    }
  }
}
