internal import RTCCore
internal import Screen

/// What ``TerminalLoop`` asks of the session and tells it.
extension TerminalSession {
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
  private var hasMore: Bool { waiting != nil || owesTick || hasUnpainted }

  /// The latest frame stopped at its budget.
  var hasUnpainted: Bool { painter.hasUnpaintedRows || pictures?.hasUnsentPictures ?? false }

  func applyLevel() {
    painter.tolerance = pacer.level.tolerance
    painter.setDepth(pacer.level.usesPalette ? .indexed256 : capabilities.colorDepth)
  }

  private func presentWaiting() {
    guard !writer.isBusy, device.isTaken, !isLost else { return }
    guard let next = waiting ?? (hasUnpainted ? latest : nil) else { return }
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
