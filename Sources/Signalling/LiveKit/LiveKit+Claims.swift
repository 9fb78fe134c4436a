extension LiveKit {
  /// What an access token says.
  public struct Claims: Equatable, Sendable {
    /// `iss`: the API key whose secret signs the token.
    public var apiKey: String
    /// `sub`, or `jti` where that is empty.
    public var identity: String
    public var name = ""
    public var metadata = ""
    public var attributes: [String: String] = [:]
    /// `standard` when empty.
    public var kind = ""
    /// Seconds since 1970.
    public var expiresAt: Int64?
    /// Seconds since 1970.
    public var notBefore: Int64?
    public var grant: VideoGrant?

    public init(apiKey: String, identity: String, expiresAt: Int64?, grant: VideoGrant?) {
      self.apiKey = apiKey
      self.identity = identity
      self.expiresAt = expiresAt
      self.grant = grant
    }

    /// The grant of somebody who may join, whose identity and room name are then usable.
    public func joinGrant() throws(AccessTokenError) -> VideoGrant {
      guard let grant, grant.roomJoin else { throw .joinNotGranted }
      guard !identity.isEmpty else { throw .missingIdentity }
      guard !grant.room.isEmpty else { throw .missingRoom }
      guard identity.utf8.count <= 256, grant.room.utf8.count <= 256 else { throw .nameTooLong }
      return grant
    }
  }

  /// The `video` grant, with the protocol's defaults for what the token leaves out.
  public struct VideoGrant: Equatable, Sendable {
    public var room = ""
    public var roomJoin = false
    public var roomCreate = false
    public var roomList = false
    public var roomAdmin = false
    public var canPublish = true
    public var canSubscribe = true
    public var canPublishData = true
    /// Empty means all.
    public var canPublishSources: [TrackSource] = []
    public var canUpdateOwnMetadata = false
    /// Not announced to others.
    public var isHidden = false
    public var isRecorder = false
    public var isAgent = false

    public init() {}

    /// A grant to join one room with all the usual rights.
    public init(joining room: String) {
      self.room = room
      roomJoin = true
    }

    /// The grant as a participant's permission.
    public var permission: ParticipantPermission {
      var permission = ParticipantPermission()
      permission.canSubscribe = canSubscribe
      permission.canPublish = canPublish
      permission.canPublishData = canPublishData
      permission.canPublishSources = canPublishSources
      permission.canUpdateMetadata = canUpdateOwnMetadata
      permission.isHidden = isHidden
      permission.isRecorder = isRecorder
      permission.isAgent = isAgent
      return permission
    }
  }
}

extension LiveKit.TrackSource {
  /// The name in tokens.
  public var tokenName: String {
    switch self {
    case .unknown: "unknown"
    case .camera: "camera"
    case .microphone: "microphone"
    case .screenShare: "screen_share"
    case .screenShareAudio: "screen_share_audio"
    }
  }

  public init?(tokenName: String) {
    let all: [Self] = [.camera, .microphone, .screenShare, .screenShareAudio]
    guard let source = all.first(where: { $0.tokenName == tokenName }) else { return nil }
    self = source
  }
}

/// The claims as JSON spells them.
struct ClaimsJSON: Codable {
  struct Video: Codable {
    var room: String?
    var roomJoin: Bool?
    var roomCreate: Bool?
    var roomList: Bool?
    var roomAdmin: Bool?
    var canPublish: Bool?
    var canSubscribe: Bool?
    var canPublishData: Bool?
    var canPublishSources: [String]?
    var canUpdateOwnMetadata: Bool?
    var hidden: Bool?
    var recorder: Bool?
    var agent: Bool?
  }
  var iss: String?
  var sub: String?
  var jti: String?
  var name: String?
  var metadata: String?
  var attributes: [String: String]?
  var kind: String?
  /// NumericDate may have a fraction (RFC 7519 §2).
  var exp: Double?
  var nbf: Double?
  var video: Video?

  init(_ claims: LiveKit.Claims) {
    iss = claims.apiKey
    sub = claims.identity
    name = claims.name.isEmpty ? nil : claims.name
    metadata = claims.metadata.isEmpty ? nil : claims.metadata
    attributes = claims.attributes.isEmpty ? nil : claims.attributes
    kind = claims.kind.isEmpty ? nil : claims.kind
    exp = claims.expiresAt.map(Double.init)
    nbf = claims.notBefore.map(Double.init)
    video = claims.grant.map(Video.init)
  }
}

extension ClaimsJSON.Video {
  init(_ grant: LiveKit.VideoGrant) {
    room = grant.room.isEmpty ? nil : grant.room
    roomJoin = grant.roomJoin
    // What is false by default is written only when true, what is true by default always.
    roomCreate = grant.roomCreate ? true : nil
    roomList = grant.roomList ? true : nil
    roomAdmin = grant.roomAdmin ? true : nil
    canPublish = grant.canPublish
    canSubscribe = grant.canSubscribe
    canPublishData = grant.canPublishData
    canPublishSources = grant.canPublishSources.isEmpty ? nil : grant.canPublishSources.map(\.tokenName)
    canUpdateOwnMetadata = grant.canUpdateOwnMetadata ? true : nil
    hidden = grant.isHidden ? true : nil
    recorder = grant.isRecorder ? true : nil
    agent = grant.isAgent ? true : nil
  }
}

extension LiveKit.Claims {
  init(_ json: ClaimsJSON) {
    let subject = json.sub ?? ""
    self.init(
      apiKey: json.iss ?? "", identity: subject.isEmpty ? json.jti ?? "" : subject,
      expiresAt: json.exp.map(Self.seconds), grant: json.video.map(LiveKit.VideoGrant.init))
    name = json.name ?? ""
    metadata = json.metadata ?? ""
    attributes = json.attributes ?? [:]
    kind = json.kind ?? ""
    notBefore = json.nbf.map(Self.seconds)
  }

  /// The end of the year 9999.
  static let latestTime: Int64 = 253_402_300_800

  /// Brought into a calendar of ten thousand years, so that sums with it cannot overflow.
  private static func seconds(_ value: Double) -> Int64 { Int64(min(max(0, value), Double(latestTime))) }
}

extension LiveKit.VideoGrant {
  init(_ json: ClaimsJSON.Video) {
    self.init()
    room = json.room ?? ""
    roomJoin = json.roomJoin ?? false
    roomCreate = json.roomCreate ?? false
    roomList = json.roomList ?? false
    roomAdmin = json.roomAdmin ?? false
    canPublish = json.canPublish ?? true
    canSubscribe = json.canSubscribe ?? true
    canPublishData = json.canPublishData ?? canPublish
    // A name that is not known must not turn a restriction into its absence, which an empty list would be.
    canPublishSources = (json.canPublishSources ?? []).map { LiveKit.TrackSource(tokenName: $0) ?? .unknown }
    canUpdateOwnMetadata = json.canUpdateOwnMetadata ?? false
    isHidden = json.hidden ?? false
    isRecorder = json.recorder ?? false
    isAgent = json.agent ?? false
  }
}
