import RTCCore
import Synchronization

/// Sums what all participants say into one stereo signal without clipping.
///
/// Sums are formed in floating point; where a sum would pass full scale the whole block is turned down just enough, at
/// once, and comes back up slowly, so that many voices together neither distort nor pump.
public final class AudioMixer: Sendable {
  private struct State {
    var tracks: [AudioTrackPlayback] = []
    var gain: Float = 1
    var masterVolume: Float = 1
    var isMuted = false
  }

  private let state = Mutex(State())
  /// Share of the missing gain won back in each 20 ms block: about 0.4 s to recover.
  private static let release: Float = 0.05
  /// Peak allowed, in 16-bit steps; a little below full scale.
  private static let ceiling: Float = 32_000

  public init() {}

  public func add(_ track: AudioTrackPlayback) { state.withLock { $0.tracks.append(track) } }
  public func remove(_ track: AudioTrackPlayback) { state.withLock { $0.tracks.removeAll { $0 === track } } }

  /// Volume of everything, 0…100.
  public func setVolume(_ percent: Int) {
    state.withLock { $0.masterVolume = Float(min(100, max(0, percent))) / 100 }
  }
  public func setMuted(_ muted: Bool) { state.withLock { $0.isMuted = muted } }

  /// The next 20 ms: ``AudioFormat/frameSamples`` pairs, left and right in turn. Call once for each 20 ms of playback.
  public func mix(at now: MonotonicTime) -> [Int16] {
    let tracks = state.withLock { $0.tracks }
    var sum = [Float](repeating: 0, count: AudioFormat.frameSamples * AudioFormat.playbackChannels)
    for track in tracks { track.addNextBlock(to: &sum, at: now) }
    return state.withLock { state in
      let level = state.isMuted ? 0 : state.masterVolume
      var peak: Float = 0
      for sample in sum { peak = max(peak, abs(sample)) }
      peak *= level
      let allowed = peak > Self.ceiling ? Self.ceiling / peak : 1
      state.gain = allowed < state.gain ? allowed : min(allowed, state.gain + (1 - state.gain) * Self.release)
      let factor = state.gain * level
      return sum.map { Int16(max(-32_768, min(32_767, ($0 * factor).rounded()))) }
    }
  }
}
