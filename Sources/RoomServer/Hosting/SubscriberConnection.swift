import RTCCore
import Signalling
import Transport

/// The peer connection on which a participant receives: we offer, the client answers, one offer at a time.
@NetworkActor final class SubscriberConnection {
  /// Changes within this time go into one offer.
  private static let debounce: Duration = .milliseconds(10)
  /// A client that does not answer for this long has lost its way.
  static let answerTimeout: Duration = .seconds(15)

  private unowned let participant: Participant
  private let context: ServerContext
  private let transport: MediaTransport
  private let local: LocalEnd
  private var sections = SubscriberSections()
  /// By track sid.
  private(set) var subscriptions: [String: Subscription] = [:]
  private var bySSRC: [SSRC: Subscription] = [:]
  private var offerID = UInt32(ServerContext.randomNumber(UInt8.self)) + 1
  private var offeredMids: Set<String> = []
  private(set) var offeredAt: MonotonicTime?
  private var needsOffer = false
  private var isConnecting = false
  private(set) var isConnected = false
  private var timer: NetworkTimer?
  private var drops = DropCounters()

  init(participant: Participant, context: ServerContext) {
    self.participant = participant
    self.context = context
    (transport, local) = context.makeTransport()
    transport.onRTCP = { [weak self] bytes, now in self?.receiveRTCP(bytes, at: now) }
    transport.onStateChange = { [weak self] state in self?.stateChanged(state) }
    timer = NetworkTimer { [weak self] in self?.offerNow() }
  }

  var allDrops: DropCounters {
    var all = drops
    all.merge(transport.drops)
    for subscription in subscriptions.values { all.merge(subscription.drops) }
    return all
  }

  /// Offers soon, once: at the beginning even without tracks, since the client waits for this connection.
  func scheduleOffer() {
    needsOffer = true
    guard offeredAt == nil else { return }
    timer?.schedule(at: NetworkActor.now + Self.debounce)
  }

  func subscribe(to track: PublishedTrack, settings: TrackSettings) {
    guard subscriptions[track.sid] == nil else { return }
    guard !sections.isFull else {
      context.log(.warning, "\(participant.sid) has used up its media sections")
      return
    }
    let media = SubscriberSections.Media(
      participantSID: track.owner.sid, trackSID: track.sid, kind: track.kind, ssrc: unusedSSRC(),
      rtxSSRC: track.kind == .video ? unusedSSRC() : nil)
    let subscription = Subscription(
      track: track, media: media, mid: sections.add(media), connection: self, settings: settings)
    subscriptions[track.sid] = subscription
    bySSRC[media.ssrc] = subscription
    track.add(subscription)
    scheduleOffer()
  }

  func unsubscribe(from trackSID: String) {
    guard let subscription = subscriptions.removeValue(forKey: trackSID) else { return }
    bySSRC[subscription.media.ssrc] = nil
    subscription.track.remove(subscription)
    sections.end(subscription.mid)
    drops.merge(subscription.drops)
    scheduleOffer()
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
      transport.connect(
        remoteUfrag: remote.credentials.usernameFragment, remotePassword: remote.credentials.password,
        remoteFingerprint: remote.fingerprint, role: remote.ourSetup == .active ? .client : .server,
        remoteCandidates: [])
    }
    offeredAt = nil
    for subscription in subscriptions.values where offeredMids.contains(subscription.mid) {
      if let numbers = accepted.first(where: { $0.mid == subscription.mid }) {
        subscription.negotiated(numbers, at: now)
      } else if !subscription.isNegotiated {
        participant.send(
          .subscriptionResponse(.init(trackSID: subscription.track.sid, error: .codecUnsupported)))
      }
    }
    if needsOffer { scheduleOffer() }
  }

  func send(_ packet: RTPPacket) { transport.sendRTP(packet.serialized()) }

  /// Sends the reports that are due.
  func advance(to now: MonotonicTime) {
    guard isConnected else { return }
    for subscription in subscriptions.values {
      if let report = subscription.report(at: now) { transport.sendRTCP(RTCPPacket.serialize(report)) }
    }
  }

  func close() {
    timer?.cancel()
    timer = nil
    context.drops.merge(allDrops)
    for subscription in subscriptions.values { subscription.track.remove(subscription) }
    subscriptions = [:]
    bySSRC = [:]
    transport.onRTCP = nil
    transport.onStateChange = nil
    transport.close()
  }

  private func offerNow() {
    guard needsOffer, offeredAt == nil else { return }
    needsOffer = false
    offerID &+= 1
    offeredAt = NetworkActor.now
    offeredMids = Set(subscriptions.values.map(\.mid))
    let offer = sections.makeOffer(local: local)
    participant.send(.offer(.init(type: "offer", sdp: offer.serialized(), id: offerID)))
  }

  private func unusedSSRC() -> SSRC {
    while true {
      let ssrc = SSRC(ServerContext.randomNumber(UInt32.self))
      if ssrc.raw != 0, bySSRC[ssrc] == nil { return ssrc }
    }
  }

  private func receiveRTCP(_ bytes: [UInt8], at now: MonotonicTime) {
    let packets: [RTCPPacket]
    do { packets = try RTCPPacket.parseCompound(bytes) } catch {
      drops.count(.malformed)
      return
    }
    for packet in packets {
      switch packet {
      case .nack(let request): bySSRC[request.media]?.resend(request.lost, at: now)
      case .pictureLossIndication(let request): bySSRC[request.media]?.keyFrameRequested(at: now)
      case .fullIntraRequest(let request):
        for entry in request.entries { bySSRC[entry.ssrc]?.keyFrameRequested(at: now) }
      default: break
      }
    }
  }

  private func stateChanged(_ state: MediaTransport.State) {
    switch state {
    case .connected:
      isConnected = true
      for subscription in subscriptions.values { subscription.retarget(at: NetworkActor.now) }
      participant.connectionChanged(.subscriber)
    case .failed(let error): participant.connectionFailed(.subscriber, error)
    case .closed: participant.connectionClosed(.subscriber)
    case .new, .connecting: break
    }
  }
}
