import Conference
import Foundation
import Media
import RTCCore
import Signalling
import Transport

/// A room that we are in.
///
/// Join with ``join(url:token:options:)``, follow ``events``, and leave with ``leave()``. Frames do not pass through
/// events: take them from ``video(_:)``, whose mailbox always holds the newest picture. Sound is mixed in ``mixer``;
/// give that to an `AudioOutput` to hear it.
@NetworkActor
public final class RoomConnection {
  /// Everything that happens, in order; ends after ``RoomEvent/left(_:)``. For one reader.
  public nonisolated let events: AsyncStream<RoomEvent>
  /// The sound of everybody.
  public nonisolated let mixer = AudioMixer()

  private let continuation: AsyncStream<RoomEvent>.Continuation
  private let options: JoinOptions
  private let startedAt: MonotonicTime
  private var model = RoomModel()
  private var session: LiveKitSession
  private let socket: WebSocketConnection
  private let publisher: MediaTransport
  private let subscriber: MediaTransport
  private let received: ReceivedMedia
  private let sent: SentMedia
  private var wake: NetworkTimer?
  private var joined: CheckedContinuation<Result<Void, ConferenceError>, Never>?
  private var hasJoined = false
  private var hasEnded = false

  init(
    url: LiveKit.Address, socket: WebSocketConnection, publisher: MediaTransport, subscriber: MediaTransport,
    options: JoinOptions, startedAt: MonotonicTime
  ) {
    (events, continuation) = AsyncStream.makeStream()
    self.options = options
    self.startedAt = startedAt
    self.socket = socket
    self.publisher = publisher
    self.subscriber = subscriber
    let localSSRC = SSRC(UInt32.random(in: 1 ... .max))
    received = ReceivedMedia(
      transport: subscriber, workers: DecodeWorkers.shared, mixer: mixer, localSSRC: localSSRC)
    let wall = WallClock(unixNanoseconds: Int64(Date().timeIntervalSince1970 * 1e9), at: startedAt)
    sent = SentMedia(transport: publisher, clock: wall)
    session = LiveKitSession(
      LiveKitSession.Configuration(publisher: publisher.local, subscriber: subscriber.local, seed: .random(in: .min ... .max)))
  }
}
