import Conference
import RTCCore
import TestKit
import Testing

@testable import Screen

/// Tiles on their way from one layout to the next.
@Suite struct MotionTests {
  private static func state(
    _ count: Int, _ arrangement: Arrangement = .grid, columns: Int = 120, rows: Int = 40
  ) -> ScreenState {
    var view = ViewOptions()
    view.arrangement = arrangement
    view.hasMotion = true
    return Fixture.state(count, columns: columns, rows: rows, view: view)
  }

  private static func wait(_ state: inout ScreenState, milliseconds: Int) {
    _ = reduce(&state, .tick(state.now + .milliseconds(milliseconds)))
  }

  private static func frame(_ state: ScreenState, _ index: Int) -> CellRect? {
    state.shown.first { $0.id == Fixture.tile(index) }?.frame
  }

  @Test func zoomingGrowsOutOfTheTileAndEndsInTime() {
    var state = Self.state(4)
    let from = state.layout.tiles[3].frame
    state.type(.end, .enter)
    let to = state.layout.tiles[0].frame
    #expect(Self.frame(state, 3) == from)
    // What it grows over stands still until it is covered.
    #expect(state.shown.count == 4)
    #expect(state.shown.last?.id == Fixture.tile(3))
    var columns = from.columns
    for _ in 0..<5 {
      Self.wait(&state, milliseconds: 33)
      let now = Self.frame(state, 3)?.columns ?? 0
      #expect(now > columns)
      columns = now
    }
    Self.wait(&state, milliseconds: 33)
    #expect(Self.frame(state, 3) == to)
    #expect(state.shown == state.layout.tiles)
    let revision = state.revision
    Self.wait(&state, milliseconds: 33)
    #expect(state.revision == revision)
  }

  @Test func theTargetsChangeOnceAtTheStart() {
    var state = Self.state(4)
    let effects = state.type(.enter)
    #expect(effects.contains { if case .setVideoTarget(Fixture.video(0), _?) = $0 { true } else { false } })
    for _ in 0..<8 {
      #expect(reduce(&state, .tick(state.now + .milliseconds(33))).isEmpty)
    }
  }

  @Test func aPageSlidesAway() {
    var state = Self.state(20, columns: 80, rows: 24)
    let before = state.layout.tiles[0].frame
    state.type(.pageDown)
    Self.wait(&state, milliseconds: 60)
    let leaving = Self.frame(state, 0)
    let coming = Self.frame(state, 12)
    #expect(leaving.map { $0.column < before.column && $0.row == before.row } == true)
    #expect(coming.map { $0.column > before.column && $0.row == state.layout.tiles[0].frame.row } == true)
    Self.wait(&state, milliseconds: 200)
    #expect(Self.frame(state, 0) == nil)
  }

  @Test func theCollectionScrollsSmoothlyAndClips() {
    var state = Self.state(8, .collection, columns: 80, rows: 24)
    state.type(.mouse(MouseEvent(button: .wheelDown, column: 5, row: 5)))
    Self.wait(&state, milliseconds: 50)
    let place = Self.frame(state, 0)
    #expect(place.map { $0.row < state.layout.content.row && $0.endRow > state.layout.content.row } == true)
    var renderer = ScreenRenderer()
    renderer.render(state, pictures: Fixture.pictures(state))
    #expect(renderer.grid.text(row: 0).contains("connected"))
    #expect(renderer.grid.text(row: 23).contains("help"))
    for row in [0, 22, 23] {
      for column in 0..<80 { #expect(renderer.grid[column, row].plane == .chrome) }
    }
    // Another turn of the wheel goes on from where tiles are seen now.
    let before = Self.frame(state, 2)
    state.type(.mouse(MouseEvent(button: .wheelDown, column: 5, row: 5)))
    #expect(Self.frame(state, 2) == before)
  }

  @Test func aLeavingTileKeepsItsPictureUntilItIsCovered() {
    var state = Self.state(4)
    state.type(.enter)
    #expect(state.videoTargets[Fixture.video(1)] == nil)
    #expect(state.tracksInSight.contains(Fixture.video(1)))
    Self.wait(&state, milliseconds: 200)
    #expect(!state.tracksInSight.contains(Fixture.video(1)))
    // Who left the room is gone at once.
    state.type(.enter)
    _ = reduce(&state, .room(Fixture.room(0..<2)))
    #expect(Self.frame(state, 3) == nil)
  }

  @Test func withoutMotionAndOnAnotherScreenTilesJump() {
    var state = Fixture.state(4)
    state.type(.enter)
    #expect(state.shown == state.layout.tiles)
    var moving = Self.state(4)
    moving.type(.enter)
    _ = reduce(&moving, .resize(columns: 100, rows: 30, cellAspect: 0.5))
    #expect(moving.shown == moving.layout.tiles)
  }

  @Test(arguments: UInt64(1)...12) func everyMomentOfEveryMoveCanBeDrawn(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var state = Self.state(9, columns: 40 + Int(seed) * 9, rows: 12 + Int(seed) * 3)
    let keys: [Key] = [
      .enter, .tab, .pageDown, .pageUp, .character("l"), .character("p"), .character("n"), .end, .home, .down, .up,
      .mouse(MouseEvent(button: .wheelDown, column: 9, row: 9)), .character("v"),
    ]
    var renderer = ScreenRenderer()
    for _ in 0..<120 {
      if Int.random(in: 0..<5, using: &generator) == 0 {
        _ = reduce(&state, .room(Fixture.room(0..<Int.random(in: 0...30, using: &generator))))
      } else {
        state.type(keys[Int.random(in: 0..<keys.count, using: &generator)])
      }
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        Self.wait(&state, milliseconds: Int.random(in: 0...90, using: &generator))
        renderer.render(state, pictures: { _ in RGBPicture(width: 16, height: 9, fill: 0x123456) })
        for row in 0..<renderer.grid.rows {
          var width = 0
          for column in 0..<renderer.grid.columns { width += Int(renderer.grid[column, row].width) }
          #expect(width == renderer.grid.columns)
        }
        for column in 0..<renderer.grid.columns { #expect(renderer.grid[column, 0].plane == .chrome) }
      }
    }
    Self.wait(&state, milliseconds: 300)
    #expect(state.shown == state.layout.tiles)
  }

  @Test func placesAreBetweenStartAndEndAtAllTimes() {
    let from = CellRect(column: 3, row: 30, columns: 20, rows: 6)
    let to = CellRect(column: -50, row: 2, columns: 90, rows: 30)
    var before = from
    for step in 0...20 {
      let now = from.interpolated(to: to, Double(step) / 20)
      #expect(now.column <= before.column && now.row <= before.row && now.columns >= before.columns)
      before = now
    }
    #expect(before == to)
  }
}
