/// Which way media flows, seen from the description's author (RFC 8866 §6.7).
public enum MediaDirection: String, Hashable, Sendable, CaseIterable {
  case sendReceive = "sendrecv"
  case sendOnly = "sendonly"
  case receiveOnly = "recvonly"
  case inactive

  public init(sends: Bool, receives: Bool) {
    self = sends ? (receives ? .sendReceive : .sendOnly) : (receives ? .receiveOnly : .inactive)
  }
  public var sends: Bool { self == .sendReceive || self == .sendOnly }
  public var receives: Bool { self == .sendReceive || self == .receiveOnly }
  /// The same flow seen from the other side.
  public var reversed: Self { Self(sends: receives, receives: sends) }
}

/// Who opens the DTLS handshake (RFC 8842 §5.2).
public enum SetupRole: String, Hashable, Sendable {
  /// The DTLS client.
  case active
  /// The DTLS server.
  case passive
  /// Either; the answer chooses.
  case either = "actpass"
  case holdConnection = "holdconn"
}

/// ICE user name fragment and password (RFC 8839 §5.4).
public struct ICECredentials: Hashable, Sendable {
  public var usernameFragment: String
  public var password: String

  public init(usernameFragment: String, password: String) {
    self.usernameFragment = usernameFragment
    self.password = password
  }
}

/// A hash of the certificate that DTLS will show (RFC 8122 §5).
public struct CertificateFingerprint: Hashable, Sendable {
  /// In lower case, as `sha-256`.
  public var algorithm: String
  public var bytes: [UInt8]

  public init(algorithm: String = "sha-256", bytes: [UInt8]) {
    self.algorithm = algorithm
    self.bytes = bytes
  }

  /// Reads `sha-256 AB:CD:…`; nil when it is something else.
  init?(_ text: Substring) {
    let words = text.words
    guard words.count == 2 else { return nil }
    let pairs = words[1].parts(between: ":")
    guard (16...64).contains(pairs.count) else { return nil }
    var bytes: [UInt8] = []
    for pair in pairs {
      guard pair.utf8.count == 2, !pair.hasPrefix("+"), !pair.hasPrefix("-"), let byte = UInt8(pair, radix: 16)
      else { return nil }
      bytes.append(byte)
    }
    self.init(algorithm: words[0].lowercased(), bytes: bytes)
  }

  var text: String {
    let hexadecimal = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    return "\(algorithm) \(hexadecimal.joined(separator: ":"))"
  }
}

/// An RTP payload type with its `rtpmap`, `fmtp` and `rtcp-fb` lines.
public struct PayloadFormat: Hashable, Sendable {
  /// 0…127.
  public var payloadType: UInt8
  /// As written, `VP8` or `opus`; compare with ``isEncoding(_:)``. Empty when no `rtpmap` tells.
  public var encodingName: String
  /// Ticks a second.
  public var clockRate: Int
  public var channels: Int?
  /// The text of `fmtp`, `minptime=10;useinbandfec=1`.
  public var parameters: String?
  /// RTCP feedback, `nack pli`, each as written.
  public var feedback: [String]

  public init(
    payloadType: UInt8, encodingName: String, clockRate: Int, channels: Int? = nil, parameters: String? = nil,
    feedback: [String] = []
  ) {
    self.payloadType = payloadType
    self.encodingName = encodingName
    self.clockRate = clockRate
    self.channels = channels
    self.parameters = parameters
    self.feedback = feedback
  }

  /// Names of encodings do not depend on case (RFC 4855 §3).
  public func isEncoding(_ name: String) -> Bool { encodingName.lowercased() == name.lowercased() }

  /// The value of one `fmtp` parameter, `96` for `apt`; empty for one without a value.
  public func parameter(_ name: String) -> String? {
    for item in (parameters ?? "")[...].parts(between: ";") {
      let item = item.trimmed
      let pair = item.cut(at: "=")
      if (pair?.before.trimmed ?? item).lowercased() == name.lowercased() { return String(pair?.after.trimmed ?? "") }
    }
    return nil
  }

  /// For `rtx`, the payload type that it repairs (RFC 4588 §8.6).
  public var associatedPayloadType: UInt8? {
    guard isEncoding("rtx"), let text = parameter("apt") else { return nil }
    return text[...].number()
  }
}

/// An RTP header extension's number in this description (RFC 8285 §5).
public struct ExtensionMap: Hashable, Sendable {
  /// 1…14, or 16…255 in the two-byte form.
  public var id: UInt8
  public var direction: MediaDirection?
  public var uri: String
  public var attributes: String?

  public init(id: UInt8, direction: MediaDirection? = nil, uri: String, attributes: String? = nil) {
    self.id = id
    self.direction = direction
    self.uri = uri
    self.attributes = attributes
  }
  public init(id: UInt8, _ known: HeaderExtension) { self.init(id: id, uri: known.uri) }

  /// Nil for an extension that this program does not know.
  public var known: HeaderExtension? { HeaderExtension(rawValue: uri) }
}

/// The media stream and track of a section (RFC 8830 §2).
public struct MediaStreamIdentifier: Hashable, Sendable {
  /// `-` when the track belongs to no stream.
  public var stream: String
  public var track: String?

  public init(stream: String, track: String? = nil) {
    self.stream = stream
    self.track = track
  }
}

/// One `a=ssrc` line (RFC 5576 §4.1).
public struct SourceAttribute: Hashable, Sendable {
  public var ssrc: SSRC
  public var name: String
  public var value: String?

  public init(ssrc: SSRC, name: String, value: String? = nil) {
    self.ssrc = ssrc
    self.name = name
    self.value = value
  }
}

/// One `a=ssrc-group` line (RFC 5576 §4.2): `FID` pairs media with its retransmissions, `SIM` lists simulcast layers.
public struct SourceGroup: Hashable, Sendable {
  public var semantics: String
  public var sources: [SSRC]

  public init(semantics: String, sources: [SSRC]) {
    self.semantics = semantics
    self.sources = sources
  }
}

/// One `a=rid` line (RFC 8851 §4): an RTP stream known by name.
public struct RestrictionIdentifier: Hashable, Sendable {
  public enum Direction: String, Hashable, Sendable {
    case send
    case receive = "recv"

    public var reversed: Self { self == .send ? .receive : .send }
  }
  public struct Restriction: Hashable, Sendable {
    public var name: String
    public var value: String?

    public init(name: String, value: String? = nil) {
      self.name = name
      self.value = value
    }
  }

  public var id: String
  public var direction: Direction
  /// Allowed payload types; empty means all of the section's.
  public var payloadTypes: [UInt8]
  /// `max-width=1280` and the like, in order.
  public var restrictions: [Restriction]

  public init(id: String, direction: Direction, payloadTypes: [UInt8] = [], restrictions: [Restriction] = []) {
    self.id = id
    self.direction = direction
    self.payloadTypes = payloadTypes
    self.restrictions = restrictions
  }
}

/// The `a=simulcast` line (RFC 8853 §5.1): layers in order of preference, each with its alternative rids. The mark `~`
/// of a layer that starts paused is not kept.
public struct SimulcastDescription: Hashable, Sendable {
  public var send: [[String]]
  public var receive: [[String]]

  public init(send: [[String]] = [], receive: [[String]] = []) {
    self.send = send
    self.receive = receive
  }
}

/// An attribute that has no place of its own, kept as it came.
public struct SDPAttribute: Hashable, Sendable {
  public var name: String
  public var value: String?

  public init(name: String, value: String? = nil) {
    self.name = name
    self.value = value
  }
}
