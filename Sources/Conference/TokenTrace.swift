/// Runs of characters that may be a token, wherever they stand: never shown, never kept.
public enum TokenTrace {
  /// `eyJ`, as the first part of every access token begins, and so many characters of base64url in all.
  private static let shortest = 12

  /// The indices of characters that belong to one.
  public static func ranges(in characters: [Character]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var index = 0
    while index < characters.count {
      let run = characters[index...].prefix { character in
        guard let byte = character.asciiValue else { return false }
        return isTokenByte(byte) || character == "."
      }
      if let start = run.indices.first(where: { String(run[$0...].prefix(3)) == "eyJ" }),
        run.endIndex - start >= shortest
      {
        found.append(start..<run.endIndex)
      }
      index = max(run.endIndex, index + 1)
    }
    return found
  }

  public static func isIn(_ text: String) -> Bool { !ranges(in: Array(text)).isEmpty }

  /// The text with dots instead of everything that may be a token.
  public static func masked(_ text: String) -> String {
    var characters = Array(text)
    for range in ranges(in: characters).reversed() { characters.replaceSubrange(range, with: "•••") }
    return String(characters)
  }

  /// Letters and digits of base64url.
  public static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
