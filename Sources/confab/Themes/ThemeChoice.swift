import Foundation
import Screen

/// The themes that there are, and which of them is shown first.
struct ThemeChoice: Sendable {
  static let flag = Flag(
    "--theme", "NAME", "a theme of `confab theme list`, or a theme file (night; day on a light terminal)",
    setting: .text)

  let library: ThemeLibrary
  /// nil: whatever suits the terminal.
  let name: String?

  /// The bundled themes.
  init() {
    library = .bundled
    name = nil
  }

  /// From the flags and the configuration. Throws when the theme does not exist or has mistakes.
  init(_ options: Options) throws(UsageError) {
    var library = ThemeFiles.library(ProcessInfo.processInfo.environment)
    guard let wanted = options.text(Self.flag.name) else {
      self.library = library
      name = nil
      return
    }
    let origin = options.origin(Self.flag.name).map { " (\($0))" } ?? ""
    let name: String
    if wanted.contains("/") || wanted.hasSuffix(ThemeFiles.suffix) {
      let sheet = try ThemeFiles.sheet(path: wanted)
      library.add(sheet)
      name = sheet.name
    } else {
      name = wanted
    }
    let problems = library.problems(of: name)
    guard library.names.contains(name) else {
      throw UsageError(problems.map(\.message).joined(separator: " ") + origin)
    }
    guard problems.isEmpty else {
      let lines = problems.map { $0.line > 0 ? "\n  \($0)" : " \($0)" }
      throw UsageError("The theme “\(SanitizedText(wanted).cut(to: 80))” cannot be used\(origin):\(lines.joined())")
    }
    self.library = library
    self.name = name
  }

  private init(library: ThemeLibrary, name: String) {
    self.library = library
    self.name = name
  }

  /// The same themes, of which this one is shown first.
  func beginning(with name: String) -> ThemeChoice { ThemeChoice(library: library, name: name) }

  /// The one that is shown first, in the colours that a terminal has.
  /// - Parameter background: of the terminal, 0xRRGGBB, where it tells.
  func first(colors: Int, background: UInt32?) -> Theme? {
    library.theme(name ?? Theme.defaultName(background: background), colors: colors)
  }

  /// Those without mistakes.
  var usableNames: [String] { library.names.filter { library.theme($0) != nil } }
}
