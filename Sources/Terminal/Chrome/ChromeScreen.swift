internal import CNcurses
internal import Glibc
internal import RTCCore
internal import Screen

/// ncurses: keys, and every cell that is not video.
///
/// ncurses is not thread-safe and keeps its state in globals: one of these at a time, on one thread.
final class ChromeScreen {
  private(set) var columns: Int
  private(set) var rows: Int
  private let capture: OutputCapture
  private let screen: OpaquePointer
  private let output: UnsafeMutablePointer<FILE>
  private let input: UnsafeMutablePointer<FILE>
  /// Keys are read through a pad: reading through the screen's window would paint it.
  private let keyPad: UnsafeMutablePointer<WINDOW>
  private var keyReader = KeyReader()
  private(set) var colors: ChromeColors
  /// What ncurses was told last.
  private var drawn: ContiguousArray<Cell?>
  private var isFresh = true
  /// The cells of the latest update.
  private var latest: ContiguousArray<Cell> = []
  /// Making all pairs anew paints everything; a screen that needs more than there are may not do so each time.
  private static let pairLifetime = 30
  private var updatesSincePairs = 0
  /// ncurses knows how to scroll and to erase, and may change any cell.
  private let scrollsByItself: Bool
  private let isUTF8: Bool

  /// Opens ncurses on a terminal whose modes it may set (`terminal`; nil in tests), with keys from `input`. Without
  /// `showsUnicode` it writes what the person's locale has, and question marks for the rest.
  ///
  /// The terminal gets nothing but modes here: the bytes that ncurses wants to open with are dropped, as the session
  /// sends its own.
  init(
    term: String, capabilities: TerminalCapabilities, terminal: Int32?, input inputDescriptor: Int32, columns: Int,
    rows: Int, wantsMouse: Bool, showsUnicode: Bool = true
  ) throws(TerminalError) {
    Self.prepareLocale(showsUnicode: showsUnicode)
    self.columns = columns
    self.rows = rows
    capture = try OutputCapture(terminal: terminal)
    let inputCopy = fcntl(inputDescriptor, F_DUPFD_CLOEXEC, 3)
    guard inputCopy >= 0, let input = fdopen(inputCopy, "r") else { throw .system(call: "fdopen", code: errno) }
    guard let output = fdopen(capture.descriptor, "w") else {
      let code = errno
      fclose(input)
      throw .system(call: "fdopen", code: code)
    }
    self.input = input
    self.output = output
    let (opened, ownEntry) = Self.open(
      term: term, capabilities: capabilities, capture: capture, output: output, input: input)
    guard let opened, let pad = newpad(1, 1) else {
      fclose(output)
      fclose(input)
      throw .screenRefused(term: term)
    }
    screen = opened
    keyPad = pad
    start_color()
    use_default_colors()
    colors = ChromeColors(
      isDirect: ownEntry && capabilities.colorDepth == .trueColor,
      depth: capabilities.colorDepth == .trueColor ? .indexed256 : capabilities.colorDepth,
      paletteSize: Int(tigetnum("colors")),
      pairLimit: Int(tigetnum("pairs")))
    scrollsByItself = !ownEntry
    isUTF8 = strcmp(nl_langinfo(nl_item(CODESET)), "UTF-8") == 0
    drawn = []
    capture.onTerminal {
      cbreak()
      noecho()
      nonl()
    }
    // Sequences come whole (``KeyPipe``): there is nothing to wait for.
    set_escdelay(0)
    keypad(keyPad, true)
    nodelay(keyPad, true)
    // ncurses otherwise stops painting when a key waits.
    typeahead(-1)
    idcok(confab_stdscr(), false)
    curs_set(0)
    if wantsMouse {
      confab_select_mouse()
      mouseinterval(0)
    }
    resize(columns: columns, rows: rows)
    _ = readKey(at: .zero)
    _ = capture.take()
  }

  deinit {
    delwin(keyPad)
    delscreen(screen)
    fclose(output)
    fclose(input)
  }

