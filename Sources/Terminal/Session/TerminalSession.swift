internal import CLinux
internal import Glibc
public import RTCCore
public import Screen
internal import Synchronization

/// The terminal, from the moment it is taken until it is given back.
///
/// Everything happens on the thread that called ``run(_:waker:handler:)``: keys, signals, the frame clock and wake-ups
/// from other threads arrive as events in a loop there, and ``present(_:tag:)`` paints. Output never waits: while the
/// terminal has not taken a frame, newer ones replace each other, and nothing grows.
///
/// The terminal is given back on every way out: the loop's end, a signal, `exit()`, a crash on any thread.
public final class TerminalSession {
  public struct Configuration: Sendable {
    /// Ticks of the frame clock a second, 1…120.
    public var framesPerSecond = 30
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
  public private(set) var size: TerminalSize
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

  private let device: TerminalDevice
  private let log: LogCapture
  private let input: TerminalInput
  private let chrome: ChromeScreen
  private var painter: VideoPainter
  private var pictures: PicturePainter?
  private var buffer = ByteBuffer(capacity: 1 << 16)
  private var writer: FrameWriter
  private var pacer: FramePacer
  /// The frame on its way out.
  private var inFlight: (tag: UInt64, encodedAt: MonotonicTime, bytes: Int)?
  /// The newest frame that has to wait for it.
  private var waiting: (grid: CellGrid, tag: UInt64)?
  /// What was painted last, to refine it and to paint it again.
  private var latest: (grid: CellGrid, tag: UInt64)?
  /// The program was told to wait with its frame.
  private var owesTick = false
  /// The next frame paints everything, which says nothing of what frames cost.
  private var isWhole = true
  private var presentedAt: MonotonicTime = .zero
  /// Video that nothing new replaced for so long is refined at the next ticks.
  private static let quiet = Duration.milliseconds(50)
  private(set) var isLost = false

  private static let isOpen = Atomic(false)

  /// Takes the terminal, runs `handler` for every event until it answers ``TerminalDecision/stop`` or `fail`, and
  /// gives the terminal back. The first event is ``TerminalEvent/resize(_:)``.
  ///
  /// Call it once per process at a time, from any thread; it changes the environment for a moment while it opens, so
  /// best before other threads read it. Throws when there is no terminal to take.
  public static func run(
    _ configuration: Configuration = Configuration(), waker: TerminalWaker,
    handler: (TerminalSession, TerminalEvent) -> TerminalDecision
  ) throws(TerminalError) {
    guard !isOpen.exchange(true, ordering: .acquiringAndReleasing) else { throw .alreadyOpen }
    defer { isOpen.store(false, ordering: .releasing) }
    let relay = try SignalRelay()
    let session = try TerminalSession(configuration)
    let clock: FrameClock
    do { clock = try FrameClock(framesPerSecond: configuration.framesPerSecond) } catch {
      session.close(showingLog: false)
      throw error
    }
    let decision = TerminalLoop(session: session, relay: relay, clock: clock, waker: waker).run(handler)
    session.close(showingLog: decision == .fail)
  }

