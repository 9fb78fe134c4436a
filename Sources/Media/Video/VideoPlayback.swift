import RTCCore
import Synchronization

/// A picture scaled for its place on the screen.
public struct DrawnPicture: Equatable, Sendable {
  /// Grows by one with each picture of a playback.
  public var sequence: Int
  public var picture: RGBPicture
  /// Size before scaling.
  public var sourceWidth: Int
  public var sourceHeight: Int
  public var timestamp: RTPTimestamp
  /// What the sender wrote into the picture, if it did.
  public var stamp: FrameStamp?
  /// When the frame's first and last packet arrived.
  public var startedAt: MonotonicTime
  public var completedAt: MonotonicTime
  public var decodedAt: MonotonicTime
}

/// One frame that was decoded.
public struct DecodedFrameInfo: Equatable, Sendable {
  public var width: Int
  public var height: Int
  public var isKeyFrame: Bool
  public var timestamp: RTPTimestamp
  public var stamp: FrameStamp?
  public var startedAt: MonotonicTime
  public var completedAt: MonotonicTime
  public var decodedAt: MonotonicTime
}

/// What a ``VideoPlayback`` tells while it runs. Called on a decode thread or on the one that pushes, never under a
/// lock; they should return at once.
public struct PlaybackEvents: Sendable {
  public var onFirstFrame: @Sendable (_ width: Int, _ height: Int) -> Void = { _, _ in }
  /// Also for the first frame.
  public var onSizeChange: @Sendable (_ width: Int, _ height: Int) -> Void = { _, _ in }
  public var onDecoded: @Sendable (DecodedFrameInfo) -> Void = { _ in }
  /// Nothing can be shown until a key frame comes; repeated at most every 500 ms while that is so.
  public var onNeedsKeyFrame: @Sendable () -> Void = {}
  /// A new picture lies in the mailbox.
  public var onPicture: @Sendable () -> Void = {}

  public init() {}
}

/// Decodes one track's frames and keeps the newest picture, scaled to where it is shown.
///
/// Frames go in on the network thread, pictures come out on the screen's; both hold a lock only for a moment. Decoding
/// runs one frame at a time on the executor, so several playbacks take turns.
public final class VideoPlayback: Sendable {
  /// Where pictures go.
  public struct Target: Equatable, Sendable {
    /// Pixels; 0 in either direction decodes without drawing.
    public var width = 0
    public var height = 0
    public var mode = ScalingMode.stretch
    public var mirrored = false
    /// Width of a target pixel divided by its height.
    public var pixelAspect = 1.0

    public init(
      width: Int = 0, height: Int = 0, mode: ScalingMode = .stretch, mirrored: Bool = false, pixelAspect: Double = 1
    ) {
      self.width = width
      self.height = height
      self.mode = mode
      self.mirrored = mirrored
      self.pixelAspect = pixelAspect
    }

    var isVisible: Bool {
      I420Layout.sides.contains(width) && I420Layout.sides.contains(height) && pixelAspect > 0
    }
  }

  private struct State {
    var queue: [EncodedFrame] = []
    /// A job is scheduled or running; only that job decodes.
    var isBusy = false
    var isClosed = false
    var needsKeyFrame = true
    var keyFrameAskedAt: MonotonicTime?
    /// Grows at reset, so that a picture still being decoded then is thrown away.
    var generation = 0
    var target = Target()
    var targetChanged = false
    var sequence = 0
    var mailbox: DrawnPicture?
    var isMailboxNew = false
    var hasDecoded = false
    var timing = FrameTiming()
    var statistics = PlaybackStatistics()
    /// Who asked for the newest picture and was not answered yet.
    var questions: [@Sendable (I420Buffer?) -> Void] = []
    var decodeTime = Duration.zero
    var scaleTime = Duration.zero
    var scaled = 0
  }

