/// One thing that is wrong with a file of settings or a theme.
public struct SettingsProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of mistake it is; stable, for tests.
  public enum Code: String, Hashable, Sendable {
    case unreadable, tooLarge, tooMany, notText, noAssignment, badGroup, repeatedKey
    case unknownGroup, unknownKey, badValue
    case unknownRole, unknownColor, badAttribute, badStyle
    case unknownParent, loop
  }

  public let code: Code
  /// From 1; 0 when the whole file is meant.
  public let line: Int
  /// A sentence. Whatever it quotes from the file is safe to print.
  public let message: String

  public init(_ code: Code, line: Int, _ message: String) {
    self.code = code
    self.line = line
    self.message = message
  }

  public var description: String { line > 0 ? "line \(line): \(message)" : message }

  /// Words of a file in quotation marks, safe to print and not too long to read.
  static func quoted(_ text: String) -> String { "“\(SanitizedText(text).cut(to: 40))”" }

  /// A guess at what was meant, as the end of a sentence.
  static func hint(_ word: String, among candidates: [String]) -> String {
    Nearest.match(word, among: candidates).map { "; did you mean \($0)?" } ?? "."
  }
}
