/// A session description as WebRTC peers exchange it (RFC 8866, RFC 8829 §5).
///
/// Lines that are known become values, other attributes are kept, so that reading and writing again loses nothing but
/// the order of lines and what RFC 8829 §5.8 ignores (`i=`, `u=`, `e=`, `p=`, `r=`, `z=`, `k=`).
public struct SessionDescription: Equatable, Sendable {
  /// The `o=` line.
  public struct Origin: Equatable, Sendable {
    public var username: String
    public var sessionID: String
    /// Grows by one with each new description.
    public var sessionVersion: UInt64
    /// `IN IP4 127.0.0.1`.
    public var connection: String

    public init(
      username: String = "-", sessionID: String, sessionVersion: UInt64 = 1, connection: String = "IN IP4 127.0.0.1"
    ) {
      self.username = username
      self.sessionID = sessionID
      self.sessionVersion = sessionVersion
      self.connection = connection
    }
  }

  public var origin: Origin
  public var name = "-"
  /// The `t=` line.
  public var timing = "0 0"
  public var connection: String?
  public var bandwidths: [String] = []
  /// The mids of each BUNDLE group (RFC 9143); WebRTC has one group at most.
  public var bundleGroups: [[String]] = []
  public var isICELite = false
  public var allowsMixedExtensions = false
  /// The text of `msid-semantic`, `WMS *`.
  public var msidSemantic: String?
  public var iceCredentials: ICECredentials?
  public var iceOptions: [String] = []
  public var fingerprints: [CertificateFingerprint] = []
  public var setup: SetupRole?
  public var extensionMaps: [ExtensionMap] = []
  /// Every session attribute without a place above, in order.
  public var attributes: [SDPAttribute] = []
  public var media: [MediaSection] = []

  public init(origin: Origin) { self.origin = origin }
}

/// What a section takes over from the session or from the section whose transport it shares.
extension SessionDescription {
  public func section(mid: String) -> MediaSection? { media.first { $0.mid == mid } }

  /// The section whose transport attributes hold for the whole BUNDLE group, the first one named there
  /// (RFC 9143 §1.2); without a group, the first that is not rejected.
  public var transportSection: MediaSection? {
    for group in bundleGroups {
      if let first = group.first, let section = section(mid: first) { return section }
    }
    return media.first { !$0.isRejected } ?? media.first
  }

  /// ICE credentials of a section: its own, the session's, or those of the section that carries its BUNDLE group.
  public func iceCredentials(for section: MediaSection) -> ICECredentials? {
    section.iceCredentials ?? iceCredentials ?? carrier(of: section)?.iceCredentials
  }
  /// Fingerprints of a section, found as ``iceCredentials(for:)`` does.
  public func fingerprints(for section: MediaSection) -> [CertificateFingerprint] {
    if !section.fingerprints.isEmpty { return section.fingerprints }
    return fingerprints.isEmpty ? carrier(of: section)?.fingerprints ?? [] : fingerprints
  }
  /// DTLS role of a section, found as ``iceCredentials(for:)`` does.
  public func setup(for section: MediaSection) -> SetupRole? {
    section.setup ?? setup ?? carrier(of: section)?.setup
  }
  /// Header extensions of a section: the session's hold for all sections (RFC 8285 §5).
  public func extensionMaps(for section: MediaSection) -> [ExtensionMap] { extensionMaps + section.extensionMaps }
  /// Whether a section may mix one-byte and two-byte header extensions.
  public func allowsMixedExtensions(in section: MediaSection) -> Bool {
    allowsMixedExtensions || section.allowsMixedExtensions
  }

  private func carrier(of section: MediaSection) -> MediaSection? {
    guard let mid = section.mid, let group = bundleGroups.first(where: { $0.contains(mid) }), let first = group.first
    else { return nil }
    return self.section(mid: first)
  }
}
