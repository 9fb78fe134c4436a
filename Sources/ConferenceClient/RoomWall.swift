import Conference
import Foundation
import Media
import RTCCore
import Synchronization
import Transport

/// Rooms side by side, on whatever systems: each is joined, followed and, where there are several, joined again by itself,
/// whatever happens to the others.
///
/// Identities and tracks are keyed by their room (`RoomKey`), here and in everything that the wall is asked. Call
/// ``leave()`` in the end.
@NetworkActor
public final class RoomWall {
  /// Everything that happens, in order; ends after ``WallEvent/ended(_:)``. For one reader.
  public nonisolated let events: AsyncStream<WallEvent>
  /// The sound of everybody.
  public nonisolated let mixer: AudioMixer
  /// How many rooms there are.
  public nonisolated let count: Int

  private nonisolated let continuation: AsyncStream<WallEvent>.Continuation
  private nonisolated let connections: Connections
  private var wall: Wall
  private var told: RoomSnapshot
  private var heard: RoomKey?
  private var failures: [RoomKey: ConferenceError] = [:]
  private var open: Set<RoomKey>
  private var tasks: [Task<Void, Never>] = []
  private var hasEnded = false
  /// Those that we have left, which may still be telling so.
  private var leaving: [RoomConnection] = []

  /// The rooms that are joined now, for whoever takes pictures on other threads.
  private final class Connections: Sendable {
    private struct State {
      var rooms: [RoomKey: RoomConnection] = [:]
      var handler: (@Sendable () -> Void)?
    }
    private let state = Mutex(State())

    subscript(room: RoomKey) -> RoomConnection? { state.withLock { $0.rooms[room] } }
    var all: [(key: RoomKey, room: RoomConnection)] {
      state.withLock { $0.rooms.map { ($0.key, $0.value) } }.sorted { $0.key < $1.key }
    }

    func put(_ room: RoomConnection?, at key: RoomKey) {
      let handler = state.withLock { state in
        state.rooms[key] = room
        return state.handler
      }
      room?.onPicture(handler)
    }

    func onPicture(_ handler: (@Sendable () -> Void)?) {
      let rooms = state.withLock { state in
        state.handler = handler
        return Array(state.rooms.values)
      }
      for room in rooms { room.onPicture(handler) }
    }
  }

  /// A wall of one room that we are in already. It ends with the room.
  public init(_ room: RoomConnection) {
    (events, continuation) = AsyncStream.makeStream()
    mixer = room.mixer
    count = 1
    connections = Connections()
    let snapshot = room.snapshot
    wall = Wall(rooms: [snapshot.name])
    told = RoomSnapshot(system: snapshot.system)
    open = [.only]
    connections.put(room, at: .only)
    tasks = [
      Task {
        for await event in room.events { handle(event, of: .only) }
        close(.only, room.endFailure, reason: room.endReason)
      }
    ]
  }

  /// A wall of several rooms, which are joined now, all at once. One that is lost is joined again, as long as that may help.
  public init(_ invitations: [RoomInvitation]) {
    (events, continuation) = AsyncStream.makeStream()
    mixer = AudioMixer()
    count = invitations.count
    connections = Connections()
    wall = Wall(rooms: invitations.map(\.name))
    told = wall.snapshot
    open = Set(invitations.indices.map(RoomKey.init))
    heard = invitations.count > 1 ? .only : nil
    continuation.yield(.changed(told, []))
    tasks = invitations.enumerated().map { index, invitation in
      Task { await keep(RoomKey(index), invitation) }
    }
    if invitations.isEmpty { end(.requested) }
  }

  // MARK: For the program

  /// What is on the wall now.
  public var snapshot: RoomSnapshot { wall.snapshot }

  /// The pictures of a video track, once it is subscribed.
  public nonisolated func video(_ track: TrackID) -> VideoPlayback? {
    connections[track.room]?.video(TrackID(track.raw))
  }

  /// As ``RoomConnection/onPicture(_:)``, for all rooms.
  public nonisolated func onPicture(_ handler: (@Sendable () -> Void)?) { connections.onPicture(handler) }

  /// Asks for a layer of a video track.
  public func requestLayer(_ request: LayerRequest, of track: TrackID) {
    connections[track.room]?.perform(.requestLayer(TrackID(track.raw), request))
  }

  /// How loud somebody is heard, 0…100; kept for tracks that come later.
  public func setVolume(_ percent: Int, of identity: ParticipantIdentity) {
    connections[identity.room]?.setVolume(percent, of: ParticipantIdentity(identity.raw))
  }

