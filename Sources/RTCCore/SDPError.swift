/// Why a session description or a candidate could not be read.
public struct SDPError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Reason: String, Sendable {
    /// The text is longer than any real description.
    case tooLarge = "too large"
    /// More of this than any real description has.
    case tooMany = "too many"
    case missing = "missing"
    case malformed = "malformed"
    /// The same thing twice where it must be unique.
    case duplicate = "duplicate"
  }

  public var reason: Reason
  /// The line type or attribute, as its specification names it.
  public var subject: String
  /// Counted from 1; nil when the whole is meant.
  public var line: Int?

  public init(_ reason: Reason, _ subject: String, line: Int? = nil) {
    self.reason = reason
    self.subject = subject
    self.line = line
  }
  public var description: String {
    "\(reason.rawValue) \(subject)" + (line.map { " in line \($0)" } ?? "")
  }
}
