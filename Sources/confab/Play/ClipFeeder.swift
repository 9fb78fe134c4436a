import Foundation
import Media
import RTCCore
import Synchronization
import Terminal

/// Gives a clip's frames to a playback at their pace, on a thread of its own.
final class ClipFeeder: Sendable {
  private struct State {
    var isStopped = false
    var failure: MediaError?
  }

  private let state = Mutex(State())
  /// The newest picture is drawn as soon as the screen is free for it; this long after the last frame it surely was.
  private static let lingering = 0.2

  /// - Parameter onEnd: called on the thread after the last frame or an error.
  init(_ clip: sending Clip, playback: VideoPlayback, speed: Double, onEnd: @escaping @Sendable () -> Void) {
    nonisolated(unsafe) let clip = clip
    let thread = Thread { [self] in
      do throws(MediaError) {
        try feed(clip, playback, speed)
      } catch {
        state.withLock { $0.failure = error }
      }
      Thread.sleep(forTimeInterval: Self.lingering)
      onEnd()
    }
    thread.name = "clip"
    thread.start()
  }

  func stop() { state.withLock { $0.isStopped = true } }
  /// Why the clip ended early, if it did.
  var failure: MediaError? { state.withLock { $0.failure } }

  private func feed(_ clip: Clip, _ playback: VideoPlayback, _ speed: Double) throws(MediaError) {
    let start = TerminalSession.now
    while !state.withLock({ $0.isStopped }), let (read, offset) = try clip.next() {
      let wait = (start + offset / speed) - TerminalSession.now
      if wait > .zero { Thread.sleep(forTimeInterval: wait.inSeconds) }
      // Read ahead, but it arrives now.
      var frame = read
      frame.startedAt = TerminalSession.now
      frame.completedAt = frame.startedAt
      playback.push(frame)
    }
  }
}
