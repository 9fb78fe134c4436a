import RTCCore
import TestKit
import Testing

@testable import Transport

/// Two sessions whose datagrams wait in arrays until they are passed on.
@NetworkActor
private final class Handshake {
  let client: DTLSSession
  let server: DTLSSession
  private(set) var toServer: [[UInt8]] = []
  private(set) var toClient: [[UInt8]] = []
  private(set) var clientKeys: SRTPKeys?
  private(set) var serverKeys: SRTPKeys?
  private(set) var clientError: TransportError?
  private(set) var serverError: TransportError?
  private(set) var serverWasClosed = false
  private(set) var largest = 0

  init(serverFingerprint: [UInt8]? = nil, clientFingerprint: [UInt8]? = nil) throws {
    let (one, other) = (try DTLSCertificate(), try DTLSCertificate())
    client = try DTLSSession(
      certificate: one, role: .client, remoteFingerprint: serverFingerprint ?? other.fingerprint)
    server = try DTLSSession(
      certificate: other, role: .server, remoteFingerprint: clientFingerprint ?? one.fingerprint)
    client.onSend = { [unowned self] in record($0, &toServer) }
    server.onSend = { [unowned self] in record($0, &toClient) }
    client.onEstablished = { [unowned self] in clientKeys = $0 }
    server.onEstablished = { [unowned self] in serverKeys = $0 }
    client.onClosed = { [unowned self] in clientError = $0 }
    server.onClosed = { [unowned self] error in
      serverError = error
      serverWasClosed = true
    }
  }

  private func record(_ datagram: UnsafeRawBufferPointer, _ list: inout [[UInt8]]) {
    list.append(Array(datagram))
    largest = max(largest, datagram.count)
  }

  /// Passes everything on until nothing waits. `keeps` loses datagrams.
  func exchange(_ keeps: () -> Bool = { true }) {
    while !toServer.isEmpty || !toClient.isEmpty {
      let (forServer, forClient) = (toServer, toClient)
      (toServer, toClient) = ([], [])
      for datagram in forServer where keeps() { datagram.withUnsafeBytes { server.receive($0) } }
      for datagram in forClient where keeps() { datagram.withUnsafeBytes { client.receive($0) } }
    }
  }
}

@NetworkActor
@Suite struct DTLSSessionTests {
  @Test("RFC 5764 §4.2: both ends have the same keys, crosswise, and AES-GCM is taken first")
  func bothEndsDeriveTheSameKeys() throws {
    let handshake = try Handshake()
    handshake.client.start()
    handshake.exchange()
    let (client, server) = (try #require(handshake.clientKeys), try #require(handshake.serverKeys))
    #expect(client.profile == .aes128GCM)
    #expect(client.outbound.count == 28)
    #expect(client.outbound == server.inbound)
    #expect(client.inbound == server.outbound)
    #expect(client.inbound != client.outbound)
    #expect(handshake.largest <= 1200)
  }

  @Test func aClientRefusesAServerWithAnotherFingerprintAndBothLearnOfIt() throws {
    let handshake = try Handshake(serverFingerprint: [UInt8](repeating: 7, count: 32))
    handshake.client.start()
    handshake.exchange()
    #expect(handshake.clientKeys == nil && handshake.serverKeys == nil)
    guard case .dtlsFailed = handshake.clientError else { return #expect(Bool(false), "the client goes on") }
    guard case .dtlsFailed = handshake.serverError else { return #expect(Bool(false), "the server goes on") }
  }

  @Test func aServerRefusesAClientWithAnotherFingerprint() throws {
    let handshake = try Handshake(clientFingerprint: [UInt8](repeating: 7, count: 32))
    handshake.client.start()
    handshake.exchange()
    #expect(handshake.serverKeys == nil)
    guard case .dtlsFailed = handshake.serverError else { return #expect(Bool(false), "the server goes on") }
  }

  @Test("RFC 6347 §4.2.4: lost flights are sent again")
  func lossIsOvercomeByRetransmission() async throws {
    let handshake = try Handshake()
    var generator = SeededGenerator(seed: 3)
    var lost = 0
    handshake.client.start()
    let done = await eventually(within: .seconds(20)) {
      handshake.exchange {
        // The first three datagrams for certain, so that something is lost whatever the generator says.
        let isLost = lost < 3 || Int.random(in: 0..<10, using: &generator) == 0
        if isLost { lost += 1 }
        return !isLost
      }
      return handshake.clientKeys != nil && handshake.serverKeys != nil
    }
    #expect(done)
    #expect(lost >= 3)
  }

  @Test("RFC 5246 §7.2.1: close_notify") func closingTellsThePeer() throws {
    let handshake = try Handshake()
    handshake.client.start()
    handshake.exchange()
    handshake.client.close()
    handshake.exchange()
    #expect(handshake.serverWasClosed)
    #expect(handshake.serverError == nil)
    #expect(handshake.server.state == .closed)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>) func garbageDoesNotDisturbAHandshake(seed: UInt64) throws {
    let handshake = try Handshake()
    var generator = SeededGenerator(seed: seed)
    func disturb(_ session: DTLSSession) {
      for length in [1, 13, 14, 40, 200, 1200] {
        var bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes[0] = UInt8.random(in: 20...63, using: &generator)
        bytes.withUnsafeBytes { session.receive($0) }
      }
    }
    handshake.client.start()
    disturb(handshake.server)
    disturb(handshake.client)
    handshake.exchange()
    #expect(handshake.clientKeys != nil && handshake.serverKeys != nil)
    disturb(handshake.server)
    #expect(handshake.server.state == .established)
  }
}
