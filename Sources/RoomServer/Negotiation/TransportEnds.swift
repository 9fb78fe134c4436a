import RTCCore

/// Why a peer's description cannot be used.
enum NegotiationError: Error, Equatable, Sendable {
  case unreadable(SDPError)
  case missing(String)
  /// The answer's sections are not those of the offer.
  case sectionsDiffer
}

/// What the other end says about its transport.
struct RemoteEnd: Equatable, Sendable {
  var credentials: ICECredentials
  /// SHA-256 of its certificate.
  var fingerprint: [UInt8]
  /// The role that we take, as our description writes it.
  var ourSetup: SetupRole

  /// Reads the section that carries the BUNDLE group.
  init(reading description: SessionDescription) throws(NegotiationError) {
    guard let section = description.transportSection ?? description.media.first else { throw .missing("m=") }
    guard let credentials = description.iceCredentials(for: section) else { throw .missing("ice-ufrag") }
    let prints = description.fingerprints(for: section)
    guard let print = prints.first(where: { $0.algorithm == "sha-256" && $0.bytes.count == 32 }) else {
      throw .missing("fingerprint sha-256")
    }
    self.credentials = credentials
    fingerprint = print.bytes
    // RFC 8842 §5.3: to "actpass" we answer "passive": the peer's first flight then comes after its connectivity checks.
    ourSetup = description.setup(for: section) == .passive ? .active : .passive
  }
}

/// What our descriptions say about our own transport.
struct LocalEnd: Equatable, Sendable {
  var credentials: ICECredentials
  /// SHA-256 of our certificate.
  var fingerprint: [UInt8]
  /// All of our candidates: an ICE-lite host knows them from the start.
  var candidates: [ICECandidate]
  var sessionID: String

  /// A description without sections.
  func description(version: UInt64) -> SessionDescription {
    var description = SessionDescription(
      origin: .init(sessionID: sessionID, sessionVersion: version, connection: "IN IP4 127.0.0.1"))
    description.isICELite = true
    description.allowsMixedExtensions = true
    description.msidSemantic = "WMS *"
    return description
  }

  func describeTransport(of section: inout MediaSection, setup: SetupRole, withCandidates: Bool) {
    section.iceCredentials = credentials
    section.fingerprints = [CertificateFingerprint(bytes: fingerprint)]
    section.setup = setup
    if withCandidates {
      section.candidates = candidates
      section.hasAllCandidates = true
    }
  }
}
