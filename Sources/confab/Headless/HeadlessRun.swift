import Conference
import ConferenceClient
import Foundation
import Glibc
import Media
import RTCCore
import Synchronization
import Transport

/// Reports a joined room as JSON lines until time is up, somebody interrupts, or the room ends.
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
  func run(_ room: RoomConnection) async throws(ConferenceError) -> Int32 {
    let output = options.hasAudio ? startAudio(room) : nil
    let ending = await withTaskGroup(of: Ending?.self) { group in
      group.addTask { await follow(room) }
      group.addTask { await Interruption.next().map { .interrupted($0) } }
      group.addTask { await measure(room) }
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
    return try await finish(room, ending)
  }

  private func finish(_ room: RoomConnection, _ ending: Ending) async throws(ConferenceError) -> Int32 {
    let failure = await room.endFailure
    await room.leave()
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
      if let failure { report(failure) }
      write([("type", "left"), ("reason", .text(reason.rawValue))])
      if let failure { throw failure }
      return 0
    }
  }

  private func report(_ error: ConferenceError) { Self.report(error, since: startedAt) }

  /// Tells whoever reads the lines, also of a join that came to nothing.
  static func report(_ error: ConferenceError, since start: MonotonicTime) {
    let fields: [(String, JSON)] = [
      ("type", "error"), ("code", .text(error.code.rawValue)), ("message", .text(error.message)),
    ]
    _ = LineClock.write(fields, since: start)
  }

  // MARK: Running

  private func follow(_ room: RoomConnection) async -> Ending? {
    var reported: RoomSnapshot?
    for await event in room.events {
      var lines: [[(String, JSON)]] = []
      switch event {
      case .changed(let new, let changes):
        lines =
          reported == nil ? HeadlessLines.joined(new) : changes.compactMap { HeadlessLines.line(for: $0, in: new) }
        reported = new
        await request(of: new, room)
      case .firstFrame(let identity, let track, let width, let height, let sinceJoin):
        lines = [HeadlessLines.firstFrame(identity, track, width, height, sinceJoin)]
      case .layerChanged(let identity, let track, let layer, let width, let height):
        lines = [HeadlessLines.layerChanged(identity, track, layer, width, height)]
      case .published: break
      case .publishFailed(_, let message):
        lines = [[("type", "error"), ("code", "publish_failed"), ("message", .text(message))]]
      case .left(let reason): return .roomEnded(reason)
      }
      for fields in lines where !write(fields) { return .nobodyReads }
    }
    return nil
  }

  private func request(of snapshot: RoomSnapshot, _ room: RoomConnection) async {
    for participant in snapshot.participants where !participant.isLocal {
      for track in participant.tracks where track.kind == .video && track.isSubscribed {
        if requested.insert(track.id) { await room.perform(.requestLayer(track.id, options.layer)) }
      }
    }
  }

  private func measure(_ room: RoomConnection) async -> Ending? {
    let start = ContinuousClock.now
    var received = false
    while true {
      do { try await Task.sleep(for: .seconds(1)) } catch { return nil }
      let tracks = await room.statistics()
      received =
        received || tracks.contains { $0.framesDecoded > 0 || ($0.kind == .audio && $0.received.packetsReceived > 0) }
      if let limit = options.expectWithin, !received, ContinuousClock.now - start >= limit { return .nothingReceived }
      let unclaimed = await room.unclaimedDrops
      guard write(HeadlessLines.statistics(tracks, unclaimed: unclaimed)) else { return .nobodyReads }
    }
  }

  private func startAudio(_ room: RoomConnection) -> AudioOutput {
    AudioOutput(mixer: room.mixer, target: options.audio, clock: { NetworkActor.now }) { state in
      if case .silent(let reason) = state {
        StandardError.write("confab: no sound: \(reason) `confab doctor` lists the devices.\n")
      }
    }
  }

  @discardableResult
  private func write(_ fields: [(String, JSON)]) -> Bool { LineClock.write(fields, since: startedAt) }
}

/// Remembers which tracks were asked for already.
private final class RequestedTracks: Sendable {
  private let tracks = Mutex<Set<TrackID>>([])

  func insert(_ track: TrackID) -> Bool { tracks.withLock { $0.insert(track).inserted } }
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
