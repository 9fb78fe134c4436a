import Conference
import RTCCore

/// Which peer connection a media command is about. Systems with one connection use only ``subscriber``.
public enum PeerRole: Hashable, Sendable { case publisher, subscriber }

/// What the other end's session description says about its transport.
public struct RemoteTransport: Equatable, Sendable {
  public var iceUfrag: String
  public var icePassword: String
  /// SHA-256 of the peer's certificate, 32 bytes.
  public var fingerprint: [UInt8]
  /// The role that *we* take in DTLS.
  public var weAreDTLSClient: Bool
  public var peerIsICELite: Bool
  public var candidates: [String]

  public init(
    iceUfrag: String, icePassword: String, fingerprint: [UInt8], weAreDTLSClient: Bool, peerIsICELite: Bool,
    candidates: [String]
  ) {
    self.iceUfrag = iceUfrag
    self.icePassword = icePassword
    self.fingerprint = fingerprint
    self.weAreDTLSClient = weAreDTLSClient
    self.peerIsICELite = peerIsICELite
    self.candidates = candidates
  }
}

/// What our own session descriptions say about our transport.
public struct LocalTransport: Equatable, Sendable {
  public var iceUfrag: String
  public var icePassword: String
  /// SHA-256 of our certificate, 32 bytes.
  public var fingerprint: [UInt8]

  public init(iceUfrag: String, icePassword: String, fingerprint: [UInt8]) {
    self.iceUfrag = iceUfrag
    self.icePassword = icePassword
    self.fingerprint = fingerprint
  }
}

/// Ids of the negotiated RTP header extensions; nil where not negotiated.
public struct HeaderExtensionIDs: Equatable, Sendable {
  public var mid: UInt8?
  public var rid: UInt8?
  public var repairedRid: UInt8?
  public var audioLevel: UInt8?
  public var transportSequence: UInt8?
  public var absoluteSendTime: UInt8?

  public init() {}
}

/// A track that the negotiated session sends to us.
public struct ReceivedTrack: Equatable, Sendable {
  public var track: TrackID
  public var kind: MediaKind
  public var mid: String
  public var ssrc: SSRC?
  public var rtxSSRC: SSRC?
  /// Payload types of the codec that we decode (VP8 or Opus).
  public var payloadTypes: [UInt8]
  /// RTX payload type → payload type that it repairs.
  public var rtxPayloadTypes: [UInt8: UInt8]
  public var supportsNACK: Bool
  public var supportsPLI: Bool
  public var extensions: HeaderExtensionIDs

  public init(
    track: TrackID, kind: MediaKind, mid: String, ssrc: SSRC?, rtxSSRC: SSRC? = nil, payloadTypes: [UInt8],
    rtxPayloadTypes: [UInt8: UInt8] = [:], supportsNACK: Bool, supportsPLI: Bool, extensions: HeaderExtensionIDs
  ) {
    self.track = track
    self.kind = kind
    self.mid = mid
    self.ssrc = ssrc
    self.rtxSSRC = rtxSSRC
    self.payloadTypes = payloadTypes
    self.rtxPayloadTypes = rtxPayloadTypes
    self.supportsNACK = supportsNACK
    self.supportsPLI = supportsPLI
    self.extensions = extensions
  }
}

/// A track of ours that the negotiated session lets us send.
public struct SentTrack: Equatable, Sendable {
  public struct Encoding: Equatable, Sendable {
    public var layer: LayerID
    /// nil without simulcast.
    public var rid: String?
    public var ssrc: SSRC
    public var rtxSSRC: SSRC?

    public init(layer: LayerID, rid: String?, ssrc: SSRC, rtxSSRC: SSRC?) {
      self.layer = layer
      self.rid = rid
      self.ssrc = ssrc
      self.rtxSSRC = rtxSSRC
    }
  }
  public var localID: String
  public var kind: MediaKind
  public var mid: String
  public var payloadType: UInt8
  public var rtxPayloadType: UInt8?
  /// Lowest first; one entry for audio.
  public var encodings: [Encoding]
  public var extensions: HeaderExtensionIDs

  public init(
    localID: String, kind: MediaKind, mid: String, payloadType: UInt8, rtxPayloadType: UInt8?, encodings: [Encoding],
    extensions: HeaderExtensionIDs
  ) {
    self.localID = localID
    self.kind = kind
    self.mid = mid
    self.payloadType = payloadType
    self.rtxPayloadType = rtxPayloadType
    self.encodings = encodings
    self.extensions = extensions
  }
}

/// A STUN or TURN server that the room names.
public struct ICEServerInfo: Equatable, Sendable {
  /// `stun:`, `stuns:`, `turn:` and `turns:` URLs (RFC 7064, RFC 7065).
  public var urls: [String]
  public var username: String
  public var credential: String

  public init(urls: [String], username: String = "", credential: String = "") {
    self.urls = urls
    self.username = username
    self.credential = credential
  }
}

