import RTCCore
import Transport

/// The sending side of one peer connection: packets of subscriptions to the peer, its feedback about them, our reports.
@NetworkActor final class OutgoingMedia {
  /// Told after the subscriptions know.
  var onStateChange: ((MediaTransport.State) -> Void)?
  private(set) var isConnected = false

  private let transport: MediaTransport
  private var subscriptions: [SSRC: Subscription] = [:]
  private var ownDrops = DropCounters()

  init(transport: MediaTransport) {
    self.transport = transport
    transport.onRTCP = { [weak self] bytes, now in self?.receiveRTCP(bytes, at: now) }
    transport.onStateChange = { [weak self] state in self?.stateChanged(state) }
  }

  /// Those of the connection and of all subscriptions that it has had.
  var drops: DropCounters {
    var all = ownDrops
    all.merge(transport.drops)
    for subscription in subscriptions.values { all.merge(subscription.drops) }
    return all
  }

  /// An SSRC that no subscription has.
  func unusedSSRC() -> SSRC {
    while true {
      let ssrc = SSRC(ServerContext.randomNumber(UInt32.self))
      if ssrc.raw != 0, subscriptions[ssrc] == nil { return ssrc }
    }
  }

  /// Begins to send a track.
  func add(_ subscription: Subscription) {
    subscriptions[subscription.stream.ssrc] = subscription
    subscription.track.add(subscription)
  }

  /// Ends the sending of a track.
  func remove(_ subscription: Subscription) {
    subscriptions[subscription.stream.ssrc] = nil
    subscription.track.remove(subscription)
    ownDrops.merge(subscription.drops)
  }

  /// Starts towards the peer that a description names, once.
  func connect(to remote: RemoteEnd) {
    transport.connect(
      remoteUfrag: remote.credentials.usernameFragment, remotePassword: remote.credentials.password,
      remoteFingerprint: remote.fingerprint, role: remote.ourSetup == .active ? .client : .server,
      remoteCandidates: [])
  }

  /// Restarts ICE from our side; our new credentials, or nil when it cannot be.
  func restartICE() -> ICECredentials? {
    guard transport.restartICE() else { return nil }
    return ICECredentials(usernameFragment: transport.iceUfrag, password: transport.icePassword)
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
    for subscription in subscriptions.values { remove(subscription) }
    onStateChange = nil
    transport.onRTCP = nil
    transport.onStateChange = nil
    transport.close()
  }

  private func receiveRTCP(_ bytes: [UInt8], at now: MonotonicTime) {
    let packets: [RTCPPacket]
    do { packets = try RTCPPacket.parseCompound(bytes) } catch {
      ownDrops.count(.malformed)
      return
    }
    for packet in packets {
      switch packet {
      case .nack(let request): subscriptions[request.media]?.resend(request.lost, at: now)
      case .pictureLossIndication(let request): subscriptions[request.media]?.keyFrameRequested(at: now)
      case .fullIntraRequest(let request):
        for entry in request.entries { subscriptions[entry.ssrc]?.keyFrameRequested(at: now) }
      default: break
      }
    }
  }

  private func stateChanged(_ state: MediaTransport.State) {
    if case .connected = state {
      isConnected = true
      for subscription in subscriptions.values { subscription.retarget(at: NetworkActor.now) }
    }
    onStateChange?(state)
  }
}
