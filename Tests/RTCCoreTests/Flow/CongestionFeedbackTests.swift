import RTCCore
import TestKit
import Testing

@Suite struct CongestionFeedbackTests {
  @Test func arrivalsAreReportedInTicks() {
    var recorder = TransportFeedbackRecorder(localSSRC: SSRC(1))
    let start = MonotonicTime(nanoseconds: 64_000_000 * 100 + 10_000_000)
    recorder.received(65_535, media: SSRC(2), at: start)
    recorder.received(1, media: SSRC(2), at: start + .milliseconds(5))
    recorder.received(1, media: SSRC(2), at: start + .milliseconds(9))
    #expect(recorder.takeDue(at: start + .milliseconds(49)).isEmpty)
    #expect(recorder.nextDeadline == start + .milliseconds(50))
    let feedback = recorder.takeDue(at: start + .milliseconds(50))
    #expect(
      feedback == [
        TransportFeedback(
          sender: SSRC(1), media: SSRC(2), referenceTime: 100, feedbackCount: 0,
          arrivals: [
            .init(sequence: 65_535, offset: 40), .init(sequence: 0, offset: nil), .init(sequence: 1, offset: 60),
          ])
      ])
    #expect(recorder.nextDeadline == nil)
    // The missing one comes late: it is told with what came after it.
    recorder.received(0, media: SSRC(2), at: start + .milliseconds(60))
    let second = recorder.takeDue(at: start + .milliseconds(200))
    #expect(second.first?.feedbackCount == 1)
    #expect(second.first?.arrivals.map(\.sequence) == [0, 1])
    #expect(second.first?.arrivals.allSatisfy { $0.offset != nil } == true)
  }

  @Test func largeGapsAndLongPausesAreSplit() throws {
    var recorder = TransportFeedbackRecorder(localSSRC: SSRC(1), interval: .seconds(30))
    recorder.received(1, media: SSRC(2), at: .zero)
    recorder.received(2, media: SSRC(2), at: .zero + .seconds(20))
    let feedback = recorder.takeDue(at: .zero + .seconds(31))
    #expect(feedback.count == 2)
    for packet in feedback {
      // What the wire form can hold comes back unchanged.
      let bytes = RTCPPacket.serialize([.transportFeedback(packet)])
      #expect(try RTCPPacket.parseCompound(bytes) == [.transportFeedback(packet)])
    }
    recorder.received(30_000, media: SSRC(2), at: .zero + .seconds(40))
    recorder.received(31_500, media: SSRC(2), at: .zero + .seconds(41))
    let wide = recorder.takeDue(at: .zero + .seconds(80))
    #expect(wide.allSatisfy { $0.arrivals.count <= 400 })
    #expect(wide.first?.arrivals.last?.sequence == 30_000)
    #expect(wide.last?.arrivals.last?.sequence == 31_500)
  }

  @Test(arguments: UInt64(1)...5) func lossAndDelayReachTheSender(seed: UInt64) throws {
    var path = Path(seed: seed)
    path.link.loss = 0.1
    path.run(packets: 2_000)
    // All but what was still underway.
    #expect(path.acknowledged + path.lost >= 1_970)
    #expect(abs(Double(path.lost) / Double(path.acknowledged + path.lost) - 0.1) < 0.03)
    // 1 000 bytes each 5 ms, a tenth of it lost.
    let rate = try #require(path.last?.acknowledgedBitrate)
    #expect(abs(rate - 1_440_000) < 150_000)
    #expect(path.last.map { $0.queueingDelay < .milliseconds(2) } == true)
  }

  @Test func aGrowingQueueShowsAsATrend() {
    var path = Path(seed: 1)
    path.run(packets: 400)
    #expect(path.last.map { abs($0.delayTrend) < 1 } == true)
    // Each packet waits 0.5 ms longer than the one before: 100 ms a second.
    path.growth = .microseconds(500)
    path.run(packets: 400)
    #expect(path.last.map { abs($0.delayTrend - 100) < 15 } == true)
    #expect(path.last.map { $0.queueingDelay > .milliseconds(150) } == true)
  }

  @Test func theEstimateFollowsThePath() {
    var path = Path(seed: 2)
    path.run(packets: 3_000)
    let free = path.estimator.estimate
    // Growth stops at one and a half times what is sent.
    #expect(free > 1_500_000)
    #expect(free < 2_600_000)
    path.link.loss = 0.3
    path.run(packets: 800)
    let lossy = path.estimator.estimate
    #expect(lossy < free / 2)
    path.link.loss = 0
    path.run(packets: 3_000)
    #expect(path.estimator.estimate > lossy)
    path.growth = .microseconds(500)
    let before = path.estimator.estimate
    path.run(packets: 400)
    #expect(path.estimator.estimate < before)
  }

  @Test func reportsAndBoundsOfTheReceiverCount() {
    var estimator = BandwidthEstimator(start: 1_000_000)
    var block = ReportBlock(
      ssrc: SSRC(1), fractionLost: 128, cumulativeLost: 0, extendedHighestSequence: 0, jitter: 0, lastSenderReport: 0,
      delaySinceLastSenderReport: 0)
    estimator.observe(block, at: .zero)
    #expect(estimator.estimate == 750_000)
    block.fractionLost = 0
    estimator.observe(block, at: .zero + .milliseconds(100))
    #expect(estimator.estimate == 750_000)
    estimator.observe(block, at: .zero + .seconds(1))
    #expect(estimator.estimate == 788_500)
    estimator.observe(BitrateEstimate(sender: SSRC(1), bitrate: 200_000, sources: []))
    #expect(estimator.estimate == 200_000)
    estimator.observe(BitrateEstimate(sender: SSRC(1), bitrate: .max, sources: []))
    #expect(estimator.estimate == 788_500)
  }

  @Test(arguments: UInt64(1)...10) func randomFeedbackNeverCrashes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var recorder = TransportFeedbackRecorder(localSSRC: SSRC(1))
    var tracker = TransportFeedbackTracker()
    var estimator = BandwidthEstimator()
    var now = MonotonicTime.zero
    for _ in 0..<1_000 {
      now = now + .milliseconds(3)
      _ = tracker.send(bytes: 1_000, at: now)
      recorder.received(.random(in: 0...(.max), using: &random), media: SSRC(2), at: now)
      for feedback in recorder.takeDue(at: now) { #expect(feedback.arrivals.count <= 400) }
      let arrivals = (0..<20).map { _ in
        TransportFeedback.Arrival(
          sequence: .random(in: 0...(.max), using: &random),
          offset: Bool.random(using: &random) ? nil : Int.random(in: -2_000_000_000...2_000_000_000, using: &random))
      }
      let feedback = TransportFeedback(
        sender: SSRC(2), media: SSRC(1), referenceTime: .random(in: (.min)...(.max), using: &random),
        feedbackCount: 0, arrivals: arrivals)
      if let observation = tracker.receive(feedback, at: now) { estimator.observe(observation, at: now) }
    }
    #expect((50_000...20_000_000).contains(estimator.estimate))
  }
}