  /// What only the running job touches.
  private struct Workshop {
    var decoder: VP8Decoder?
    var generation = 0
    var newest: (picture: I420Buffer, info: DecodedFrameInfo)?
    let scaler = PictureScaler()
  }

  private enum Work {
    case decode(EncodedFrame, generation: Int, Target)
    case redraw(generation: Int, Target)
    case answer([@Sendable (I420Buffer?) -> Void], generation: Int)
  }

  private static let keyFrameInterval = Duration.milliseconds(500)

  private let capacity: Int
  private let executor: any DecodeExecutor
  private let clock: @Sendable () -> MonotonicTime
  private let events: PlaybackEvents
  private let state = Mutex(State())
  private let workshop = Mutex(Workshop())

  /// - Parameters:
  ///   - executor: where pictures are decoded.
  ///   - capacity: frames that may wait, at least 1. More ride out longer hiccups of the machine, and let the
  ///     picture fall that much further behind; 12 is 400 ms at 30 fps.
  ///   - events: whom to tell of what happens.
  ///   - clock: the same clock as the frames' times.
  public init(
    executor: any DecodeExecutor, capacity: Int = 12, events: PlaybackEvents = PlaybackEvents(),
    clock: @escaping @Sendable () -> MonotonicTime
  ) {
    self.executor = executor
    self.capacity = max(1, capacity)
    self.events = events
    self.clock = clock
  }

  /// Takes the next frame of the track, in decoding order.
  ///
  /// When the queue is full the frame is dropped as `DropReason.queueFull`, and so are all up to the next key frame;
  /// frames that a queued key frame overtakes are `DropReason.superseded`.
  public func push(_ frame: EncodedFrame) {
    let now = clock()
    let (schedule, ask) = state.withLock { state -> (Bool, Bool) in
      guard !state.isClosed else {
        state.statistics.drops.count(.trackDisabled)
        return (false, false)
      }
      if state.needsKeyFrame, !frame.isKeyFrame {
        state.statistics.drops.count(.awaitingKeyFrame)
        return (false, Self.shouldAsk(&state, now))
      }
      if state.queue.count >= capacity { Self.dropOvertaken(&state, by: frame) }
      guard state.queue.count < capacity else {
        state.statistics.drops.count(.queueFull)
        state.needsKeyFrame = true
        return (false, Self.shouldAsk(&state, now))
      }
      if frame.isKeyFrame {
        state.needsKeyFrame = false
        state.keyFrameAskedAt = nil
      }
      state.queue.append(frame)
      return (Self.becomeBusy(&state), false)
    }
    if ask { events.onNeedsKeyFrame() }
    if schedule { executor.schedule { [weak self] in self?.work() } }
  }

  /// Where to scale to from now on; the newest picture is drawn again at once if that changes it.
  public func setTarget(_ target: Target) {
    let schedule = state.withLock { state -> Bool in
      guard state.target != target else { return false }
      state.target = target
      state.targetChanged = target.isVisible
      return state.targetChanged && state.hasDecoded && Self.becomeBusy(&state)
    }
    if schedule { executor.schedule { [weak self] in self?.work() } }
  }

  /// As ``setTarget(_:)`` with the whole picture on the whole area.
  public func setTarget(width: Int, height: Int) { setTarget(Target(width: width, height: height)) }

  /// The picture in the mailbox, if it was not taken yet.
  public func takeNewest() -> DrawnPicture? {
    state.withLock { state in
      guard state.isMailboxNew else { return nil }
      state.isMailboxNew = false
      return state.mailbox
    }
  }

  /// The newest picture, taken or not.
  public var newest: DrawnPicture? { state.withLock { $0.mailbox } }

  /// Asks for the newest picture as it was decoded, at its full size. Answers once, on a decode thread: with nil if
  /// there is none, or none since ``reset()``. Costs nothing but the call: the decoder's own picture is handed on.
  public func withNewestPicture(_ answer: @escaping @Sendable (I420Buffer?) -> Void) {
    let schedule = state.withLock { state -> Bool in
      state.questions.append(answer)
      return Self.becomeBusy(&state)
    }
    if schedule { executor.schedule { [weak self] in self?.work() } }
  }

