import RTCCore
import TestKit
import Testing

@Suite struct NACKGeneratorTests {
  private func numbers(_ values: UInt16...) -> [SequenceNumber] { values.map { SequenceNumber($0) } }

  @Test func aSingleGapIsAskedForAfterTheTolerance() {
    var generator = NACKGenerator()
    #expect(generator.received(SequenceNumber(10), at: .zero) == .expected)
    #expect(generator.received(SequenceNumber(12), at: .zero) == .gap(1))
    #expect(generator.takeDue(at: .zero).isEmpty)
    #expect(generator.nextDeadline == .zero + .milliseconds(10))
    #expect(generator.takeDue(at: .zero + .milliseconds(10)) == numbers(11))
    #expect(generator.takeDue(at: .zero + .milliseconds(10)).isEmpty)
  }

  @Test func twoLaterPacketsHastenTheRequest() {
    var generator = NACKGenerator()
    generator.received(SequenceNumber(65_534), at: .zero)
    generator.received(SequenceNumber(0), at: .zero)
    #expect(generator.takeDue(at: .zero).isEmpty)
    generator.received(SequenceNumber(1), at: .zero)
    #expect(generator.takeDue(at: .zero) == numbers(65_535))
  }

  @Test func requestsAreARoundTripApartAndEnd() {
    var generator = NACKGenerator()
    generator.setRoundTrip(.milliseconds(70))
    generator.received(SequenceNumber(1), at: .zero)
    generator.received(SequenceNumber(4), at: .zero)
    generator.received(SequenceNumber(5), at: .zero)
    var times: [MonotonicTime] = []
    while let due = generator.nextDeadline, times.count < 100 {
      if generator.takeDue(at: due) == numbers(2, 3) { times.append(due) }
    }
    #expect(times == (0..<10).map { .zero + .milliseconds(70 * $0) })
    #expect(generator.outstanding == 0)
    #expect(generator.requested == 20)
  }

  @Test func aFilledGapIsNotAskedForAgain() {
    var generator = NACKGenerator()
    generator.received(SequenceNumber(1), at: .zero)
    generator.received(SequenceNumber(3), at: .zero)
    #expect(generator.received(SequenceNumber(2), at: .zero) == .filled(requested: false))
    #expect(generator.received(SequenceNumber(2), at: .zero) == .unneeded)
    #expect(generator.nextDeadline == nil)
    generator.received(SequenceNumber(6), at: .zero)
    #expect(generator.takeDue(at: .zero + .seconds(1)) == numbers(4, 5))
    #expect(generator.received(SequenceNumber(5), at: .zero) == .filled(requested: true))
    generator.forget(before: SequenceNumber(5))
    #expect(generator.outstanding == 0)
  }

  @Test func anOutageIsNotAskedFor() {
    var generator = NACKGenerator()
    generator.received(SequenceNumber(1), at: .zero)
    generator.received(SequenceNumber(3), at: .zero)
    #expect(generator.received(SequenceNumber(500), at: .zero) == .outage)
    #expect(generator.outstanding == 0)
    #expect(generator.received(SequenceNumber(502), at: .zero) == .gap(1))
  }

  @Test(arguments: UInt64(1)...10) func randomNumbersStayWithinBounds(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var generator = NACKGenerator()
    var now = MonotonicTime.zero
    var most = 0
    for _ in 0..<5_000 {
      let near = Bool.random(using: &random)
      let number = near ? UInt16.random(in: 0...600, using: &random) : UInt16.random(in: 0...(.max), using: &random)
      generator.received(SequenceNumber(number), at: now)
      now = now + .milliseconds(1)
      most = max(most, generator.takeDue(at: now).count, generator.outstanding)
    }
    #expect((1...250).contains(most))
  }
}
