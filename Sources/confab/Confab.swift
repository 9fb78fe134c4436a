import Conference
import Dispatch
import Foundation
import Glibc
import Screen

/// The program: finds the command, runs it, and turns what comes of it into an exit code.
@main
enum Confab {
  static let version = "0.1.0"

  static let commands: [any Command.Type] = [
    DemoCommand.self, JoinCommand.self, ServeCommand.self, PublishCommand.self, TokenCommand.self, PlayCommand.self,
    RoomsCommand.self, ThemeCommand.self, DoctorCommand.self,
  ]

  static func main() {
    // A pipe that nobody reads any more is an error to handle, not a reason to die.
    signal(SIGPIPE, SIG_IGN)
    StandardDescriptors.occupy()
    let arguments = Array(CommandLine.arguments.dropFirst())
    ProcessList.blankSecrets()
    Task {
      exit(StandardOutput.verdict(await run(arguments)))
    }
    dispatchMain()
  }

  private static func run(_ arguments: [String]) async -> Int32 {
    guard let name = arguments.first else {
      print(Help.overview)
      return 2
    }
    switch name {
    case "--version":
      print("confab \(version)")
      return 0
    case "--help", "-h", "help":
      print(arguments.dropFirst().first.flatMap { named($0) }.map(Help.page) ?? Help.overview)
      return 0
    default: break
    }
    guard let command = named(name) else {
      let nearest = Nearest.match(name, among: commands.map { $0.name }).map { "; did you mean \($0)?" } ?? "."
      return Failure.report("There is no command \(name.visibleLine)\(nearest)", code: .usage)
    }
    let rest = arguments.dropFirst()
    if rest.contains("--version") {
      print("confab \(version)")
      return 0
    }
    if rest.contains("--help") || rest.contains("-h") {
      print(Help.page(command))
      return 0
    }
    do {
      return try await command.run(
        try Options(rest, flags: command.flags, configuration: try configuration(of: command)))
    } catch let error as UsageError {
      return Failure.report(error.message + " See: confab \(name) --help", code: .usage)
    } catch let error as ConferenceError {
      return Failure.report(error.message, code: error.code)
    } catch {
      return Failure.report("\(error)", code: .internalError)
    }
  }

  /// What applies to a command: one without flags that can be set does not care what is wrong with the file.
  private static func configuration(of command: any Command.Type) throws(UsageError) -> Configuration {
    guard command.flags.contains(where: { $0.setting != nil }) else { return Configuration() }
    return try Configuration(environment: ProcessInfo.processInfo.environment, flags: commands.flatMap { $0.flags })
  }

  private static func named(_ name: String) -> (any Command.Type)? { commands.first { $0.name == name } }
}

/// One subcommand.
protocol Command: Sendable {
  static var name: String { get }
  /// What follows the name, for the help.
  static var synopsis: String { get }
  /// One sentence.
  static var summary: String { get }
  /// What else the help of the command says, below the summary; empty for most.
  static var details: String { get }
  static var flags: [Flag] { get }
  /// Does it, and gives the exit code.
  static func run(_ options: Options) async throws -> Int32
}

extension Command {
  static var details: String { "" }
}

/// Writes a failure as one sentence on standard error.
enum Failure {
  static func report(_ message: String, code: ConferenceError.Code) -> Int32 {
    StandardError.say(message)
    return code.exitCode
  }
}
