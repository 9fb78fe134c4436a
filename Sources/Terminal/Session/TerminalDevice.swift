internal import CLinux
internal import Glibc
internal import Screen

/// The terminal's device: its descriptor, its modes, and the sequences that take it and give it back.
///
/// The descriptor is one of our own, opened anew: switching the inherited one to non-blocking would switch it for the
/// shell too, which shares it.
final class TerminalDevice {
  /// Does not block.
  let descriptor: Int32
  /// The inherited descriptor had to be used, and blocked before.
  private let inheritedFlags: Int32?
  private var shellModes = termios()
  private let takeBytes: [UInt8]
  private let terminfo: TerminalDescription
  private let usesMouse: Bool
  private(set) var isTaken = false
  /// A frame may be under way as a synchronised update, which is then ended first.
  var hasSynchronizedUpdates = false {
    didSet { if isTaken { arm() } }
  }
  /// Pictures of Kitty's protocol may be on the screen, which are then taken off.
  var hasKittyPictures = false {
    didSet { if isTaken { arm() } }
  }
  /// Width of a cell divided by its height as the terminal told it, for where the kernel does not know.
  var cellAspect: Double?
  /// The same as the person says, whatever others tell.
  var wishedAspect: Double?
  private var errorCopy: Int32 = -1
  private var logDescriptor: Int32 = -1

  init(terminfo: TerminalDescription, usesMouse: Bool) throws(TerminalError) {
    var name = [CChar](repeating: 0, count: 256)
    let opened = ttyname_r(1, &name, name.count) == 0 ? open(name, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    if opened >= 0 {
      descriptor = opened
      inheritedFlags = nil
    } else {
      // A device of another user, or one outside of this container: share, and put the flag back in the end.
      descriptor = fcntl(1, F_DUPFD_CLOEXEC, 3)
      guard descriptor >= 0 else { throw .system(call: "dup", code: errno) }
      let flags = fcntl(descriptor, F_GETFL)
      inheritedFlags = flags
      _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    }
    self.terminfo = terminfo
    self.usesMouse = usesMouse && !terminfo.mouseReport.isEmpty
    takeBytes = Self.takeBytes(terminfo, mouse: self.usesMouse)
    guard tcgetattr(descriptor, &shellModes) == 0 else {
      let code = errno
      close(descriptor)
      throw .system(call: "tcgetattr", code: code)
    }
  }

  deinit {
    if let inheritedFlags { _ = fcntl(descriptor, F_SETFL, inheritedFlags) }
    close(descriptor)
  }

  static func takeBytes(_ terminfo: TerminalDescription, mouse: Bool) -> [UInt8] {
    terminfo.enterScreen + terminfo.enterKeypad + terminfo.hideCursor
      // Pasted text arrives between marks, not as keys.
      + Array("\u{1B}[?2004h".utf8)
      // SGR reports only where ncurses expects them.
      + (mouse ? Array("\u{1B}[?1000h".utf8) : [])
      + (mouse && terminfo.mouseReport.last == UInt8(ascii: "<") ? Array("\u{1B}[?1006h".utf8) : [])
  }

  /// Begins with an Escape, which ends whatever sequence was cut off before it.
  static func giveBackBytes(
    _ terminfo: TerminalDescription, isSynchronized: Bool, mouse: Bool, hasKittyPictures: Bool = false
  ) -> [UInt8] {
    (hasKittyPictures ? KittyGraphics.forgetAll : [])
      + Array((isSynchronized ? "\u{1B}[?2026l" : "").utf8) + Array("\u{1B}[m".utf8)
      + terminfo.resetAttributes + Array("\u{1B}[?2004l".utf8)
      + Array((mouse ? "\u{1B}[?1006l\u{1B}[?1000l" : "").utf8) + terminfo.leaveKeypad
      + terminfo.showCursor
      // Without an alternate screen the prompt goes below what was drawn. GNU screen has one in its entry, and does as
      // if, unless it was set up to: so nothing is left there that could show.
      + (terminfo.leaveScreen.isEmpty
        ? Array("\u{1B}[999;1H\r\n".utf8) : Array("\u{1B}[H\u{1B}[J".utf8) + terminfo.leaveScreen)
  }

  /// Keys one by one and unseen, bytes sent as they are, but Ctrl-C and Ctrl-Z still raise signals.
  static func programModes(from shell: termios) -> termios {
    var modes = shell
    modes.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP)
    // Nothing that is sent needs the kernel's hand, and looking at every byte costs it as much as taking them.
    modes.c_oflag &= ~tcflag_t(OPOST)
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHONL | IEXTEN)
    modes.c_lflag |= tcflag_t(ISIG)
    withUnsafeMutableBytes(of: &modes.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    return modes
  }

