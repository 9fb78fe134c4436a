import Foundation
import Media
import RTCCore

/// Takes sound from a source at its pace, encodes it, and hands the packets on, on a thread of its own.
final class MicrophoneThread: Sendable {
  private let demand: PublicationDemand
  private let clock: @Sendable () -> MonotonicTime
  private let deliver: @Sendable (EncodedAudio) -> Void

  /// - Parameter onEnd: called once, on the thread; with the error if there was one.
  init(
    source: sending any AudioSource, demand: PublicationDemand, clock: @escaping @Sendable () -> MonotonicTime,
    deliver: @escaping @Sendable (EncodedAudio) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) {
    self.demand = demand
    self.clock = clock
    self.deliver = deliver
    nonisolated(unsafe) var source = source
    let thread = Thread { [self] in
      do throws(MediaError) {
        try run(&source)
        onEnd(nil)
      } catch {
        onEnd(error)
      }
    }
    thread.name = "microphone"
    thread.start()
  }

  private func run(_ source: inout any AudioSource) throws(MediaError) {
    var encoder = try OpusEncoder()
    var decoder = try OpusDecoder()
    var due = clock()
    while !demand.isEnded, let block = try source.next() {
      let now = clock()
      if due > now { Thread.sleep(forTimeInterval: (due - now).inSeconds) }
      // After a long stop the old sound is not worth sending in a burst.
      if now - due > .milliseconds(500) { due = now }
      switch block {
      case .samples(let samples):
        due = due + Self.length(of: samples.count)
        let level = Loudness.decibels(of: samples)
        deliver(EncodedAudio(packet: try encoder.encode(samples), samples: samples.count, level: level))
      case .packet(let packet, let samples):
        due = due + Self.length(of: samples)
        // Only decoding tells how loud it is, and speakers are found by loudness.
        let level = (try? decoder.decode(packet)).map(Loudness.decibels) ?? 127
        deliver(EncodedAudio(packet: packet, samples: samples, level: level))
      }
    }
  }

  private static func length(of samples: Int) -> Duration {
    .nanoseconds(Int64(samples) * 1_000_000_000 / Int64(AudioFormat.sampleRate))
  }
}
