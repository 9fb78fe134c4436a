import Conference
import Foundation
import RTCCore
import Signalling
import Transport

extension RoomConnection {
  /// Joins a room and returns when it has let us in; media starts to flow right after.
  ///
  /// - Parameters:
  ///   - url: `ws://`, `wss://`, `livekit://` or `livekits://` address of a LiveKit server, with a path prefix if it has
  ///     one.
  ///   - token: an access token for the room.
  ///   - room: the room that is expected; a token for another one is refused before the server is asked.
  /// - Throws: ``ConferenceError`` with a code for each way in which this fails; soon after the task was cancelled, too.
  public static func join(
    url: String, token: String, room: String? = nil, options: JoinOptions = JoinOptions()
  ) async throws(ConferenceError) -> RoomConnection {
    let startedAt = NetworkActor.now
    let connection = try await joinLiveKit(url: url, token: token, room: room, options: options, startedAt: startedAt)
    try await connection.waitForJoin()
    return connection
  }
}