  /// Frames are being thrown away until a key frame comes.
  public var needsKeyFrame: Bool { state.withLock { $0.needsKeyFrame } }

  public var statistics: PlaybackStatistics {
    let now = clock()
    return state.withLock { state in
      var statistics = state.statistics
      statistics.freezes = state.timing.freezes
      statistics.freezeMilliseconds = state.timing.freezeMilliseconds
      statistics.pauses = state.timing.pauses
      statistics.framesPerSecond = state.timing.framesPerSecond(at: now)
      if statistics.framesDecoded > 0 {
        statistics.decodeMilliseconds = state.decodeTime.inMilliseconds / Double(statistics.framesDecoded)
      }
      if state.scaled > 0 { statistics.scaleMilliseconds = state.scaleTime.inMilliseconds / Double(state.scaled) }
      return statistics
    }
  }

  /// The track is muted or not asked for: the gap until its next frame is no freeze. The last picture stays.
  public func interrupt() { state.withLock { $0.timing.interrupt() } }

  /// Forgets queue, decoder and picture, as for another participant's stream; statistics go on.
  public func reset() {
    state.withLock { state in
      state.statistics.drops.count(.superseded, by: state.queue.count)
      state.queue = []
      state.generation += 1
      state.needsKeyFrame = true
      state.keyFrameAskedAt = nil
      state.mailbox = nil
      state.isMailboxNew = false
      state.hasDecoded = false
      state.timing.interrupt()
    }
  }

  /// As ``reset()``, and takes no frame any more.
  public func close() {
    reset()
    state.withLock { $0.isClosed = true }
  }

  // MARK: Under the lock

  private static func becomeBusy(_ state: inout State) -> Bool {
    if state.isBusy { return false }
    state.isBusy = true
    return true
  }

  private static func shouldAsk(_ state: inout State, _ now: MonotonicTime) -> Bool {
    if let asked = state.keyFrameAskedAt, now - asked < keyFrameInterval { return false }
    state.keyFrameAskedAt = now
    return true
  }

  /// Makes room by dropping what lies before the newest key frame, the incoming one included.
  private static func dropOvertaken(_ state: inout State, by frame: EncodedFrame) {
    let keep = frame.isKeyFrame ? state.queue.count : state.queue.lastIndex { $0.isKeyFrame } ?? 0
    state.queue.removeFirst(keep)
    state.statistics.drops.count(.superseded, by: keep)
  }

  private static func nextWork(_ state: inout State) -> Work? {
    if !state.questions.isEmpty {
      defer { state.questions = [] }
      return .answer(state.questions, generation: state.generation)
    }
    if !state.queue.isEmpty {
      let frame = state.queue.removeFirst()
      state.targetChanged = false
      return .decode(frame, generation: state.generation, state.target)
    }
    if state.targetChanged {
      state.targetChanged = false
      return .redraw(generation: state.generation, state.target)
    }
    state.isBusy = false
    return nil
  }

  // MARK: On the executor

  /// One frame, then back into the line, so that playbacks share the threads fairly.
  private func work() {
    guard let work = state.withLock({ Self.nextWork(&$0) }) else { return }
    workshop.withLock { workshop in
      switch work {
      case .decode(let frame, let generation, let target): decode(frame, generation, target, &workshop)
      case .redraw(let generation, let target): draw(generation, target, &workshop)
      case .answer(let questions, let generation):
        let picture = workshop.generation == generation ? workshop.newest?.picture : nil
        for answer in questions { answer(picture) }
      }
    }
    let goOn = state.withLock { state -> Bool in
      state.isBusy = !state.queue.isEmpty || state.targetChanged || !state.questions.isEmpty
      return state.isBusy
    }
    if goOn { executor.schedule { [weak self] in self?.work() } }
  }