  /// Whether somebody is heard; kept for tracks that come later.
  public func setMuted(_ muted: Bool, of identity: ParticipantIdentity) {
    connections[identity.room]?.setMuted(muted, of: ParticipantIdentity(identity.raw))
  }

  /// Which room is heard; nil for all. At first the first one.
  public func hear(_ room: RoomKey?) {
    heard = room
    for (key, connection) in connections.all { connection.setHeard(room == nil || room == key) }
  }

  /// What is measured now about every subscribed track.
  public func statistics() -> [TrackStatistics] {
    connections.all.flatMap { key, room in
      room.statistics().map { statistics in
        var keyed = statistics
        keyed.participant = ParticipantIdentity(statistics.participant.raw, room: key)
        keyed.track = TrackID(statistics.track.raw, room: key)
        return keyed
      }
    }
  }

  /// Packets that belonged to no track, by reason.
  public var unclaimedDrops: DropCounters {
    var drops = DropCounters()
    for (_, room) in connections.all { drops.merge(room.unclaimedDrops) }
    return drops
  }

  /// Why it ended, when it did not end by ``leave()``: of several rooms, why the first of them did.
  public var endFailure: ConferenceError? { failures.min { $0.key < $1.key }?.value }

  /// Leaves every room. ``events`` ends.
  public func leave() {
    guard !hasEnded else { return }
    for task in tasks { task.cancel() }
    leaving = connections.all.map(\.room)
    for room in leaving { room.leave() }
    end(.requested)
  }

  /// Waits until the servers have been told that we left, as ``RoomConnection/flush()``.
  public func flush() async {
    for room in leaving { await room.flush() }
  }

  // MARK: Rooms

  /// Pauses before a lost room is joined again.
  private static let backoff = Backoff(from: .seconds(1), upTo: .seconds(30))

  /// Joins a room again and again, until it is over for good.
  private func keep(_ key: RoomKey, _ invitation: RoomInvitation) async {
    var failures = 0
    while !hasEnded {
      let failure: ConferenceError?
      var reason = LeaveReason.unknown
      do throws(ConferenceError) {
        let room = try await invitation.join(mixer)
        guard !hasEnded else { return room.leave() }
        enter(room, at: key)
        for await event in room.events { handle(event, of: key) }
        (failure, reason) = (room.endFailure, room.endReason)
        failures = 0
      } catch { failure = error }
      guard !hasEnded else { return }
      guard let failure, count > 1, failure.mayPass(after: reason) else {
        return close(key, failure, reason: reason)
      }
      lose(key, failure)
      do { try await Task.sleep(for: Self.backoff.pause(after: failures)) } catch { return }
      failures += 1
    }
  }

  private func enter(_ room: RoomConnection, at key: RoomKey) {
    room.setHeard(heard == nil || heard == key)
    connections.put(room, at: key)
  }

  private func handle(_ event: RoomEvent, of key: RoomKey) {
    guard !hasEnded else { return }
    switch event {
    case .changed(let snapshot, _):
      guard snapshot.connection != .left else { return }
      wall.update(key, snapshot)
      tell()
    case .left: break
    case .firstFrame, .layerChanged, .subscriptionFailed, .published, .publishFailed:
      continuation.yield(.room(key, event.keyed(by: key)))
    }
  }

  private func tell() {
    let snapshot = wall.snapshot
    let changes = snapshot.changes(since: told)
    guard snapshot != told else { return }
    told = snapshot
    continuation.yield(.changed(snapshot, changes))
  }

  /// A room is lost, and is to be joined again.
  private func lose(_ key: RoomKey, _ failure: ConferenceError) {
    connections.put(nil, at: key)
    let wasJoined = told.sections.first { $0.id == key }.map { $0.connection != .joining } ?? false
    wall.close(key, wasJoined ? .reconnecting : .joining, problem: failure.message)
    tell()
    continuation.yield(.failed(key, failure, isFinal: false))
  }

  /// A room is over.
  private func close(_ key: RoomKey, _ failure: ConferenceError?, reason: LeaveReason) {
    guard !hasEnded else { return }
    connections.put(nil, at: key)
    open.remove(key)
    wall.close(key, .left, problem: failure?.message)
    tell()
    if let failure {
      failures[key] = failure
      continuation.yield(.failed(key, failure, isFinal: true))
    }
    if open.isEmpty { end(reason) }
  }

  private func end(_ reason: LeaveReason) {
    guard !hasEnded else { return }
    hasEnded = true
    continuation.yield(.ended(reason))
    continuation.finish()
  }
}
