import Conference
import RTCCore

/// The handle that receives everybody over one peer connection (fact sheet §5).
struct JanusSubscription: Sendable {
  enum State: Equatable, Sendable {
    /// No handle.
    case none
    /// A handle without a subscription, which needs somebody to subscribe to.
    case attached
    /// Subscribed; a connection is offered.
    case active
  }

  /// How often and until when something was asked for in vain.
  struct Attempt: Equatable, Sendable {
    var count = 0
    var nextAt: MonotonicTime
  }

  var state = State.none
  var handle: Int64?
  /// The server has put off what was asked; until this time one offer for all of it is to come by itself.
  var postponedUntil: MonotonicTime?
  /// The path of media is lost, and the server is to be asked for another.
  var needsRestart = false
  /// Media flowed, at some time.
  var hasFlowed = false
  /// Streams may have gone without a word to us.
  var mayBeStale = false
  /// Sections as the server last described them.
  var streams: [JanusSubscribedStream] = []
  /// What was asked for and not given: skipped silently, because a publisher is not ready or gone.
  private(set) var attempts: [JanusStreamID: Attempt] = [:]
  /// Not to be made anew before this time.
  var notBefore: MonotonicTime?
  /// Times that it was made anew since media last flowed.
  var renewals = 0

  var connection: JanusConnection
  /// A local description with new credentials was asked for, for this offer.
  var waitingOffer: JanusMessage.JSEP?
  /// What is received now.
  var received: [ReceivedTrack] = []
  /// Streams whose subscription was told.
  var announced: Set<JanusStreamID> = []

  init(local: LocalTransport) { connection = JanusConnection(local: local, role: .subscriber) }

  /// The streams that we have, with our own mid of each.
  var sources: [JanusStreamID: String] {
    Dictionary(streams.compactMap { stream in stream.source.map { ($0, stream.mid) } }) { first, _ in first }
  }

  func stream(of track: TrackID) -> JanusStreamID? { streams.lazy.compactMap(\.source).first { $0.track == track } }

  // MARK: Asking

  func mayAsk(for stream: JanusStreamID, at now: MonotonicTime) -> Bool {
    attempts[stream].map { $0.nextAt <= now } ?? true
  }

  /// Remembers that streams were asked for, until they are seen among ours. The pauses between grow.
  mutating func asked(for asked: [JanusStreamID], at now: MonotonicTime) {
    for stream in asked {
      let count = attempts[stream]?.count ?? 0
      attempts[stream] = Attempt(count: count + 1, nextAt: now + JanusSession.backoff.pause(after: count))
    }
  }

  mutating func took(_ new: [JanusSubscribedStream]) {
    streams = new
    for source in new.compactMap(\.source) { attempts[source] = nil }
  }

  /// Something has changed in the room, so that what was not there may be there now.
  mutating func askAgain() { attempts = [:] }

  /// When what was asked for in vain may be asked for again.
  func attempts(for wanted: [JanusStreamID]) -> [MonotonicTime] { wanted.compactMap { attempts[$0]?.nextAt } }
}
