import Glibc
import RTCCore
import TestKit
import Testing

@testable import Transport

@NetworkActor
@Suite struct MediaTransportTests {
  @Test(arguments: [DTLSRole.client, .server]) func mediaPassesBothWaysOverLoopback(clientRole: DTLSRole) async throws {
    let pair = try TransportPair()
    defer { pair.close() }
    pair.connect(clientRole: clientRole)
    #expect(await eventually { pair.isConnected })
    #expect(pair.clientStates == [.connecting, .connected])
    #expect(pair.serverStates == [.connecting, .connected])
    for sequence: UInt16 in 0..<50 {
      pair.client.sendRTP(rtpPacket(sequence, ssrc: 1))
      pair.server.sendRTP(rtpPacket(sequence, ssrc: 2))
    }
    pair.client.sendRTCP(rtcpPacket)
    pair.server.sendRTCP(rtcpPacket)
    #expect(
      await eventually {
        pair.clientRTP.count == 50 && pair.serverRTP.count == 50 && !pair.clientRTCP.isEmpty && !pair.serverRTCP.isEmpty
      })
    #expect(pair.serverRTP == (0..<50).map { rtpPacket($0, ssrc: 1) })
    #expect(pair.clientRTP == (0..<50).map { rtpPacket($0, ssrc: 2) })
    #expect(pair.clientRTCP == [rtcpPacket] && pair.serverRTCP == [rtcpPacket])
    #expect(pair.client.drops.total == 0 && pair.server.drops.total == 0)
  }

  @Test("RFC 8445 §7.2.5.1: a client that believes to be controlled changes its role when it is told")
  func aRoleConflictIsSettled() async throws {
    let pair = try TransportPair(clientIsControlling: false)
    defer { pair.close() }
    pair.connect()
    #expect(await eventually { pair.isConnected })
  }

  @Test("RFC 8842 §5.5: a restart of ICE finds another path and keeps what DTLS has proved")
  func aRestartedPathCarriesTheSameConnection() async throws {
    let pair = try TransportPair()
    defer { pair.close() }
    pair.connect()
    #expect(await eventually { pair.isConnected })
    let former = (pair.client.iceUfrag, pair.client.icePassword)
    #expect(pair.client.restartICE())
    #expect(pair.client.iceUfrag != former.0 && pair.client.icePassword != former.1)
    pair.client.peerRestartedICE(
      remoteUfrag: pair.server.iceUfrag, remotePassword: pair.server.icePassword,
      remoteCandidates: pair.host.candidates)
    let again = NetworkTimer { pair.client.sendRTP(rtpPacket(7)) }
    again.schedule(at: NetworkActor.now + .milliseconds(100))
    #expect(await eventually { pair.serverRTP.contains(rtpPacket(7)) })
    #expect(pair.clientStates == [.connecting, .connected])
    withExtendedLifetime(again) {}
  }

  @Test func nineClientsShareOnePort() async throws {
    let host = try ICELiteHost(bind: "127.0.0.1", port: 0)
    let pairs = try (0..<9).map { _ in try TransportPair(host: host) }
    defer { for pair in pairs { pair.close() } }
    for pair in pairs { pair.connect() }
    #expect(await eventually { pairs.allSatisfy(\.isConnected) })
    for (index, pair) in pairs.enumerated() {
      pair.client.sendRTP(rtpPacket(UInt16(index)))
      pair.server.sendRTP(rtpPacket(UInt16(index + 100)))
    }
    #expect(await eventually { pairs.allSatisfy { $0.serverRTP.count == 1 && $0.clientRTP.count == 1 } })
    for (index, pair) in pairs.enumerated() {
      #expect(pair.serverRTP == [rtpPacket(UInt16(index))])
      #expect(pair.clientRTP == [rtpPacket(UInt16(index + 100))])
    }
  }

  @Test func aClientThatAnswersBeforeItsDescriptionComesIsNotLost() async throws {
    let pair = try TransportPair()
    defer { pair.close() }
    // The client knows the server from its offer; the server learns of the client a little later.
    pair.client.connect(
      remoteUfrag: pair.server.iceUfrag, remotePassword: pair.server.icePassword,
      remoteFingerprint: pair.server.certificate.fingerprint, role: .client, remoteCandidates: pair.host.candidates)
    var sinceStart = false
    let later = NetworkTimer { sinceStart = true }
    later.schedule(at: NetworkActor.now + .milliseconds(200))
    #expect(await eventually { sinceStart })
    pair.server.connect(
      remoteUfrag: pair.client.iceUfrag, remotePassword: pair.client.icePassword,
      remoteFingerprint: pair.client.certificate.fingerprint, role: .server, remoteCandidates: [])
    #expect(await eventually { pair.isConnected })
    withExtendedLifetime(later) {}
  }

  @Test("RFC 8827 §6.5: no media of a peer whose fingerprint is not the announced one")
  func aWrongFingerprintFailsAndNoMediaIsAccepted() async throws {
    let pair = try TransportPair()
    defer { pair.close() }
    pair.connect(serverFingerprint: [UInt8](repeating: 1, count: 32))
    #expect(
      await eventually {
        if case .failed(.dtlsFailed) = pair.client.state, case .failed(.dtlsFailed) = pair.server.state {
          true
        } else {
          false
        }
      })
    pair.client.sendRTP(rtpPacket(1))
    pair.server.sendRTP(rtpPacket(1))
    #expect(pair.client.drops[.beforeHandshake] == 1 && pair.server.drops[.beforeHandshake] == 1)
    #expect(pair.clientRTP.isEmpty && pair.serverRTP.isEmpty)
  }

  @Test func aWrongICEPasswordNeverConnects() async throws {
    let pair = try TransportPair()
    defer { pair.close() }
    pair.client.iceTimeout = .seconds(1)
    pair.connect(serverPassword: "notThePasswordAtAll1234")
    #expect(await eventually { pair.clientStates.last == .failed(.iceFailed) })
    #expect(pair.server.state == .connecting)
    #expect(pair.host.drops[.stunUnauthorized] > 0)
  }

  @Test func aHandshakeThatNobodyAnswersFails() async throws {
    let pair = try TransportPair()
    defer { pair.close() }
    pair.client.dtlsTimeout = .milliseconds(300)
    pair.client.connect(
      remoteUfrag: pair.server.iceUfrag, remotePassword: pair.server.icePassword,
      remoteFingerprint: pair.server.certificate.fingerprint, role: .client, remoteCandidates: pair.host.candidates)
    #expect(
      await eventually {
        if case .failed(.dtlsFailed) = pair.client.state { true } else { false }
      })
  }

  @Test func thePeerLearnsOfAClose() async throws {
    let pair = try TransportPair()
    defer { pair.close() }
    pair.connect()
    #expect(await eventually { pair.isConnected })
    pair.client.close()
    #expect(await eventually { pair.server.state == .closed })
    #expect(pair.clientStates == [.connecting, .connected])
  }

  @Test func closingInsideEachCallbackIsSafe() async throws {
    for stage in 0..<3 {
      let pair = try TransportPair()
      var isClosed = false
      func close() {
        pair.client.close()
        pair.server.close()
        isClosed = true
      }
      switch stage {
      case 0: pair.client.onCandidate = { _ in close() }
      case 1: pair.client.onStateChange = { if $0 == .connected { close() } }
      default: pair.client.onRTP = { _, _ in close() }
      }
      pair.connect()
      if stage == 2 {
        #expect(await eventually { pair.isConnected })
        for sequence: UInt16 in 0..<10 { pair.server.sendRTP(rtpPacket(sequence)) }
      }
      #expect(await eventually { isClosed })
      pair.host.close()
    }
  }

  @Test func aTransportThatIsDroppedIsFreed() async throws {
    weak var client: MediaTransport?
    weak var server: MediaTransport?
    let host = try ICELiteHost(bind: "127.0.0.1", port: 0)
    do {
      let pair = try TransportPair(host: host)
      pair.connect()
      #expect(await eventually { pair.isConnected })
      (client, server) = (pair.client, pair.server)
    }
    #expect(await eventually { client == nil && server == nil })
    host.close()
  }
}

