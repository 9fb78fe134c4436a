import RTCCore
import Testing

@Suite struct BackoffTests {
  @Test func pausesDoubleUpToTheLongest() {
    let backoff = Backoff(from: .seconds(1), upTo: .seconds(30))
    #expect((0...6).map(backoff.pause) == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
  }

  @Test(arguments: [Int.max, 63, 64, 1_000_000]) func anyNumberOfFailuresHasAPause(failures: Int) {
    #expect(Backoff(from: .milliseconds(500), upTo: .seconds(8)).pause(after: failures) == .seconds(8))
  }

  @Test func nothingFailedIsTheFirstPause() {
    #expect(Backoff(from: .milliseconds(500), upTo: .seconds(8)).pause(after: -1) == .milliseconds(500))
  }
}
