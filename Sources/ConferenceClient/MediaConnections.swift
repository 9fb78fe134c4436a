import Conference
import Signalling
import Transport

/// The media connections of a room. Systems with a single one leave the publisher's alone, and nothing is ever gathered
/// for it.
@NetworkActor
struct MediaConnections {
  let publisher: MediaTransport
  let subscriber: MediaTransport

  init() throws(ConferenceError) {
    do throws(TransportError) {
      let certificate = try DTLSCertificate()
      // Towards ICE-lite servers we must control both; others settle a conflict by themselves (RFC 8445 §7.3.1.1).
      publisher = try MediaTransport.client(certificate: certificate, iceServers: [], controlling: true)
      subscriber = try MediaTransport.client(certificate: certificate, iceServers: [], controlling: true)
    } catch {
      throw ConferenceError(.internalError, "The media path could not be made: \(error).", cause: error)
    }
  }
}

extension LocalTransport {
  /// What our descriptions say about a connection.
  @NetworkActor
  init(_ transport: MediaTransport) {
    self.init(
      iceUfrag: transport.iceUfrag, icePassword: transport.icePassword, fingerprint: transport.certificate.fingerprint)
  }
}
