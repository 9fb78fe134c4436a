import Conference

/// A room that was joined before. Holds no secret: how to get in is not part of it.
public struct KnownRoom: Hashable, Sendable {
  /// Of the server.
  public let address: String
  /// Of the room; fit for a terminal.
  public let name: String
  /// Seconds since 1970, until the end of the year 9999; other times are brought into that.
  public let joinedAt: Int64

  /// Rooms that are remembered; older ones are forgotten.
  public static let limit = 12
  private static let addressLimit = 512
  private static let nameLimit = 64
  private static let times: ClosedRange<Int64> = 0...253_402_300_799

  /// nil when the address is none, or holds what may be a token and cannot be told apart from it.
  ///
  /// Password, fragment and query are cut off the address; of the query only the name of a room stays.
  public init?(address: String, name: String, joinedAt: Int64) {
    guard address.utf8.count <= Self.addressLimit * 8, let clean = Self.withoutSecrets(address),
      clean.count <= Self.addressLimit, !TokenTrace.isIn(clean), Self.isPrintable(clean)
    else { return nil }
    self.address = clean
    let shown = SanitizedText(name: String(name.prefix(Self.nameLimit)), fallback: "room").description
    self.name = TokenTrace.isIn(shown) ? "room" : shown
    self.joinedAt = min(max(joinedAt, Self.times.lowerBound), Self.times.upperBound)
  }

  /// Both stand for the same room.
  public func isSame(as other: KnownRoom) -> Bool { address == other.address && name == other.name }

  private static func isPrintable(_ text: String) -> Bool {
    SanitizedText(text).description == text && !text.contains(" ")
  }

  private static func withoutSecrets(_ address: String) -> String? {
    guard let mark = address.firstRange(of: "://"), mark.lowerBound > address.startIndex else { return nil }
    let rest = address[mark.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    guard !host.isEmpty else { return nil }
    let afterHost = rest[authority.endIndex...].prefix { $0 != "#" }
    let path = afterHost.prefix { $0 != "?" }
    let room = afterHost.dropFirst(path.count + 1).split(separator: "&").first { $0.hasPrefix("room=") }
    return String(address[..<mark.upperBound] + host + path) + (room.map { "?" + $0 } ?? "")
  }
}

extension [KnownRoom] {
  /// With a room that was just joined at the top, at most ``KnownRoom/limit`` of them.
  public func adding(_ room: KnownRoom) -> [KnownRoom] {
    Array(([room] + filter { !$0.isSame(as: room) }).prefix(KnownRoom.limit))
  }
}
