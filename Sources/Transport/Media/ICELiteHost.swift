import Glibc
import RTCCore

/// The media end of a server: one UDP port for all peers, ICE-lite (RFC 8445 §2.5).
///
/// A peer is known by the user name of its checks first, and by its address once one of them has passed.
@NetworkActor
public final class ICELiteHost {
  public let port: UInt16
  /// Values of `candidate:` attributes, the same for every transport.
  public let candidates: [String]
  /// Datagrams that belong to no transport.
  public private(set) var drops = DropCounters()

  private let socket: UDPSocket
  private var sessionsByUfrag: [String: LiteICESession] = [:]
  private var sessionsByEndpoint: [IPEndpoint: LiteICESession] = [:]

  /// A binding request has some hundred bytes; parsing more is work for a stranger's benefit.
  private static let maximumSTUN = 1024

  /// - Parameters:
  ///   - bind: a numeric address or `localhost`; `0.0.0.0` and `::` are every interface.
  ///   - port: 0 takes any.
  public init(bind: String, port: UInt16) throws(TransportError) {
    let socket = try UDPSocket(address: bind, port: port)
    self.socket = socket
    self.port = socket.port
    candidates = LocalInterfaces.addresses(reachableAt: numericAddress(bind)).enumerated().map { index, address in
      ICECandidate(
        foundation: "\(index + 1)",
        priority: ICECandidate.priority(kind: .host, localPreference: UInt16(max(0, 65_535 - index))),
        address: "\(address)", port: socket.port, kind: .host
      ).attribute
    }
    socket.onDatagram = { [weak self] datagram, endpoint in self?.receive(datagram, from: endpoint) }
  }

  /// A transport for one peer.
  public func makeTransport(certificate: DTLSCertificate) -> MediaTransport {
    let session = LiteICESession(ufrag: unusedUfrag(), password: LiteICESession.makePassword(), host: self)
    register(session)
    return MediaTransport(ice: session, certificate: certificate)
  }

  /// Frees the port; transports that are open fail.
  public func close() {
    socket.close()
    // Held until both are empty: a session that nobody else holds ends with its last reference, and looks into them.
    let sessions = (byUfrag: sessionsByUfrag, byEndpoint: sessionsByEndpoint)
    sessionsByUfrag = [:]
    sessionsByEndpoint = [:]
    for session in sessions.byUfrag.values { session.hostClosed() }
    withExtendedLifetime(sessions) {}
  }

  private func receive(_ datagram: UnsafeMutableRawBufferPointer, from endpoint: IPEndpoint) {
    guard let first = datagram.first else { return drops.count(.malformed) }
    switch PacketKind.classify(first: first, second: datagram.count > 1 ? datagram[1] : nil) {
    case .stun:
      guard datagram.count <= Self.maximumSTUN, let message = try? STUNMessage(parsing: Array(datagram)) else {
        return drops.count(.malformed)
      }
      check(message, from: endpoint)
    case .dtls, .rtp, .rtcp:
      guard let session = sessionsByEndpoint[endpoint] else { return drops.count(.unknownAddress) }
      session.receive(datagram)
    case .turnChannel, nil: drops.count(.notMultiplexed)
    }
  }

  /// Answers one check (RFC 8445 §7.3) when its password is right; strangers get no answer at all.
  private func check(_ message: STUNMessage, from endpoint: IPEndpoint) {
    guard message.method == STUNMessage.binding else { return drops.count(.malformed) }
    // Indications only keep a path open; answers are to nobody, as a lite agent asks nothing.
    guard message.messageClass == .request else {
      if message.messageClass != .indication { drops.count(.stunUnauthorized) }
      return
    }
    guard let ufrag = (message.username?.split(separator: ":", maxSplits: 1).first).map(String.init),
      let session = sessionsByUfrag[ufrag], let password = session.password(of: ufrag),
      message.verifyIntegrity(key: Array(password.utf8), mac: MessageAuthentication.hmacSHA1)
    else { return drops.count(.stunUnauthorized) }

    let unknown = message.unknownRequired
    guard unknown.isEmpty else {
      return answer(
        message, password, to: endpoint, .error,
        [.errorCode(420, reason: "Unknown Attribute"), .unknownAttributes(unknown)])
    }
    let isControlled = message.attributes.contains { if case .iceControlled = $0 { true } else { false } }
    guard !isControlled else {
      // A lite agent is always the controlled one; the peer changes its role (RFC 8445 §7.3.1.1).
      return answer(message, password, to: endpoint, .error, [.errorCode(487, reason: "Role Conflict")])
    }
    answer(message, password, to: endpoint, .success, [.mappedAddress(endpoint)])
    session.checkPassed(from: endpoint, ufrag: ufrag, nominates: message.nominates, at: NetworkActor.now)
  }

  private func answer(
    _ request: STUNMessage, _ password: String, to endpoint: IPEndpoint,
    _ kind: STUNMessage.MessageClass, _ attributes: [STUNMessage.Attribute]
  ) {
    let response = STUNMessage(kind, transactionID: request.transactionID, attributes: attributes)
    let bytes = response.serialized(integrityKey: Array(password.utf8), mac: MessageAuthentication.hmacSHA1)
    if !bytes.withUnsafeBytes({ socket.send($0, to: endpoint) }) { drops.count(.queueFull) }
  }

  // MARK: For sessions

  func send(_ datagram: UnsafeRawBufferPointer, to endpoint: IPEndpoint) -> Bool {
    socket.send(datagram, to: endpoint)
  }

  /// Datagrams from `endpoint` are this session's from now on. A peer that has proved another session's password may
  /// take over its address: the old one has gone, or shares a translated address that was given anew.
  func claim(_ endpoint: IPEndpoint, for session: LiteICESession) {
    if let other = sessionsByEndpoint[endpoint], other !== session { other.lost(endpoint) }
    sessionsByEndpoint[endpoint] = session
  }

  func release(_ endpoint: IPEndpoint, of session: LiteICESession) {
    if sessionsByEndpoint[endpoint] === session { sessionsByEndpoint[endpoint] = nil }
  }

  func unusedUfrag() -> String {
    while true {
      let ufrag = Randomness.iceCharacters(8)
      if sessionsByUfrag[ufrag] == nil { return ufrag }
    }
  }

  /// Checks under the session's user fragment are its own from now on.
  func register(_ session: LiteICESession) { sessionsByUfrag[session.ufrag] = session }

  func release(ufrag: String, of session: LiteICESession) {
    if sessionsByUfrag[ufrag] === session { sessionsByUfrag[ufrag] = nil }
  }
}
