import RTCCore
import Signalling
import Transport

/// Somebody in a room: the signalling connection, both peer connections, and what they publish. Whoever publishes over WHIP
/// has no signalling connection, and only the one peer connection.
@NetworkActor final class Participant {
  /// How the client asked to join.
  struct Options: Equatable, Sendable {
    var autoSubscribe = true
    /// The client sizes tracks itself; until it has, it gets the lowest layer.
    var adaptiveStream = false
    var clientProtocol: Int32 = 0
  }

  /// Time to become connected after joining. The media transport gives up sooner once it has been described.
  private static let connectTimeout: Duration = .seconds(60)

  let sid = ServerContext.makeID("PA_")
  let admission: Admission
  let options: Options
  unowned let room: Room
  let context: ServerContext
  let joinedAt = ServerContext.unixMilliseconds()
  private let socket: WebSocketConnection?
  private let joined: MonotonicTime
  private(set) var publisher: PublisherConnection?
  private(set) var subscriber: SubscriberConnection?
  private(set) var state: LiveKit.ParticipantState = .joined
  private var version: UInt32 = 1
  var name: String
  var metadata: String
  var attributes: [String: String]
  var tracks: [PublishedTrack] = []
  var pending: [PendingTrack] = []
  /// What the client asked of tracks, by sid, also before it is subscribed to them.
  var settings: [String: TrackSettings] = [:]
  /// Subscriptions asked for or refused one by one, by track sid.
  var chosen: [String: Bool] = [:]
  private(set) var hasLeft = false
  /// Called once, whatever ends the session.
  var onLeave: (() -> Void)?

  /// - Parameter socket: nil for a publisher over WHIP.
  init(admission: Admission, options: Options, socket: WebSocketConnection?, room: Room, context: ServerContext) {
    self.admission = admission
    self.options = options
    self.socket = socket
    self.room = room
    self.context = context
    joined = NetworkActor.now
    name = admission.claims.name
    metadata = admission.claims.metadata
    attributes = admission.claims.attributes
    publisher = PublisherConnection(participant: self, context: context)
    if grant.canSubscribe, socket != nil { subscriber = SubscriberConnection(participant: self, context: context) }
  }

  var identity: String { admission.claims.identity }
  var grant: LiveKit.VideoGrant { admission.grant }
  var isHidden: Bool { grant.isHidden }
  /// Can be told things.
  var isSignalled: Bool { socket != nil }

  /// The participant as others see it.
  var info: LiveKit.ParticipantInfo {
    var info = LiveKit.ParticipantInfo()
    info.sid = sid
    info.identity = identity
    info.state = state
    info.tracks = tracks.map(\.info)
    info.metadata = metadata
    info.joinedAt = joinedAt / 1000
    info.joinedAtMilliseconds = joinedAt
    info.name = name
    info.version = version
    info.permission = grant.permission
    info.isPublisher = !tracks.isEmpty
    info.kind = grant.isAgent ? .agent : isSignalled ? .standard : .ingress
    info.attributes = attributes
    info.clientProtocol = options.clientProtocol
    return info
  }

  var drops: DropCounters {
    var all = publisher?.allDrops ?? DropCounters()
    if let subscriber { all.merge(subscriber.drops) }
    for track in tracks { all.merge(track.up.drops) }
    return all
  }

  /// Begins to read what the client sends.
  func listen() {
    socket?.onMessage = { [weak self] bytes in self?.receive(bytes) }
    socket?.onClose = { [weak self] _, _ in self?.socketClosed() }
  }

  func send(_ response: LiveKit.SignalResponse) {
    if !hasLeft { socket?.send(response.serialized()) }
  }

  /// Counts a change, so that everybody can tell the newer description.
  func noteChange() { version &+= 1 }

  func track(mid: String) -> PublishedTrack? { tracks.first { $0.mid == mid } }
  func track(sid: String) -> PublishedTrack? { tracks.first { $0.sid == sid } }

  /// What the client wants of a track, or the default: the best layer, or the least for one that will choose by size.
  func settings(for trackSID: String) -> TrackSettings {
    if let settings = settings[trackSID] { return settings }
    var settings = TrackSettings()
    if options.adaptiveStream { settings.quality = 0 }
    return settings
  }

  /// Whether a track should be sent to this participant.
  func wants(_ track: PublishedTrack) -> Bool {
    grant.canSubscribe && track.owner !== self && !track.owner.isHidden && chosen[track.sid] ?? options.autoSubscribe
  }

  /// Does what time brings; called every few milliseconds.
  func advance(to now: MonotonicTime, follows: Bool) {
    publisher?.advance(to: now)
    subscriber?.advance(to: now)
    if follows { for track in tracks { track.advance(to: now) } }
    if let offeredAt = subscriber?.offeredAt, now - offeredAt > SubscriberConnection.answerTimeout {
      context.log(.warning, "\(sid) did not answer an offer")
      room.remove(self, reason: .connectionTimeout, action: .reconnect)
    } else if state != .active, now - joined > Self.connectTimeout {
      room.remove(self, reason: .joinFailure, action: .disconnect)
    }
  }

  /// More is known of a track than before.
  func tracksDescribed() {
    guard !hasLeft else { return }
    noteChange()
    room.announce(self)
  }

  func connectionChanged(_ role: PeerRole) {
    let primary: PeerRole = subscriber == nil ? .publisher : .subscriber
    context.log(.debug, "\(sid) connected its \(role)")
    guard role == primary, state != .active, !hasLeft else { return }
    state = .active
    noteChange()
    room.announce(self)
  }

  func connectionFailed(_ role: PeerRole, _ error: TransportError) {
    context.log(.info, "\(sid) lost its \(role) connection: \(error)")
    room.remove(self, reason: .connectionTimeout, action: .reconnect)
  }

  /// The client said goodbye to a connection. Clients do so when they leave, some before they say it in words.
  func connectionClosed(_ role: PeerRole) {
    context.log(.debug, "\(sid) closed its \(role) connection")
    room.remove(self, reason: .clientInitiated, action: .disconnect)
  }

  /// Ends the session: the client is told why, unless it already knows, and both connections close.
  func leave(reason: LiveKit.DisconnectReason, action: LiveKit.LeaveAction, tell: Bool) {
    guard !hasLeft else { return }
    if tell { send(.leave(.init(canReconnect: action != .disconnect, reason: reason, action: action))) }
    hasLeft = true
    state = .disconnected
    noteChange()
    for track in tracks { context.drops.merge(track.up.drops) }
    publisher?.close()
    subscriber?.close()
    publisher = nil
    subscriber = nil
    socket?.onMessage = nil
    socket?.onClose = nil
    socket?.close(code: 1000, reason: "")
    onLeave?()
    onLeave = nil
  }

  private func socketClosed() {
    context.log(.debug, "\(sid) closed its signalling connection")
    room.remove(self, reason: .signalClose, action: .disconnect)
  }
}
