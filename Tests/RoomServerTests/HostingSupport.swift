import Conference
import Foundation
import RTCCore
import Signalling
import Testing
import Transport

@testable import RoomServer

/// Waits until something holds, and fails when it does not in time.
@NetworkActor func eventually(
  _ what: String, within limit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: @NetworkActor () -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  while !condition() {
    guard ContinuousClock.now < deadline else {
      Issue.record("not in time: \(what)", sourceLocation: sourceLocation)
      throw CancellationError()
    }
    try await Task.sleep(for: .milliseconds(5))
  }
}

/// A server on free ports of loopback.
@NetworkActor func startedServer(
  keys: [String: String] = RoomServer.Configuration.developmentKeys, pathTimeout: Duration = .seconds(15)
) throws -> RoomServer {
  var configuration = RoomServer.Configuration()
  configuration.port = 0
  configuration.udpPort = 0
  configuration.keys = keys
  configuration.pathTimeout = pathTimeout
  let server = RoomServer(configuration: configuration)
  try server.start()
  return server
}

func mint(
  _ identity: String, room: String = "lab", key: String = "devkey", secret: String = "secret",
  validFor seconds: Int64 = 600,
  change: (inout LiveKit.VideoGrant) -> Void = { _ in }
) throws -> String {
  var grant = LiveKit.VideoGrant(joining: room)
  change(&grant)
  let claims = LiveKit.Claims(
    apiKey: key, identity: identity, expiresAt: Int64(Date().timeIntervalSince1970) + seconds, grant: grant)
  return try LiveKit.AccessToken.mint(
    claims, secret: Array(secret.utf8), mac: { MessageAuthentication.hmacSHA256(key: $0, message: $1) })
}

/// A bare signalling connection that keeps what the server said.
@NetworkActor final class SignalClient {
  let socket: WebSocketConnection
  private(set) var responses: [LiveKit.SignalResponse] = []
  private(set) var isClosed = false

  init(_ server: RoomServer, token: String, query: String = "") async throws {
    socket = try await WebSocketClient.connect(
      url: "ws://127.0.0.1:\(server.port)/rtc?access_token=\(token)\(query)", headers: [],
      certificateAuthorityFile: nil, timeout: .seconds(5))
    socket.onMessage = { [weak self] bytes in
      if let response = try? LiveKit.SignalResponse(parsing: bytes) { self?.responses.append(response) }
    }
    socket.onClose = { [weak self] _, _ in self?.isClosed = true }
  }

  func send(_ request: LiveKit.SignalRequest) { socket.send(request.serialized()) }

  var join: LiveKit.JoinResponse? {
    responses.lazy.compactMap { if case .join(let join) = $0 { join } else { nil } }.first
  }
  var leave: LiveKit.LeaveRequest? {
    responses.lazy.compactMap { if case .leave(let leave) = $0 { leave } else { nil } }.first
  }
  /// The newest description of everybody that updates named, by sid.
  var updates: [String: LiveKit.ParticipantInfo] {
    var newest: [String: LiveKit.ParticipantInfo] = [:]
    for case .update(let update) in responses { for info in update.participants { newest[info.sid] = info } }
    return newest
  }
}

/// A whole client without codecs: signalling, both peer connections, RTP in the clear at both ends.
@NetworkActor final class MediaClient {
  private var session: LiveKitSession
  private let socket: WebSocketConnection
  private let transports: [PeerRole: MediaTransport]
  private(set) var connected: Set<PeerRole> = []
  private(set) var events: [ConferenceEvent] = []
  private(set) var received: [ReceivedTrack] = []
  private(set) var sendable: [SentTrack] = []
  private(set) var packets: [SSRC: [RTPPacket]] = [:]
  private(set) var feedback: [RTCPPacket] = []
  private(set) var reports: [SenderReport] = []

  init(_ server: RoomServer, token: String) async throws {
    let certificate = try DTLSCertificate()
    let subscriber = try MediaTransport.client(certificate: certificate, iceServers: [], controlling: true)
    let publisher = try MediaTransport.client(certificate: certificate, iceServers: [], controlling: true)
    transports = [.subscriber: subscriber, .publisher: publisher]
    func local(_ transport: MediaTransport) -> LocalTransport {
      LocalTransport(
        iceUfrag: transport.iceUfrag, icePassword: transport.icePassword, fingerprint: certificate.fingerprint)
    }
    socket = try await WebSocketClient.connect(
      url: "ws://127.0.0.1:\(server.port)/rtc?protocol=16", headers: [("Authorization", "Bearer \(token)")],
      certificateAuthorityFile: nil, timeout: .seconds(5))
    session = LiveKitSession(
      configuration: .init(subscriber: local(subscriber), publisher: local(publisher)),
      randomness: SystemRandomNumberGenerator(), openedAt: NetworkActor.now)
    for (role, transport) in transports {
      transport.onCandidate = { [weak self] candidate in
        self?.session.localCandidate(candidate, of: role, at: NetworkActor.now)
        self?.drain()
      }
      transport.onStateChange = { [weak self] state in if case .connected = state { self?.connected.insert(role) } }
      transport.onRTP = { [weak self] bytes, _ in
        if let packet = try? RTPPacket(parsing: bytes) { self?.packets[packet.ssrc, default: []].append(packet) }
      }
      transport.onRTCP = { [weak self] bytes, _ in
        for packet in (try? RTCPPacket.parseCompound(bytes)) ?? [] {
          self?.feedback.append(packet)
          if case .senderReport(let report) = packet { self?.reports.append(report) }
        }
      }
    }
    for transport in transports.values { transport.gather() }
    socket.onMessage = { [weak self] bytes in
      self?.session.receive(bytes, at: NetworkActor.now)
      self?.drain()
    }
    socket.onClose = { [weak self] _, _ in
      self?.session.connectionClosed(at: NetworkActor.now)
      self?.drain()
    }
  }

  func perform(_ command: ConferenceCommand) {
    session.perform(command, at: NetworkActor.now)
    drain()
  }
  func sendRTP(_ packet: RTPPacket) { transports[.publisher]?.sendRTP(packet.serialized()) }
  func sendRTCP(_ packets: [RTCPPacket], over role: PeerRole) {
    transports[role]?.sendRTCP(RTCPPacket.serialize(packets))
  }
  func close() {
    socket.close(code: 1000, reason: "")
    for transport in transports.values { transport.close() }
  }

  private func drain() {
    while true {
      switch session.pollOutput() {
      case .send(let bytes): socket.send(bytes)
      case .event(let event): events.append(event)
      case .media(.connect(let role, let remote)):
        transports[role]?.connect(
          remoteUfrag: remote.iceUfrag, remotePassword: remote.icePassword, remoteFingerprint: remote.fingerprint,
          role: remote.weAreDTLSClient ? .client : .server, remoteCandidates: remote.candidates)
      case .media(.addCandidate(let role, let candidate)): transports[role]?.addRemoteCandidate(candidate)
      case .media(.receive(let tracks)): received = tracks
      case .media(.send(let tracks)): sendable = tracks
      case .media: break
      case .ask, .reopen, .link, .close, .wait: return
      }
    }
  }
}

/// Sends datagrams to a port of loopback from one socket.
func sendDatagrams(_ datagrams: [[UInt8]], to port: UInt16) throws {
  let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
  try #require(descriptor >= 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  for datagram in datagrams {
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, datagram, datagram.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
