import RTCCore

/// One value of a `Link` header: an address and what it is to the answer (RFC 8288 §3).
struct WebLink: Equatable, Sendable {
  var target: String
  /// By name in lower case; the first of a name counts.
  var parameters: [String: String]

  /// Types of the link, as there may be several.
  var relations: [Substring] { (parameters["rel"] ?? "").split(separator: " ") }

  /// The values of one header field, or of several put together by commas. Quotes around parameters may be missing, and
  /// so may the semicolon between them: examples of the drafts have neither always.
  static func list(_ text: String) -> [WebLink] {
    var links: [WebLink] = []
    var rest = Array(text.utf8.prefix(maximumLength))[...]
    while links.count < maximumLinks, let start = rest.firstIndex(of: UInt8(ascii: "<")),
      let end = rest[start...].firstIndex(of: UInt8(ascii: ">"))
    {
      let target = String(decoding: rest[rest.index(after: start)..<end], as: UTF8.self)
      rest = rest[rest.index(after: end)...]
      links.append(WebLink(target: target.filter { !$0.isWhitespace }, parameters: takeParameters(from: &rest)))
    }
    return links
  }

  private static let maximumLength = 1 << 14
  private static let maximumLinks = 64

  /// Everything up to a comma that stands outside of quotes.
  private static func takeParameters(from rest: inout ArraySlice<UInt8>) -> [String: String] {
    var parameters: [String: String] = [:]
    while let byte = rest.first, byte != UInt8(ascii: ",") {
      guard !isSeparator(byte) else {
        rest = rest.dropFirst()
        continue
      }
      let name = take(from: &rest) { !isSeparator($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ",") }
      skipSpaces(&rest)
      var value = ""
      if rest.first == UInt8(ascii: "=") {
        rest = rest.dropFirst()
        skipSpaces(&rest)
        value = takeValue(from: &rest)
      }
      let key = name.lowercased()
      if parameters[key] == nil { parameters[key] = value }
    }
    return parameters
  }

  private static func takeValue(from rest: inout ArraySlice<UInt8>) -> String {
    guard rest.first == UInt8(ascii: "\"") else {
      return take(from: &rest) { !isSeparator($0) && $0 != UInt8(ascii: ",") }
    }
    rest = rest.dropFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\"), let next = rest.popFirst() { value.append(next) } else { value.append(byte) }
    }
    return String(decoding: value, as: UTF8.self)
  }

  private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || isSpace(byte) }
  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
  private static func skipSpaces(_ rest: inout ArraySlice<UInt8>) { rest = rest.drop(while: isSpace) }

  private static func take(from rest: inout ArraySlice<UInt8>, while condition: (UInt8) -> Bool) -> String {
    let part = rest.prefix(while: condition)
    rest = rest[part.endIndex...]
    return String(decoding: part, as: UTF8.self)
  }
}

extension ICEServerInfo {
  /// STUN and TURN servers that links name (RFC 9725 §4.6): one server a link.
  static func list(_ links: [WebLink]) -> [ICEServerInfo] {
    links.compactMap { link in
      let schemes = ["stun:", "stuns:", "turn:", "turns:"]
      guard link.relations.contains("ice-server"), link.target.utf8.count <= 512,
        schemes.contains(where: { link.target.lowercased().hasPrefix($0) }),
        (link.parameters["credential-type"] ?? "password").lowercased() == "password"
      else { return nil }
      return ICEServerInfo(
        urls: [link.target], username: link.parameters["username"] ?? "",
        credential: link.parameters["credential"] ?? "")
    }
  }
}
