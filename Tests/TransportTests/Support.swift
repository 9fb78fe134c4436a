import RTCCore
import Testing

@testable import Transport

/// Waits until `condition` holds; false when it does not within `limit`.
@NetworkActor
func eventually(within limit: Duration = .seconds(10), _ condition: @NetworkActor () -> Bool) async -> Bool {
  let deadline = NetworkActor.now + limit
  while !condition() {
    if NetworkActor.now > deadline { return false }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return true
}

/// An RTP packet with this sequence number, of VP8's usual payload type.
func rtpPacket(_ sequence: UInt16, ssrc: UInt32 = 0x1234_5678, size: Int = 1000) -> [UInt8] {
  var packet: [UInt8] = [0x80, 96, UInt8(sequence >> 8), UInt8(sequence & 0xFF), 0, 0, 0, 1]
  packet += (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * $0)) }
  packet += (0..<size).map { UInt8(truncatingIfNeeded: $0 &+ Int(sequence)) }
  return packet
}

/// A receiver report without report blocks.
let rtcpPacket: [UInt8] = [0x80, 201, 0, 1, 0x12, 0x34, 0x56, 0x78]

/// Two transports over real sockets: a client's libnice and a server's ICE-lite.
@NetworkActor
final class TransportPair {
  let host: ICELiteHost
  let client: MediaTransport
  let server: MediaTransport
  private(set) var clientStates: [MediaTransport.State] = []
  private(set) var serverStates: [MediaTransport.State] = []
  private(set) var clientRTP: [[UInt8]] = []
  private(set) var clientRTCP: [[UInt8]] = []
  private(set) var serverRTP: [[UInt8]] = []
  private(set) var serverRTCP: [[UInt8]] = []

  init(host: ICELiteHost? = nil, clientIsControlling: Bool = true) throws {
    self.host = try host ?? ICELiteHost(bind: "127.0.0.1", port: 0)
    client = try MediaTransport.client(certificate: DTLSCertificate(), iceServers: [], controlling: clientIsControlling)
    server = self.host.makeTransport(certificate: try DTLSCertificate())
    client.onStateChange = { [weak self] in self?.clientStates.append($0) }
    server.onStateChange = { [weak self] in self?.serverStates.append($0) }
    client.onRTP = { [weak self] packet, _ in self?.clientRTP.append(packet) }
    client.onRTCP = { [weak self] packet, _ in self?.clientRTCP.append(packet) }
    server.onRTP = { [weak self] packet, _ in self?.serverRTP.append(packet) }
    server.onRTCP = { [weak self] packet, _ in self?.serverRTCP.append(packet) }
  }

  var isConnected: Bool { client.state == .connected && server.state == .connected }

  func connect(serverPassword: String? = nil, serverFingerprint: [UInt8]? = nil, clientRole: DTLSRole = .client) {
    server.connect(
      remoteUfrag: client.iceUfrag, remotePassword: client.icePassword,
      remoteFingerprint: client.certificate.fingerprint, role: clientRole == .client ? .server : .client,
      remoteCandidates: [])
    client.connect(
      remoteUfrag: server.iceUfrag, remotePassword: serverPassword ?? server.icePassword,
      remoteFingerprint: serverFingerprint ?? server.certificate.fingerprint, role: clientRole,
      remoteCandidates: host.candidates)
  }

  func close() {
    client.close()
    server.close()
    host.close()
  }
}
