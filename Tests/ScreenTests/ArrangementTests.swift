import Conference
import RTCCore
import TestKit
import Testing

@testable import Screen

/// What holds for every arrangement on every screen.
@Suite struct ArrangementTests {
  private static func sizes(_ seed: UInt64) -> [(Int, Int)] {
    var generator = SeededGenerator(seed: seed)
    return [(1, 1), (39, 12), (40, 12), (500, 12), (40, 200), (500, 200)]
      + (0..<6).map { _ in (Int.random(in: 1...500, using: &generator), Int.random(in: 1...200, using: &generator)) }
      + (0..<6).map { _ in (Int.random(in: 40...140, using: &generator), Int.random(in: 12...60, using: &generator)) }
  }

  private static func layout(
    _ count: Int, _ size: (Int, Int), _ arrangement: Arrangement, selected: Int? = nil, position: Int = 0,
    large: Int? = nil, inset: Int = 1, aspect: Double = 0.5
  ) -> ScreenLayout {
    var wish = LayoutWish(tiles: (0..<count).map { Fixture.tile($0) }, selected: selected.map { Fixture.tile($0) })
    wish.arrangement = arrangement
    wish.position = position
    wish.large = large.map { Fixture.tile($0) }
    wish.inset = inset
    return ScreenLayout(columns: size.0, rows: size.1, cellAspect: aspect, wish: wish)
  }

  private static let counts = [0, 1, 2, 3, 4, 5, 7, 9, 12, 16, 23, 40, 60]

  @Test(arguments: Arrangement.allCases, UInt64(1)...6) func tilesStayInsideAndApart(
    arrangement: Arrangement, seed: UInt64
  ) {
    var generator = SeededGenerator(seed: seed)
    for size in Self.sizes(seed) {
      for count in Self.counts {
        let layout = Self.layout(
          count, size, arrangement, selected: count > 0 ? .random(in: 0..<count, using: &generator) : nil,
          position: .random(in: -2...20, using: &generator),
          large: count > 0 ? .random(in: 0..<count, using: &generator) : nil,
          inset: .random(in: 0...20, using: &generator), aspect: .random(in: 0.3...1, using: &generator))
        #expect(layout.tiles.isEmpty == (count == 0 || layout.isTooSmall))
        #expect((0..<layout.positions).contains(layout.position))
        for (index, tile) in layout.tiles.enumerated() {
          #expect(tile.frame.intersection(layout.content) == tile.frame, "\(size) \(count) \(arrangement)")
          #expect(tile.video.intersection(tile.frame) == tile.video)
          #expect(!tile.video.isEmpty)
          for other in layout.tiles[..<index] {
            #expect(tile.frame.intersection(other.frame).isEmpty, "\(size) \(count) \(arrangement)")
          }
        }
      }
    }
  }

