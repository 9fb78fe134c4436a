/// The id of a room or of somebody in it: a whole number, or a text on servers that are set up so (fact sheet §3). It is
/// sent back as it came.
enum JanusID: Hashable, Sendable, CustomStringConvertible {
  case number(Int64)
  case text(String)

  /// Ids are random numbers of 53 bits.
  private static let largestNumber: Int64 = 1 << 53
  /// Bytes; far above any that a person types.
  private static let longestText = 512

  init?(_ value: JSONValue) {
    switch value {
    case .integer(let number) where (0...Self.largestNumber).contains(number): self = .number(number)
    case .text(let text) where !text.isEmpty && text.utf8.count <= Self.longestText: self = .text(text)
    default: return nil
    }
  }

  /// As somebody typed it. What can be a number is taken for one, as servers have them unless told otherwise.
  init(typed text: String) {
    if let number = Int64(text), (0...Self.largestNumber).contains(number), String(number) == text {
      self = .number(number)
    } else {
      self = .text(text)
    }
  }

  var json: JSONValue {
    switch self {
    case .number(let number): .integer(number)
    case .text(let text): .text(text)
    }
  }

  var description: String {
    switch self {
    case .number(let number): String(number)
    case .text(let text): text
    }
  }

  /// The same id in the other form.
  var asText: JanusID { .text(description) }
}
