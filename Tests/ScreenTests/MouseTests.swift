import Conference
import RTCCore
import Screen
import Testing

@Suite struct MouseTests {
  private static func press(_ column: Int, _ row: Int, _ button: MouseEvent.Button = .left) -> Key {
    .mouse(MouseEvent(button: button, column: column, row: row))
  }

  /// Where a word stands on the screen.
  private static func find(_ word: String, in state: ScreenState) -> (column: Int, row: Int)? {
    let lines = Fixture.drawn(state).text.split(separator: "\n", omittingEmptySubsequences: false)
    for (row, line) in lines.enumerated().reversed() {
      if let range = line.firstRange(of: word) {
        return (line.distance(from: line.startIndex, to: range.lowerBound), row)
      }
    }
    return nil
  }

  @Test func aHintIsPressed() throws {
    var state = Fixture.state(3)
    _ = reduce(&state, .audio(.playing(device: "default")))
    let help = try #require(Self.find("help", in: state))
    state.type(Self.press(help.column + 1, help.row))
    #expect(state.overlay == .help(offset: 0))
    // Anywhere closes the help.
    state.type(Self.press(5, 5))
    #expect(state.overlay == nil)
    let layers = try #require(Self.find("1 2 3 a", in: state))
    #expect(state.type(Self.press(layers.column + 4, layers.row)) == [.requestLayer(Fixture.video(0), .layer(.high))])
    // Between the keys, and on the word for all of them, nothing happens.
    #expect(state.type(Self.press(layers.column + 3, layers.row), Self.press(layers.column + 9, layers.row)).isEmpty)
    let quit = try #require(Self.find("quit", in: state))
    #expect(state.type(Self.press(quit.column, quit.row)) == [.leave])
  }

  @Test func theEventLineOpensTheHistoryAndItsLinesCloseIt() throws {
    var state = Fixture.state(3)
    state.type(Self.press(3, state.layout.events.row))
    #expect(state.overlay == .events(offset: 0))
    let panel = try #require(state.layout.panel)
    state.type(Self.press(panel.column + 5, panel.row + 2))
    #expect(state.overlay == .events(offset: 0))
    // Tiles beside it are selected as ever.
    let tile = state.layout.tiles[1]
    state.type(Self.press(tile.frame.column + 1, tile.frame.row + 1))
    #expect(state.selected == tile.id && state.overlay == .events(offset: 0))
    state.type(Self.press(panel.column + 5, panel.endRow - 1))
    #expect(state.overlay == nil)
  }

  @Test func theWheelScrollsWhatItIsOver() throws {
    var state = Fixture.state(12, columns: 100, rows: 20)
    for number in 0..<60 { _ = reduce(&state, .message("number \(number).")) }
    _ = reduce(&state, .tick(.zero + .seconds(60)))
    state.type(.character("e"))
    let panel = try #require(state.layout.panel)
    #expect(state.layout.positions > 1)
    state.type(Self.press(panel.column + 4, panel.row + 4, .wheelUp))
    #expect(state.overlay == .events(offset: 1) && state.layout.position == 0)
    state.type(Self.press(3, 4, .wheelDown))
    #expect(state.overlay == .events(offset: 1) && state.layout.position == 1)
    state.type(Self.press(panel.column + 4, panel.row + 4, .wheelDown))
    #expect(state.overlay == .events(offset: 0))
  }

  @Test func aClickOnTheTilesClosesTheCommandLine() {
    var state = Fixture.state(1)
    state.type(.character(":"), Self.press(3, state.layout.events.row))
    #expect(state.typed == "")
    state.type(Self.press(3, 4))
    #expect(state.overlay == nil)
  }
}
