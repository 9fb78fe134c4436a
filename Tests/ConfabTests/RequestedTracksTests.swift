import Conference
import Testing

@testable import confab

@Suite struct RequestedTracksTests {
  @Test func eachTrackIsAskedForOnceAndAgainWhenItCameBack() {
    let requested = RequestedTracks()
    let (one, two) = (TrackID("1"), TrackID("2"))
    #expect(requested.new(among: [one]) == [one])
    #expect(requested.new(among: [one, two]) == [two])
    #expect(requested.new(among: [two]) == [])
    #expect(requested.new(among: [two, one]) == [one])
  }
}
