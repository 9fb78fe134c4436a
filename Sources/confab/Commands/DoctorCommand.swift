import Conference
import Foundation
import Glibc
import Media
import Transport

enum DoctorCommand: Command {
  static let name = "doctor"
  static let synopsis = ""
  static let summary = "Says what works on this machine, and what to do about the rest."
  static let flags = [PictureFlags.noProbe]

  private typealias Finding = DoctorFinding

  /// - Returns: 0, or the exit code with which other commands would fail here.
  static func run(_ options: Options) async throws -> Int32 {
    guard options.words.isEmpty else {
      throw UsageError("doctor takes options only, not “\(options.words[0].visibleLine)”.")
    }
    let findings =
      TerminalReport.lines(asksTerminal: !options.has("--no-probe")) + [
        ConfigurationReport.finding, sound(), camera(), libraries(),
      ]
      + (await network())
    for finding in findings {
      let verdict = finding.verdict.rawValue.padding(toLength: 4, withPad: " ", startingAt: 0)
      let subject = finding.subject.padding(toLength: 10, withPad: " ", startingAt: 0)
      guard StandardOutput.writeLine(PrintedText.wrapped(finding.text, beside: "\(verdict)  \(subject)  ")) else {
        return 0
      }
    }
    let devices = AudioDevices.playback()
    if !devices.isEmpty {
      _ = StandardOutput.writeLine("\nsound devices for --audio-device:")
      for line in PrintedText.table(devices.map { ($0.name, $0.description) }) { _ = StandardOutput.writeLine(line) }
    }
    return findings.compactMap(\.code).first?.exitCode ?? 0
  }

  private static func sound() -> Finding {
    switch AudioOutput.probe("default") {
    case nil: Finding(verdict: .good, subject: "sound", text: "the device default plays")
    case let reason?:
      Finding(
        verdict: .note, subject: "sound",
        text: "\(reason) Confab runs silently"
          + (AudioDevices.playback().isEmpty ? "." : "; --audio-device takes one of the devices below."))
    }
  }

  private static func camera() -> Finding {
    let devices = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
    let cameras = devices.filter { $0.hasPrefix("video") }.sorted().map { "/dev/" + $0 }
    return Finding(
      verdict: .note, subject: "camera",
      text: cameras.isEmpty
        ? "not supported yet; publish takes files and a test picture"
        : "\(cameras.joined(separator: ", ")): not supported yet; publish takes files and a test picture")
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
