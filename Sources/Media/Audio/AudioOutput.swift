internal import CALSA
import Foundation
import RTCCore
import Synchronization

/// Plays the mixer through ALSA on a thread of its own.
///
/// The thread goes on without a device: sound is then mixed at the same pace and thrown away, so that buffers stay short
/// and statistics true, and the device is tried again every two seconds.
public final class AudioOutput: Sendable {
  public enum State: Sendable, Equatable {
    case playing(device: String)
    /// No sound for now; the sentence says why.
    case silent(reason: String)
  }

  /// Where the sound goes.
  public enum Target: Sendable, Equatable {
    /// An ALSA device name, such as `default`.
    case device(String)
    /// Mixed and thrown away.
    case nowhere
  }

  private struct Control {
    var isStopped = false
  }

  private let mixer: AudioMixer
  private let target: Target
  private let clock: @Sendable () -> MonotonicTime
  private let onStateChange: @Sendable (State) -> Void
  private let control = Mutex(Control())
  private let finished = DispatchSemaphore(value: 0)

  /// Time between two tries to open a device that is missing or went away.
  private static let retryInterval = Duration.seconds(2)

  /// Starts the thread.
  /// - Parameters:
  ///   - mixer: what is played.
  ///   - target: where.
  ///   - clock: the same clock that stamps arriving packets.
  ///   - onStateChange: called on the audio thread, first and at each change.
  public init(
    mixer: AudioMixer, target: Target, clock: @escaping @Sendable () -> MonotonicTime,
    onStateChange: @escaping @Sendable (State) -> Void = { _ in }
  ) {
    self.mixer = mixer
    self.target = target
    self.clock = clock
    self.onStateChange = onStateChange
    confab_alsa_be_silent()
    let thread = Thread { [self] in
      run()
      finished.signal()
    }
    thread.name = "audio"
    thread.start()
  }

  /// Why a device cannot be opened; nil when it can.
  public static func probe(_ device: String) -> String? {
    confab_alsa_be_silent()
    do throws(MediaError) {
      _ = try PlaybackDevice(name: device)
      return nil
    } catch {
      return error.message
    }
  }

  /// Stops playing and waits until the device is closed.
  public func stop() {
    control.withLock { $0.isStopped = true }
    finished.wait()
    finished.signal()
  }

  private var isStopped: Bool { control.withLock { $0.isStopped } }

  private func run() {
    var pace = Pace(start: clock())
    var nextTry = clock()
    var reported: State?
    func report(_ state: State) {
      // Whatever the next tries fail with, silence is told once.
      if case .silent = state, case .silent? = reported { return }
      if state != reported { onStateChange(state) }
      reported = state
    }
    var device: PlaybackDevice?
    while !isStopped {
      if case .device(let name) = target, device == nil, clock() >= nextTry {
        do throws(MediaError) {
          device = try PlaybackDevice(name: name)
          pace = Pace(start: clock())
          report(.playing(device: name))
        } catch {
          nextTry = clock() + Self.retryInterval
          report(.silent(reason: error.message))
        }
      }
      let block = mixer.mix(at: clock())
      if let open = device {
        do throws(MediaError) {
          try open.write(block)
        } catch {
          device = nil
          nextTry = clock() + Self.retryInterval
          report(.silent(reason: error.message))
        }
      }
      // A real device paces by blocking in write; ALSA's null and file plugins, and no device at all, do not.
      let ahead = pace.advance(at: clock(), tolerance: device == nil ? .zero : PlaybackDevice.bufferLength)
      if ahead > .zero { Thread.sleep(forTimeInterval: ahead.inSeconds) }
    }
  }
}

/// Keeps a count of 20 ms blocks against the clock.
struct Pace {
  private var due: MonotonicTime

  init(start: MonotonicTime) { due = start }

  /// Counts one block and says how long to wait so as not to run more than `tolerance` ahead of real time.
  mutating func advance(at now: MonotonicTime, tolerance: Duration) -> Duration {
    due = due + .milliseconds(20)
    // After a long stop there is nothing to catch up with: the sound of then is gone.
    if now - due > .milliseconds(500) { due = now }
    return max(.zero, due - now - tolerance)
  }
}

/// An open ALSA playback device.
private final class PlaybackDevice {
  private let handle: OpaquePointer
  private let name: String
  /// Four blocks: short enough to feel live, long enough for a busy machine.
  static let bufferLength = Duration.milliseconds(80)

  init(name: String) throws(MediaError) {
    var opened: OpaquePointer?
    var status = snd_pcm_open(&opened, name, SND_PCM_STREAM_PLAYBACK, 0)
    guard status >= 0, let handle = opened else {
      throw MediaError(
        .deviceUnavailable,
        "The sound device “\(name)” cannot be opened: \(Self.text(status)).")
    }
    status = snd_pcm_set_params(
      handle, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, UInt32(AudioFormat.playbackChannels),
      UInt32(AudioFormat.sampleRate), 1, UInt32(Self.bufferLength.inMilliseconds * 1_000))
    guard status >= 0 else {
      snd_pcm_close(handle)
      throw MediaError(
        .deviceUnavailable, "The sound device “\(name)” does not play 48 kHz stereo: \(Self.text(status)).")
    }
    self.handle = handle
    self.name = name
  }

  deinit { snd_pcm_close(handle) }

  /// Writes all of `block`, waiting for room. An underrun or a suspend is recovered from; a device that is gone throws.
  func write(_ block: [Int16]) throws(MediaError) {
    var offset = 0
    let total = block.count / AudioFormat.playbackChannels
    var recoveries = 0
    while offset < total {
      let written = block.dropFirst(offset * AudioFormat.playbackChannels).withUnsafeBufferPointer {
        snd_pcm_writei(handle, $0.baseAddress, UInt(total - offset))
      }
      if written > 0 {
        offset += Int(written)
        continue
      }
      recoveries += 1
      let status = snd_pcm_recover(handle, Int32(written), 1)
      guard status >= 0, recoveries < 5 else {
        throw MediaError(
          .deviceUnavailable, "The sound device “\(name)” stopped: \(Self.text(min(status, Int32(written)))).")
      }
    }
  }

  private static func text(_ status: Int32) -> String { String(cString: snd_strerror(status)) }
}
