internal import COpenSSL
import RTCCore

/// Which side of a DTLS handshake one takes; `a=setup` `active` is the client (RFC 5763 §5).
public enum DTLSRole: Hashable, Sendable { case client, server }

/// One DTLS 1.2 association: it proves the peer's fingerprint and gives keys to SRTP (RFC 5764).
///
/// Application data, which would be SCTP, is counted and not read.
@NetworkActor
final class DTLSSession {
  enum State: Equatable { case idle, handshaking, established, closed }

  /// Sends one datagram.
  var onSend: (UnsafeRawBufferPointer) -> Void = { _ in }
  /// The handshake is done and the fingerprint is the expected one.
  var onEstablished: (SRTPKeys) -> Void = { _ in }
  /// The handshake failed, or the peer ended the association; the latter without an error.
  var onClosed: (TransportError?) -> Void = { _ in }

  private(set) var state = State.idle
  private(set) var drops = DropCounters()

  private let certificate: DTLSCertificate
  private let expectedFingerprint: [UInt8]
  private let role: DTLSRole
  private let datagrams = DTLSDatagrams(maximumSize: DTLSSession.maximumDatagram)
  // Freed in `deinit`, when nothing else refers to it.
  private nonisolated(unsafe) let session: OpaquePointer
  private var retransmission: NetworkTimer?
  private var fingerprintMatched = false

  /// Fits every path that WebRTC meets: the 1 280 of IPv6 less headers and TURN's.
  static let maximumDatagram = 1200
  private static let exporterLabel = "EXTRACTOR-dtls_srtp"

  /// - Parameter remoteFingerprint: SHA-256 of the certificate that the peer must show.
  init(certificate: DTLSCertificate, role: DTLSRole, remoteFingerprint: [UInt8]) throws(TransportError) {
    self.certificate = certificate
    self.role = role
    expectedFingerprint = remoteFingerprint
    guard let session = SSL_new(certificate.context) else { throw .openSSL("DTLS") }
    guard let bio = datagrams.makeBIO() else {
      SSL_free(session)
      throw .openSSL("DTLS")
    }
    self.session = session
    SSL_set_bio(session, bio, bio)
    SSL_ctrl(session, SSL_CTRL_SET_MTU, Self.maximumDatagram, nil)
    SSL_set_ex_data(session, 0, Unmanaged.passUnretained(self).toOpaque())
    SSL_set_verify(session, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT) { _, store in
      NetworkActor.assumeIsolated { DTLSSession.verify(store) }
    }
    DTLS_set_timer_cb(session) { _, last in DTLSSession.retransmissionDelay(after: last) }
    switch role {
    case .client: SSL_set_connect_state(session)
    case .server: SSL_set_accept_state(session)
    }
    datagrams.send = { [unowned self] bytes in NetworkActor.assumeIsolated { onSend(bytes) } }
    retransmission = NetworkTimer { [weak self] in self?.retransmit() }
  }

  deinit { SSL_free(session) }

  /// The client sends its first flight; the server waits for one.
  func start() {
    guard state == .idle else { return }
    state = .handshaking
    handshake()
  }

  /// One datagram from the peer.
  func receive(_ datagram: UnsafeRawBufferPointer) {
    if state == .idle { start() }
    guard state != .closed else { return }
    datagrams.inbound = datagram
    // Its memory is the caller's.
    defer { datagrams.inbound = nil }
    if state == .handshaking { handshake() } else { readRecords() }
  }

  /// Tells the peer and ends; ``onClosed`` is not called.
  func close() {
    guard state != .closed else { return }
    if state == .established {
      ERR_clear_error()
      SSL_shutdown(session)
    }
    end()
  }

  // MARK: Handshake

  private func handshake() {
    ERR_clear_error()
    let result = SSL_do_handshake(session)
    guard state == .handshaking else { return }
    if result == 1 { return finishHandshake() }
    let error = SSL_get_error(session, result)
    guard error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE else {
      return fail(.dtlsFailed(TransportError.openSSLReason()))
    }
    scheduleRetransmission()
  }

