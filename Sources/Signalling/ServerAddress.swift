/// Why a text is no address of a room.
public enum AddressError: Error, Equatable, Sendable {
  /// Not `scheme://host…`, or with characters that no URL has.
  case malformed
  /// A scheme of another system, or of none.
  case unsupportedScheme(String)
  /// The query holds this secret, which would be seen wherever the address is.
  case secretInQuery(String)
}

/// The parts of a server's URL that count (RFC 3986 §3), without user name and fragment.
struct ServerAddress {
  /// In lower case.
  let scheme: String
  /// Host and port.
  let authority: String
  /// Without a slash at its end.
  let path: String
  /// Percent-decoded, in order.
  let query: [(name: String, value: String)]

  init(_ text: String) throws(AddressError) {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }),
      let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://"), colon > text.startIndex
    else { throw .malformed }
    scheme = text[..<colon].lowercased()
    var rest = text[colon...].dropFirst(3)
    if let mark = rest.firstIndex(of: "#") { rest = rest[..<mark] }
    let mark = rest.firstIndex(of: "?") ?? rest.endIndex
    query = rest[mark...].dropFirst().split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (percentDecoded(parts[0]), parts.count == 2 ? percentDecoded(parts[1]) : "")
    }
    rest = rest[..<mark]
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    var authority = rest[..<slash]
    if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
    guard let first = authority.first, first != ":" else { throw .malformed }
    self.authority = String(authority)
    var path = rest[slash...]
    while path.last == "/" { path.removeLast() }
    self.path = String(path)
  }

  /// Parameters that let in whoever has them, on any system.
  private static let secretNames: Set<String> = ["access_token", "token", "jwt"]

  /// Throws when the query holds a secret.
  /// - Parameter others: names of the system's own secrets, in lower case.
  func refuseSecrets(besides others: Set<String> = []) throws(AddressError) {
    for item in query where Self.secretNames.union(others).contains(item.name.lowercased()) {
      throw .secretInQuery(item.name)
    }
  }

  /// Whether the authority names a port.
  var hasPort: Bool {
    let host = authority.lastIndex(of: "]") ?? authority.startIndex
    return authority[host...].contains(":")
  }
}

/// Bytes that are no percent-encoding stand for themselves; a plus sign is one.
func percentDecoded(_ text: Substring) -> String {
  var bytes: [UInt8] = []
  var rest = Array(text.utf8)[...]
  while let byte = rest.popFirst() {
    let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    if byte == UInt8(ascii: "%"), digits.count == 2 {
      bytes.append(UInt8(digits[0] << 4 | digits[1]))
      rest = rest.dropFirst(2)
    } else {
      bytes.append(byte)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
