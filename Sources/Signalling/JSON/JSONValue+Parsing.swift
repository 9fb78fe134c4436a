/// Why a text is no JSON.
public enum JSONError: Error, Equatable, Sendable {
  /// The byte, counted from 0, that does not belong there, or the length where the text ends too early.
  case malformed(at: Int)
  /// Lists and objects within each other beyond ``JSONValue/maximumDepth``.
  case tooDeep(at: Int)
}

extension JSONValue {
  /// Lists and objects within each other; messages of conference systems have a handful.
  public static let maximumDepth = 64

  /// Reads one value and nothing else. Of members with the same name the last counts; bytes that are no UTF-8, and halves
  /// of surrogate pairs, become U+FFFD.
  public init(parsing bytes: [UInt8]) throws(JSONError) {
    var reader = Reader(bytes: bytes)
    reader.skipSpace()
    self = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.isAtEnd else { throw .malformed(at: reader.position) }
  }
}

private struct Reader {
  let bytes: [UInt8]
  private(set) var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }
  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }
  private var failure: JSONError { .malformed(at: position) }

  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
  }

  mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try list(depth: depth)
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "t"): return try word("true", .truth(true))
    case UInt8(ascii: "f"): return try word("false", .truth(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
    for byte in word.description.utf8 { try expect(byte) }
    return value
  }

  private mutating func expect(_ byte: UInt8) throws(JSONError) {
    guard next == byte else { throw failure }
    position += 1
  }

  /// Whether the next byte is this one, which is then taken.
  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func list(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < JSONValue.maximumDepth else { throw .tooDeep(at: position) }
    try expect(UInt8(ascii: "["))
    skipSpace()
    var values: [JSONValue] = []
    if take(UInt8(ascii: "]")) { return .list(values) }
    repeat {
      skipSpace()
      values.append(try value(depth: depth + 1))
      skipSpace()
    } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "]"))
    return .list(values)
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < JSONValue.maximumDepth else { throw .tooDeep(at: position) }
    try expect(UInt8(ascii: "{"))
    skipSpace()
    var members: [String: JSONValue] = [:]
    if take(UInt8(ascii: "}")) { return .object(members) }
    repeat {
      skipSpace()
      let name = try text()
      skipSpace()
      try expect(UInt8(ascii: ":"))
      skipSpace()
      members[name] = try value(depth: depth + 1)
      skipSpace()
    } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"))
    return .object(members)
  }

  // MARK: Numbers

  /// RFC 8259 §6.
  private mutating func number() throws(JSONError) -> JSONValue {
    let start = position
    var isWhole = true
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) {
      isWhole = false
      try digits()
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isWhole = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, let value = Int64(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else { throw .malformed(at: start) }
    return .decimal(value)
  }

  private mutating func digits() throws(JSONError) {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw failure }
  }

  // MARK: Text

  /// RFC 8259 §7.
  private mutating func text() throws(JSONError) -> String {
    try expect(UInt8(ascii: "\""))
    var content: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        content += try escape()
      case 0..<0x20: throw failure
      default:
        position += 1
        content.append(byte)
      }
    }
    throw failure
  }

  /// The UTF-8 of what stands behind a backslash.
  private mutating func escape() throws(JSONError) -> [UInt8] {
    guard let byte = next else { throw failure }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      position += 1
      return [byte]
    case UInt8(ascii: "b"): return control(0x08)
    case UInt8(ascii: "f"): return control(0x0C)
    case UInt8(ascii: "n"): return control(0x0A)
    case UInt8(ascii: "r"): return control(0x0D)
    case UInt8(ascii: "t"): return control(0x09)
    case UInt8(ascii: "u"):
      position += 1
      var units = [try codeUnit()]
      // The other half of a pair follows as an escape of its own.
      if UTF16.isLeadSurrogate(units[0]), next == UInt8(ascii: "\\"), position + 1 < bytes.count,
        bytes[position + 1] == UInt8(ascii: "u")
      {
        position += 2
        units.append(try codeUnit())
      }
      return Array(String(decoding: units, as: UTF16.self).utf8)
    default: throw failure
    }
  }

  private mutating func control(_ byte: UInt8) -> [UInt8] {
    position += 1
    return [byte]
  }

  private mutating func codeUnit() throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(UnicodeScalar(byte)).hexDigitValue else { throw failure }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
