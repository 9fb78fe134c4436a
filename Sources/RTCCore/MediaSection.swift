/// One `m=` section of a session description (RFC 8866 §5.14).
public struct MediaSection: Equatable, Sendable {
  public enum Kind: Hashable, Sendable {
    case audio
    case video
    /// Data channels.
    case application
    case other(String)

    public init(_ name: String) {
      switch name {
      case "audio": self = .audio
      case "video": self = .video
      case "application": self = .application
      default: self = .other(name)
      }
    }
    public init(_ kind: MediaKind) { self = kind == .audio ? .audio : .video }
    /// The word in the `m=` line.
    public var name: String {
      switch self {
      case .audio: "audio"
      case .video: "video"
      case .application: "application"
      case .other(let name): name
      }
    }
    /// Nil for a section without RTP media.
    public var mediaKind: MediaKind? { MediaKind(rawValue: name) }
  }

  /// What WebRTC offers for RTP media (RFC 8829 §5.1.2).
  public static let mediaProtocol = "UDP/TLS/RTP/SAVPF"
  /// What WebRTC offers for data channels (RFC 8841).
  public static let dataProtocol = "UDP/DTLS/SCTP"

  public var kind: Kind
  /// 9 stands for "by ICE", 0 for a rejected section or one that is `bundle-only`.
  public var port: UInt16
  /// The `proto` field.
  public var transportProtocol: String
  /// RTP payload formats in order of preference.
  public var payloads: [PayloadFormat] = []
  /// Formats of a section without RTP: `webrtc-datachannel`.
  public var formats: [String] = []
  /// `c=`, `IN IP4 0.0.0.0`.
  public var connection: String?
  /// `b=` lines, `AS:1000`.
  public var bandwidths: [String] = []

  public var mid: String?
  /// The direction as written; see ``direction``.
  public var writtenDirection: MediaDirection?
  public var iceCredentials: ICECredentials?
  public var iceOptions: [String] = []
  public var fingerprints: [CertificateFingerprint] = []
  public var setup: SetupRole?
  public var isBundleOnly = false
  /// `rtcp-mux`.
  public var multiplexesRTCP = false
  /// `rtcp-rsize` (RFC 5506).
  public var allowsReducedSizeRTCP = false
  public var allowsMixedExtensions = false
  /// `rtcp-fb:*`: feedback for all payload types.
  public var commonFeedback: [String] = []
  public var extensionMaps: [ExtensionMap] = []
  public var streamIdentifiers: [MediaStreamIdentifier] = []
  public var sourceAttributes: [SourceAttribute] = []
  public var sourceGroups: [SourceGroup] = []
  public var restrictionIdentifiers: [RestrictionIdentifier] = []
  public var simulcast: SimulcastDescription?
  public var candidates: [ICECandidate] = []
  public var hasAllCandidates = false
  /// RFC 8841 §5.
  public var sctpPort: UInt16?
  /// Largest data-channel message in bytes; 0 means any (RFC 8841 §6).
  public var maximumMessageSize: UInt64?
  /// Every attribute without a place above, in order.
  public var attributes: [SDPAttribute] = []

  public init(
    kind: Kind, port: UInt16 = 9, transportProtocol: String = MediaSection.mediaProtocol, mid: String? = nil
  ) {
    self.kind = kind
    self.port = port
    self.transportProtocol = transportProtocol
    self.mid = mid
  }
}

extension MediaSection {
  /// Which way media flows; both ways when nothing is written (RFC 8866 §6.7).
  public var direction: MediaDirection {
    get { writtenDirection ?? .sendReceive }
    set { writtenDirection = newValue }
  }
  public var isRejected: Bool { port == 0 && !isBundleOnly }
  public var isRTP: Bool { transportProtocol.contains("RTP/") }

  public func payload(_ payloadType: UInt8) -> PayloadFormat? { payloads.first { $0.payloadType == payloadType } }
  /// The first payload format with this encoding name, in any case.
  public func payload(encoding name: String) -> PayloadFormat? { payloads.first { $0.isEncoding(name) } }
  /// The payload type of retransmissions (RFC 4588) of this payload type.
  public func retransmissionPayloadType(for payloadType: UInt8) -> UInt8? {
    payloads.first { $0.associatedPayloadType == payloadType }?.payloadType
  }
  /// RTCP feedback of one payload type, that for all payload types included.
  public func feedback(for payloadType: UInt8) -> [String] {
    (payload(payloadType)?.feedback ?? []) + commonFeedback
  }
  public func extensionID(_ known: HeaderExtension) -> UInt8? { extensionMaps.first { $0.uri == known.uri }?.id }

  /// The sources announced, in order, each once.
  public var sources: [SSRC] {
    var seen: Set<SSRC> = []
    return sourceAttributes.map(\.ssrc).filter { seen.insert($0).inserted }
  }
  /// The source of the section's media: the first of its group with a repair source, otherwise the only one (RFC 5576
  /// §4.2); nil where the section names none.
  public var mainSource: SSRC? {
    sourceGroups.first { $0.semantics == "FID" && $0.sources.count == 2 }?.sources.first ?? sources.first
  }
  /// The source of the retransmissions for `ssrc` by its `FID` group.
  public func retransmissionSource(for ssrc: SSRC) -> SSRC? {
    sourceGroups.first { $0.semantics == "FID" && $0.sources.count == 2 && $0.sources[0] == ssrc }?.sources[1]
  }
  /// The value of a source's attribute, `cname` say.
  public func sourceAttribute(_ name: String, of ssrc: SSRC) -> String? {
    sourceAttributes.first { $0.ssrc == ssrc && $0.name == name }?.value
  }
}