/// A sender of numbered packets and a receiver that writes feedback about them.
private struct Path {
  var link: SimulatedLink<UInt16>
  /// Added to the link's delay with each packet.
  var growth: Duration = .zero
  var estimator = BandwidthEstimator(start: 1_000_000)
  private(set) var acknowledged = 0
  private(set) var lost = 0
  private(set) var last: PathObservation?
  private var tracker = TransportFeedbackTracker()
  private var recorder = TransportFeedbackRecorder(localSSRC: SSRC(1))
  private var now = MonotonicTime.zero

  init(seed: UInt64) { link = SimulatedLink(seed: seed, delay: .milliseconds(30)) }

  mutating func run(packets: Int) {
    for _ in 0..<packets {
      now = now + .milliseconds(5)
      link.send(tracker.send(bytes: 1_000, at: now), at: now)
      link.delay += growth
      while let arrival = link.nextArrival, arrival <= now {
        for sequence in link.receive(at: arrival) { recorder.received(sequence, media: SSRC(2), at: arrival) }
      }
      for feedback in recorder.takeDue(at: now) {
        guard let observation = tracker.receive(feedback, at: now) else { continue }
        acknowledged += observation.acknowledged
        lost += observation.lost
        estimator.observe(observation, at: now)
        last = observation
      }
    }
  }
}
