import TestKit
import Testing

@testable import Screen

private func read(_ text: String) -> SettingsText { SettingsText(Array(text.utf8)) }

@Test func settingsAreKeysAndValuesInGroups() {
  let text = read("\u{FEFF}# a comment\ntheme = day\r\n\n[ viewer]\n[viewer]\n  layout=grid = x  \ncolors =\n")
  #expect(
    text.entries == [
      SettingsText.Entry(group: "", key: "theme", value: "day", line: 2),
      SettingsText.Entry(group: "viewer", key: "layout", value: "grid = x", line: 6),
      SettingsText.Entry(group: "viewer", key: "colors", value: "", line: 7),
    ])
  #expect(text.groups.map(\.name) == [" viewer", "viewer"])
  #expect(text.problems.isEmpty)
}

@Test(arguments: [
  ("theme", SettingsProblem.Code.noAssignment, 1), ("\n= day", .noAssignment, 2), ("[viewer", .badGroup, 1),
  ("[]", .badGroup, 1), ("[a] b", .badGroup, 1), ("a = 1\nb = 2\na = 3", .repeatedKey, 3),
  ("a = \u{1B}[2J", .notText, 1), ("a = \0", .notText, 1),
])
func aLineThatIsNoSettingIsNamed(text: String, code: SettingsProblem.Code, line: Int) {
  let problems = read(text).problems
  #expect(problems.map(\.code) == [code])
  #expect(problems.map(\.line) == [line])
}

@Test func aKeyMayStandOnceInEachGroup() {
  #expect(read("a = 1\n[x]\na = 2\n[y]\na = 3").problems.isEmpty)
  #expect(read("[x]\na = 2\n[x]\na = 3").problems.map(\.line) == [4])
}

@Test func textThatIsNotUTF8OrTooLargeIsRefused() {
  #expect(SettingsText([0x61, 0x3D, 0xFF, 0xFE]).problems.map(\.code) == [.notText])
  #expect(SettingsText(Array(repeating: 0x20, count: SettingsText.sizeLimit + 1)).problems.map(\.code) == [.tooLarge])
  #expect(read(String(repeating: "x", count: SettingsText.lineLimit + 1)).problems.map(\.code) == [.tooLarge])
}

@Test func whatAProblemQuotesCannotSteerTheTerminal() {
  let problem = read("\u{202E}theme \u{9B}2J").problems.first
  #expect(problem?.message.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0x9B } == false)
}

@Test(arguments: UInt64(1)...40) func noBytesTrapTheReaderOfSettings(seed: UInt64) {
  var generator = SeededGenerator(seed: seed)
  let alphabet = Array("[]=#\n\r\t abc\u{E9}\u{1F600}\0".utf8) + [0xFF, 0xC3, 0xE2]
  for _ in 0..<50 {
    let bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
      Bool.random(using: &generator)
        ? alphabet.randomElement(using: &generator) ?? 0 : UInt8.random(in: 0...255, using: &generator)
    }
    let text = SettingsText(bytes)
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    #expect(text.entries.allSatisfy { (1...lines).contains($0.line) && !$0.key.isEmpty })
    #expect(text.problems.allSatisfy { (0...lines).contains($0.line) })
  }
}
