import Screen
import TestKit
import Testing

@Suite struct SanitizedTextTests {
  @Test(arguments: [
    ("Ada", "Ada", 3), ("Björn", "Björn", 5), ("B\u{6F}\u{308}rn", "Bo\u{308}rn", 4),
    ("a\tb\nc\r\u{2028}d\u{85}", "a b c  d ", 9),
    ("\u{1B}[31mred", "^[[31mred", 9), ("\u{0}\u{7F}", "^@^?", 4), ("\u{9B}31m", "�31m", 4),
    ("\u{202E}evil\u{2066}", "�evil�", 6), ("a\u{200F}b\u{200E}c\u{061C}", "abc", 3),
    ("a\u{200B}\u{200D}\u{FEFF}\u{2060}\u{AD}b", "ab", 2), ("\u{E0041}x\u{FE0F}", "x", 1),
    ("\u{300}a", "a", 1), ("a\u{A0}b\u{3000}c\u{2800}", "a b c ", 6), ("\u{3164}\u{115F}", "", 0),
    ("\u{E000}\u{10FFFF}\u{378}", "���", 3), ("\u{4DC0}", "�", 1),
    ("山田", "山田", 4), ("ｱ", "ｱ", 1), ("한", "한", 2), ("\u{1112}\u{1161}\u{11AB}", "\u{1112}\u{1161}\u{11AB}", 2),
    ("👍🏽", "👍", 2), ("👨‍👩‍👧‍👦!", "👨!", 3), ("🇩🇪", "DE", 2), ("❤️", "❤", 1), ("1️⃣", "1", 1), ("שלום", "שלום", 4),
  ])
  func rule(raw: String, shown: String, width: Int) {
    let text = SanitizedText(raw)
    #expect(text.description.unicodeScalars.elementsEqual(shown.unicodeScalars), "\(text)")
    #expect(text.width == width)
  }

  @Test func aGlyphKeepsTwoOfAStormOfMarks() {
    let text = SanitizedText("Z" + String(repeating: "\u{351}", count: 5000) + "a")
    #expect(text.glyphs.count <= 2)
    #expect(text.glyphs.first?.character.unicodeScalars.count == 3)
  }

  @Test func aNameOfAMillionCharactersIsCut() {
    let text = SanitizedText(String(repeating: "x", count: 1_000_000))
    #expect(text.width == SanitizedText.glyphLimit)
    #expect(text.description.hasSuffix("x…"))
  }

  @Test func namesLoseOuterAndDoubledSpaces() {
    #expect(SanitizedText(name: " \t Ada \n  L ").description == "Ada L")
    #expect(SanitizedText(name: "\u{200B} \u{202A}").description == "�")
    #expect(SanitizedText(name: "\u{200B} ").description == "unnamed")
  }

  @Test(arguments: [
    (5, "Björn"), (4, "Bjö…"), (1, "…"), (0, ""), (-3, ""),
  ])
  func cutting(columns: Int, shown: String) {
    #expect(SanitizedText("Björn").cut(to: columns).description == shown)
  }

  @Test func wideGlyphsAreNotCutInHalf() {
    #expect(SanitizedText("山田太郎").cut(to: 6).description == "山田…")
    #expect(SanitizedText("山田太郎").cut(to: 4).description == "山…")
    let sentence = SanitizedText("“Ada’s room” is 2×2 – wait…")
    #expect(sentence.inASCII.description == "\"Ada's room\" is 2x2 - wait.")
    #expect(sentence.inASCII.width == sentence.width)
    #expect(SanitizedText("山田").inASCII.description == "????")
  }

  @Test(arguments: UInt64(1)...40) func whateverComesInOnlyPrintableGlyphsComeOut(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    // Mostly from the blocks where the trouble is.
    let blocks: [ClosedRange<UInt32>] = [
      0...0x9F, 0x300...0x36F, 0x590...0x8FF, 0x1100...0x11FF, 0x2000...0x20FF, 0x2600...0x27BF, 0xFE00...0xFFFF,
      0x1F100...0x1F9FF, 0xE0000...0xE01FF, 0...0x10FFFF,
    ]
    var raw = ""
    for _ in 0..<200 {
      let block = blocks.randomElement(using: &generator) ?? 0...0
      if let scalar = Unicode.Scalar(UInt32.random(in: block, using: &generator)) { raw.unicodeScalars.append(scalar) }
    }
    let text = SanitizedText(raw)
    #expect(text.width == text.glyphs.reduce(0) { $0 + $1.width })
    for glyph in text.glyphs {
      #expect(glyph.width == 1 || glyph.width == 2)
      #expect(glyph.character.unicodeScalars.count <= 3)
      for scalar in glyph.character.unicodeScalars {
        let properties = scalar.properties
        let forbidden: Set<Unicode.GeneralCategory> = [
          .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator, .enclosingMark,
        ]
        #expect(!forbidden.contains(properties.generalCategory) && !properties.isDefaultIgnorableCodePoint)
        #expect(!properties.isBidiControl && !properties.isVariationSelector)
      }
    }
    for columns in 0...12 { #expect(text.cut(to: columns).width <= columns) }
    // What was made safe once stays as it is.
    #expect(SanitizedText(text.description).description == text.description)
  }
}
