import Conference
import ConferenceClient
import RTCCore
import Screen
import Synchronization
import Terminal

/// What other threads have for the terminal thread: the newest of each kind, never a queue that grows.
final class ViewerInbox: Sendable {
  /// Taken all at once.
  struct Contents: Sendable {
    var room: RoomSnapshot?
    var statistics: [TrackStatistics]?
    /// What arrived and belonged to no track, since the beginning.
    var unclaimed: DropCounters?
    var audio: AudioStatus?
    var messages: [String] = []
    var ending: Ending?
  }

  /// Why there is nothing more to show.
  enum Ending: Sendable {
    /// The room, or the files, are over.
    case roomEnded
    /// The time that was asked for is up.
    case timeUp
  }

  /// Messages kept while the terminal is away; more would be old news.
  private static let messageLimit = 8

  let waker: TerminalWaker
  private let contents = Mutex(Contents())

  init(waker: TerminalWaker) { self.waker = waker }

  func put(_ change: (inout Contents) -> Void) {
    contents.withLock { contents in
      change(&contents)
      contents.messages = contents.messages.suffix(Self.messageLimit)
    }
    waker.wake()
  }

  func take() -> Contents {
    contents.withLock { contents in
      let taken = contents
      contents = Contents()
      return taken
    }
  }
}