/// What the media path must do for signalling.
public enum MediaCommand: Equatable, Sendable {
  /// Servers to gather candidates with, on both connections; comes before any ``connect(_:_:)``, and only if there are some.
  case iceServers([ICEServerInfo])
  /// Gather candidates of one connection before its peer is known.
  case gather(PeerRole)
  /// Start ICE and DTLS of one connection towards the peer described, or, after ``restart(_:)``, ICE alone.
  case connect(PeerRole, RemoteTransport)
  /// The value of one `candidate:` attribute, or empty for the end of candidates.
  case addCandidate(PeerRole, String)
  /// Look for another path with new ICE credentials, which ``SignallingAdapter/localTransport(_:of:at:)`` then tells.
  case restart(PeerRole)
  /// Give the connection up for a new one, of which ``SignallingAdapter/localTransport(_:of:at:)`` then tells.
  case renew(PeerRole)
  /// The full list of what the subscriber connection now receives; tracks not named have ended.
  case receive([ReceivedTrack])
  /// The full list of what the publisher connection may now send.
  case send([SentTrack])
}

/// One thing that an adapter wants done.
public enum SignallingOutput: Equatable, Sendable {
  /// A message for the signalling connection.
  case send([UInt8])
  case event(ConferenceEvent)
  case media(MediaCommand)
  /// Open the signalling connection again. ``SignallingAdapter/connectionOpened(at:)`` follows, or
  /// ``SignallingAdapter/connectionClosed(at:)``.
  case reopen
  /// Ask over HTTP; ``SignallingAdapter/exchange(_:at:)`` tells what came of it.
  case ask(HTTPExchangeRequest)
  /// For adapters that have more than one connection to the server over time.
  case link(LinkID, LinkCommand)
  /// Close the signalling connection; nothing follows.
  case close
  /// Nothing to do until this time, or until something arrives.
  case wait(until: MonotonicTime?)
}

/// One conference system's signalling as a state machine without I/O.
///
/// The driver opens the signalling connection, whatever that is on this system, and then only carries: messages and HTTP
/// requests out, messages and answers in, commands and candidates in, events and media commands out.
public protocol SignallingAdapter: Sendable {
  /// What people call the system.
  var system: String { get }
  /// CNAME of everything that we send, in descriptions and in RTCP (RFC 7022).
  var canonicalName: String { get }
  /// Whether the system tells when a track sends nothing for a while; otherwise that is seen by its silence.
  var tellsActivity: Bool { get }
  /// One message from the signalling connection.
  mutating func receive(_ message: [UInt8], at now: MonotonicTime)
  mutating func perform(_ command: ConferenceCommand, at now: MonotonicTime)
  /// A candidate of our own was gathered; empty marks the end.
  mutating func localCandidate(_ candidate: String, of role: PeerRole, at now: MonotonicTime)
  /// The signalling connection closed.
  mutating func connectionClosed(at now: MonotonicTime)
  /// The signalling connection is open again.
  mutating func connectionOpened(at now: MonotonicTime)
  /// What our descriptions have to say of a connection from now on.
  mutating func localTransport(_ local: LocalTransport, of role: PeerRole, at now: MonotonicTime)
  /// The path of a connection stopped working. True when a restart of ICE is asked for.
  mutating func pathLost(_ role: PeerRole, at now: MonotonicTime) -> Bool
  /// Media can pass on a connection.
  mutating func mediaConnected(_ role: PeerRole, at now: MonotonicTime)
  /// The peer closed a connection.
  mutating func mediaClosed(_ role: PeerRole, at now: MonotonicTime)
  /// A connection failed for good. False when that is the end of the conference.
  mutating func mediaFailed(_ role: PeerRole, at now: MonotonicTime) -> Bool
  /// The size of the pictures that are decoded of a track, in pixels, whenever it changes.
  mutating func pictureSize(of track: TrackID, width: Int, height: Int, at now: MonotonicTime)
  /// What came of a request that ``SignallingOutput/ask(_:)`` wanted made.
  mutating func exchange(_ response: HTTPExchangeResponse, at now: MonotonicTime)
  /// What became of a link that ``SignallingOutput/link(_:_:)`` asked for.
  mutating func link(_ id: LinkID, did event: LinkEvent, at now: MonotonicTime)
  /// Fires the timers due by `now`.
  mutating func advance(to now: MonotonicTime)
  /// Call until `.wait`.
  mutating func pollOutput() -> SignallingOutput
}

/// What a system does that neither reconnects nor has to learn the sizes of its layers.
extension SignallingAdapter {
  public var tellsActivity: Bool { true }
  public mutating func connectionOpened(at now: MonotonicTime) {}
  public mutating func localTransport(_ local: LocalTransport, of role: PeerRole, at now: MonotonicTime) {}
  public mutating func pathLost(_ role: PeerRole, at now: MonotonicTime) -> Bool { false }
  public mutating func mediaConnected(_ role: PeerRole, at now: MonotonicTime) {}
  public mutating func mediaClosed(_ role: PeerRole, at now: MonotonicTime) {}
  public mutating func mediaFailed(_ role: PeerRole, at now: MonotonicTime) -> Bool { false }
  public mutating func pictureSize(of track: TrackID, width: Int, height: Int, at now: MonotonicTime) {}
  public mutating func exchange(_ response: HTTPExchangeResponse, at now: MonotonicTime) {}
  public mutating func link(_ id: LinkID, did event: LinkEvent, at now: MonotonicTime) {}
}
