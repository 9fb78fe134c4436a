import RTCCore
import Synchronization
import Testing

@testable import Media

/// A playback on a clock and an executor that stand until told, and what it reported.
private final class Rig: Sendable {
  let clock = VirtualClock()
  let executor = ManualExecutor()
  let playback: VideoPlayback
  let log = Log()

  final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }; return lines
      }
    }
  }

  init(capacity: Int = 4) {
    var events = PlaybackEvents()
    let log = log
    let clock = clock
    events.onFirstFrame = { log.add("first \($0)x\($1)") }
    events.onSizeChange = { log.add("size \($0)x\($1)") }
    events.onNeedsKeyFrame = { log.add("needs key") }
    playback = VideoPlayback(executor: executor, capacity: capacity, events: events, clock: { clock.now })
  }
}

@Suite struct VideoPlaybackTests {
  @Test func theNewestPictureIsTakenOnce() throws {
    let rig = Rig()
    rig.playback.setTarget(width: 40, height: 22)
    for frame in try encodedFrames(3) { rig.playback.push(frame) }
    #expect(rig.playback.takeNewest() == nil)
    rig.executor.runAll()
    let picture = try #require(rig.playback.takeNewest())
    #expect(picture.sequence == 3 && picture.timestamp == RTPTimestamp(6000))
    #expect(picture.picture.width == 40 && picture.picture.height == 22 && picture.sourceWidth == 160)
    #expect(rig.playback.takeNewest() == nil)
    #expect(rig.playback.newest == picture)
    #expect(rig.log.take() == ["first 160x90", "size 160x90"])
  }

  @Test func theNewestPictureIsHandedOutAtItsFullSizeToWhoAsks() throws {
    let rig = Rig()
    let answers = Mutex<[String]>([])
    let ask = {
      rig.playback.withNewestPicture { picture in
        answers.withLock { $0.append(picture.map { "\($0.width)x\($0.height)" } ?? "none") }
      }
      rig.executor.runAll()
    }
    ask()
    rig.playback.setTarget(width: 8, height: 6)
    for frame in try encodedFrames(2) { rig.playback.push(frame) }
    rig.executor.runAll()
    ask()
    rig.playback.reset()
    ask()
    #expect(answers.withLock { $0 } == ["none", "160x90", "none"])
    #expect(rig.playback.statistics.framesDecoded == 2)
  }

  @Test func withoutATargetFramesAreDecodedAndNotDrawn() throws {
    let rig = Rig()
    for frame in try encodedFrames(3) { rig.playback.push(frame) }
    rig.executor.runAll()
    #expect(rig.playback.newest == nil)
    #expect(rig.playback.statistics.framesDecoded == 3)
    #expect(rig.playback.statistics.keyFramesDecoded == 1)
  }

  @Test func aNewTargetRedrawsTheLastPicture() throws {
    let rig = Rig()
    for frame in try encodedFrames(1) { rig.playback.push(frame) }
    rig.executor.runAll()
    rig.playback.setTarget(width: 40, height: 22)
    rig.executor.runAll()
    #expect(rig.playback.takeNewest()?.picture.width == 40)
    rig.playback.setTarget(width: 40, height: 22)
    rig.executor.runAll()
    #expect(rig.playback.takeNewest() == nil)
    rig.playback.setTarget(width: 64, height: 36)
    rig.executor.runAll()
    #expect(rig.playback.takeNewest()?.picture.width == 64)
  }

  @Test func aFullQueueDropsUpToTheNextKeyFrame() throws {
    let rig = Rig(capacity: 4)
    let frames = try encodedFrames(9, keyFramesAt: [0, 7])
    for frame in frames[..<7] { rig.playback.push(frame) }
    #expect(rig.playback.needsKeyFrame)
    #expect(rig.log.take() == ["needs key"])
    #expect(rig.playback.statistics.drops[.queueFull] == 1)
    #expect(rig.playback.statistics.drops[.awaitingKeyFrame] == 2)
    rig.playback.push(frames[7])
    #expect(!rig.playback.needsKeyFrame)
    #expect(rig.playback.statistics.drops[.superseded] == 4)
    rig.playback.push(frames[8])
    rig.executor.runAll()
    #expect(rig.playback.statistics.framesDecoded == 2)
    #expect(rig.playback.statistics.drops[.undecodable] == 0)
  }

  @Test func aKeyFrameInTheQueueMakesRoom() throws {
    let rig = Rig(capacity: 4)
    for frame in try encodedFrames(5, keyFramesAt: [0, 2]) { rig.playback.push(frame) }
    #expect(rig.playback.statistics.drops[.superseded] == 2)
    #expect(!rig.playback.needsKeyFrame)
    rig.executor.runAll()
    #expect(rig.playback.statistics.framesDecoded == 3)
  }

