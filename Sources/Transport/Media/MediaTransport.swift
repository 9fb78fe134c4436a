import RTCCore

/// One bundled media connection: ICE finds the path, DTLS proves the peer and gives the keys, SRTP protects each packet,
/// and all of them share one port (RFC 8834, RFC 7983).
///
/// Callbacks are called on the network thread, one after another, and may call back into the transport.
@NetworkActor
public final class MediaTransport {
  public enum State: Equatable, Sendable {
    case new
    case connecting
    /// The peer's fingerprint is proved; media passes in both directions.
    case connected
    /// It failed, and will not recover.
    case failed(TransportError)
    /// Closed here, or by the peer.
    case closed
  }

  /// Our user fragment, for the session description.
  public var iceUfrag: String { ice.ufrag }
  public var icePassword: String { ice.password }
  public let certificate: DTLSCertificate
  public private(set) var state = State.new

  /// The value of a `candidate:` attribute of ours; empty after the last one.
  public var onCandidate: (@NetworkActor (String) -> Void)?
  public var onStateChange: (@NetworkActor (State) -> Void)?
  /// The path stopped working. True when ``restartICE()`` will look for another one, for which there is ``iceTimeout``;
  /// otherwise the connection fails.
  public var onPathLost: (@NetworkActor () -> Bool)?
  /// An RTP packet that passed authentication, decrypted, and when it arrived.
  public var onRTP: (@NetworkActor ([UInt8], MonotonicTime) -> Void)?
  /// A compound RTCP packet that passed authentication, decrypted, and when it arrived.
  public var onRTCP: (@NetworkActor ([UInt8], MonotonicTime) -> Void)?

  /// Longest time from ``connect(remoteUfrag:remotePassword:remoteFingerprint:role:remoteCandidates:)`` until a path is
  /// found. 15 s gives each pair of a long list all its retransmissions.
  public var iceTimeout: Duration = .seconds(15)
  /// Longest time for the DTLS handshake, counted from the path. 10 s is five retransmissions.
  public var dtlsTimeout: Duration = .seconds(10)

  /// Packets in both directions that were not used, by reason.
  public var drops: DropCounters {
    var all = ownDrops
    all.merge(ice.drops)
    if let dtls { all.merge(dtls.drops) }
    return all
  }

  private let ice: any ICEPath
  private var ownDrops = DropCounters()
  private var dtls: DTLSSession?
  private var srtp: SRTPSession?
  private var deadline: NetworkTimer?
  private var hasPath = false
  /// DTLS that came before the description of its sender, who can answer faster than signalling does.
  private var earlyHandshake: [[UInt8]] = []
  /// Where outgoing packets are protected.
  private let scratch = UnsafeMutableRawBufferPointer.allocate(
    byteCount: MediaTransport.maximumPacket + SRTPSession.maximumTrailer, alignment: 16)

  /// Bytes of the largest RTP or RTCP packet that is sent; paths take about 1 200.
  public static let maximumPacket = 2048
  private static let maximumEarlyDatagrams = 8

  /// A connection of a client, which finds its path with libnice.
  ///
  /// - Parameter controlling: whether our side chooses the pair; the side that is not ICE-lite does (RFC 8445 §6.1.1).
  public static func client(
    certificate: DTLSCertificate, iceServers: [ICEServer], controlling: Bool
  ) throws(TransportError) -> MediaTransport {
    let transport = MediaTransport(ice: try NiceICEAgent(controlling: controlling), certificate: certificate)
    transport.setICEServers(iceServers)
    return transport
  }

  init(ice: any ICEPath, certificate: DTLSCertificate) {
    self.ice = ice
    self.certificate = certificate
    ice.onDatagram = { [weak self] datagram in self?.receive(datagram) }
    ice.onCandidate = { [weak self] candidate in self?.onCandidate?(candidate) }
    ice.onConnected = { [weak self] in self?.pathFound() }
    ice.onFailed = { [weak self] in self?.pathFailed() }
    deadline = NetworkTimer { [weak self] in self?.deadlinePassed() }
  }

