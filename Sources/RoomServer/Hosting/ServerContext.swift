import Foundation
import RTCCore
import Signalling
import Transport

/// What every room, participant and connection of one server shares.
@NetworkActor final class ServerContext {
  let configuration: RoomServer.Configuration
  let host: ICELiteHost
  let certificate: DTLSCertificate
  private let sink: RoomServer.Log
  /// Drops of everything that no longer exists, and of signalling messages.
  var drops = DropCounters()

  init(
    configuration: RoomServer.Configuration, host: ICELiteHost, certificate: DTLSCertificate,
    log: @escaping RoomServer.Log
  ) {
    self.configuration = configuration
    self.host = host
    self.certificate = certificate
    sink = log
  }

  func log(_ level: RoomServer.LogLevel, _ message: @autoclosure () -> String) { sink(level, message()) }

  /// A transport for one peer connection, and what to say of it in descriptions.
  func makeTransport() -> (MediaTransport, LocalEnd) {
    let transport = host.makeTransport(certificate: certificate)
    transport.iceTimeout = configuration.pathTimeout
    let local = LocalEnd(
      credentials: ICECredentials(usernameFragment: transport.iceUfrag, password: transport.icePassword),
      fingerprint: certificate.fingerprint, candidates: host.candidates.compactMap { try? ICECandidate(parsing: $0) },
      sessionID: String(Self.randomNumber(UInt64.self) >> 2))
    return (transport, local)
  }

  /// A random id such as `PA_` and 12 letters or digits that cannot be mistaken for each other.
  nonisolated static func makeID(_ prefix: String) -> String {
    let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
    return prefix + String(Randomness.bytes(12).map { alphabet[Int($0) % alphabet.count] })
  }

  nonisolated static func randomNumber<T: FixedWidthInteger & UnsignedInteger>(_: T.Type) -> T {
    Randomness.bytes(MemoryLayout<T>.size).reduce(0) { ($0 << 8) | T($1) }
  }

  nonisolated static func unixMilliseconds() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
