import Conference
import Media
import Synchronization

/// Finds the playback of a track from any thread.
final class PlaybackDirectory: Sendable {
  private struct Entries {
    var video: [TrackID: VideoPlayback] = [:]
    var audio: [TrackID: AudioTrackPlayback] = [:]
  }

  private let entries = Mutex(Entries())
  private let pictureHandler = Mutex<(@Sendable () -> Void)?>(nil)

  func video(_ track: TrackID) -> VideoPlayback? { entries.withLock { $0.video[track] } }
  func audio(_ track: TrackID) -> AudioTrackPlayback? { entries.withLock { $0.audio[track] } }

  func set(_ track: TrackID, video: VideoPlayback?, audio: AudioTrackPlayback?) {
    entries.withLock { entries in
      entries.video[track] = video
      entries.audio[track] = audio
    }
  }

  /// Who wants to know that any track has a new picture; called on decode threads.
  func onPicture(_ handler: (@Sendable () -> Void)?) { pictureHandler.withLock { $0 = handler } }
  func pictureArrived() { pictureHandler.withLock { $0 }?() }
}
