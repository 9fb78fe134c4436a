import Conference
import Media

/// A room that is to be shown, perhaps beside others.
public struct RoomInvitation: Sendable {
  /// How it is called until it says itself.
  public var name: String
  /// Joins it; its sound goes into the mixer.
  public var join: @Sendable (AudioMixer) async throws(ConferenceError) -> RoomConnection

  public init(
    name: String,
    join: @escaping @Sendable (AudioMixer) async throws(ConferenceError) -> RoomConnection
  ) {
    self.name = name
    self.join = join
  }
}

/// What a wall tells the program, in order.
public enum WallEvent: Sendable {
  /// Something of one room. Snapshots and changes are told by ``changed(_:_:)`` instead.
  case room(RoomKey, RoomEvent)
  /// What is on the wall changed; the differences to before, leavers first.
  case changed(RoomSnapshot, [RoomChange])
  /// A room could not be joined, or ended; `isFinal` when it is not tried again.
  case failed(RoomKey, ConferenceError, isFinal: Bool)
  /// Every room is over; nothing follows.
  case ended(LeaveReason)
}

extension RoomEvent {
  /// With identities and tracks keyed by their room.
  func keyed(by room: RoomKey) -> RoomEvent {
    func person(_ identity: ParticipantIdentity) -> ParticipantIdentity {
      ParticipantIdentity(identity.raw, room: room)
    }
    func track(_ id: TrackID) -> TrackID { TrackID(id.raw, room: room) }
    return switch self {
    case .firstFrame(let identity, let id, let width, let height, let sinceJoin):
      .firstFrame(person(identity), track(id), width: width, height: height, sinceJoin: sinceJoin)
    case .layerChanged(let identity, let id, let layer, let width, let height):
      .layerChanged(person(identity), track(id), layer, width: width, height: height)
    case .subscriptionFailed(let identity, let id, let message):
      .subscriptionFailed(person(identity), track(id), message: message)
    case .published(let localID, let id): .published(localID: localID, track(id))
    case .changed, .publishFailed, .left: self
    }
  }
}
