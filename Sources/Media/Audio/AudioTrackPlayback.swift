import RTCCore
import Synchronization

/// One participant's sound: a playout buffer and a decoder, filled by the network thread and emptied by the audio thread.
public final class AudioTrackPlayback: Sendable {
  private struct State: ~Copyable {
    /// Nil before any source is known.
    var receiver: Stream?
    /// Takes over as soon as it has something to play.
    var successor: Stream?
    /// What was counted of sources before.
    var earlier = ReceiveStatistics()
    var decoder: OpusDecoder
    /// Decoded and not yet played, left and right in turn.
    var pending: [Int16] = []
    var volume: Float = 1
    var isMuted = false
    var level: Float = 0
    var drops = DropCounters()
  }

  /// The buffer of one source.
  private struct Stream {
    var receiver: AudioReceiver
    var feeder: Int

    func takes(_ packet: RTPPacket, from feeder: Int) -> Bool {
      feeder == self.feeder && packet.ssrc == receiver.configuration.ssrc
    }
  }

  private let state: Mutex<State>

  public init() throws(MediaError) {
    state = Mutex(State(decoder: try OpusDecoder()))
  }

  /// Another source carries the track from now on. Until its sound can be played, what is left of the one before is.
  /// `feeder` is the connection that it comes over, where there may be several with equal sources.
  public func begin(_ receiver: AudioReceiver, from feeder: Int = 0) {
    state.withLock { state in
      if let unused = state.successor { state.earlier.add(unused.receiver.statistics) }
      state.successor = Stream(receiver: receiver, feeder: feeder)
    }
  }

  /// A packet that arrived.
  public func insert(_ packet: RTPPacket, from feeder: Int = 0, at now: MonotonicTime) {
    state.withLock { state in
      if state.successor?.takes(packet, from: feeder) == true {
        state.successor?.receiver.insert(packet, at: now)
      } else if state.receiver?.takes(packet, from: feeder) == true {
        state.receiver?.receiver.insert(packet, at: now)
      } else {
        state.drops.count(.superseded)
      }
    }
  }

  /// Volume of this participant, 0…100.
  public func setVolume(_ percent: Int) {
    state.withLock { $0.volume = Float(min(100, max(0, percent))) / 100 }
  }
  public func setMuted(_ muted: Bool) { state.withLock { $0.isMuted = muted } }

  /// Loudest recent sample as played, 0…1.
  public var level: Double { state.withLock { Double($0.level) } }

  /// What was received, with the packets that could not be decoded among its drops.
  public var statistics: ReceiveStatistics {
    state.withLock { state in
      var statistics = state.earlier
      for stream in [state.receiver, state.successor].compactMap(\.self) { statistics.add(stream.receiver.statistics) }
      statistics.drops.merge(state.drops)
      return statistics
    }
  }

  /// Adds the next 20 ms to `sum`, left and right in turn.
  func addNextBlock(to sum: inout [Float], at now: MonotonicTime) {
    state.withLock { state in
      let wanted = sum.count
      while state.pending.count < wanted {
        guard Self.decodeNext(&state, at: now) else { break }
      }
      let available = min(wanted, state.pending.count)
      guard available > 0 else {
        state.level = 0
        return
      }
      let gain = state.isMuted ? 0 : state.volume
      var peak: Float = 0
      for index in 0..<available {
        let sample = Float(state.pending[index]) * gain
        sum[index] += sample
        peak = max(peak, abs(sample))
      }
      state.pending.removeFirst(available)
      state.level = peak / 32_768
    }
  }

  /// What to play in the next slot.
  private static func pull(_ state: inout State, at now: MonotonicTime) -> AudioPull {
    switch state.successor?.receiver.pull(at: now) {
    case nil, .silence: return state.receiver?.receiver.pull(at: now) ?? .silence
    case let first?:
      if let former = state.receiver { state.earlier.add(former.receiver.statistics) }
      state.receiver = state.successor
      state.successor = nil
      return first
    }
  }

  /// Decodes what the playout buffer gives for the next slot; false when it gives silence.
  private static func decodeNext(_ state: inout State, at now: MonotonicTime) -> Bool {
    do throws(MediaError) {
      switch pull(&state, at: now) {
      case .packet(let bytes):
        state.pending += try state.decoder.decode(bytes)
      case .lost(let next):
        state.pending += try state.decoder.conceal(samples: AudioFormat.frameSamples, next: next)
      case .silence:
        return false
      }
    } catch {
      // A packet that Opus refuses leaves a gap of its usual length, so that what follows stays in time.
      state.drops.count(.undecodable)
      state.pending += repeatElement(0, count: AudioFormat.frameSamples * AudioFormat.playbackChannels)
    }
    return true
  }
}
