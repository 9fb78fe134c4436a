internal import CLinux
internal import Glibc
public import RTCCore
public import Screen
internal import Synchronization

/// The terminal, from the moment it is taken until it is given back.
///
/// Everything happens on the thread that called ``run(_:waker:handler:)``: keys, signals, the frame clock and wake-ups
/// from other threads arrive as events in a loop there, and ``present(_:tag:shown:missed:thinned:isUrgent:)`` paints. Output never waits: while the
/// terminal has not taken a frame, newer ones replace each other, and nothing grows.
///
/// The terminal is given back on every way out: the loop's end, a signal, `exit()`, a crash on any thread.
public final class TerminalSession {
  public struct Configuration: Sendable {
    /// Ticks of the frame clock a second, 1…120.
    public var framesPerSecond = 30
    /// Ticks for pictures a second at most; nil for as many as come and make sense.
    public var picturesPerSecond: Int?
    /// Width of a cell divided by its height, one of ``TerminalSize/aspects``; nil finds out.
    public var cellAspect: Double?
    /// Difference of a colour channel that a moving video cell may keep, 0…255, on a link that carries everything; still
    /// cells become exact within a second. Raising it saves bytes: 4 about 40 %, 8 about 58 %, 12 about 66 % for a call.
    public var tolerance = 4
    /// Colours that were asked for; nothing in it finds out.
    public var colors = ColorWishes()
    /// The terminal may be asked what it can do. False goes by the environment and terminfo alone.
    public var asksTerminal = true
    /// Glyphs to draw pictures with; nil takes half blocks.
    public var glyphs: VideoGlyphs?
    /// Pictures in the terminal's own pixels instead of glyphs; the session throws where the terminal has not proved that
    /// it can show them.
    public var graphics: TerminalGraphics?
    /// Clicks and the wheel reach the program; selecting text then needs Shift in most terminals.
    public var usesMouse = true

    public init() {}
  }

  /// The window now.
  public internal(set) var size: TerminalSize
  /// Pictures are to be taken no sooner than this after those before; zero where nobody asked for fewer than come.
  public let leastPictureInterval: Duration
  /// The glyphs that pictures are drawn with, if they are not shown in the terminal's own pixels.
  public let glyphs: VideoGlyphs
  private let graphics: TerminalGraphics?
  /// Pixels of a picture that a cell shows: grids are to be made for them. They may change with the window's size.
  public var pixelsPerCell: PixelDensity { graphics?.pixelsPerCell(of: cell) ?? glyphs.pixelsPerCell }
  public let capabilities: TerminalCapabilities
  /// What was found out about the terminal, and why.
  public let findings: TerminalFindings
  /// The terminfo entry in use; its name differs from `TERM` when this machine does not know that one.
  public let terminfo: TerminalDescription
  public private(set) var statistics = TerminalStatistics()
  /// Called when the last byte of a frame has left, for measuring delay.
  public var onFrameWritten: ((FrameReceipt) -> Void)?
  /// How the way to the terminal copes.
  public var link: LinkState {
    LinkState(
      step: pacer.step, level: pacer.level, bytesPerSecond: pacer.bytesPerSecond,
      framesPerSecond: pacer.framesPerSecond(at: Self.now), lag: pacer.lag)
  }

  let device: TerminalDevice
  let log: LogCapture
  let input: TerminalInput
  /// When the terminal was asked what it can do.
  private let askedAt: MonotonicTime
  let chrome: ChromeScreen
  var painter: VideoPainter
  var pictures: PicturePainter?
  private var buffer = ByteBuffer(capacity: 1 << 16)
  var writer: FrameWriter
  var pacer: FramePacer
  /// The frame on its way out.
  var inFlight: (tag: UInt64, encodedAt: MonotonicTime, bytes: Int)?
  /// The newest frame that has to wait for it.
  var waiting: (grid: CellGrid, tag: UInt64)?
  /// What was painted last, to refine it and to paint it again.
  var latest: (grid: CellGrid, tag: UInt64)?
  /// The program was told to wait with its frame.
  var owesTick = false
  /// The next frame paints everything, which says nothing of what frames cost.
  var isWhole = true
  var presentedAt: MonotonicTime = .zero
  /// Video that nothing new replaced for so long is refined at the next ticks: longer than the pictures of a slow camera
  /// are apart, between which comparing everything once more would be for nothing.
  static let quiet = Duration.milliseconds(100)
  var isLost = false

