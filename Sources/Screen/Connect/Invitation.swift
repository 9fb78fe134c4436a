import Conference

/// An address and a token, found in whatever form somebody got them: a link with the token in its query, two lines, a
/// JSON object, variables of a shell, a command.
public struct Invitation: Equatable, Sendable {
  /// Without any token in it.
  public var address: String?
  public var token: String?
  /// The text is nothing else, so that neither can be meant as part of something longer.
  public private(set) var isWhole: Bool

  private static let schemes = ["ws", "wss", "livekit", "livekits", "http", "https"] + openSchemes
  /// Of systems that let in who has no token.
  private static let openSchemes = ["janus", "januss", "whep", "wheps", "millicast"]
  /// Parameters of a link whose values let whoever has them in.
  private static let secretNames: Set<String> = ["access_token", "token", "jwt"]
  /// Characters looked at; the rest is left out.
  static let limit = 16_384

  public init(_ text: String) {
    let separators: Set<Character> = ["\"", "'", "`", ",", ";", "<", ">", "(", ")", "{", "}", "[", "]"]
    // JSON may write a slash with a backslash before it.
    let plain = Self.replacing("\\/", by: "/", in: text.prefix(Self.limit))
    let words = plain.split { character in
      separators.contains(character) || character.isWhitespace
        || character.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
    isWhole = words.count == 1
    for word in words {
      if let link = Self.link(in: word) {
        if let found = link.token { token = token ?? found }
        address = address ?? link.address
      } else if let found = Self.token(in: word) {
        token = token ?? found
      }
    }
  }

  /// Whether rooms at this address are joined without a token.
  static func needsNoToken(_ address: String) -> Bool {
    let start = address.drop(while: \.isWhitespace).lowercased()
    return openSchemes.contains { start.hasPrefix($0 + "://") }
  }

  /// The bytes of one argument of a command that nobody else may see: secrets of links, and whatever looks like a token.
  public static func secrets(in argument: [UInt8]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var start = 0
    while start < argument.count {
      let end = argument[start...].firstIndex { "?&#;".utf8.contains($0) } ?? argument.count
      if let equals = argument[start..<end].firstIndex(of: UInt8(ascii: "=")),
        secretNames.contains(String(decoding: argument[start..<equals], as: UTF8.self).lowercased())
      {
        found.append((equals + 1)..<end)
      } else {
        let characters = argument[start..<end].map { Character(Unicode.Scalar($0)) }
        found += TokenTrace.ranges(in: characters).map { (start + $0.lowerBound)..<(start + $0.upperBound) }
      }
      start = end + 1
    }
    return found
  }

  /// Three parts with dots between, as access tokens are (RFC 7519 §3), the first of which begins an object.
  static func looksLikeToken(_ text: some StringProtocol) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3 && text.hasPrefix("ey") && text.utf8.count >= 20
      && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(TokenTrace.isTokenByte) }
  }

  /// The token at the end of `name=value` or alone.
  private static func token(in word: Substring) -> String? {
    let value = word.split(whereSeparator: { $0 == "=" || $0 == ":" }).last ?? word
    return looksLikeToken(value) ? String(value) : nil
  }

  /// The link at the end of a word, without what its query says of a token.
  private static func link(in word: Substring) -> (address: String, token: String?)? {
    guard let mark = word.firstRange(of: "://") else { return nil }
    let scheme = word[..<mark.lowerBound].reversed().prefix { $0.isASCII && $0.isLetter }
    guard schemes.contains(String(scheme.reversed()).lowercased()), mark.upperBound < word.endIndex else { return nil }
    let link = word[word.index(mark.lowerBound, offsetBy: -scheme.count)...]
    guard let question = link.firstIndex(of: "?") else { return (String(link), nil) }
    var found: (address: String?, token: String?) = (nil, nil)
    var kept: [Substring] = []
    for item in link[link.index(after: question)...].split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count == 2 ? percentDecoded(parts[1]) : ""
      if secretNames.contains(parts[0].lowercased()) || looksLikeToken(value) {
        found.token = found.token ?? value
      } else if ["ws://", "wss://"].contains(where: { value.hasPrefix($0) }) {
        // A page that shows a room has the room's server in its query.
        found.address = found.address ?? value
      } else {
        kept.append(item)
      }
    }
    let address = link[..<question] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    return (found.address ?? String(address), found.token)
  }

  private static func percentDecoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = hexadecimal(rest.prefix(2)) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt8? {
    digits.count == 2 ? UInt8(String(decoding: digits, as: UTF8.self), radix: 16) : nil
  }

  private static func replacing(_ old: String, by new: String, in text: Substring) -> String {
    text.split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }
}
