import Screen
import Testing

@testable import Terminal
@testable import confab

@Suite struct ViewFlagsTests {
  private func view(_ arguments: String...) throws -> ViewOptions {
    try LayoutFlags.view(Options(arguments, flags: LayoutFlags.flags + LayoutFlags.peopleFlags))
  }

  private func session(_ arguments: String...) throws -> TerminalSession.Configuration {
    var configuration = TerminalSession.Configuration()
    try PictureFlags(Options(arguments, flags: PictureFlags.flags)).apply(to: &configuration)
    return configuration
  }

  @Test func peopleAreNamedWithCommasBetween() throws {
    #expect(try view("--pinned", "Ada One, bo,,").pins == ["Ada One", "bo"])
    #expect(try view().pins == [])
  }

  @Test func peopleWithoutVideoStandWhereTheFlagSays() throws {
    #expect(try view().withoutVideo == .inPlace)
    #expect(try view("--without-video", "last").withoutVideo == .last)
    #expect(throws: UsageError.self) { try view("--without-video", "away") }
  }

  @Test func ratesAndShapesAreWithinReason() throws {
    #expect(try session().picturesPerSecond == nil && session().cellAspect == nil)
    #expect(try session("--fps", "12", "--cell-aspect", "0.6").picturesPerSecond == 12)
    #expect(try session("--cell-aspect", "0.6").cellAspect == 0.6)
    for wrong in [["--fps", "0"], ["--fps", "61"], ["--cell-aspect", "2"], ["--cell-aspect", "nan"]] {
      #expect(throws: UsageError.self) { try PictureFlags(Options(wrong, flags: PictureFlags.flags)) }
    }
  }
}