  isolated deinit {
    close()
    scratch.deallocate()
  }

  // MARK: Connecting

  /// Servers to gather candidates with; of use before ``gather()``.
  public func setICEServers(_ servers: [ICEServer]) { ice.setServers(servers) }

  /// Starts to gather candidates, which ``onCandidate`` then tells.
  public func gather() { if state == .new || state == .connecting { ice.gather() } }

  /// Starts to connect to the peer described. Fails within ``iceTimeout`` and ``dtlsTimeout``.
  ///
  /// Called again while connecting or connected, as after an answer that repeats what is known, it does nothing.
  /// - Parameters:
  ///   - remoteFingerprint: SHA-256 of the certificate that the peer must show, 32 bytes.
  ///   - role: ours in DTLS.
  ///   - remoteCandidates: values of `candidate:` attributes; more may follow.
  public func connect(
    remoteUfrag: String, remotePassword: String, remoteFingerprint: [UInt8], role: DTLSRole,
    remoteCandidates: [String]
  ) {
    guard state == .new else { return }
    let dtls: DTLSSession
    do throws(TransportError) {
      dtls = try DTLSSession(certificate: certificate, role: role, remoteFingerprint: remoteFingerprint)
    } catch {
      return fail(error)
    }
    self.dtls = dtls
    dtls.onSend = { [weak self] datagram in self?.ice.send(datagram) }
    dtls.onEstablished = { [weak self] keys in self?.established(keys) }
    dtls.onClosed = { [weak self] error in self?.handshakeEnded(error) }
    change(to: .connecting)
    guard state == .connecting else { return }
    if hasPath { startHandshake() } else { deadline?.schedule(at: NetworkActor.now + iceTimeout) }
    ice.connect(remoteUfrag: remoteUfrag, remotePassword: remotePassword)
    for candidate in remoteCandidates { ice.addRemoteCandidate(candidate) }
  }

  /// Starts ICE anew from our side: ``iceUfrag`` and ``icePassword`` are then others (RFC 8445 §9). Media goes on over the
  /// path found before, if that works, and what DTLS has proved stays (RFC 8842 §5.5). A full agent needs the peer's new
  /// credentials next, by ``peerRestartedICE(remoteUfrag:remotePassword:remoteCandidates:)``. False when there is nothing
  /// to restart.
  public func restartICE() -> Bool { (state == .connecting || state == .connected) && ice.restart() }

  /// The peer's side of a restart. A lite host has no use for it.
  public func peerRestartedICE(remoteUfrag: String, remotePassword: String, remoteCandidates: [String]) {
    guard state == .connecting || state == .connected else { return }
    if !hasPath { deadline?.schedule(at: NetworkActor.now + iceTimeout) }
    ice.connect(remoteUfrag: remoteUfrag, remotePassword: remotePassword)
    for candidate in remoteCandidates { ice.addRemoteCandidate(candidate) }
  }

  private func pathFailed() {
    guard state == .connected, onPathLost?() == true else { return fail(.iceFailed) }
    hasPath = false
    deadline?.schedule(at: NetworkActor.now + iceTimeout)
  }

  /// One more candidate of the peer; empty when there are no more.
  public func addRemoteCandidate(_ candidate: String) {
    switch state {
    case .new, .connecting, .connected: ice.addRemoteCandidate(candidate)
    case .failed, .closed: break
    }
  }

  /// Tells the peer and frees everything. Callbacks are not called any more.
  public func close() {
    if state == .closed { return }
    if case .failed = state { state = .closed } else { tearDown(.closed) }
    (onCandidate, onStateChange, onPathLost, onRTP, onRTCP) = (nil, nil, nil, nil, nil)
  }

  private func pathFound() {
    guard !hasPath else { return }
    hasPath = true
    if state == .connected {
      deadline?.cancel()
    } else if dtls != nil {
      startHandshake()
    }
  }

