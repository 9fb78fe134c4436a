import Signalling
import Testing

@Suite struct JSONValueTests {
  private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

  @Test func everyKindOfValueIsRead() throws {
    let value = try parse(
      #" {"id": 9007199254740991, "half":0.5, "on":true, "off":false, "none":null, "list":[1,-2,[]], "text":"a\"\\\/\n\u00e5"} "#
    )
    #expect(value["id"] == 9_007_199_254_740_991)
    #expect(value["half"] == .decimal(0.5))
    #expect(value["on"] == true)
    #expect(value["off"] == false)
    #expect(value["none"].isNull)
    #expect(value["list"] == [1, -2, []])
    #expect(value["text"] == "a\"\\/\nå")
    #expect(value["absent"].isNull)
    #expect(value["text"]["deeper"].isNull)
  }

  @Test func surrogatePairsAreOneCharacterAndHalvesAreReplaced() throws {
    #expect(try parse(#""\ud83d\ude00""#) == "😀")
    #expect(try parse(#""\ud83dx""#) == "\u{FFFD}x")
    #expect(try parse(#""\ude00""#) == "\u{FFFD}")
  }

  @Test(arguments: [
    "", " ", "{", "[1", "[1,]", "{\"a\":}", "{\"a\" 1}", "{a:1}", "01", "1.", "1e", "-", "+1", "nul", "tru", "\"",
    "\"\u{01}\"", #""\x""#, #""\u12""#, "1 2", "[1] x", "{\"a\":1,}", "1e999",
  ])
  func otherTextsAreRefused(text: String) {
    #expect(throws: JSONError.self) { try parse(text) }
  }

  @Test func depthIsLimited() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try parse(nested(JSONValue.maximumDepth))
    #expect(throws: JSONError.tooDeep(at: JSONValue.maximumDepth)) { try parse(nested(100_000)) }
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let value: JSONValue = [
      "z": [1, true, .null, .decimal(2.5)], "a": "line\u{1}\n\"\\ å😀", "m": ["x": .integer(.min), "y": .integer(.max)],
    ]
    #expect(try JSONValue(parsing: value.serialized()) == value)
    // Names in order, so that the same message is always the same bytes.
    #expect(value.serialized().starts(with: Array(#"{"a":"line\u0001\u000a\"\\ å😀","m":{"x":-"#.utf8)))
  }

  @Test func wholeNumbersKeepAllTheirDigitsAndLargerOnesBecomeDecimals() throws {
    #expect(try parse("9223372036854775807") == .integer(.max))
    #expect(try parse("9223372036854775808") == .decimal(9_223_372_036_854_775_808))
    #expect(try parse("1e3") == .decimal(1000))
    #expect(try parse("70").integer(in: 0...64) == nil)
    #expect(try parse("64").integer(in: 0...64) == 64)
  }
}