  @Test func aKeyFrameIsAskedForAgainAfterHalfASecond() throws {
    let rig = Rig()
    let frames = try encodedFrames(30)
    for frame in frames[1...] {
      rig.playback.push(frame)
      rig.clock.advance(by: .milliseconds(33))
    }
    #expect(rig.log.take() == ["needs key", "needs key"])
    #expect(rig.playback.statistics.drops[.awaitingKeyFrame] == 29)
  }

  @Test func damageLeadsToOneAskAndToRecovery() throws {
    let rig = Rig(capacity: 10)
    var frames = try encodedFrames(8, keyFramesAt: [0, 6])
    frames[2].payload = []
    for frame in frames[..<5] { rig.playback.push(frame) }
    rig.executor.runAll()
    #expect(rig.playback.statistics.framesDecoded == 2)
    #expect(rig.playback.statistics.drops[.undecodable] == 1)
    #expect(rig.playback.statistics.drops[.awaitingKeyFrame] == 2)
    #expect(rig.log.take() == ["first 160x90", "size 160x90", "needs key"])
    for frame in frames[5...] { rig.playback.push(frame) }
    rig.executor.runAll()
    #expect(rig.playback.statistics.framesDecoded == 4)
  }

  @Test func aChangeOfSizeIsTold() throws {
    let rig = Rig(capacity: 10)
    for frame in try encodedFrames(2) + encodedFrames(2, width: 320, height: 180) { rig.playback.push(frame) }
    rig.executor.runAll()
    #expect(rig.log.take() == ["first 160x90", "size 160x90", "size 320x180"])
    #expect(rig.playback.statistics.width == 320)
  }

  @Test func rateAndFreezesAreCounted() throws {
    let rig = Rig()
    let frames = try encodedFrames(60)
    func play(_ range: Range<Int>) {
      for frame in frames[range] {
        rig.playback.push(frame)
        rig.executor.runAll()
        rig.clock.advance(by: .milliseconds(40))
      }
    }
    play(0..<30)
    #expect(rig.playback.statistics.framesPerSecond == 24)
    #expect(rig.playback.statistics.freezes == 0)
    rig.clock.advance(by: .milliseconds(140))
    play(30..<31)
    // 180 ms is more than 3 x 40 and less than 40 + 150.
    #expect(rig.playback.statistics.freezes == 0)
    rig.clock.advance(by: .milliseconds(360))
    play(31..<40)
    #expect(rig.playback.statistics.freezes == 1)
    #expect(abs(rig.playback.statistics.freezeMilliseconds - 400) < 0.1)
    rig.playback.interrupt()
    rig.clock.advance(by: .seconds(2))
    play(40..<50)
    #expect(rig.playback.statistics.freezes == 1)
    rig.clock.advance(by: .seconds(6))
    #expect(rig.playback.statistics.framesPerSecond == 0)
    play(50..<51)
    #expect(rig.playback.statistics.freezes == 1 && rig.playback.statistics.pauses == 1)
  }

  @Test func aResetForgetsTheLastPersonsPicture() throws {
    let rig = Rig()
    rig.playback.setTarget(width: 40, height: 22)
    let frames = try encodedFrames(3)
    rig.playback.push(frames[0])
    rig.executor.runAll()
    rig.playback.push(frames[1])
    rig.playback.reset()
    rig.executor.runAll()
    #expect(rig.playback.newest == nil && rig.playback.needsKeyFrame)
    rig.playback.setTarget(width: 20, height: 10)
    rig.executor.runAll()
    #expect(rig.playback.newest == nil)
    rig.playback.push(frames[0])
    rig.executor.runAll()
    #expect(rig.playback.newest?.picture.width == 20)
    rig.playback.close()
    rig.playback.push(frames[1])
    #expect(rig.playback.statistics.drops[.trackDisabled] == 1)
  }

  @Test func severalPlaybacksShareTheThreadsAndKeepTheirOrder() async throws {
    let workers = DecodeWorkers(threads: 2)
    let frames = try encodedFrames(30)
    final class Seen: Sendable { let timestamps = Mutex<[[UInt32]]>(Array(repeating: [], count: 4)) }
    let seen = Seen()
    let playbacks = (0..<4).map { index in
      var events = PlaybackEvents()
      events.onDecoded = { info in seen.timestamps.withLock { $0[index].append(info.timestamp.raw) } }
      return VideoPlayback(executor: workers, capacity: 40, events: events, clock: { .zero })
    }
    for frame in frames { for playback in playbacks { playback.push(frame) } }
    let deadline = ContinuousClock.now + .seconds(10)
    while seen.timestamps.withLock({ $0.contains { $0.count < 30 } }), ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(2))
    }
    let expected = frames.map(\.timestamp.raw)
    #expect(seen.timestamps.withLock { $0 } == Array(repeating: expected, count: 4))
  }
}
