import Foundation

/// A JSON value that prints on one line, keys in the order in which they were given.
enum JSON: Sendable {
  case text(String)
  case number(Int)
  case decimal(Double)
  case truth(Bool)
  case list([JSON])
  case object([(String, JSON)])
  case null

  var text: String {
    switch self {
    case .text(let value): Self.quoted(value)
    case .number(let value): String(value)
    case .decimal(let value): value.isFinite ? Self.short(value) : "null"
    case .truth(let value): value ? "true" : "false"
    case .list(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .object(let fields):
      "{" + fields.map { "\(Self.quoted($0.0)):\($0.1.text)" }.joined(separator: ",") + "}"
    case .null: "null"
    }
  }

  /// At most three decimals: every measure here is coarser than that.
  private static func short(_ value: Double) -> String {
    let rounded = (value * 1000).rounded() / 1000
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int64(rounded)) : String(rounded)
  }

  /// RFC 8259 §7. Everything below U+0020 and the C1 controls are escaped, so that a name cannot steer a terminal that
  /// the lines are printed on.
  private static func quoted(_ value: String) -> String {
    var result = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _
      where scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
        || scalar.value == 0x2028 || scalar.value == 0x2029:
        for unit in String(scalar).utf16 { result += "\\u" + hexadecimal(unit) }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func hexadecimal(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
  init(stringLiteral value: String) { self = .text(value) }
  init(integerLiteral value: Int) { self = .number(value) }
  init(booleanLiteral value: Bool) { self = .truth(value) }
}