  /// As ``run(_:waker:handler:)`` on a thread of its own named "terminal"; `makeHandler` is called there once, so that
  /// what the handler keeps never leaves that thread.
  public static func runOnOwnThread(
    _ configuration: Configuration = Configuration(), waker: TerminalWaker,
    makeHandler: @escaping @Sendable () -> (TerminalSession, TerminalEvent) -> TerminalDecision
  ) async throws(TerminalError) {
    let result: Result<Void, TerminalError> = await withCheckedContinuation { continuation in
      TerminalThread.start {
        let handler = makeHandler()
        do throws(TerminalError) {
          try run(configuration, waker: waker, handler: handler)
          continuation.resume(returning: .success(()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    try result.get()
  }

  /// Standard input and output are a terminal.
  public static var isInteractive: Bool { isatty(0) == 1 && isatty(1) == 1 }

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
    graphics = configuration.graphics
    log = try LogCapture()
    // ncurses sets the modes when it opens; should it fail they are put back like everything else.
    device.take(log: log)
    do {
      let keys = try KeyPipe()
      let questions =
        configuration.asksTerminal
        ? TerminalQuestion.safe(environment: surroundings.environment) : []
      let (answers, filter) = TerminalInterview.hold(questions, output: device.descriptor, input: 0)
      findings = TerminalFindings(
        surroundings: surroundings, terminfo: terminfo, answers: answers, window: device.cellPixels,
        wishes: configuration.colors, silence: configuration.asksTerminal ? nil : "--no-probe")
      capabilities = findings.capabilities
      device.cellAspect = findings.cellAspect
      device.hasSynchronizedUpdates = capabilities.hasSynchronizedUpdates
      input = TerminalInput(descriptor: 0, keys: keys, filter: filter)
      size = device.size
      writer = FrameWriter(descriptor: device.descriptor)
      painter = VideoPainter(columns: size.columns, rows: size.rows, capabilities: capabilities, glyphs: glyphs)
      pictures = try Self.picturePainter(
        configuration.graphics, findings: findings, cell: Self.cell(of: device, findings: findings))
      device.hasKittyPictures = graphics == .kitty
      let levels = PaceLevel.ladder(
        from: min(max(0, configuration.tolerance), 255), hasTrueColor: capabilities.colorDepth == .trueColor)
      // A status report passes through the network's queues with ssh only: mosh answers it on this side, and drops frames
      // by itself.
      pacer = FramePacer(levels: levels, isRemote: findings.remote.value == .ssh, at: Self.now)
      chrome = try ChromeScreen(
        term: terminfo.name, capabilities: capabilities, terminal: device.descriptor, input: keys.readEnd,
        columns: size.columns, rows: size.rows, wantsMouse: configuration.usesMouse,
        showsUnicode: findings.showsUnicode.value || glyphs != .ascii)
    } catch {
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

  private var cell: PixelDensity? { Self.cell(of: device, findings: findings) }

  private func close(showingLog: Bool) {
    writer.discard()
    awaitAnswers()
    device.giveBack(log: log)
    guard showingLog else { return }
    let text = Array(LogCapture.printable(log.tail()).utf8)
    text.withUnsafeBufferPointer { bytes in
      if let start = bytes.baseAddress { CrashGuard.writeAll(start, bytes.count, to: 2) }
    }
  }

  /// Reads the answers that are still to come, or the shell would get them as keys. Keys pressed meanwhile are lost.
  private func awaitAnswers() {
    guard device.isTaken, !isLost, let longest = pacer.answerTime else { return }
    let deadline = Self.now + longest
    while pacer.answerTime != nil, Self.now < deadline {
      var descriptor = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
      let left = Int32((deadline - Self.now).inMilliseconds.rounded(.up))
      guard poll(&descriptor, 1, left) > 0, Int32(descriptor.revents) & POLLIN != 0 else { return }
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
  public func present(
    _ grid: CellGrid, tag: UInt64 = 0, shown: Int = 0, missed: Int = 0, isUrgent: Bool = false
  ) {
    guard grid.columns == size.columns, grid.rows == size.rows else { return }
    let now = Self.now
    presentedAt = now
    owesTick = false
    pacer.count(shown: shown, missed: missed)
    statistics.picturesSkipped += missed
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

  private func encode(_ grid: CellGrid, tag: UInt64, isUrgent: Bool = false) {
    let start = Self.now
    let plan = pacer.plan(at: start, isUrgent: isUrgent)
    latest = (grid, tag)
    buffer.removeAll()
    if plan.measures { buffer.append(FrameReceipts.request) }
    if capabilities.hasSynchronizedUpdates { buffer.append("\u{1B}[?2026h") }
    let (chromeBytes, touchedRows) = chrome.update(grid)
    buffer.append(chromeBytes)
    for row in touchedRows { painter.invalidate(row: row) }
    painter.paint(grid, at: start, into: &buffer, budget: plan.byteBudget ?? .max)
    pictures?.paint(grid, touchedRows: touchedRows, into: &buffer)
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
    statistics.lastFrameBytes = buffer.count
    statistics.lastFrameCells = painter.lastCellCount
    statistics.lastEncodeTime = end - start
    statistics.encodeTime += end - start
    inFlight = (tag, end, buffer.count)
    if !isEmpty {
      pacer.began(bytes: buffer.count, plan: plan, part: painter.lastPart, isWhole: isWhole, at: end)
      isWhole = painter.hasUnpaintedRows && isWhole
    }
    progressed(buffer.withBytes { writer.send($0) })
  }

  private func progressed(_ progress: FrameWriter.Progress) {
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

  // MARK: For the loop

  var deviceDescriptor: Int32 { device.descriptor }
  /// The loop is to tell when the terminal takes more.
  var wantsToWrite: Bool { writer.isBusy && !isLost }
  var isTaken: Bool { device.isTaken }

  func readKey() -> Key? { chrome.readKey(at: Self.now) }

  /// When ``receiveInput(isReadable:)`` is to be called if nothing is read until then.
  var inputDeadline: MonotonicTime? { input.deadline }

  /// Reads the terminal's input, or looks whether some of it has waited long enough; true when there may be keys.
  func receiveInput(isReadable: Bool) -> Bool {
    guard isReadable else { return input.expire(at: Self.now) }
    let now = Self.now
    for answer in input.read(at: now) where answer == .ready { pacer.answered(at: now) }
    return true
  }

  /// The terminal takes more bytes.
  func writable() { progressed(writer.pump()) }

  /// After everything that happened at once: sends what waited for the link. True when the program is owed a tick.
  func settle() -> Bool {
    let now = Self.now
    if pacer.advance(to: now) { applyLevel() }
    guard device.isTaken, !isLost, hasMore, pacer.mayBegin(at: now) else { return false }
    presentWaiting()
    guard owesTick, pacer.mayBegin(at: now) else { return false }
    owesTick = false
    return true
  }

  /// When ``settle()`` is to be called if nothing happens until then.
  /// Never while the terminal is another's: a process in the background would be woken again and again for nothing.
  var settlesAt: MonotonicTime? { device.isTaken && !isLost && hasMore ? pacer.reopensAt : nil }

  /// Something waits for the link: a newer frame, a tick, or the rest of a frame that did not fit.
  private var hasMore: Bool { waiting != nil || owesTick || painter.hasUnpaintedRows }

  private func applyLevel() {
    painter.tolerance = pacer.level.tolerance
    painter.setDepth(pacer.level.usesPalette ? .indexed256 : capabilities.colorDepth)
  }

  private func presentWaiting() {
    guard !writer.isBusy, device.isTaken, !isLost else { return }
    guard let next = waiting ?? (painter.hasUnpaintedRows ? latest : nil) else { return }
    waiting = nil
    encode(next.grid, tag: next.tag)
  }

  /// After a tick of the clock: refines still video if the program had nothing new to show.
  func endTick() {
    log.trim()
    let now = Self.now
    guard now - presentedAt >= Self.quiet, painter.hasInexactCells, device.isTaken, !isLost,
      pacer.mayBegin(at: now), let latest
    else { return }
    encode(latest.grid, tag: latest.tag)
  }

  /// Looks at the window's size; true when it changed.
  func updateSize() -> Bool {
    let current = device.size
    let hasOtherCells = cell.map { pictures?.setCell($0) ?? false } ?? false
    guard current != size || hasOtherCells else { return false }
    let isReshaped = current.columns != size.columns || current.rows != size.rows
    size = current
    if isReshaped {
      painter = VideoPainter(columns: size.columns, rows: size.rows, capabilities: capabilities, glyphs: glyphs)
      applyLevel()
      chrome.resize(columns: size.columns, rows: size.rows)
      waiting = nil
      latest = nil
      isWhole = true
    }
    return true
  }

  /// Gives the terminal back for a stop; the frame on its way out is dropped.
  func suspend() {
    writer.discard()
    inFlight = nil
    awaitAnswers()
    pacer.forget(at: Self.now)
    device.giveBack(log: log)
  }

  /// Takes the terminal again if the process is in the foreground, and paints everything; false if it is not.
  func takeAgain() -> Bool {
    guard device.isForeground, !isLost else { return false }
    writer.discard()
    inFlight = nil
    pacer.forget(at: Self.now)
    device.take(log: log)
    chrome.invalidate()
    painter.invalidateAll()
    pictures?.invalidateAll()
    isWhole = true
    if waiting == nil { waiting = latest }
    return true
  }

  /// The window is gone: nothing is painted any more.
  func lose() {
    isLost = true
    writer.discard()
    waiting = nil
  }

  /// Paints what had to wait for ``takeAgain()`` after the program was told.
  func endResume() { presentWaiting() }
}
