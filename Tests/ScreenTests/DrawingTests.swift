import Conference
import RTCCore
import TestKit
import Testing

@testable import Screen

@Suite struct DrawingTests {
  @Test(arguments: [1, 2, 6, 9, 12], [(80, 24), (120, 40), (200, 60)]) func theGridOfARoom(count: Int, size: (Int, Int))
    throws
  {
    var state = Fixture.state(count, columns: size.0, rows: size.1)
    var room = Fixture.room(0..<count)
    if count > 1 {
      room.participants[2].isSpeaking = true
      room.participants[2].audioLevel = 0.7
    }
    if count > 2 { room.participants[3].tracks[1].isMuted = true }
    if count > 3 { room.participants[4].tracks[0].isMuted = true }
    if count > 5 { room.participants[6].tracks.removeAll() }
    _ = reduce(&state, .room(room))
    _ = reduce(&state, .statistics(Fixture.statistics(count)))
    _ = reduce(&state, .audio(.playing(device: "default")))
    try expectGolden(Fixture.drawn(state).text, "grid-\(count)-\(size.0)x\(size.1)")
  }

  @Test(arguments: [Arrangement.collection, .spotlight], [(80, 24), (120, 40), (200, 60)])
  func theOtherLayouts(arrangement: Arrangement, size: (Int, Int)) throws {
    var view = ViewOptions()
    view.arrangement = arrangement
    for count in [3, 12] {
      var state = Fixture.state(count, columns: size.0, rows: size.1, view: view)
      _ = reduce(&state, .statistics(Fixture.statistics(count)))
      _ = reduce(&state, .audio(.playing(device: "default")))
      try expectGolden(Fixture.drawn(state).text, "\(arrangement.rawValue)-\(count)-\(size.0)x\(size.1)")
    }
  }

  @Test func help() throws {
    var state = Fixture.state(2)
    state.type(.character("?"))
    try expectGolden(Fixture.drawn(state).text, "help-80x24")
    state.type(.escape)
    #expect(!Fixture.drawn(state).text.contains("Keys"))
  }