  private func finishHandshake() {
    guard fingerprintMatched, peerFingerprint == expectedFingerprint else {
      return fail(.dtlsFailed("the peer's certificate is not the announced one"))
    }
    guard let keys = exportKeys() else { return fail(.dtlsFailed("no SRTP profile in common")) }
    state = .established
    retransmission?.cancel()
    onEstablished(keys)
  }

  private var peerFingerprint: [UInt8]? {
    guard let certificate = SSL_get1_peer_certificate(session) else { return nil }
    defer { X509_free(certificate) }
    return DTLSCertificate.fingerprint(of: certificate)
  }

  /// Whether a certificate is the announced one. A wrong one ends the handshake with an alert, so that the peer learns
  /// of it too.
  private static func verify(_ store: OpaquePointer?) -> Int32 {
    guard
      let session = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
      let data = SSL_get_ex_data(OpaquePointer(session), 0)
    else { return 0 }
    let owner = Unmanaged<DTLSSession>.fromOpaque(data).takeUnretainedValue()
    let matches =
      DTLSCertificate.fingerprint(of: X509_STORE_CTX_get0_cert(store)) == owner.expectedFingerprint
    if matches { owner.fingerprintMatched = true }
    return matches ? 1 : 0
  }

  /// The keys of RFC 5764 §4.2: client key, server key, client salt, server salt.
  private func exportKeys() -> SRTPKeys? {
    guard let selected = SSL_get_selected_srtp_profile(session),
      let profile = SRTPProfile(identifier: selected.pointee.id)
    else { return nil }
    let (key, salt) = (profile.keyLength, profile.saltLength)
    var material = [UInt8](repeating: 0, count: 2 * (key + salt))
    let exported = SSL_export_keying_material(
      session, &material, material.count, Self.exporterLabel, Self.exporterLabel.utf8.count, nil, 0, 0)
    guard exported == 1 else { return nil }
    let client = Array(material[..<key] + material[(2 * key)..<(2 * key + salt)])
    let server = Array(material[key..<(2 * key)] + material[(2 * key + salt)...])
    return role == .client
      ? SRTPKeys(profile: profile, outbound: client, inbound: server)
      : SRTPKeys(profile: profile, outbound: server, inbound: client)
  }

  // MARK: Retransmission (RFC 6347 §4.2.4)

  /// Microseconds to the next retransmission. The RFC's one second to begin with is for networks of which nothing is
  /// known; ICE has just shown this one to answer, and a person waits for the room.
  private nonisolated static func retransmissionDelay(after last: UInt32) -> UInt32 {
    last == 0 ? 250_000 : min(last &* 2, 4_000_000)
  }

  private func scheduleRetransmission() {
    var left = timeval()
    guard SSL_ctrl(session, DTLS_CTRL_GET_TIMEOUT, 0, &left) == 1 else { return }
    let delay = Duration.seconds(left.tv_sec) + .microseconds(left.tv_usec)
    retransmission?.schedule(at: NetworkActor.now + delay)
  }

  private func retransmit() {
    guard state == .handshaking else { return }
    ERR_clear_error()
    if SSL_ctrl(session, DTLS_CTRL_HANDLE_TIMEOUT, 0, nil) < 0 {
      return fail(.dtlsFailed("the peer does not answer the handshake"))
    }
    scheduleRetransmission()
  }

  // MARK: After the handshake

  private func readRecords() {
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while state == .established {
      ERR_clear_error()
      let count = SSL_read(session, &buffer, Int32(buffer.count))
      if count > 0 {
        drops.count(.dataChannelIdle)
        continue
      }
      switch SSL_get_error(session, count) {
      case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
      case SSL_ERROR_ZERO_RETURN:
        SSL_shutdown(session)
        end()
        return onClosed(nil)
      default: return fail(.dtlsFailed(TransportError.openSSLReason()))
      }
    }
  }

  private func fail(_ error: TransportError) {
    guard state != .closed else { return }
    end()
    onClosed(error)
  }

  private func end() {
    state = .closed
    retransmission?.cancel()
  }
}