  private func startHandshake() {
    deadline?.schedule(at: NetworkActor.now + dtlsTimeout)
    dtls?.start()
    let early = earlyHandshake
    earlyHandshake = []
    for datagram in early { datagram.withUnsafeBytes { dtls?.receive($0) } }
  }

  private func established(_ keys: SRTPKeys) {
    do throws(TransportError) {
      srtp = try SRTPSession(keys: keys)
    } catch {
      return fail(error)
    }
    deadline?.cancel()
    change(to: .connected)
  }

  private func handshakeEnded(_ error: TransportError?) {
    if let error { fail(error) } else { end(.closed) }
  }

  private func deadlinePassed() {
    fail(hasPath ? .dtlsFailed("the peer did not complete the handshake in time") : .iceFailed)
  }

  private func fail(_ error: TransportError) { end(.failed(error)) }

  private func end(_ final: State) {
    switch state {
    case .closed, .failed: return
    case .new, .connecting, .connected: break
    }
    tearDown(final)
    onStateChange?(final)
  }

  private func tearDown(_ final: State) {
    state = final
    deadline?.cancel()
    dtls?.close()
    srtp = nil
    earlyHandshake = []
    ice.close()
  }

  private func change(to new: State) {
    state = new
    onStateChange?(new)
  }

  // MARK: Packets

  /// Sends an RTP packet. Before ``State/connected`` and when the socket is full it is dropped and counted.
  public func sendRTP(_ packet: [UInt8]) {
    guard prepare(packet) else { return }
    send(length: srtp?.protectRTP(scratch, length: packet.count))
  }

  /// Sends a compound RTCP packet, under the same terms as ``sendRTP(_:)``.
  public func sendRTCP(_ packet: [UInt8]) {
    guard prepare(packet) else { return }
    send(length: srtp?.protectRTCP(scratch, length: packet.count))
  }

  private func prepare(_ packet: [UInt8]) -> Bool {
    guard state == .connected else {
      ownDrops.count(.beforeHandshake)
      return false
    }
    guard packet.count <= Self.maximumPacket else {
      ownDrops.count(.malformed)
      return false
    }
    packet.withUnsafeBytes { scratch.copyMemory(from: $0) }
    return true
  }

  private func send(length: Int?) {
    guard let length else { return ownDrops.count(.malformed) }
    ice.send(UnsafeRawBufferPointer(rebasing: scratch[..<length]))
  }

  private func receive(_ datagram: UnsafeMutableRawBufferPointer) {
    guard let first = datagram.first else { return ownDrops.count(.malformed) }
    switch PacketKind.classify(first: first, second: datagram.count > 1 ? datagram[1] : nil) {
    case .rtp: deliver(datagram, srtp?.unprotectRTP(datagram), onRTP)
    case .rtcp: deliver(datagram, srtp?.unprotectRTCP(datagram), onRTCP)
    case .dtls: receiveHandshake(UnsafeRawBufferPointer(datagram))
    case .stun, .turnChannel, nil: ownDrops.count(.notMultiplexed)
    }
  }

  private func deliver(
    _ datagram: UnsafeMutableRawBufferPointer, _ result: Result<Int, DropError>?,
    _ handler: (@NetworkActor ([UInt8], MonotonicTime) -> Void)?
  ) {
    switch result {
    case .success(let length): handler?(Array(datagram[..<length]), NetworkActor.now)
    case .failure(let drop): ownDrops.count(drop.reason)
    case nil: ownDrops.count(.beforeHandshake)
    }
  }

  private func receiveHandshake(_ datagram: UnsafeRawBufferPointer) {
    if let dtls { return dtls.receive(datagram) }
    guard state == .new, earlyHandshake.count < Self.maximumEarlyDatagrams else {
      return ownDrops.count(.beforeHandshake)
    }
    earlyHandshake.append(Array(datagram))
  }
}