  /// Takes the terminal; call ``giveBack(log:)`` in every case afterwards. `log` is where printed text is caught.
  func take(log: LogCapture) {
    var current = termios()
    if tcgetattr(descriptor, &current) == 0, !isTaken { shellModes = current }
    log.begin()
    errorCopy = log.errorCopy ?? -1
    logDescriptor = log.descriptor
    arm()
    isTaken = true
    applyProgramModes()
    takeBytes.withUnsafeBufferPointer { bytes in
      if let start = bytes.baseAddress { CrashGuard.writeAll(start, bytes.count, to: descriptor) }
    }
  }

  private var giveBackBytes: [UInt8] {
    Self.giveBackBytes(
      terminfo, isSynchronized: hasSynchronizedUpdates, mouse: usesMouse, hasKittyPictures: hasKittyPictures)
  }

  private func arm() {
    CrashGuard.arm(
      CrashGuard.Restoration(
        terminal: descriptor, modes: shellModes, bytes: giveBackBytes, errorCopy: errorCopy, log: logDescriptor))
  }

  func applyProgramModes() {
    var modes = Self.programModes(from: shellModes)
    tcsetattr(descriptor, TCSANOW, &modes)
  }

  /// The terminal is as it was before; does nothing when it was given back already.
  func giveBack(log: LogCapture) {
    guard isTaken, CrashGuard.disarm() else { return }
    isTaken = false
    Self.evenInTheBackground {
      giveBackBytes.withUnsafeBufferPointer { bytes in
        if let start = bytes.baseAddress { CrashGuard.writeAll(start, bytes.count, to: descriptor) }
      }
      // At once, not after the output: a terminal that has stopped reading would hold the program for ever.
      tcsetattr(descriptor, TCSANOW, &shellModes)
    }
    log.end()
  }

  /// A process that lost the foreground is not stopped by what it does to the terminal meanwhile: it is about to end.
  private static func evenInTheBackground(_ body: () -> Void) {
    var stop = sigset_t()
    var before = sigset_t()
    sigemptyset(&stop)
    sigaddset(&stop, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &stop, &before)
    body()
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// The process may use the terminal: it is not a background job.
  var isForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// The window's size as the kernel knows it; 80x24 where it does not.
  var size: TerminalSize {
    var size = TerminalSize(columns: 80, rows: 24, cellAspect: cellAspect ?? TerminalSize.usualAspect)
    if let window = Self.window(of: descriptor) {
      size = TerminalSize(
        columns: Int(window.ws_col), rows: Int(window.ws_row), pixelWidth: Int(window.ws_xpixel),
        pixelHeight: Int(window.ws_ypixel), usualAspect: size.cellAspect)
    }
    if let wishedAspect { size.cellAspect = wishedAspect }
    return size
  }

  /// Pixels of a cell as the kernel knows them.
  var cellPixels: PixelSize? {
    guard let window = Self.window(of: descriptor), window.ws_xpixel >= window.ws_col, window.ws_ypixel >= window.ws_row
    else { return nil }
    return PixelSize(
      width: Int(window.ws_xpixel) / Int(window.ws_col), height: Int(window.ws_ypixel) / Int(window.ws_row))
  }

  private static func window(of descriptor: Int32) -> winsize? {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else { return nil }
    return window
  }
}