  private func decode(_ frame: EncodedFrame, _ generation: Int, _ target: Target, _ workshop: inout Workshop) {
    if workshop.generation != generation {
      workshop.generation = generation
      workshop.decoder = nil
      workshop.newest = nil
    }
    let begun = clock()
    do {
      let decoder = try workshop.decoder ?? VP8Decoder()
      workshop.decoder = decoder
      guard let picture = try decoder.decode(frame) else { return }
      let now = clock()
      let info = DecodedFrameInfo(
        width: picture.width, height: picture.height, isKeyFrame: frame.isKeyFrame, timestamp: frame.timestamp,
        stamp: FrameStamp.read(from: picture), startedAt: frame.startedAt, completedAt: frame.completedAt,
        decodedAt: now)
      workshop.newest = (picture, info)
      guard report(info, generation, took: now - begun) else { return }
      draw(generation, target, &workshop)
    } catch {
      failed((error as? DecodeFailure)?.dropReason ?? .undecodable, generation)
    }
  }

  /// False when a reset has made the frame pointless.
  private func report(_ info: DecodedFrameInfo, _ generation: Int, took: Duration) -> Bool {
    let news = state.withLock { state -> (isFirst: Bool, isResized: Bool)? in
      guard state.generation == generation else { return nil }
      let isFirst = !state.hasDecoded
      let isResized =
        isFirst || state.statistics.width != info.width || state.statistics.height != info.height
      state.hasDecoded = true
      state.statistics.framesDecoded += 1
      if info.isKeyFrame { state.statistics.keyFramesDecoded += 1 }
      state.statistics.width = info.width
      state.statistics.height = info.height
      state.decodeTime += took
      state.timing.frame(at: info.decodedAt)
      return (isFirst, isResized)
    }
    guard let news else { return false }
    if news.isFirst { events.onFirstFrame(info.width, info.height) }
    if news.isResized { events.onSizeChange(info.width, info.height) }
    events.onDecoded(info)
    return true
  }

  private func failed(_ reason: DropReason, _ generation: Int) {
    let now = clock()
    let ask = state.withLock { state -> Bool in
      state.statistics.drops.count(reason)
      guard state.generation == generation else { return false }
      // A key frame already waiting will mend it; whatever lies before that is lost.
      let mendedAt = state.queue.firstIndex { $0.isKeyFrame }
      let lost = mendedAt ?? state.queue.count
      state.queue.removeFirst(lost)
      state.statistics.drops.count(.awaitingKeyFrame, by: lost)
      guard mendedAt == nil else { return false }
      state.needsKeyFrame = true
      return Self.shouldAsk(&state, now)
    }
    if ask { events.onNeedsKeyFrame() }
  }

  private func draw(_ generation: Int, _ target: Target, _ workshop: inout Workshop) {
    guard target.isVisible, workshop.generation == generation, let newest = workshop.newest else { return }
    let begun = clock()
    let picture = workshop.scaler.picture(
      of: newest.picture, width: target.width, height: target.height, mode: target.mode, mirrored: target.mirrored,
      pixelAspect: target.pixelAspect)
    let took = clock() - begun
    let isNew = state.withLock { state -> Bool in
      guard state.generation == generation else { return false }
      state.scaleTime += took
      state.scaled += 1
      state.sequence += 1
      state.mailbox = DrawnPicture(
        sequence: state.sequence, picture: picture, sourceWidth: newest.info.width,
        sourceHeight: newest.info.height, timestamp: newest.info.timestamp, stamp: newest.info.stamp,
        startedAt: newest.info.startedAt, completedAt: newest.info.completedAt, decodedAt: newest.info.decodedAt)
      state.isMailboxNew = true
      return true
    }
    if isNew { events.onPicture() }
  }
}
