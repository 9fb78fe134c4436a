/// One ICE candidate as SDP and trickle messages carry it (RFC 8839 §5.1).
public struct ICECandidate: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case host
    case serverReflexive
    case peerReflexive
    case relayed
    case other(String)

    init(_ name: String) {
      switch name {
      case "host": self = .host
      case "srflx": self = .serverReflexive
      case "prflx": self = .peerReflexive
      case "relay": self = .relayed
      default: self = .other(name)
      }
    }
    /// The word in the attribute.
    public var name: String {
      switch self {
      case .host: "host"
      case .serverReflexive: "srflx"
      case .peerReflexive: "prflx"
      case .relayed: "relay"
      case .other(let name): name
      }
    }
  }

  /// An extension attribute that is not known here, kept as it came.
  public struct Extension: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  public var foundation: String
  /// 1 is RTP, 2 RTCP; with rtcp-mux only 1 occurs.
  public var component: UInt16
  /// In lower case: `udp` or `tcp`.
  public var transport: String
  public var priority: UInt32
  /// An IP address in text, or a host name (see ``isMulticastDNS``).
  public var address: String
  public var port: UInt16
  public var kind: Kind
  public var relatedAddress: String?
  public var relatedPort: UInt16?
  /// RFC 6544: `active`, `passive` or `so`.
  public var tcpType: String?
  public var extensions: [Extension]

  public init(
    foundation: String, component: UInt16 = 1, transport: String = "udp", priority: UInt32, address: String,
    port: UInt16, kind: Kind, relatedAddress: String? = nil, relatedPort: UInt16? = nil, tcpType: String? = nil,
    extensions: [Extension] = []
  ) {
    self.foundation = foundation
    self.component = component
    self.transport = transport
    self.priority = priority
    self.address = address
    self.port = port
    self.kind = kind
    self.relatedAddress = relatedAddress
    self.relatedPort = relatedPort
    self.tcpType = tcpType
    self.extensions = extensions
  }

  /// Reads `candidate:…`; a leading `a=` and a missing `candidate:` are both allowed, as both are seen.
  public init(parsing text: String) throws(SDPError) {
    let malformed = SDPError(.malformed, "candidate")
    guard text.utf8.count <= 1024 else { throw SDPError(.tooLarge, "candidate") }
    var rest = text[...].trimmed
    for prefix in ["a=", "candidate:"] where rest.hasPrefix(prefix) { rest = rest.dropFirst(prefix.count) }
    let words = rest.words
    guard words.count >= 8, words[6] == "typ", words.count % 2 == 0, words.allSatisfy(\.isToken),
      let component: UInt16 = words[1].number(), (1...256).contains(component),
      let priority: UInt32 = words[3].number(),
      let port: UInt16 = words[5].number()
    else { throw malformed }
    self.init(
      foundation: String(words[0]), component: component, transport: words[2].lowercased(), priority: priority,
      address: String(words[4]), port: port, kind: Kind(String(words[7])))
    for index in stride(from: 8, to: words.count, by: 2) {
      let value = words[index + 1]
      switch words[index] {
      case "raddr": relatedAddress = String(value)
      case "rport":
        guard let port: UInt16 = value.number() else { throw malformed }
        relatedPort = port
      case "tcptype": tcpType = String(value)
      default: extensions.append(Extension(name: String(words[index]), value: String(value)))
      }
    }
  }

  /// The attribute with its name: `candidate:…`.
  public var attribute: String {
    var text = "candidate:\(foundation) \(component) \(transport) \(priority) \(address) \(port) typ \(kind.name)"
    if let relatedAddress { text += " raddr \(relatedAddress)" }
    if let relatedPort { text += " rport \(relatedPort)" }
    if let tcpType { text += " tcptype \(tcpType)" }
    for item in extensions { text += " \(item.name) \(item.value)" }
    return text
  }

  /// The address as a number; nil for a host name.
  public var ipAddress: IPAddress? { IPAddress(address) }
  /// A browser's stand-in name for a private address (draft-ietf-mmusic-mdns-ice-candidates).
  public var isMulticastDNS: Bool { address.lowercased().hasSuffix(".local") }

  /// How much a candidate is preferred (RFC 8445 §5.1.2.1).
  ///
  /// - Parameters:
  ///   - kind: hosts before reflexive addresses before relays.
  ///   - localPreference: 0…65 535, 65 535 when there is one address only.
  ///   - component: 1 for RTP, 2 for RTCP of its own.
  public static func priority(kind: Kind, localPreference: UInt16 = 65_535, component: UInt16 = 1) -> UInt32 {
    let type: UInt32 =
      switch kind {
      case .host: 126
      case .peerReflexive: 110
      case .serverReflexive: 100
      case .relayed, .other: 0
      }
    return type << 24 | UInt32(localPreference) << 8 | UInt32(256 - min(max(component, 1), 256))
  }
}
