public import RTCCore
public import Screen

/// What reaches the program from the terminal.
public enum TerminalEvent: Sendable {
  /// A key or a mouse button.
  case key(Key)
  /// The first event of a session, and one after each change of the window's size: draw now, in this size.
  case resize(TerminalSize)
  /// The frame clock, or a picture that is there, or a link that has caught up: draw now if something changed. Late ticks
  /// are merged into one.
  case tick(MonotonicTime)
  /// ``TerminalWaker/wake()`` was called, once or more often, from any thread.
  case wake
  /// The process is asked to end. Answer with ``TerminalDecision/stop`` when the program has taken its leave.
  case quit(QuitReason)
  /// The person stopped the program (Ctrl-Z); sent after it was continued, with everything to be redrawn.
  case resumed(MonotonicTime)
}

/// Why the process is asked to end.
public enum QuitReason: Hashable, Sendable {
  /// Ctrl-C, or SIGINT from elsewhere.
  case interrupt
  /// SIGTERM.
  case terminate
  /// SIGHUP, or a write that failed because the window is gone.
  case hangup
  /// SIGQUIT (Ctrl-\).
  case abandon
}

/// What the loop does after an event.
public enum TerminalDecision: Hashable, Sendable {
  case proceed
  /// The loop ends and the terminal is given back.
  case stop
}

/// The window's size in cells, and their shape.
public struct TerminalSize: Hashable, Sendable {
  public var columns: Int
  public var rows: Int
  /// Width of a cell divided by its height, one of ``aspects``; 0.5 where the terminal does not tell its pixels.
  public var cellAspect: Double

  /// Shapes of cells that are within reason.
  public static let aspects = 0.25...1.5

  /// What is drawn on at most, from the top left corner. The kernel believes sizes up to 65535x65535, whose cells would
  /// take all memory.
  static let largest = (columns: 1_000, rows: 500)

  /// The shape of a cell where nobody tells it.
  static let usualAspect = 0.5

  public init(columns: Int, rows: Int, cellAspect: Double = 0.5) {
    self.columns = columns
    self.rows = rows
    self.cellAspect = cellAspect
  }

  /// From what TIOCGWINSZ says; pixels are 0 when the terminal does not know them, and shapes beyond reason are
  /// taken as not known.
  init(columns: Int, rows: Int, pixelWidth: Int, pixelHeight: Int, usualAspect: Double = usualAspect) {
    let columns = max(1, columns)
    let rows = max(1, rows)
    self.init(columns: min(columns, Self.largest.columns), rows: min(rows, Self.largest.rows), cellAspect: usualAspect)
    let shape = Self.reasonableAspect(
      width: Double(pixelWidth) / Double(columns), height: Double(pixelHeight) / Double(rows))
    if let shape { cellAspect = shape }
  }

  /// Width by height of a cell's pixels; nil when they are missing or beyond reason.
  static func reasonableAspect(width: Double, height: Double) -> Double? {
    guard width > 0, height > 0, aspects.contains(width / height) else { return nil }
    return width / height
  }
}
