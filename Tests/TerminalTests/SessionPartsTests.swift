import Glibc
import RTCCore
import TestKit
import Testing

@testable import Terminal

@Suite struct FrameWriterTests {
  /// Both ends of a pipe that block nowhere.
  func nonBlockingPipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    return (ends[0], ends[1])
  }

  func drain(_ descriptor: Int32) -> [UInt8] {
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      guard count > 0 else { return result }
      result += chunk.prefix(count)
    }
  }

  @Test func aFrameLargerThanTheTerminalTakesLeavesInPiecesAndWhole() {
    let ends = nonBlockingPipe()
    defer {
      close(ends.read)
      close(ends.write)
    }
    var writer = FrameWriter(descriptor: ends.write)
    let frame = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var progress = frame.withUnsafeBufferPointer { writer.send($0) }
    #expect(progress == .waiting)
    #expect(writer.isBusy)
    // Nobody reads: asking again changes nothing.
    #expect(writer.pump() == .waiting)
    var received: [UInt8] = []
    for _ in 0..<1000 where progress == .waiting {
      received += drain(ends.read)
      progress = writer.pump()
    }
    received += drain(ends.read)
    #expect(progress == .done)
    #expect(!writer.isBusy)
    #expect(received == frame)
  }

  @Test func aTerminalThatIsGoneIsToldAndNothingIsKept() {
    let ends = nonBlockingPipe()
    close(ends.write)
    var writer = FrameWriter(descriptor: ends.read)
    #expect([UInt8(1)].withUnsafeBufferPointer { writer.send($0) } == .lost)
    #expect(!writer.isBusy)
    close(ends.read)
  }

  @Test func anEmptyFrameIsDoneAtOnce() {
    var writer = FrameWriter(descriptor: -1)
    #expect(UnsafeBufferPointer<UInt8>(start: nil, count: 0).isEmpty)
    #expect(writer.send(UnsafeBufferPointer(start: nil, count: 0)) == .done)
  }
}

@Suite struct TerminalWakerTests {
  @Test func callsBeforeTheLoopLooksAreOneAndLaterOnesCountAgain() throws {
    let waker = try TerminalWaker()
    func isReadable() -> Bool {
      var descriptor = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&descriptor, 1, 0) == 1
    }
    #expect(!isReadable())
    waker.wake()
    waker.wake()
    #expect(isReadable())
    #expect(waker.drain())
    #expect(!isReadable())
    waker.wake()
    #expect(isReadable())
  }

  @Test func picturesWakeTheLoopOnceUntilTheyAreDrawn() throws {
    let waker = try TerminalWaker()
    waker.wakeForPicture()
    #expect(waker.wantsPictureTick)
    #expect(!waker.drain(), "no news, only a picture")
    waker.wakeForPicture()
    var descriptor = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&descriptor, 1, 0) == 0, "the tick is on its way already")
    waker.takePictures()
    #expect(!waker.wantsPictureTick)
    waker.wakeForPicture()
    #expect(poll(&descriptor, 1, 0) == 1)
  }
}

@Suite struct LogCaptureTests {
  @Test func controlCharactersOfALogCannotReachTheTerminal() {
    let text = LogCapture.printable(Array("a\u{1B}[31mb\tc\n\u{9B}0m é\r".utf8))
    #expect(text == "a\u{FFFD}[31mb\tc\n\u{FFFD}0m é\u{FFFD}")
  }

  @Test func theEndIsKeptWhenThereIsTooMuch() throws {
    let log = try LogCapture()
    let line = Array(String(repeating: "x", count: 99).utf8) + [10]
    for _ in 0..<4000 { _ = line.withUnsafeBytes { write(log.descriptor, $0.baseAddress, $0.count) } }
    let last = Array("the last line\n".utf8)
    _ = last.withUnsafeBytes { write(log.descriptor, $0.baseAddress, $0.count) }
    log.trim()
    let tail = log.tail()
    #expect(tail.count <= LogCapture.tailLimit)
    #expect(tail.suffix(last.count) == last[...])
    #expect(tail.first == UInt8(ascii: "x"))
    _ = last.withUnsafeBytes { write(log.descriptor, $0.baseAddress, $0.count) }
    #expect(log.tail().suffix(2 * last.count) == (last + last)[...])
  }
}

@Suite struct TerminalDeviceTests {
  static let terminfo = TerminalDescription(
    name: "t", enterScreen: Array("<ca>".utf8), leaveScreen: Array("</ca>".utf8), enterKeypad: Array("<kx>".utf8),
    leaveKeypad: Array("</kx>".utf8), hideCursor: Array("<ci>".utf8), showCursor: Array("</ci>".utf8),
    resetAttributes: Array("<sgr0>".utf8), mouseReport: Array("\u{1B}[<".utf8))

  @Test func whatIsTakenIsGivenBack() {
    let given = TerminalDevice.giveBackBytes(
      Self.terminfo, isSynchronized: true, mouse: true)
    #expect(
      String(decoding: given, as: UTF8.self)
        == "\u{1B}[?2026l\u{1B}[m<sgr0>\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l</kx></ci>\u{1B}[H\u{1B}[J</ca>")
    #expect(
      String(decoding: TerminalDevice.takeBytes(Self.terminfo, mouse: true), as: UTF8.self)
        == "<ca><kx><ci>\u{1B}[?2004h\u{1B}[?1000h\u{1B}[?1006h")
  }

  @Test func aSequenceThatWasCutOffIsEndedFirst() {
    let given = TerminalDevice.giveBackBytes(
      Self.terminfo, isSynchronized: false, mouse: false)
    #expect(given.first == 0x1B)
  }

  @Test func programModesLeaveSignalsOnAndOutputAsItIs() {
    var shell = termios()
    shell.c_lflag = tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    shell.c_iflag = tcflag_t(ICRNL | IXON | IUTF8)
    shell.c_oflag = tcflag_t(OPOST | ONLCR)
    let modes = TerminalDevice.programModes(from: shell)
    #expect(modes.c_lflag == tcflag_t(ISIG))
    #expect(modes.c_iflag == tcflag_t(IUTF8))
    #expect(modes.c_oflag == tcflag_t(ONLCR))
  }

  @Test func noWindowIsSoLargeThatItsCellsTakeAllMemory() {
    let size = TerminalSize(columns: 65_535, rows: 65_535, pixelWidth: 65_535, pixelHeight: 65_535)
    #expect(size.columns == 1_000 && size.rows == 500)
    #expect(size.cellAspect == 1)
  }

  @Test func theShapeOfACellComesFromTheWindowsPixels() {
    #expect(TerminalSize(columns: 80, rows: 24, pixelWidth: 800, pixelHeight: 480).cellAspect == 0.5)
    #expect(TerminalSize(columns: 100, rows: 50, pixelWidth: 900, pixelHeight: 900).cellAspect == 0.5)
    #expect(TerminalSize(columns: 100, rows: 50, pixelWidth: 1000, pixelHeight: 800).cellAspect == 0.625)
    #expect(TerminalSize(columns: 80, rows: 24, pixelWidth: 0, pixelHeight: 0).cellAspect == 0.5)
    #expect(TerminalSize(columns: 80, rows: 24, pixelWidth: 1, pixelHeight: 60000).cellAspect == 0.5)
    #expect(TerminalSize(columns: 80, rows: 24, pixelWidth: 0, pixelHeight: 0, usualAspect: 0.6).cellAspect == 0.6)
    #expect(TerminalSize(columns: 0, rows: 0, pixelWidth: 10, pixelHeight: 10).columns == 1)
  }
}