@NetworkActor
@Suite struct ICELiteHostTests {
  @Test func garbageIsCountedAndDisturbsNobody() async throws {
    let pair = try TransportPair()
    defer { pair.close() }
    pair.connect()
    #expect(await eventually { pair.isConnected })
    let stranger = try UDPSocket(address: "127.0.0.1", port: 0)
    defer { stranger.close() }
    var generator = SeededGenerator(seed: 11)
    let target = IPEndpoint(address: .v4(0x7F00_0001), port: pair.host.port)
    var sent = 0
    for length in [0, 1, 2, 11, 12, 19, 20, 21, 28, 100, 1200, 9000] {
      for first: UInt8 in [0, 1, 20, 22, 70, 100, 128, 129, 200, 255] {
        var bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        if length > 0 { bytes[0] = first }
        if bytes.withUnsafeBytes({ stranger.send($0, to: target) }) { sent += 1 }
      }
    }
    #expect(sent == 120)
    #expect(await eventually { pair.host.drops.total == 120 })
    for reason: DropReason in [.malformed, .unknownAddress, .notMultiplexed] { #expect(pair.host.drops[reason] > 0) }
    pair.client.sendRTP(rtpPacket(1))
    #expect(await eventually { pair.serverRTP == [rtpPacket(1)] })
  }

  /// A check as an agent sends it.
  static func check(
    _ transport: MediaTransport, password: String? = nil, _ extra: [STUNMessage.Attribute] = [.useCandidate]
  ) -> [UInt8] {
    let attributes: [STUNMessage.Attribute] =
      [.username("\(transport.iceUfrag):peer"), .priority(1)] + extra
    return STUNMessage(.request, transactionID: Randomness.bytes(12), attributes: attributes).serialized(
      integrityKey: Array((password ?? transport.icePassword).utf8), mac: MessageAuthentication.hmacSHA1)
  }

  /// Sends from `socket` and waits for the answer.
  static func ask(_ bytes: [UInt8], _ socket: UDPSocket, _ port: UInt16) async -> STUNMessage? {
    var answer: STUNMessage?
    socket.onDatagram = { datagram, _ in answer = try? STUNMessage(parsing: Array(datagram)) }
    _ = bytes.withUnsafeBytes { socket.send($0, to: IPEndpoint(address: .v4(0x7F00_0001), port: port)) }
    _ = await eventually(within: .seconds(5)) { answer != nil }
    return answer
  }

  @Test("RFC 8445 §7.3: a check is answered with the address that it came from, authenticated")
  func aCheckIsAnswered() async throws {
    let host = try ICELiteHost(bind: "127.0.0.1", port: 0)
    defer { host.close() }
    let transport = host.makeTransport(certificate: try DTLSCertificate())
    let socket = try UDPSocket(address: "127.0.0.1", port: 0)
    let answer = try #require(await Self.ask(Self.check(transport), socket, host.port))
    #expect(answer.messageClass == .success)
    #expect(answer.mappedAddress == IPEndpoint(address: .v4(0x7F00_0001), port: socket.port))
    #expect(answer.verifyIntegrity(key: Array(transport.icePassword.utf8), mac: MessageAuthentication.hmacSHA1))
    #expect(answer.hasFingerprint)
    socket.close()
  }

  @Test("RFC 8445 §7.3.1.1: we are always the controlled one") func aRoleConflictIsToldToThePeer() async throws {
    let host = try ICELiteHost(bind: "127.0.0.1", port: 0)
    defer { host.close() }
    let transport = host.makeTransport(certificate: try DTLSCertificate())
    let socket = try UDPSocket(address: "127.0.0.1", port: 0)
    let conflict = await Self.ask(Self.check(transport, [.iceControlled(tieBreaker: 1)]), socket, host.port)
    #expect(conflict?.errorCode == 487)
    let unknown = await Self.ask(Self.check(transport, [.other(type: 0x7000, value: [])]), socket, host.port)
    #expect(unknown?.errorCode == 420)
    socket.close()
  }

  @Test func aCheckWithAWrongPasswordGetsNoAnswerAndBindsNothing() async throws {
    let host = try ICELiteHost(bind: "127.0.0.1", port: 0)
    defer { host.close() }
    let transport = host.makeTransport(certificate: try DTLSCertificate())
    let socket = try UDPSocket(address: "127.0.0.1", port: 0)
    var answers = 0
    socket.onDatagram = { _, _ in answers += 1 }
    let target = IPEndpoint(address: .v4(0x7F00_0001), port: host.port)
    let wrong = Self.check(transport, password: "wrong")
    _ = wrong.withUnsafeBytes { socket.send($0, to: target) }
    let handshake: [UInt8] = [22, 0xFE, 0xFD]
    _ = handshake.withUnsafeBytes { socket.send($0, to: target) }
    #expect(await eventually { host.drops[.stunUnauthorized] == 1 && host.drops[.unknownAddress] == 1 })
    #expect(answers == 0)
    socket.close()
  }

  @Test func aNominationFromAnotherAddressMovesThePeer() async throws {
    let host = try ICELiteHost(bind: "127.0.0.1", port: 0)
    defer { host.close() }
    let session = LiteICESession(ufrag: "abcd", password: "secret", host: host)
    let (first, second) = (try UDPSocket(address: "127.0.0.1", port: 0), try UDPSocket(address: "127.0.0.1", port: 0))
    var received: [Int] = []
    first.onDatagram = { _, _ in received.append(1) }
    second.onDatagram = { _, _ in received.append(2) }
    func endpoint(_ socket: UDPSocket) -> IPEndpoint { IPEndpoint(address: .v4(0x7F00_0001), port: socket.port) }
    var connections = 0
    session.onConnected = { connections += 1 }
    func send() { ([1, 2, 3] as [UInt8]).withUnsafeBytes { session.send($0) } }
    let start = NetworkActor.now
    session.checkPassed(from: endpoint(first), ufrag: "abcd", nominates: false, at: start)
    send()
    #expect(session.drops[.unknownAddress] == 1)
    session.checkPassed(from: endpoint(first), ufrag: "abcd", nominates: true, at: start)
    send()
    #expect(await eventually { received == [1] })
    // A check alone does not move it, unless the old address has gone quiet.
    session.checkPassed(from: endpoint(second), ufrag: "abcd", nominates: false, at: start)
    send()
    #expect(await eventually { received == [1, 1] })
    session.checkPassed(from: endpoint(second), ufrag: "abcd", nominates: true, at: start)
    send()
    #expect(await eventually { received == [1, 1, 2] })
    session.checkPassed(from: endpoint(first), ufrag: "abcd", nominates: false, at: start + .seconds(11))
    send()
    #expect(await eventually { received == [1, 1, 2, 1] })
    #expect(connections == 1)
    session.close()
    first.close()
    second.close()
  }

  @Test("RFC 8445 §9: after a restart both names are good until a check comes under the new one")
  func restartKeepsTheOldNameForAWhile() async throws {
    let host = try ICELiteHost(bind: "127.0.0.1", port: 0)
    defer { host.close() }
    let transport = host.makeTransport(certificate: try DTLSCertificate())
    let socket = try UDPSocket(address: "127.0.0.1", port: 0)
    defer { socket.close() }
    #expect(!transport.restartICE(), "there is nothing to restart before the peer is known")
    transport.connect(
      remoteUfrag: "peer", remotePassword: "password-of-the-peer-long",
      remoteFingerprint: Array(repeating: 1, count: 32),
      role: .server, remoteCandidates: [])
    let old = Self.check(transport)
    #expect(transport.restartICE())
    let new = Self.check(transport)
    #expect(await Self.ask(old, socket, host.port)?.messageClass == .success)
    #expect(await Self.ask(new, socket, host.port)?.messageClass == .success)
    let drops = host.drops[.stunUnauthorized]
    _ = old.withUnsafeBytes { socket.send($0, to: IPEndpoint(address: .v4(0x7F00_0001), port: host.port)) }
    #expect(await eventually { host.drops[.stunUnauthorized] == drops + 1 })
  }

  @Test("RFC 7675 §5.1: a peer without checks for 30 s is gone") func consentExpires() async throws {
    let host = try ICELiteHost(bind: "127.0.0.1", port: 0)
    defer { host.close() }
    let session = LiteICESession(ufrag: "abcd", password: "secret", host: host)
    var failed = false
    session.onFailed = { failed = true }
    let peer = IPEndpoint(address: .v4(0x7F00_0001), port: 9)
    session.checkPassed(from: peer, ufrag: "abcd", nominates: true, at: NetworkActor.now - .milliseconds(29_900))
    #expect(!failed)
    #expect(await eventually { failed })
  }

  @Test func onePortServesBothFamilies() async throws {
    let host: ICELiteHost
    do { host = try ICELiteHost(bind: "::", port: 0) } catch { return }
    defer { host.close() }
    let transport = host.makeTransport(certificate: try DTLSCertificate())
    let socket = try UDPSocket(address: "127.0.0.1", port: 0)
    let answer = await Self.ask(Self.check(transport), socket, host.port)
    #expect(answer?.mappedAddress == IPEndpoint(address: .v4(0x7F00_0001), port: socket.port))
    socket.close()
  }

  @Test func aTakenPortIsNamedAsSuch() throws {
    let host = try ICELiteHost(bind: "127.0.0.1", port: 0)
    defer { host.close() }
    #expect(throws: TransportError.addressInUse) { try ICELiteHost(bind: "127.0.0.1", port: host.port) }
    #expect(throws: TransportError.addressNotLocal) { try ICELiteHost(bind: "203.0.113.77", port: 0) }
    #expect(throws: TransportError.addressNotLocal) { try ICELiteHost(bind: "nonsense", port: 0) }
  }

  @Test func closingTheHostFailsItsTransports() async throws {
    let pair = try TransportPair()
    pair.connect()
    #expect(await eventually { pair.isConnected })
    pair.host.close()
    #expect(await eventually { pair.server.state == .failed(.iceFailed) })
    pair.close()
  }
}
