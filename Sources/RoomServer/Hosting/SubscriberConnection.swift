import RTCCore
import Signalling
import Transport

/// The peer connection on which a participant receives: we offer, the client answers, one offer at a time.
@NetworkActor final class SubscriberConnection {
  /// Changes within this time go into one offer.
  private static let debounce: Duration = .milliseconds(10)
  /// A client that does not answer for this long has lost its way.
  static let answerTimeout: Duration = .seconds(15)

  /// A subscription and the section that carries it.
  private struct Carried {
    var subscription: Subscription
    var mid: String
  }

  private unowned let participant: Participant
  private let context: ServerContext
  private let media: OutgoingMedia
  private let local: LocalEnd
  private var sections = SubscriberSections()
  /// By track sid.
  private var carried: [String: Carried] = [:]
  private var offerID = UInt32(ServerContext.randomNumber(UInt8.self)) + 1
  private var offeredMids: Set<String> = []
  private(set) var offeredAt: MonotonicTime?
  private var needsOffer = false
  private var isConnecting = false
  private var timer: NetworkTimer?

  init(participant: Participant, context: ServerContext) {
    self.participant = participant
    self.context = context
    let transport: MediaTransport
    (transport, local) = context.makeTransport()
    media = OutgoingMedia(transport: transport)
    media.onStateChange = { [weak self] state in self?.stateChanged(state) }
    timer = NetworkTimer { [weak self] in self?.offerNow() }
  }

  var drops: DropCounters { media.drops }
  /// Those whose tracks come this way.
  var owners: Set<String> { Set(carried.values.map(\.subscription.track.owner.sid)) }

  /// Offers soon, once: at the beginning even without tracks, since the client waits for this connection.
  func scheduleOffer() {
    needsOffer = true
    guard offeredAt == nil else { return }
    timer?.schedule(at: NetworkActor.now + Self.debounce)
  }

  func subscribe(to track: PublishedTrack, settings: TrackSettings) {
    guard carried[track.sid] == nil else { return }
    guard !sections.isFull else {
      context.log(.warning, "\(participant.sid) has used up its media sections")
      return
    }
    let section = SubscriberSections.Media(
      participantSID: track.owner.sid, trackSID: track.sid, kind: track.kind, ssrc: media.unusedSSRC(),
      rtxSSRC: track.kind == .video ? media.unusedSSRC() : nil)
    let subscription = Subscription(
      track: track, stream: .init(ssrc: section.ssrc, rtxSSRC: section.rtxSSRC, cname: section.streamID),
      media: media, settings: settings)
    carried[track.sid] = Carried(subscription: subscription, mid: sections.add(section))
    media.add(subscription)
    scheduleOffer()
  }

  func unsubscribe(from trackSID: String) {
    guard let ended = carried.removeValue(forKey: trackSID) else { return }
    media.remove(ended.subscription)
    sections.end(ended.mid)
    scheduleOffer()
  }

  /// What the client now wants of a track.
  func apply(_ settings: TrackSettings, to trackSID: String, at now: MonotonicTime) {
    carried[trackSID]?.subscription.apply(settings, at: now)
  }

  /// Takes the answer to the outstanding offer. One for another offer is ignored.
  func receive(answer text: String, id: UInt32, at now: MonotonicTime) throws(NegotiationError) {
    guard offeredAt != nil, id == 0 || id == offerID else {
      context.log(.warning, "\(participant.sid) answered an offer that is not outstanding")
      return
    }
    let answer: SessionDescription
    do { answer = try SessionDescription(parsing: text) } catch { throw .unreadable(error) }
    let accepted = try sections.accept(answer)
    if !isConnecting {
      let remote = try RemoteEnd(reading: answer)
      isConnecting = true
      media.connect(to: remote)
    }
    offeredAt = nil
    for (sid, entry) in carried where offeredMids.contains(entry.mid) {
      if let numbers = accepted.first(where: { $0.mid == entry.mid }) {
        entry.subscription.negotiated(numbers, at: now)
      } else if !entry.subscription.isNegotiated {
        participant.send(.subscriptionResponse(.init(trackSID: sid, error: .codecUnsupported)))
      }
    }
    if needsOffer { scheduleOffer() }
  }

  /// Sends the reports that are due.
  func advance(to now: MonotonicTime) { media.advance(to: now) }

  func close() {
    timer?.cancel()
    timer = nil
    carried = [:]
    media.close()
    context.drops.merge(media.drops)
  }

  private func offerNow() {
    guard needsOffer, offeredAt == nil else { return }
    needsOffer = false
    offerID &+= 1
    offeredAt = NetworkActor.now
    offeredMids = Set(carried.values.map(\.mid))
    let offer = sections.makeOffer(local: local)
    participant.send(.offer(.init(type: "offer", sdp: offer.serialized(), id: offerID)))
  }

  private func stateChanged(_ state: MediaTransport.State) {
    switch state {
    case .connected: participant.connectionChanged(.subscriber)
    case .failed(let error): participant.connectionFailed(.subscriber, error)
    case .closed: participant.connectionClosed(.subscriber)
    case .new, .connecting: break
    }
  }
}
