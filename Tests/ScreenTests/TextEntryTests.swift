import Screen
import TestKit
import Testing

@testable import Screen

@Suite struct TextEntryTests {
  private func entry(_ text: String, _ keys: Key..., limit: Int = 100) -> TextEntry {
    var entry = TextEntry(text, limit: limit)
    for key in keys { _ = entry.press(key) }
    return entry
  }

  @Test func editsAsLineEditorsDo() {
    #expect(entry("abc", .left, .left, .character("x")).text == "axbc")
    #expect(entry("abc", .home, .delete).text == "bc")
    #expect(entry("abc", .left, .backspace).text == "ac")
    #expect(entry("abc", .control("a"), .character("x"), .control("e"), .character("y")).text == "xabcy")
    #expect(entry("abc", .left, .control("u")).text == "c")
    #expect(entry("abc", .left, .control("k")).text == "ab")
    #expect(entry("wss://rooms.example/x", .control("w"), .control("w")).text == "wss://rooms.")
    #expect(entry("", .backspace, .delete, .left, .right, .control("w"), .control("u")).text == "")
  }

  @Test func onlyWhatCanBeShownComesIn() {
    #expect(entry("a\u{1B}[31mb\nc\u{202E}d\u{200B}e\u{7}").text == "a[31mbcde")
    #expect(entry("é漢").text == "é漢")
  }

  @Test func aLongTextIsCut() {
    #expect(entry(String(repeating: "x", count: 1_000), limit: 100).text.count == 100)
    #expect(entry("abcd", .character("e"), limit: 4).text == "abcd")
  }

  @Test(arguments: UInt64(1)...30) func theCursorIsAlwaysInSight(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let columns = Int.random(in: 2...20, using: &generator)
    var entry = TextEntry(limit: 60)
    for _ in 0..<200 {
      let keys: [Key] = [
        .character("a"), .character("漢"), .left, .right, .home, .end, .backspace, .delete, .control("w"),
      ]
      _ = entry.press(keys.randomElement(using: &generator) ?? .home)
      let range = entry.visible(in: columns) { $0.width }
      let width = entry.glyphs[range].reduce(0) { $0 + $1.width }
      #expect(range.lowerBound <= entry.cursor && entry.cursor <= range.upperBound)
      #expect(width < columns || entry.glyphs[range].contains { $0.width == 2 } && width <= columns)
    }
  }
}