  private static let isOpen = Atomic(false)

  /// Takes the terminal, runs `handler` for every event until it answers ``TerminalDecision/stop``, and
  /// gives the terminal back. The first event is ``TerminalEvent/resize(_:)``.
  ///
  /// Call it once per process at a time, from any thread; it changes the environment for a moment while it opens, so
  /// best before other threads read it. Throws when there is no terminal to take.
  ///
  /// - Returns: the end of what was printed on the terminal meanwhile, which was kept off the screen; fit to be printed.
  @discardableResult
  public static func run(
    _ configuration: Configuration = Configuration(), waker: TerminalWaker,
    handler: (TerminalSession, TerminalEvent) -> TerminalDecision
  ) throws(TerminalError) -> String {
    guard !isOpen.exchange(true, ordering: .acquiringAndReleasing) else { throw .alreadyOpen }
    defer { isOpen.store(false, ordering: .releasing) }
    let relay = try SignalRelay()
    let session = try TerminalSession(configuration)
    let clock: FrameClock
    do { clock = try FrameClock(framesPerSecond: configuration.framesPerSecond) } catch {
      session.close()
      throw error
    }
    TerminalLoop(
      session: session, relay: relay, clock: clock, waker: waker,
      pictureInterval: max(TerminalLoop.leastInterval, session.leastPictureInterval)
    ).run(handler)
    session.close()
    return LogCapture.printable(session.log.tail())
  }

