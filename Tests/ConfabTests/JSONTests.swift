import Foundation
import Testing

@testable import confab

@Test("RFC 8259 §7: what a stranger wrote comes out escaped and reads back the same")
func textIsEscaped() throws {
  let hostile = "a\"b\\c\u{1B}[2J\u{9B}\u{202E}\u{200B}\n\t\u{2028}é😀"
  let line = JSON.object([("name", .text(hostile))]).text
  #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x9B && $0.value != 0x202E })
  let read = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
  #expect(read["name"] == hostile)
}

@Test func numbersAreShort() {
  #expect(JSON.decimal(1.0 / 3).text == "0.333")
  #expect(JSON.decimal(30).text == "30")
  #expect(JSON.decimal(.nan).text == "null")
  #expect(JSON.decimal(-0.25).text == "-0.25")
  #expect(JSON.list([.number(1), .truth(true), .null]).text == "[1,true,null]")
}

@Test func aDistributionTellsItsMiddleAndTail() {
  var values = Distribution()
  #expect(values.percentile(0.5) == nil)
  for value in 1...100 { values.add(Double(value)) }
  #expect(values.percentile(0.5) == 51)
  #expect(values.percentile(0.95) == 96)
}
