import Foundation
import Testing

@testable import Screen

/// A room as themes colour it.
@Suite struct ThemeScreenTests {
  /// Somebody selected, somebody who speaks, a camera that is off, and a message.
  private func state() -> ScreenState {
    var state = Fixture.state(4, columns: 64, rows: 20)
    var room = Fixture.room(0..<4)
    room.participants[2].isSpeaking = true
    room.participants[2].audioLevel = 0.7
    room.participants[3].tracks[0].isMuted = true
    _ = reduce(&state, .room(room))
    _ = reduce(&state, .statistics(Fixture.statistics(4)))
    _ = reduce(&state, .themes(ThemeLibrary.bundled.names, current: "night"))
    return state
  }

  /// The text, then a letter for the style of each cell, then what the letters stand for.
  private func picture(_ grid: CellGrid) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    var known: [CellStyle] = []
    let map = (0..<grid.rows).map { row in
      String(
        (0..<grid.columns).map { column -> Character in
          let cell = grid[column, row]
          if cell.plane == .video { return " " }
          if !known.contains(cell.style) { known.append(cell.style) }
          return known.firstIndex(of: cell.style).flatMap { $0 < letters.count ? letters[$0] : nil } ?? "?"
        })
    }
    let legend = zip(letters, known).map { "\($0) \(words($1))" }
    return ([grid.text, ""] + map + [""] + legend).joined(separator: "\n")
  }

  private func words(_ style: CellStyle) -> String {
    func word(_ color: CellColor) -> String {
      guard let rgb = color.rgb else {
        return color.terminalIndex.map { ColorWord.terminalNames[Int($0)] } ?? "default"
      }
      let digits = String(rgb, radix: 16, uppercase: true)
      return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
    let attributes = StyleLine.attributes.sorted { $0.key < $1.key }.filter { style.attributes.contains($0.value) }
    return (["\(word(style.foreground)) on \(word(style.background))"] + attributes.map(\.key)).joined(separator: " ")
  }

  @Test(arguments: ["night", "day", "high-contrast"]) func aScreenIsColouredAsItWas(name: String) throws {
    var state = state()
    #expect(reduce(&state, .theme(name)) == [.showTheme(name)])
    let theme = try #require(ThemeLibrary.bundled.theme(name))
    var grid = CellGrid(columns: state.columns, rows: state.rows)
    draw(state, pictures: Fixture.pictures(state), theme: theme, on: &grid)
    try expectGolden(picture(grid), "theme-\(name)-64x20")
  }

  /// Also what stands on other roles' grounds than the table of roles knows.
  @Test(arguments: ThemeLibrary.bundled.names) func everythingOnTheScreenIsReadable(name: String) throws {
    var state = state()
    let theme = try #require(ThemeLibrary.bundled.theme(name))
    for key in [nil, Key.character("p"), .character("M"), .character("?")] {
      if let key { state.type(key) }
      var grid = CellGrid(columns: state.columns, rows: state.rows)
      draw(state, pictures: Fixture.pictures(state), theme: theme, on: &grid)
      for cell in grid.cells where cell.plane == .chrome && (cell.glyph.isLetter || cell.glyph.isNumber) {
        guard let front = cell.style.foreground.rgb, let back = cell.style.background.rgb else { continue }
        #expect(Contrast.ratio(front, back) >= 4.5, "\(cell.glyph) \(words(cell.style))")
      }
    }
  }

  @Test func theKeyGoesRoundThroughAllThemesAndBack() {
    var state = state()
    var seen: [String] = []
    for _ in ThemeLibrary.bundled.names {
      #expect(state.type(.character("t")) == [.showTheme(state.theme)])
      #expect(state.toast?.text.description == "Theme \(state.theme)")
      seen.append(state.theme)
    }
    #expect(seen.sorted() == ThemeLibrary.bundled.names.sorted())
    #expect(state.theme == "night")
    state.type(.character("T"))
    #expect(state.theme == ThemeLibrary.bundled.names.last)
  }

  @Test func aThemeThatDoesNotExistChangesNothing() {
    var state = state()
    #expect(reduce(&state, .theme("fjrod")).isEmpty)
    #expect(state.theme == "night")
    #expect(state.toast?.text.description == "There is no theme “fjrod”; did you mean fjord?")
    #expect(reduce(&state, .theme("\u{1B}[2J")).isEmpty)
    #expect(state.toast?.text.description.unicodeScalars.contains("\u{1B}") == false)
  }

  @Test func anotherThemeRedrawsAllChrome() throws {
    let state = state()
    var renderer = ScreenRenderer()
    renderer.render(state, pictures: Fixture.pictures(state))
    renderer.theme = try #require(ThemeLibrary.bundled.theme("day"))
    renderer.render(state, pictures: Fixture.pictures(state))
    #expect(renderer.grid[0, 0].style.background == renderer.theme[.title].background)
  }
}
