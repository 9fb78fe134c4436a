import Conference
import Signalling
import Transport

/// The media connections of a room. Systems with a single one leave the publisher's alone, and nothing is ever gathered
/// for it.
@NetworkActor
struct MediaConnections {
  private(set) var publisher: MediaTransport
  private(set) var subscriber: MediaTransport
  private let certificate: DTLSCertificate
  private var iceServers: [ICEServer] = []

  init() throws(ConferenceError) {
    do throws(TransportError) {
      certificate = try DTLSCertificate()
      publisher = try Self.make(certificate, [])
      subscriber = try Self.make(certificate, [])
    } catch {
      throw ConferenceError(.internalError, "The media path could not be made: \(error).", cause: error)
    }
  }

  private static func make(
    _ certificate: DTLSCertificate, _ servers: [ICEServer]
  ) throws(TransportError) -> MediaTransport {
    // Towards ICE-lite servers we must control both; others settle a conflict by themselves (RFC 8445 §7.3.1.1).
    try MediaTransport.client(certificate: certificate, iceServers: servers, controlling: true)
  }

  subscript(role: PeerRole) -> MediaTransport { role == .publisher ? publisher : subscriber }
  var both: [(PeerRole, MediaTransport)] { [(.publisher, publisher), (.subscriber, subscriber)] }

  /// Servers to gather candidates with, from now on.
  mutating func setICEServers(_ servers: [ICEServer]) {
    iceServers = servers
    publisher.setICEServers(servers)
    subscriber.setICEServers(servers)
  }

  /// Closes a connection and puts a new one in its place.
  mutating func renew(_ role: PeerRole) throws(TransportError) {
    let new = try Self.make(certificate, iceServers)
    self[role].close()
    if role == .publisher { publisher = new } else { subscriber = new }
  }

  /// A connection besides these two, with the same certificate.
  func makeAnother() throws(TransportError) -> MediaTransport { try Self.make(certificate, []) }

  func close() {
    publisher.close()
    subscriber.close()
  }
}

extension MediaTransport {
  /// Gathers, and connects to the peer described.
  func connect(to remote: RemoteTransport) {
    gather()
    connect(
      remoteUfrag: remote.iceUfrag, remotePassword: remote.icePassword, remoteFingerprint: remote.fingerprint,
      role: remote.weAreDTLSClient ? .client : .server, remoteCandidates: remote.candidates)
  }
}

extension ICEServer {
  init(_ info: ICEServerInfo) { self.init(urls: info.urls, username: info.username, credential: info.credential) }
}

extension LocalTransport {
  /// What our descriptions say about a connection.
  @NetworkActor
  init(_ transport: MediaTransport) {
    self.init(
      iceUfrag: transport.iceUfrag, icePassword: transport.icePassword, fingerprint: transport.certificate.fingerprint)
  }
}