  /// Half blocks need UTF-8. Only the character type of the locale is set: numbers stay as C has them.
  private static func prepareLocale(showsUnicode: Bool) {
    setlocale(LC_CTYPE, "")
    if showsUnicode, strcmp(nl_langinfo(nl_item(CODESET)), "UTF-8") != 0 { setlocale(LC_CTYPE, "C.UTF-8") }
  }

  private static func open(
    term: String, capabilities: TerminalCapabilities, capture: OutputCapture, output: UnsafeMutablePointer<FILE>,
    input: UnsafeMutablePointer<FILE>
  ) -> (screen: OpaquePointer?, ownEntry: Bool) {
    if let entry = ScreenEntry(inheriting: term, depth: capabilities.colorDepth) {
      let opened = entry.whileFindable {
        capture.onTerminal { newterm(ScreenEntry.name, output, input) }
      }
      if let opened { return (opened, true) }
    }
    return (capture.onTerminal { newterm(term, output, input) }, false)
  }

  /// The next key that was pressed; nil when there is none.
  func readKey(at now: MonotonicTime) -> Key? {
    keyReader.key(at: now) {
      var scalar: wint_t = 0
      return switch wget_wch(keyPad, &scalar) {
      case KEY_CODE_YES: .function(Int32(bitPattern: scalar))
      case OK: .character(scalar)
      default: nil
      }
    }
  }

  /// The window has another size; everything is painted anew.
  func resize(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    resize_term(Int32(rows), Int32(columns))
    drawn = ContiguousArray(repeating: nil, count: columns * rows)
    invalidate()
  }

  /// Nothing is known of the terminal any more; everything is painted anew.
  func invalidate() {
    clearok(confab_curscr(), true)
    isFresh = true
  }

  /// The bytes that bring the terminal's chrome to `grid`'s, and the cells over which they write.
  ///
  /// Video cells are filled with a glyph that ncurses does not take for a blank, as it erases to the end of a line
  /// what it believes blank. Afterwards attributes are reset and the cursor is at the top left.
  func update(_ grid: CellGrid) -> (bytes: [UInt8], touched: [CellRect]) {
    guard grid.columns == columns, grid.rows == rows, let window = confab_stdscr() else { return ([], []) }
    // Between two changes of the chrome grids share their cells, and nothing needs to be compared.
    if !isFresh, !colors.isExhausted, latest.isSameStorage(as: grid.cells) { return ([], []) }
    latest = grid.cells
    updatesSincePairs += 1
    if colors.isExhausted, updatesSincePairs >= Self.pairLifetime {
      colors.forgetPairs()
      updatesSincePairs = 0
      drawn = ContiguousArray(repeating: nil, count: columns * rows)
      invalidate()
    }
    grid.cells.withUnsafeBufferPointer { cells in
      for row in 0..<rows { draw(row: row, of: cells, in: window) }
    }
    wmove(window, 0, 0)
    wnoutrefresh(window)
    doupdate()
    let bytes = capture.take()
    let isWhole = isFresh || scrollsByItself && !bytes.isEmpty
    isFresh = false
    let runs = isWhole ? nil : WrittenCells.runs(in: bytes, columns: columns, rows: rows, isUTF8: isUTF8)
    return (bytes, runs ?? [grid.bounds])
  }

  /// Tells ncurses the cells of a row that changed.
  private func draw(row: Int, of cells: UnsafeBufferPointer<Cell>, in window: UnsafeMutablePointer<WINDOW>) {
    for column in 0..<columns {
      let index = row * columns + column
      let cell = cells[index]
      if let old = drawn[index], old.plane == cell.plane, cell.plane != .chrome || old == cell { continue }
      drawn[index] = cell
      // The right half of a wide glyph comes with its left half.
      guard cell.width > 0 else { continue }
      var character = colors.character(for: cell)
      mvwadd_wchnstr(window, Int32(row), Int32(column), &character, 1)
    }
  }
}

extension ContiguousArray {
  /// Both are copies of one array, neither changed since.
  fileprivate func isSameStorage(as other: ContiguousArray) -> Bool {
    withUnsafeBufferPointer { mine in
      other.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress && mine.count == $0.count }
    }
  }
}