  @Test func aLinkThatCannotCarryEverythingSaysSoInTheStatusLine() throws {
    var state = Fixture.state(2)
    func status() throws -> Substring { try #require(Fixture.drawn(state).text.split(separator: "\n").last) }
    #expect(try !status().contains("link"))
    _ = reduce(&state, .link(LinkStatus(colors: .coarse, framesPerSecond: 27)))
    #expect(try status().contains("slow link: coarse colours, 27 fps"))
    _ = reduce(&state, .link(LinkStatus(colors: .palette(256), framesPerSecond: 12)))
    #expect(try status().contains("slow link: 256 colours, 12 fps"))
    _ = reduce(&state, .link(LinkStatus(colors: .full, framesPerSecond: 4)))
    #expect(try status().contains("slow link: 4 fps"))
    let revision = state.revision
    _ = reduce(&state, .link(LinkStatus(colors: .full, framesPerSecond: 4)))
    #expect(state.revision == revision)
    _ = reduce(&state, .link(nil))
    #expect(try !status().contains("link"))
  }

  @Test func helpScrollsWhereItDoesNotFit() {
    var state = Fixture.state(1, columns: 40, rows: 12)
    state.type(.character("?"))
    #expect(!Fixture.drawn(state).text.contains("close, zoom out"))
    for _ in 0..<10 { state.type(.pageDown) }
    #expect(Fixture.drawn(state).text.contains("close, zoom out"))
    for _ in 0..<10 { state.type(.pageUp) }
    #expect(Fixture.drawn(state).text.contains("select the neighbour"))
  }

  @Test func asciiOnly() {
    var state = Fixture.state(6)
    _ = reduce(&state, .statistics(Fixture.statistics(6)))
    state.type(.character("?"))
    let grid = Fixture.drawn(state, signs: .ascii)
    for cell in grid.cells where cell.plane == .chrome { #expect(cell.glyph.isASCII, "\(cell.glyph)") }
  }

  @Test func aPathThatIsLongerThanALineIsTakenApartAndNotCut() {
    var state = Fixture.state(1)
    let path = "/home/ada/" + (0..<12).map { "part\($0)/" }.joined() + "end.png"
    _ = reduce(&state, .message("Kept in \(path)."))
    _ = reduce(&state, .tick(.zero + .seconds(11)))
    let shown = Fixture.drawn(state).text.filter { !"│ \n▀┃".contains($0) }
    #expect(shown.contains(path))
  }

  @Test func aSmallScreenSaysSoAndComesBack() {
    var state = Fixture.state(2)
    let effects = reduce(&state, .resize(columns: 30, rows: 8, cellAspect: 0.5))
    #expect(effects.contains(.requestLayer(Fixture.video(0), .off)))
    let text = Fixture.drawn(state).text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(text.filter { !$0.isEmpty }.joined(separator: " ") == "Terminal too small: needs at least 40x12, is 30x8")
    _ = reduce(&state, .resize(columns: 80, rows: 24, cellAspect: 0.5))
    #expect(Fixture.drawn(state).text.contains("Ada"))
  }

  @Test(arguments: [(0, 0), (1, 1), (2, 1), (1, 50), (200, 1), (39, 12), (40, 12), (41, 13), (80, 12), (40, 90)])
  func anySizeIsDrawn(size: (Int, Int)) {
    for count in [0, 1, 7, 40] {
      var state = Fixture.state(count, columns: size.0, rows: size.1)
      _ = reduce(&state, .message("A message that is much longer than the screen is wide, and then some more of it"))
      expectWhole(Fixture.drawn(state))
      state.type(.character("?"), .enter, .enter, .character("m"), .character("-"), .character("p"))
      expectWhole(Fixture.drawn(state))
      for key in ["e", "i", ":"] as [Character] {
        state.type(.character(key), .up, .character("x"))
        expectWhole(Fixture.drawn(state))
      }
      state.type(.escape, .character("p"))
      expectWhole(Fixture.drawn(state))
    }
  }

  @Test func hostileNamesCannotBreakTheGrid() {
    let hostile = [
      "\u{1B}[2J\u{1B}[H\u{1B}]0;owned\u{7}", String(repeating: "山", count: 300), "\u{202E}\u{2066}abc\u{2069}",
      "e" + String(repeating: "\u{301}", count: 900), String(repeating: "👨‍👩‍👧‍👦", count: 60), "\r\n\t\u{8}\u{8}\u{8}",
      "", "\u{200B}", "a\u{0}b", "\u{9B}31m", "🇩🇪🇩🇪", "\u{1F468}\u{200D}", "ｗｉｄｅ", "\u{FFF9}x\u{FFFA}y\u{FFFB}",
    ]
    for (columns, rows) in [(40, 12), (80, 24), (81, 25), (120, 40)] {
      var room = Fixture.room([])
      room.name = hostile.joined()
      for (index, name) in hostile.enumerated() {
        room.participants.append(Fixture.participant(index, name: name))
      }
      var state = ScreenState(columns: columns, rows: rows)
      _ = reduce(&state, .room(room))
      _ = reduce(&state, .audio(.playing(device: hostile[0])))
      room.participants.removeLast(3)
      _ = reduce(&state, .room(room))
      _ = reduce(&state, .message(hostile.joined(separator: " ")))
      for _ in 0..<hostile.count {
        var renderer = ScreenRenderer()
        renderer.render(state, pictures: { _ in nil })
        expectWhole(renderer.grid)
        state.type(.tab, .character("p"))
      }
    }
  }

  /// Every row has exactly the grid's columns, and no glyph moves anything.
  private func expectWhole(_ grid: CellGrid) {
    for row in 0..<grid.rows {
      var width = 0
      for column in 0..<grid.columns {
        let cell = grid[column, row]
        width += Int(cell.width)
        if cell.width == 2 { #expect(column + 1 < grid.columns && grid[column + 1, row].width == 0) }
        if cell.width == 0 { #expect(column > 0 && grid[column - 1, row].width == 2) }
      }
      #expect(width == grid.columns)
      #expect(SanitizedText(grid.text(row: row)).width == grid.columns || grid.columns > SanitizedText.glyphLimit)
    }
  }

  @Test func aReusedTileDoesNotShowThePictureOfWhoWasThereBefore() {
    var state = Fixture.state(1)
    var renderer = ScreenRenderer()
    renderer.render(state, pictures: { _ in RGBPicture(width: 68, height: 38, fill: 0xFF0000) })
    let place = state.layout.tiles[0].video
    #expect(renderer.grid[place.column, place.row].plane == .video)
    _ = reduce(&state, .room(Fixture.room([1])))
    // The newcomer has no picture yet; the old one's is still at hand.
    renderer.render(
      state, pictures: { $0 == Fixture.video(0) ? RGBPicture(width: 68, height: 38, fill: 0xFF0000) : nil })
    #expect(!renderer.grid.cells.contains { $0.plane == .video })
    #expect(renderer.grid.text.contains("waiting for video"))
    #expect(!renderer.grid.text.contains("Ada ━"))
    renderer.render(
      state, pictures: { $0 == Fixture.video(1) ? RGBPicture(width: 68, height: 38, fill: 0x00FF00) : nil })
    let index = renderer.grid.index(column: place.column, row: place.row) ?? 0
    #expect(renderer.grid.video[index] == VideoCell(upper: 0xFF00, lower: 0xFF00))
    // A muted camera hides the last picture.
    var room = Fixture.room([1])
    room.participants[1].tracks[0].isMuted = true
    _ = reduce(&state, .room(room))
    renderer.render(state, pictures: { _ in RGBPicture(width: 68, height: 38, fill: 0x00FF00) })
    #expect(renderer.grid.text.contains("camera off"))
    #expect(!renderer.grid.cells.contains { $0.plane == .video })
  }

  @Test(arguments: UInt64(1)...20) func picturesOfAnySizeFillTheTile(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let state = Fixture.state(1)
    let place = state.layout.tiles[0].video
    let picture = RGBPicture(
      width: .random(in: 0...200, using: &generator), height: .random(in: 0...120, using: &generator), fill: 0xABCDEF)
    let isEmpty = picture.width == 0 || picture.height == 0
    var renderer = ScreenRenderer()
    renderer.render(state, pictures: { _ in picture })
    for row in place.row..<place.endRow {
      for column in place.column..<place.endColumn {
        guard let index = renderer.grid.index(column: column, row: row) else { continue }
        for pixel in [renderer.grid.video[index].first, renderer.grid.video[index].second] {
          #expect(pixel == (isEmpty ? 0 : 0xABCDEF))
        }
      }
    }
  }

  @Test func aPictureOfAnotherSizeIsScaledToTheNearestPixels() {
    let state = Fixture.state(1)
    let place = state.layout.tiles[0].video
    let picture = RGBPicture(width: 2, height: 2, pixels: [1, 2, 3, 4])
    var renderer = ScreenRenderer()
    renderer.render(state, pictures: { _ in picture })
    func pixels(_ column: Int, _ row: Int) -> VideoCell? {
      renderer.grid.index(column: column, row: row).map { renderer.grid.video[$0] }
    }
    #expect(pixels(place.column, place.row) == VideoCell(upper: 1, lower: 1))
    #expect(pixels(place.endColumn - 1, place.row) == VideoCell(upper: 2, lower: 2))
    #expect(pixels(place.column, place.endRow - 1) == VideoCell(upper: 3, lower: 3))
    #expect(pixels(place.endColumn - 1, place.endRow - 1) == VideoCell(upper: 4, lower: 4))
  }

  /// A stripe beside every picture would be no letterbox of anybody.
  @Test(arguments: [PixelDensity.halves, PixelDensity(columns: 2, rows: 2), PixelDensity(columns: 2, rows: 3)])
  func aTileIsFilledWhateverThePixelsOfACell(density: PixelDensity) {
    var state = Fixture.state(6, columns: 120, rows: 40)
    _ = reduce(&state, .pixelDensity(density))
    let place = state.layout.tiles[0].video
    let size = PixelSize(width: place.columns * density.columns, height: place.rows * density.rows)
    #expect(state.videoTargets[Fixture.video(0)] == size)
  }

  @Test func platesOfARowSayTheSameOfTheRate() {
    for columns in 40...120 {
      var state = Fixture.state(4, columns: columns, rows: 24)
      _ = reduce(&state, .statistics(Fixture.statistics(4)))
      _ = reduce(&state, .tick(.zero + .seconds(20)))
      let text = Fixture.drawn(state).text
      #expect(!text.contains(/15(?! fps)/), "\(text)")
    }
  }

  @Test func whoIsAloneIsToldWhetherSomebodyWasThere() {
    var state = Fixture.state(0)
    #expect(Fixture.drawn(state).text.contains("Nobody else is here yet."))
    _ = reduce(&state, .room(Fixture.room(0..<1)))
    _ = reduce(&state, .room(Fixture.room(0..<0)))
    #expect(Fixture.drawn(state).text.contains("Nobody else is here any more."))
  }

  @Test func pixelsStandWhereThePictureHasThem() {
    let state = Fixture.state(1)
    let place = state.layout.tiles[0].video
    let size = PixelSize(width: place.columns, height: place.rows * 2)
    #expect(state.videoTargets[Fixture.video(0)] == size)
    let picture = RGBPicture(
      width: size.width, height: size.height, pixels: (0..<UInt32(size.width * size.height)).map { $0 })
    var renderer = ScreenRenderer()
    renderer.render(state, pictures: { _ in picture })
    for (column, row) in [(0, 0), (5, 3), (place.columns - 1, place.rows - 1)] {
      let index = renderer.grid.index(column: place.column + column, row: place.row + row) ?? 0
      let upper = UInt32(row * 2 * size.width + column)
      #expect(renderer.grid.video[index] == VideoCell(upper: upper, lower: upper + UInt32(size.width)))
    }
  }

  @Test func betweenChangesOnlyVideoIsDrawn() {
    var state = Fixture.state(2)
    var renderer = ScreenRenderer()
    renderer.render(state, pictures: Fixture.pictures(state, fill: 1))
    renderer.render(state, pictures: Fixture.pictures(state, fill: 2))
    #expect(renderer.grid.video.contains(VideoCell(upper: 2, lower: 2)))
    #expect(!renderer.grid.video.contains(VideoCell(upper: 1, lower: 1)))
    var fresh = CellGrid(columns: 80, rows: 24)
    draw(state, pictures: Fixture.pictures(state, fill: 2), on: &fresh)
    #expect(fresh == renderer.grid)
    // A change that is not told by the revision is not looked for.
    var changed = state
    changed.type(.tab)
    changed.revision = state.revision
    renderer.render(changed, pictures: Fixture.pictures(state, fill: 2))
    #expect(fresh == renderer.grid)
    state.type(.tab)
    renderer.render(state, pictures: Fixture.pictures(state, fill: 2))
    #expect(fresh != renderer.grid)
  }

  @Test func helpLiesOverTheVideo() {
    var state = Fixture.state(1, columns: 120, rows: 40)
    state.type(.character("?"))
    var renderer = ScreenRenderer()
    for _ in 0..<2 { renderer.render(state, pictures: Fixture.pictures(state)) }
    #expect(renderer.grid.text.contains("this help"))
    #expect(renderer.grid.cells.contains { $0.plane == .video })
  }

  @Test func theNameLineTellsWhatIsSpecial() {
    var state = Fixture.state(1, columns: 120, rows: 40)
    func tell(received: Int, lost: Int, rate: Double = 14.6, second: Int) {
      var figures = TileStatistics(width: 320, height: 180, framesPerSecond: rate)
      (figures.packetsReceived, figures.packetsLost) = (received, lost)
      _ = reduce(&state, .tick(.zero + .seconds(second)))
      _ = reduce(&state, .statistics([Fixture.video(0): figures]))
    }
    // What was lost long ago is not told for ever.
    tell(received: 100, lost: 80, second: 10)
    #expect(!Fixture.drawn(state).text.contains("lost"))
    tell(received: 195, lost: 85, second: 11)
    #expect(Fixture.drawn(state).text.contains("5% lost med 320×180 15 fps"))
    for second in 12..<24 { tell(received: 200 + second * 100, lost: 85, second: second) }
    state.type(.character("3"), .character("p"), .character("-"))
    let text = Fixture.drawn(state).text
    #expect(text.contains("[high] med 320×180 15 fps"))
    #expect(text.contains("◆ Ada"))
    #expect(text.contains("vol 90"))
    tell(received: 0, lost: -7, rate: .nan, second: 24)
    #expect(Fixture.drawn(state).text.contains("320×180"))
  }

  @Test(arguments: [(1, 120, "weak link", "link lost"), (6, 80, " ! ", " !! ")]) func aBadConnectionHasASign(
    count: Int, columns: Int, weak: String, lost: String
  ) {
    var state = Fixture.state(count, columns: columns, rows: columns / 3)
    var room = Fixture.room(0..<count)
    #expect(!Fixture.drawn(state).text.contains(weak))
    room.participants[1].quality = .poor
    _ = reduce(&state, .room(room))
    #expect(Fixture.drawn(state).text.contains(weak))
    room.participants[1].quality = .lost
    room.participants[1].tracks[1].isMuted = true
    _ = reduce(&state, .room(room))
    #expect(Fixture.drawn(state, signs: .ascii).text.contains(lost))
  }

  @Test func speakingAndSelectionAreSeenWithoutColour() {
    var state = Fixture.state(2)
    let before = Fixture.drawn(state).text
    var room = Fixture.room(0..<2)
    room.participants[2].isSpeaking = true
    room.participants[2].audioLevel = 1
    _ = reduce(&state, .room(room))
    let speaking = Fixture.drawn(state).text
    #expect(speaking.contains("▃▅▇"))
    #expect(!before.contains("▃"))
    state.type(.tab)
    #expect(Fixture.drawn(state).text != speaking)
  }
}
