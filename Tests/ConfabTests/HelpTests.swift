import Testing

@testable import confab

@Suite struct HelpTests {
  @Test(arguments: [40, 80, 120]) func helpFitsTheTerminalAndBreaksNoWord(columns: Int) {
    let pages = [Help.overview(columns: columns)] + Confab.commands.map { Help.page($0, columns: columns) }
    for line in pages.joined(separator: "\n").split(separator: "\n") where line.count > columns {
      // What stands beside the flags of a narrow terminal has a few columns all the same.
      #expect(columns == 40 && line.hasPrefix("  "), "\(line)")
    }
    for (page, command) in zip(pages.dropFirst(), Confab.commands) {
      let words = page.split(whereSeparator: \.isWhitespace)
      for text in [command.summary, command.details] + command.flags.map(\.help) {
        let wanted = text.split(whereSeparator: \.isWhitespace)
        #expect(wanted.isEmpty || words.contains(wanted), "\(text)")
      }
    }
  }

  @Test func everyCommandIsSaidInALine() {
    for line in Help.overview(columns: 120).split(separator: "\n") { #expect(line.count <= 110, "\(line)") }
    #expect(JoinCommand.summary.count < 60)
  }

  @Test func linesContinueBesideTheirHead() {
    #expect(PrintedText.wrapped("one two  three\nfour", beside: "head  ", to: 24) == "head  one two three four")
    #expect(PrintedText.wrapped("one two three four", beside: "head  ", to: 22) == "head  one two three\n      four")
    #expect(PrintedText.wrapped("a-word-that-is-longer-than-all", to: 20) == "a-word-that-is-longer-than-all")
    #expect(PrintedText.wrapped("", beside: "head") == "head")
    #expect(PrintedText.table([("a", "x"), ("bcd", "y")], to: 80) == ["  a    x", "  bcd  y"])
  }
}
