import Conference
import Foundation
import Glibc
import Screen
import Terminal

enum ThemeCommand: Command {
  static let name = "theme"
  static let synopsis = "list | show NAME | check FILE…"
  static let summary = "Lists the themes, shows one, or checks theme files line by line."
  static let flags = [Flag("--colors", "C", "show it as with 24bit, 256, 16, 8 or none (found out)")]

  private enum Verb: String, CaseIterable { case list, show, check }

  static func run(_ options: Options) async throws -> Int32 {
    let verbs = Verb.allCases.map(\.rawValue)
    guard let word = options.words.first else {
      throw UsageError("Say what to do: \(verbs.joined(separator: ", ")).")
    }
    let rest = Array(options.words.dropFirst())
    let environment = ProcessInfo.processInfo.environment
    switch Verb(rawValue: word) {
    case .list:
      guard rest.isEmpty else { throw UsageError("list takes nothing, not “\(SanitizedText(rest[0]).cut(to: 40))”.") }
      return list(ThemeFiles.library(environment), environment)
    case .show:
      guard let name = rest.first, rest.count == 1 else { throw UsageError("show takes the name of one theme.") }
      return try show(
        name, ThemeFiles.library(environment), environment, try options.choice("--colors", of: ColorDepth.self))
    case .check:
      guard !rest.isEmpty else { throw UsageError("check takes one or more theme files.") }
      return try check(rest, ThemeFiles.library(environment))
    case nil:
      let hint = Nearest.match(word, among: verbs).map { "; did you mean \($0)?" } ?? "."
      throw UsageError("theme takes \(verbs.joined(separator: ", ")), not “\(SanitizedText(word).cut(to: 40))”\(hint)")
    }
  }

  private static func list(_ library: ThemeLibrary, _ environment: [String: String]) -> Int32 {
    let own = Set(ThemeFiles.paths(environment).map(ThemeFiles.name))
    let width = library.names.map { SanitizedText($0).cut(to: 32).width }.max() ?? 0
    for name in library.names {
      let shown = SanitizedText(name).cut(to: 32)
      let mistakes = library.problems(of: name).count
      let about =
        mistakes > 0
        ? "has \(mistakes == 1 ? "a mistake" : "\(mistakes) mistakes"): confab theme check says which"
        : library.summary(of: name)
      let source = own.contains(name) ? "yours; " : ""
      let pad = String(repeating: " ", count: width - shown.width)
      guard StandardOutput.writeLine("\(shown)\(pad)  \(source)\(about)") else { break }
    }
    return 0
  }

  // MARK: Showing

  /// On a terminal a picture of it; into a file or a pipe its text, to begin one's own with.
  private static func show(
    _ name: String, _ library: ThemeLibrary, _ environment: [String: String], _ depth: ColorDepth?
  ) throws -> Int32 {
    let problems = library.problems(of: name)
    guard problems.isEmpty else {
      let isKnown = library.names.contains(name)
      let advice =
        "`confab theme \(isKnown ? "check FILE` checks what you change" : "list` names those that there are")."
      throw ConferenceError(.usage, problems.map(\.description).joined(separator: " ") + " " + advice)
    }
    guard isatty(STDOUT_FILENO) == 1 else {
      let own = ThemeFiles.paths(environment).last { ThemeFiles.name($0) == name }
      let bytes =
        try own.map { path throws(UsageError) in try ThemeFiles.bytes(path) } ?? ThemeLibrary.bundledText(name)
      _ = StandardOutput.write(bytes, to: STDOUT_FILENO)
      return 0
    }
    let found = try? TerminalFindings.examine(asksTerminal: false, wishes: ColorWishes(depth))
    let depth = found?.findings.colors.value ?? depth ?? .indexed8
    guard let theme = library.theme(name, colors: depth.colors) else { return 0 }
    for line in PrintedGrid.lines(ThemeSample.grid(theme), depth: depth) {
      guard StandardOutput.writeLine(line) else { return 0 }
    }
    let about = library.summary(of: name)
    _ = StandardOutput.writeLine("\n\(name): \(about)\nMake your own of it: confab theme show \(name) > mine.theme")
    return 0
  }

  // MARK: Checking

  private static func check(_ paths: [String], _ library: ThemeLibrary) throws(UsageError) -> Int32 {
    var library = library
    let sheets = try paths.map { path throws(UsageError) in try ThemeFiles.sheet(path: path) }
    // They may inherit from one another.
    for sheet in sheets { library.add(sheet) }
    var isFine = true
    for (path, sheet) in zip(paths, sheets) {
      let shown = SanitizedText(path).cut(to: 200)
      let problems = library.problems(of: sheet.name)
      isFine = isFine && problems.isEmpty
      for problem in problems {
        let place = problem.line > 0 ? "\(shown):\(problem.line)" : "\(shown)"
        _ = StandardOutput.writeLine("\(place): \(problem.message)")
      }
      guard problems.isEmpty, let theme = library.theme(sheet.name) else { continue }
      let contrasts = theme.contrasts(as: \.rgb)
      let faint = contrasts.filter { $0.ratio < $0.least }
      for contrast in faint.prefix(noteLimit) { _ = StandardOutput.writeLine("\(shown): note: \(contrast)") }
      if faint.count > noteLimit { _ = StandardOutput.writeLine("\(shown): note: and \(faint.count - noteLimit) more") }
      let least = contrasts.filter { !$0.role.isLine }.min { $0.ratio < $1.ratio }
      _ = StandardOutput.writeLine("\(shown): fine" + (least.map { "; the faintest: \($0)" } ?? ""))
    }
    return isFine ? 0 : 2
  }

  /// Notes about contrast of one theme; whoever has more begins with these.
  private static let noteLimit = 8
}
