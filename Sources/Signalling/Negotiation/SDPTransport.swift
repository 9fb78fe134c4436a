import RTCCore

extension RemoteTransport {
  /// What a description says about its author's transport. Nil without ICE credentials or without the SHA-256 fingerprint
  /// that alone is accepted.
  init?(_ description: SessionDescription, weAreDTLSClient: Bool) {
    guard let section = description.transportSection,
      let credentials = description.iceCredentials(for: section),
      let fingerprint = description.fingerprints(for: section).first(where: {
        $0.algorithm == "sha-256" && $0.bytes.count == 32
      })
    else { return nil }
    self.init(
      iceUfrag: credentials.usernameFragment, icePassword: credentials.password, fingerprint: fingerprint.bytes,
      weAreDTLSClient: weAreDTLSClient, peerIsICELite: description.isICELite,
      candidates: section.candidates.filter { !$0.isMulticastDNS }.map(\.attribute))
  }
}

extension MediaSection {
  /// Writes our transport, which all sections of a BUNDLE share, into this one.
  mutating func apply(_ local: LocalTransport, setup: SetupRole) {
    connection = "IN IP4 0.0.0.0"
    iceCredentials = ICECredentials(usernameFragment: local.iceUfrag, password: local.icePassword)
    iceOptions = ["trickle"]
    fingerprints = [CertificateFingerprint(bytes: local.fingerprint)]
    self.setup = setup
    if isRTP {
      multiplexesRTCP = true
      allowsReducedSizeRTCP = true
    }
  }

  /// An m= line for data channels.
  static func dataChannels(mid: String?) -> MediaSection {
    var section = MediaSection(kind: .application, transportProtocol: MediaSection.dataProtocol, mid: mid)
    section.formats = ["webrtc-datachannel"]
    section.sctpPort = 5000
    section.maximumMessageSize = 65_536
    return section
  }
}

extension HeaderExtensionIDs {
  init(_ maps: [ExtensionMap]) {
    self.init()
    for map in maps {
      switch map.known {
      case .mid: mid = map.id
      case .rid: rid = map.id
      case .repairedRID: repairedRid = map.id
      case .audioLevel: audioLevel = map.id
      case .transportSequence: transportSequence = map.id
      case .absoluteSendTime: absoluteSendTime = map.id
      default: break
      }
    }
  }
}

extension SessionDescription {
  /// An empty description of ours.
  init(sessionID: String, version: UInt64) {
    self.init(origin: Origin(sessionID: sessionID, sessionVersion: version))
    msidSemantic = "WMS *"
  }
}
