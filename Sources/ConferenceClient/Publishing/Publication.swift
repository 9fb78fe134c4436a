import Media
import Synchronization

/// A track that we publish, from the program's side.
public final class Publication: Sendable {
  private enum State {
    case running([CheckedContinuation<MediaError?, Never>])
    case ended(MediaError?)
  }

  /// The id that we gave the track; the room's own comes in ``RoomEvent/published(localID:_:)``.
  public let localID: String
  private let state = Mutex(State.running([]))

  init(localID: String) { self.localID = localID }

  /// Waits until the source has ended; gives its error, if that was why.
  public func ended() async -> MediaError? {
    await withCheckedContinuation { continuation in
      let result: MediaError?? = state.withLock { state in
        switch state {
        case .running(let waiting):
          state = .running(waiting + [continuation])
          return nil
        case .ended(let error): return .some(error)
        }
      }
      if let result { continuation.resume(returning: result) }
    }
  }

  func finish(_ error: MediaError?) {
    let waiting = state.withLock { state -> [CheckedContinuation<MediaError?, Never>] in
      guard case .running(let waiting) = state else { return [] }
      state = .ended(error)
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: error) }
  }
}
