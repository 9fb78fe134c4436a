import RTCCore
import Screen
import TestKit
import Testing

@testable import Terminal

@Suite struct KeyReaderTests {
  /// Keys read from what ncurses would hand out.
  func keys(_ codes: [KeyReader.Code]) -> [Key] {
    var reader = KeyReader()
    var rest = codes[...]
    var keys: [Key] = []
    while let key = reader.key(at: .zero, next: { rest.popFirst() }) { keys.append(key) }
    return keys
  }

  func keys(_ text: String) -> [Key] { keys(text.unicodeScalars.map { .character($0.value) }) }

  @Test func charactersAndControlKeys() {
    #expect(keys("aA1é漢") == ["a", "A", "1", "é", "漢"].map { .character($0) })
    #expect(keys("\t\r\n\u{8}\u{7F}\u{C}") == [.tab, .enter, .enter, .backspace, .backspace, .control("l")])
    #expect(keys("\0\u{1C}").isEmpty)
  }

  @Test func escapeAloneIsAKeyAndBeforeALetterBothCount() {
    #expect(keys("\u{1B}") == [.escape])
    #expect(keys("\u{1B}q") == [.escape, .character("q")])
    #expect(keys("\u{1B}\u{1B}") == [.escape, .escape])
  }

  @Test(arguments: [
    "\u{1B}[1;5D", "\u{1B}[201~", "\u{1B}[?62;22c", "\u{1B}OQ", "\u{1B}]11;rgb:0000/0000/0000\u{7}",
    "\u{1B}P>|XTerm(367)\u{1B}\\", "\u{1B}_Gi=1;OK\u{1B}\\",
  ])
  func sequencesThatNcursesDoesNotKnowAreSwallowedWhole(sequence: String) {
    #expect(keys(sequence + "x") == [.character("x")])
  }

  @Test func cursorKeysInTheOtherModeAreKeysAllTheSame() {
    #expect(keys("\u{1B}[A\u{1B}OB\u{1B}[C\u{1B}OD\u{1B}[Z") == [.up, .down, .right, .left, .backTab])
  }

  @Test func cutOrEndlessSequencesDoNotHang() {
    for length in 1..<8 { _ = keys(String("\u{1B}[1;5D\u{1B}P".prefix(length))) }
    let keysOfFlood = keys("\u{1B}[" + String(repeating: "1;", count: 5000))
    #expect(keysOfFlood.count < 10_000)
  }

  @Test(arguments: UInt64(1)...20) func anyInputGivesKeysOrNothing(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let codes = (0..<500).map { _ -> KeyReader.Code in
      // KEY_MOUSE (0o631) asks ncurses for the event, which has no screen here.
      let value = UInt32.random(in: 0...0x1FF, using: &generator)
      return value == 0o631 || value < 0x100
        ? .character(value == 0o631 ? 27 : value) : .function(Int32(value))
    }
    #expect(keys(codes).count <= 500)
  }

  @Test func aPasteIsOneKeyWhateverIsInIt() {
    #expect(
      keys("a\u{1B}[200~q\tß\r\u{1B}[A\u{1B}]2;x\u{7}\u{1B}[20\u{1B}\u{1B}[201~b")
        == [.character("a"), .paste("q\tß\r\u{1B}[A\u{1B}]2;x\u{7}\u{1B}[20\u{1B}"), .character("b")])
    #expect(keys("\u{1B}[200~\u{1B}[201~") == [.paste("")])
    let withKeys: [KeyReader.Code] = "\u{1B}[200~x".unicodeScalars.map { .character($0.value) } + [.function(0o403)]
    #expect(keys(withKeys + "y\u{1B}[201~".unicodeScalars.map { .character($0.value) }) == [.paste("xy")])
  }

  @Test func aPasteInPiecesIsOneKey() {
    var reader = KeyReader()
    var found: [Key] = []
    for (index, scalar) in "\u{1B}[200~hello\u{1B}[201~".unicodeScalars.enumerated() where index > 5 {
      if index == 6 { _ = readAll("\u{1B}[200~", &reader, at: time(0)) }
      found += readAll(String(scalar), &reader, at: time(100 * index))
    }
    #expect(found == [.paste("hello")])
  }

  @Test func aPasteWithoutEndGivesTheKeysBackAfterAPause() {
    var reader = KeyReader()
    #expect(readAll("\u{1B}[200~never", &reader, at: time(0)) == [])
    #expect(readAll("q", &reader, at: time(1_900)) == [])
    #expect(readAll("x", &reader, at: time(4_000)) == [.paste("neverq"), .character("x")])
  }

  @Test func anEndlessPasteIsCut() {
    let text = String(repeating: "x", count: 100_000)
    #expect(keys("\u{1B}[200~" + text + "\u{1B}[201~") == [.paste(String(text.prefix(PastedText.limit)))])
  }

  func readAll(_ text: String, _ reader: inout KeyReader, at now: MonotonicTime) -> [Key] {
    var rest = text.unicodeScalars.map { KeyReader.Code.character($0.value) }[...]
    var found: [Key] = []
    while let key = reader.key(at: now, next: { rest.popFirst() }) { found.append(key) }
    return found
  }

  @Test func functionKeysOfNcurses() {
    // From <curses.h>: KEY_UP 0403, KEY_PPAGE 0523, KEY_BTAB 0541, KEY_F(3) 0413.
    #expect(
      keys([.function(0o403), .function(0o523), .function(0o541), .function(0o413), .function(0o777)])
        == [.up, .pageUp, .backTab, .function(3)])
  }

  @Test func theSecondPressOnACellWithinFourTenthsIsADoubleClick() {
    var reader = KeyReader()
    let press = MouseEvent(button: .left, column: 3, row: 4)
    #expect(!reader.press(press, at: time(0)).isDouble)
    #expect(reader.press(press, at: time(300)).isDouble)
    #expect(!reader.press(press, at: time(350)).isDouble)
    #expect(!reader.press(press, at: time(800)).isDouble)
    #expect(!reader.press(MouseEvent(button: .left, column: 4, row: 4), at: time(850)).isDouble)
    let wheel = MouseEvent(button: .wheelUp, column: 3, row: 4)
    #expect(!reader.press(wheel, at: time(900)).isDouble)
    #expect(!reader.press(wheel, at: time(910)).isDouble)
  }
}
