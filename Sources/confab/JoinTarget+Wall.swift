import Conference
import ConferenceClient
import Foundation
import Signalling

extension JoinTarget {
  /// One target for each URL of the command line. What follows a URL is about it, what precedes the first about all.
  static func all(_ flags: Options) throws -> [JoinTarget] {
    try flags.words.indices.map { index in
      let scoped = flags.scoped(to: index)
      do { return try JoinTarget(scoped, publishes: false) } catch let error as ConferenceError {
        // Which of them is meant would be anybody's guess.
        throw ConferenceError(
          error.code,
          "\(flags.words[index].visibleAddress): \(error.message) Flags belong to the URL that they follow.",
          cause: error)
      }
    }
  }

  /// The room for a wall of several.
  /// - Parameter joining: what else is wished of every room.
  func invitation(_ joining: @escaping @Sendable (JoinOptions) -> JoinOptions) -> RoomInvitation {
    let target = self
    return RoomInvitation(name: label) { (mixer) async throws(ConferenceError) in
      var options = joining(target.options)
      options.mixer = mixer
      return try await RoomConnection.join(
        url: target.url, token: target.token, room: target.room, options: options)
    }
  }

  /// What to call the room before it says so itself: by name, by the room of its token, by the end of its path, or by its
  /// host. A name that is right from the start stays, however fast the rooms of a wall are joined.
  private var label: String {
    if let room { return room }
    let isStream = options.system == .whep || RoomSystem(url: url) == .whep
    if !isStream, let token, let granted = try? LiveKit.AccessToken(parsing: token).claims.grant?.room,
      !granted.isEmpty
    {
      return granted
    }
    let components = URLComponents(string: url)
    if let room = components?.queryItems?.first(where: { $0.name == "room" })?.value, !room.isEmpty { return room }
    if let last = components?.path.split(separator: "/").last { return String(last) }
    return components?.host ?? url.visibleAddress
  }
}