  @Test(arguments: Arrangement.allCases, [0.4, 0.5, 0.6]) func picturesAreSixteenByNineInTheCellsShape(
    arrangement: Arrangement, aspect: Double
  ) {
    for size in Self.sizes(7) {
      for count in [1, 2, 5, 12] {
        for tile in Self.layout(count, size, arrangement, aspect: aspect).tiles {
          let exactColumns = Double(tile.video.rows) * 16 / 9 / aspect
          let exactRows = Double(tile.video.columns) * 9 / 16 * aspect
          // The nearest whole number of cells in one direction, given the other.
          #expect(
            abs(Double(tile.video.columns) - exactColumns) <= 0.5 || abs(Double(tile.video.rows) - exactRows) <= 0.5)
        }
      }
    }
  }

  @Test(arguments: Arrangement.allCases) func everyTileIsReachedByKeys(arrangement: Arrangement) {
    for (columns, rows) in [(40, 12), (80, 24), (120, 40), (200, 60), (60, 60), (300, 20)] {
      for count in [1, 4, 7, 23, 60] {
        for keys in [[Key.tab], [.pageDown], [.mouse(MouseEvent(button: .wheelDown, column: 5, row: 5))]] {
          var view = ViewOptions()
          view.arrangement = arrangement
          var state = Fixture.state(count, columns: columns, rows: rows, view: view)
          var seen = Set(state.layout.tiles.map(\.id))
          for _ in 0..<count {
            for key in keys { state.type(key) }
            seen.formUnion(state.layout.tiles.map(\.id))
            #expect(state.selected.map { state.layout[$0] != nil } == true)
          }
          #expect(seen.count == count, "\(arrangement) \(columns)x\(rows) \(count) \(keys)")
          #expect(state.tiles == (0..<count).map { Fixture.tile($0) })
        }
      }
    }
  }

  @Test(arguments: Arrangement.allCases, UInt64(1)...8) func whateverIsPressedTheSelectedTileIsInSight(
    arrangement: Arrangement, seed: UInt64
  ) {
    var generator = SeededGenerator(seed: seed)
    let keys: [Key] = [
      .left, .right, .up, .down, .tab, .backTab, .home, .end, .pageUp, .pageDown, .enter, .escape, .character("l"),
      .character("p"), .character("n"), .mouse(MouseEvent(button: .wheelDown, column: 9, row: 9)),
      .mouse(MouseEvent(button: .wheelUp, column: 9, row: 9)),
      .mouse(MouseEvent(button: .left, column: 30, row: 12)),
    ]
    var view = ViewOptions()
    view.arrangement = arrangement
    var state = Fixture.state(14, columns: 90, rows: 26, view: view)
    for step in 0..<300 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0:
        let count = Int.random(in: 0...20, using: &generator)
        var room = Fixture.room(0..<count)
        for index in room.participants.indices {
          room.participants[index].isSpeaking = Int.random(in: 0..<6, using: &generator) == 0
          if Int.random(in: 0..<6, using: &generator) == 0 { room.participants[index].tracks = [] }
        }
        _ = reduce(&state, .room(room))
      case 1:
        _ = reduce(
          &state,
          .resize(
            columns: .random(in: 30...160, using: &generator), rows: .random(in: 8...50, using: &generator),
            cellAspect: 0.5))
      case 2: _ = reduce(&state, .tick(MonotonicTime.zero + .seconds(10) + .milliseconds(700 * step)))
      default: state.type(keys[Int.random(in: 0..<keys.count, using: &generator)])
      }
      guard !state.layout.isTooSmall, !state.tiles.isEmpty else { continue }
      #expect(state.selected.map { state.layout[$0] != nil } == true)
      #expect(Set(state.layout.tiles.map(\.id)).count == state.layout.tiles.count)
      #expect(Set(state.layout.tiles.map(\.id)).isSubset(of: state.tiles))
      let wanted = Set(state.layout.tiles.compactMap { state.visibleTrack(of: $0.id) })
      #expect(Set(state.videoTargets.keys) == wanted)
    }
  }

  // MARK: Collection

  @Test func collectionPutsFourInQuartersWithTheirInset() {
    for (inset, rows) in [(0, 18), (1, 18), (3, 14)] {
      let layout = Self.layout(7, (120, 43), .collection, inset: inset)
      #expect(layout.tiles.map(\.id) == (0..<4).map { Fixture.tile($0) })
      let quarter = CellRect(column: 60, row: 1, columns: 60, rows: 20).inset(columns: inset, rows: inset)
      #expect(layout.tiles[1].frame.intersection(quarter) == layout.tiles[1].frame)
      #expect(layout.tiles[1].frame.rows == rows)
      #expect(layout.positions == 3)
    }
  }

  @Test func collectionScrollsRowByRow() {
    var view = ViewOptions()
    view.arrangement = .collection
    var state = Fixture.state(9, columns: 120, rows: 40, view: view)
    func sight() -> [Int] { state.layout.tiles.compactMap { tile in (0..<9).first { Fixture.tile($0) == tile.id } } }
    #expect(sight() == [0, 1, 2, 3])
    state.type(.down)
    #expect(sight() == [0, 1, 2, 3])
    state.type(.down)
    #expect(sight() == [2, 3, 4, 5])
    #expect(state.selected == Fixture.tile(4))
    state.type(.right, .down, .down)
    #expect(sight() == [6, 7, 8])
    #expect(state.selected == Fixture.tile(8))
    state.type(.down)
    #expect(state.selected == Fixture.tile(8))
    state.type(.mouse(MouseEvent(button: .wheelUp, column: 1, row: 1)))
    #expect(sight() == [4, 5, 6, 7])
    state.type(.pageUp)
    #expect(sight() == [0, 1, 2, 3])
    #expect(Fixture.drawn(state).text.contains("rows 1-2/5"))
  }

  // MARK: Spotlight

  @Test func theLargeTileAsksForMoreThanTheStrip() {
    var view = ViewOptions()
    view.arrangement = .spotlight
    let state = Fixture.state(5, columns: 200, rows: 60, view: view)
    #expect(state.layout.tiles.first?.id == Fixture.tile(0))
    #expect(state.requested[Fixture.video(0)] == .layer(.high))
    for index in 1..<5 { #expect(state.requested[Fixture.video(index)] == .layer(.low)) }
  }

  @Test func theStripIsBesideOnWideScreensAndBelowOnNarrowOnes() {
    for (columns, rows, isBeside) in [(80, 24, true), (120, 40, true), (200, 60, true), (60, 60, false)] {
      for count in [2, 5, 9, 30] {
        let tiles = Self.layout(count, (columns, rows), .spotlight).tiles
        let large = tiles[0].frame
        for other in tiles.dropFirst() {
          #expect(
            isBeside ? other.frame.column >= large.endColumn : other.frame.row >= large.endRow,
            "\(columns)x\(rows) \(count) \(large) \(other.frame)")
          #expect(other.video.columns * 2 <= tiles[0].video.columns)
        }
      }
    }
  }

  @Test func arrowsGoIntoTheStripAndThroughAllOfIt() {
    var view = ViewOptions()
    view.arrangement = .spotlight
    var state = Fixture.state(12, columns: 80, rows: 24, view: view)
    #expect(state.selected == Fixture.tile(0))
    state.type(.right)
    let first = state.selected
    #expect(first != Fixture.tile(0))
    for _ in 0..<12 { state.type(.down) }
    #expect(state.selected == Fixture.tile(11))
    for _ in 0..<12 { state.type(.up) }
    #expect(state.selected == Fixture.tile(1))
    state.type(.left)
    #expect(state.selected == Fixture.tile(0))
    // The large tile stays the same all the while.
    #expect(state.layout.tiles.first?.id == Fixture.tile(0))
  }
}