  /// As ``run(_:waker:handler:)`` on a thread of its own named "terminal"; `makeHandler` is called there once, so that
  /// what the handler keeps never leaves that thread.
  public static func runOnOwnThread(
    _ configuration: Configuration = Configuration(), waker: TerminalWaker,
    makeHandler: @escaping @Sendable () -> (TerminalSession, TerminalEvent) -> TerminalDecision
  ) async throws(TerminalError) -> String {
    let result: Result<String, TerminalError> = await withCheckedContinuation { continuation in
      TerminalThread.start {
        let handler = makeHandler()
        do throws(TerminalError) {
          continuation.resume(returning: .success(try run(configuration, waker: waker, handler: handler)))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  /// Standard input and output are a terminal.
  public static var isInteractive: Bool { obstacle == nil }

  /// Which of standard input and output is no terminal, as a sentence without its end; nil when both are one.
  public static var obstacle: String? {
    switch (isatty(0) == 1, isatty(1) == 1) {
    case (true, true): nil
    case (false, true): "Standard input is not a terminal, from which keys are read"
    case (true, false): "Standard output is not a terminal to draw on"
    case (false, false): "Neither standard input nor standard output is a terminal"
    }
  }

  /// The clock of ``TerminalEvent/tick(_:)`` and ``FrameReceipt``: CLOCK_MONOTONIC.
  public static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  private init(_ configuration: Configuration) throws(TerminalError) {
    guard Self.isInteractive else { throw .notInteractive }
    let surroundings = TerminalSurroundings.current()
    terminfo = try TerminalDescription.load(term: surroundings.environment["TERM"] ?? "")
    device = try TerminalDevice(terminfo: terminfo, usesMouse: configuration.usesMouse)
    glyphs = configuration.glyphs ?? .half
    leastPictureInterval = configuration.picturesPerSecond.map { .seconds(1) / max(1, $0) } ?? .zero
    graphics = configuration.graphics
    log = try LogCapture()
    // ncurses sets the modes when it opens; should it fail they are put back like everything else.
    device.take(log: log)
    askedAt = Self.now
    var rest = AnswerFilter()
    do {
      let keys = try KeyPipe()
      let questions =
        configuration.asksTerminal
        ? TerminalQuestion.safe(environment: surroundings.environment) : []
      let (answers, filter) = TerminalInterview.hold(questions, output: device.descriptor, input: 0)
      rest = filter
      findings = TerminalFindings(
        surroundings: surroundings, terminfo: terminfo, answers: answers, window: device.cellPixels,
        wishes: configuration.colors, silence: configuration.asksTerminal ? nil : "--no-probe")
      capabilities = findings.capabilities
      device.cellAspect = findings.cellAspect
      device.wishedAspect = configuration.cellAspect
      device.hasSynchronizedUpdates = capabilities.hasSynchronizedUpdates
      input = TerminalInput(descriptor: 0, keys: keys, filter: filter)
      size = device.size
      writer = FrameWriter(descriptor: device.descriptor)
      painter = VideoPainter(columns: size.columns, rows: size.rows, capabilities: capabilities, glyphs: glyphs)
      pictures = try Self.picturePainter(
        configuration.graphics, findings: findings, cell: Self.cell(of: device, findings: findings))
      device.hasKittyPictures = graphics == .kitty
      let levels = PaceLevel.ladder(
        from: min(max(0, configuration.tolerance), 255), hasTrueColor: capabilities.colorDepth == .trueColor,
        hasCells: graphics == nil)
      // A status report passes through the network's queues with ssh only: mosh answers it on this side, and drops frames
      // by itself.
      pacer = FramePacer(levels: levels, isRemote: findings.remote.value == .ssh, at: Self.now)
      chrome = try ChromeScreen(
        term: terminfo.name, capabilities: capabilities, terminal: device.descriptor, input: keys.readEnd,
        columns: size.columns, rows: size.rows, wantsMouse: configuration.usesMouse,
        showsUnicode: findings.showsUnicode.value || glyphs != .ascii)
    } catch {
      TerminalInterview.awaitRest(of: rest, input: 0, until: askedAt + TerminalProbe.patience)
      device.giveBack(log: log)
      throw error
    }
    // ncurses has its own idea of the modes.
    device.applyProgramModes()
    applyLevel()
  }

  private static func picturePainter(
    _ graphics: TerminalGraphics?, findings: TerminalFindings, cell: PixelDensity?
  ) throws(TerminalError) -> PicturePainter? {
    guard let graphics else { return nil }
    return PicturePainter(format: try GraphicsFormat(graphics, findings: findings, cell: cell))
  }

  /// Pixels of a cell as the kernel knows them now, or as the terminal told them at the start.
  private static func cell(of device: TerminalDevice, findings: TerminalFindings) -> PixelDensity? {
    (device.cellPixels ?? findings.cellPixels.value).map { PixelDensity(columns: $0.width, rows: $0.height) }
  }

  var cell: PixelDensity? { Self.cell(of: device, findings: findings) }

  private func close() {
    writer.discard()
    awaitAnswers()
    device.giveBack(log: log)
  }

  /// Reads the answers that are still to come, or the shell would get them as keys. Keys pressed meanwhile are lost.
  func awaitAnswers() {
    guard device.isTaken, !isLost else { return }
    let receiptsUntil = pacer.answerTime.map { Self.now + $0 } ?? .zero
    while true {
      let deadline = max(
        pacer.answerTime == nil ? .zero : receiptsUntil,
        input.awaitsAnswers ? askedAt + TerminalProbe.patience : .zero)
      let left = deadline - Self.now
      guard left > .zero else { return }
      var descriptor = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, Int32(left.inMilliseconds.rounded(.up))) > 0 else { continue }
      guard Int32(descriptor.revents) & POLLIN != 0 else { return }
      if receiveInput(isReadable: true) { while readKey() != nil {} }
    }
  }

  // MARK: Painting

  /// Shows a grid of the window's present ``size``; one of another size is ignored, as a ``TerminalEvent/resize(_:)``
  /// is then on its way.
  ///
  /// Costs nothing but the comparison where nothing changed. While the link is behind, this one waits, and replaces one
  /// that waits already; better ask ``mayPresent(isUrgent:)`` first and draw later what is newest then. `tag` comes back
  /// in ``FrameReceipt``.
  ///
  /// - Parameters:
  ///   - shown: pictures that are new in this frame.
  ///   - missed: pictures that newer ones replaced since the frame before, because that had to wait.
  ///   - thinned: pictures that were left out because the ``PaceLevel`` asks for fewer; they are counted and judge nothing.
  public func present(
    _ grid: CellGrid, tag: UInt64 = 0, shown: Int = 0, missed: Int = 0, thinned: Int = 0, isUrgent: Bool = false
  ) {
    guard grid.columns == size.columns, grid.rows == size.rows else { return }
    let now = Self.now
    presentedAt = now
    owesTick = false
    pacer.count(shown: shown, missed: missed)
    statistics.picturesSkipped += missed + thinned
    if device.isTaken, !isLost, pacer.mayBegin(at: now, isUrgent: isUrgent) {
      waiting = nil
      encode(grid, tag: tag, isUrgent: isUrgent)
    } else {
      if waiting != nil { statistics.framesSkipped += 1 }
      waiting = (grid, tag)
    }
  }

  /// A frame may begin now. False while the link is behind: a tick then comes as soon as one may. `isUrgent` for what
  /// answers a key: it waits only for the frame that is leaving.
  public func mayPresent(isUrgent: Bool = false) -> Bool {
    guard device.isTaken, !isLost else { return false }
    if pacer.mayBegin(at: Self.now, isUrgent: isUrgent) { return true }
    owesTick = true
    return false
  }

  func encode(_ grid: CellGrid, tag: UInt64, isUrgent: Bool = false) {
    let start = Self.now
    let plan = pacer.plan(at: start, isUrgent: isUrgent)
    latest = (grid, tag)
    buffer.removeAll()
    if plan.measures { buffer.append(FrameReceipts.request) }
    if capabilities.hasSynchronizedUpdates { buffer.append("\u{1B}[?2026h") }
    let (chromeBytes, touched) = chrome.update(grid)
    buffer.append(chromeBytes)
    for area in touched { painter.invalidate(area) }
    let used = buffer.count
    painter.paint(grid, at: start, into: &buffer, budget: plan.byteBudget ?? .max)
    pictures?.paint(
      grid, touched: touched, into: &buffer,
      budget: plan.byteBudget.map { max(1, $0 - (buffer.count - used)) } ?? .max)
    let hasPainted = painter.lastCellCount > 0 || pictures?.lastPictureCount ?? 0 > 0
    if hasPainted {
      // Back to where ncurses believes the terminal to be. Its attributes and cursor are known, so nothing needs to
      // be saved and restored, which would overwrite what others have saved.
      buffer.append("\u{1B}[m\u{1B}[H")
    }
    if capabilities.hasSynchronizedUpdates { buffer.append("\u{1B}[?2026l") }
    let isEmpty = chromeBytes.isEmpty && !hasPainted
    if isEmpty { buffer.removeAll() } else if plan.asksForReceipt { buffer.append(FrameReceipts.request) }
    let end = Self.now
    statistics.framesPresented += 1
    statistics.encodeTime += end - start
    inFlight = (tag, end, buffer.count)
    if !isEmpty {
      pacer.began(
        bytes: buffer.count, plan: plan, part: min(painter.lastPart, pictures?.lastPart ?? 1), isWhole: isWhole, at: end
      )
      isWhole = hasUnpainted && isWhole
    }
    progressed(buffer.withBytes { writer.send($0) })
  }

  func progressed(_ progress: FrameWriter.Progress) {
    switch progress {
    case .waiting: pacer.blocked(taken: writer.taken, at: Self.now)
    case .lost: isLost = true
    case .done:
      guard let frame = inFlight else { return }
      inFlight = nil
      statistics.bytesWritten += frame.bytes
      let now = Self.now
      pacer.left(at: now)
      onFrameWritten?(FrameReceipt(tag: frame.tag, encodedAt: frame.encodedAt, writtenAt: now, bytes: frame.bytes))
    }
  }
}
