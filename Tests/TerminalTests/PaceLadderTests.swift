import RTCCore
import Testing

@testable import Terminal

@Suite struct PaceLadderTests {
  let levels = PaceLevel.ladder(from: 4, hasTrueColor: true)
  func time(_ milliseconds: Int) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

  @Test func coloursGoBeforePicturesAndTheSpeakerIsTheLast() throws {
    #expect(levels.map(\.tolerance).prefix(3) == [4, 8, 12])
    #expect(levels.prefix(3).allSatisfy { !$0.usesPalette && !$0.dropsPictures })
    #expect(levels[3].usesPalette && !levels[3].dropsPictures)
    #expect(levels.dropFirst(4).allSatisfy { $0.usesPalette && $0.dropsPictures })
    for (better, worse) in zip(levels, levels.dropFirst()) {
      #expect(better.cost > worse.cost)
      #expect(better.otherInterval <= worse.otherInterval)
      #expect(worse.mainInterval <= worse.otherInterval)
    }
    #expect(levels[4].mainInterval == .zero)
  }

  @Test func aPaletteHasNoToleranceAndAHighToleranceNoFinerOne() {
    let palette = PaceLevel.ladder(from: 4, hasTrueColor: false)
    #expect(palette.first?.usesPalette == false)
    #expect(palette.dropFirst().allSatisfy { $0.dropsPictures })
    #expect(PaceLevel.ladder(from: 10, hasTrueColor: true).map(\.tolerance).prefix(3) == [10, 12, 10])
  }

  @Test func picturesInTheTerminalsOwnPixelsKeepTheirColours() {
    let pictures = PaceLevel.ladder(from: 4, hasTrueColor: true, hasCells: false)
    #expect(pictures.allSatisfy { !$0.usesPalette && $0.tolerance == 4 })
    #expect(pictures.first?.dropsPictures == false && pictures.dropFirst().allSatisfy { $0.dropsPictures })
    for (better, worse) in zip(pictures, pictures.dropFirst()) { #expect(better.cost > worse.cost) }
  }

  @Test func manyTooManyPicturesGoDownSeveralStepsAtOnce() {
    var ladder = PaceLadder(levels: levels, at: .zero)
    #expect(ladder.judge(PaceLadder.Window(busy: 1, frames: 4, shown: 4, missed: 12), at: time(500)) == true)
    #expect(ladder.level.usesPalette && !ladder.level.dropsPictures)
  }

  @Test func aBusyLinkThatShowsEverythingIsLeftAloneAndSoIsAnIdleOneThatDoesNot() {
    var ladder = PaceLadder(levels: levels, at: .zero)
    #expect(ladder.judge(PaceLadder.Window(busy: 1, frames: 12, shown: 12), at: time(500)) == false)
    #expect(ladder.judge(PaceLadder.Window(busy: 0.3, frames: 12, shown: 6, missed: 6), at: time(1_000)) == false)
  }

  @Test func aLinkWithoutRoomForHalfOfEachFrameIsFullHoweverBusyItSeems() {
    var ladder = PaceLadder(levels: levels, at: .zero)
    let halves = PaceLadder.Window(busy: 0.7, frames: 8, leftOut: 4, shown: 8)
    #expect(ladder.judge(halves, at: time(500)) == true)
    var idle = PaceLadder(levels: levels, at: .zero)
    #expect(idle.judge(PaceLadder.Window(busy: 0.3, frames: 8, leftOut: 4, shown: 8), at: time(500)) == false)
  }

  @Test func aStepThatFailedIsTriedAgainAfterTwiceTheTime() {
    var ladder = PaceLadder(levels: levels, at: .zero)
    let tooMuch = PaceLadder.Window(busy: 1, frames: 12, shown: 10, missed: 3)
    let room = PaceLadder.Window(busy: 0.2, frames: 12, shown: 12)
    var waits: [Int] = []
    var failedAt = 0
    _ = ladder.judge(tooMuch, at: .zero)
    for moment in stride(from: 500, to: 400_000, by: 500) where waits.count < 8 {
      if ladder.step > 0, ladder.judge(room, at: time(moment)), ladder.step == 0 {
        waits.append(moment - failedAt)
        failedAt = moment + 500
        _ = ladder.judge(tooMuch, at: time(failedAt))
      }
    }
    for (earlier, later) in zip(waits, waits.dropFirst()) { #expect(later >= earlier) }
    #expect(waits.last.map { $0 >= 60_000 } == true, "\(waits)")
  }

  @Test func aLevelThatHeldForLongForgetsItsFailures() {
    var ladder = PaceLadder(levels: levels, at: .zero)
    let tooMuch = PaceLadder.Window(busy: 1, frames: 12, shown: 10, missed: 3)
    let room = PaceLadder.Window(busy: 0, frames: 1, shown: 1)
    _ = ladder.judge(tooMuch, at: time(500))
    #expect(ladder.judge(room, at: time(2_000)) == false)
    #expect(ladder.judge(room, at: time(10_000)) == true)
    #expect(ladder.step == 0)
    #expect(ladder.judge(room, at: time(50_000)) == false)
    _ = ladder.judge(tooMuch, at: time(50_500))
    #expect(ladder.judge(room, at: time(50_500) + PaceLadder.firstWait) == true)
  }
}
