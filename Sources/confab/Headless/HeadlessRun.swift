import Conference
import ConferenceClient
import Foundation
import Glibc
import Media
import RTCCore
import Synchronization
import Transport

/// Reports a room, or a wall of several, as JSON lines until time is up, somebody interrupts, or all of it ends.
struct HeadlessRun: Sendable {
  struct Options: Sendable {
    /// Which layer to ask for of every video track.
    var layer: LayerRequest = .layer(.high)
    var audio = AudioOutput.Target.nowhere
    var hasAudio = true
    var seconds: Duration?
    /// Fail unless a picture or sound was received within this time.
    var expectWithin: Duration?
  }

  /// What ends a run.
  private enum Ending: Sendable {
    case timeUp
    case interrupted(Int32)
    case roomEnded(LeaveReason)
    case nothingReceived
    case nobodyReads
  }

  let options: Options
  /// Times in lines count from here.
  let startedAt: MonotonicTime
  private let requested = RequestedTracks()

  init(options: Options, startedAt: MonotonicTime) {
    self.options = options
    self.startedAt = startedAt
  }

  /// - Returns: the exit code.
  func run(_ wall: RoomWall) async throws(ConferenceError) -> Int32 {
    let output = options.hasAudio ? startAudio(wall) : nil
    let ending = await withTaskGroup(of: Ending?.self) { group in
      group.addTask { await follow(wall) }
      group.addTask { await Interruption.next().map { .interrupted($0) } }
      group.addTask { await measure(wall) }
      if let limit = options.seconds {
        group.addTask {
          do { try await Task.sleep(for: limit) } catch { return nil }
          return .timeUp
        }
      }
      var first: Ending?
      while first == nil, let next = await group.next() { first = next }
      group.cancelAll()
      return first ?? .timeUp
    }
    output?.stop()
    return try await finish(wall, ending)
  }

  private func finish(_ wall: RoomWall, _ ending: Ending) async throws(ConferenceError) -> Int32 {
    let failure = await wall.endFailure
    await wall.leave()
    await wall.flush()
    switch ending {
    case .timeUp:
      write([("type", "left"), ("reason", .text(LeaveReason.requested.rawValue))])
      return 0
    case .interrupted(let signal):
      write([("type", "left"), ("reason", .text(LeaveReason.requested.rawValue))])
      return signal == SIGINT ? 130 : 0
    case .nobodyReads: return 0
    case .nothingReceived:
      let error = ConferenceError(
        .nothingReceived, "Nothing was received within \(options.expectWithin ?? .zero) of joining.")
      report(error)
      write([("type", "left"), ("reason", .text(LeaveReason.requested.rawValue))])
      throw error
    case .roomEnded(let reason):
      // A wall has told already what became of each of its rooms.
      if let failure, wall.count == 1 { report(failure) }
      write([("type", "left"), ("reason", .text(reason.rawValue))])
      if let failure { throw failure }
      return 0
    }
  }

  private func report(_ error: ConferenceError) { Self.report(error, since: startedAt) }

  /// Tells whoever reads the lines, also of a join that came to nothing.
  static func report(_ error: ConferenceError, since start: MonotonicTime) {
    let fields: [(String, JSON)] = [
      ("type", "error"), ("code", .text(error.code.rawValue)), ("message", .text(TokenTrace.masked(error.message))),
    ]
    _ = LineClock.write(fields, since: start)
  }

  // MARK: Running

  private func follow(_ wall: RoomWall) async -> Ending? {
    var narration = HeadlessNarration()
    for await event in wall.events {
      let lines = narration.lines(for: event)
      for fields in lines where !write(fields) { return .nobodyReads }
      if case .changed(let new, _) = event { await request(of: new, wall) }
      if case .ended(let reason) = event { return .roomEnded(reason) }
    }
    return nil
  }

  private func request(of snapshot: RoomSnapshot, _ wall: RoomWall) async {
    let tracks = snapshot.participants.filter { !$0.isLocal }.flatMap(\.tracks)
      .filter { $0.kind == .video && $0.isSubscribed }.map(\.id)
    for track in requested.new(among: tracks) { await wall.requestLayer(options.layer, of: track) }
  }

  private func measure(_ wall: RoomWall) async -> Ending? {
    let start = ContinuousClock.now
    var received = false
    while true {
      do { try await Task.sleep(for: .seconds(1)) } catch { return nil }
      let tracks = await wall.statistics()
      received =
        received || tracks.contains { $0.framesDecoded > 0 || ($0.kind == .audio && $0.received.packetsReceived > 0) }
      if let limit = options.expectWithin, !received, ContinuousClock.now - start >= limit { return .nothingReceived }
      let (unclaimed, snapshot) = await (wall.unclaimedDrops, wall.snapshot)
      guard write(HeadlessLines.statistics(tracks, unclaimed: unclaimed, in: snapshot)) else { return .nobodyReads }
    }
  }

  private func startAudio(_ wall: RoomWall) -> AudioOutput {
    AudioOutput(mixer: wall.mixer, target: options.audio, clock: { NetworkActor.now }) { state in
      if case .silent(let reason) = state {
        StandardError.say("no sound: \(reason) `confab doctor` lists the devices.")
      }
    }
  }

  @discardableResult
  private func write(_ fields: [(String, JSON)]) -> Bool { LineClock.write(fields, since: startedAt) }
}

/// Remembers which of the tracks that there are were asked for already.
final class RequestedTracks: Sendable {
  private let tracks = Mutex<Set<TrackID>>([])

  /// Those of `present`, all that there are, which are to be asked for now. One that went and came back is among them.
  func new(among present: [TrackID]) -> [TrackID] {
    tracks.withLock { known in
      defer { known = Set(present) }
      return present.filter { !known.contains($0) }
    }
  }
}

/// Writes lines one at a time with their time, so that times never go back from line to line.
enum LineClock {
  private static let order = Mutex(())

  static func write(_ fields: [(String, JSON)], since start: MonotonicTime) -> Bool {
    order.withLock { _ in
      let time = (NetworkActor.now - start).inSeconds
      return StandardOutput.writeLine(JSON.object([fields[0], ("t", .decimal(time))] + fields.dropFirst()).text)
    }
  }
}
