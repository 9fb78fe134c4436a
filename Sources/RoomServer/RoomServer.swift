import RTCCore
import Signalling
import Transport

/// A room server for a laptop, a local network, a demo and tests: LiveKit's signalling over HTTP and WebSocket, WHIP for those
/// who only publish and WHEP for those who only watch, media of all peers over one UDP port. It forwards and never decodes.
@NetworkActor public final class RoomServer {
  public struct Configuration: Equatable, Sendable {
    /// The key that everybody knows; it is accepted on loopback only.
    public static let developmentKeys = ["devkey": "secret"]

    /// Address to listen on, for signalling and for media.
    public var bind = "127.0.0.1"
    /// TCP port for signalling; 0 takes any.
    public var port: UInt16 = 7880
    /// UDP port for media; 0 takes any.
    public var udpPort: UInt16 = 7882
    /// Secrets by API key.
    public var keys = Configuration.developmentKeys
    /// Longest time from describing a peer connection until ICE has found its path. 15 s is a long list of candidates with
    /// all their retransmissions.
    public var pathTimeout: Duration = .seconds(15)

    public init() {}

    var isLoopback: Bool { bind == "localhost" || bind == "::1" || bind.hasPrefix("127.") }
  }

  public enum LogLevel: String, Sendable, Comparable {
    case debug, info, warning, error

    private var rank: Int {
      switch self {
      case .debug: 0
      case .info: 1
      case .warning: 2
      case .error: 3
      }
    }
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
  }
  /// Takes what the server has to say. Tokens and secrets are never in it.
  public typealias Log = @Sendable (LogLevel, String) -> Void

  public struct Statistics: Equatable, Sendable {
    public var rooms = 0
    public var participants = 0
    /// Those who only watch, over WHEP.
    public var players = 0
    public var tracks = 0
    /// Packets and messages that were not used, since the start.
    public var drops = DropCounters()
  }

  /// What clients are told; some insist that it is there.
  nonisolated static let version = "confab-1"
  /// How often due feedback is looked for. A lost packet is asked for 10 to 30 ms after the gap shows.
  private static let tick: Duration = .milliseconds(20)

  public let configuration: Configuration
  private let log: Log
  private var context: ServerContext?
  private var http: HTTPServer?
  private var rooms: [String: Room] = [:]
  private var streams: StreamEndpoints?
  /// Seconds since 1970 by which tokens are judged.
  var admissionClock: () -> Int64 = { ServerContext.unixMilliseconds() / 1000 }
  private var timer: NetworkTimer?
  private var isTicking = false

  public init(configuration: Configuration = Configuration(), log: @escaping Log = { _, _ in }) {
    self.configuration = configuration
    self.log = log
  }

  /// The TCP port in use; 0 before ``start()``.
  public var port: UInt16 { http?.port ?? 0 }
  /// The UDP port in use; 0 before ``start()``.
  public var udpPort: UInt16 { context?.host.port ?? 0 }

  /// Where others reach the server, which for a wildcard are the machine's own addresses; empty before ``start()``.
  public var addresses: [IPAddress] {
    context?.host.candidates.compactMap { (try? ICECandidate(parsing: $0))?.ipAddress } ?? []
  }

  public var statistics: Statistics {
    var result = Statistics()
    result.rooms = rooms.count
    guard let context else { return result }
    result.drops = context.drops
    result.drops.merge(context.host.drops)
    for room in rooms.values {
      result.participants += room.participants.count
      result.players += room.players.count
      for player in room.players { result.drops.merge(player.drops) }
      for participant in room.participants {
        result.tracks += participant.tracks.count
        result.drops.merge(participant.drops)
      }
    }
    return result
  }

  /// Listens. Throws when an address cannot be had, or when others could reach the server with the development key.
  public func start() throws(RoomServerError) {
    guard !configuration.keys.isEmpty else { throw .noKeys }
    guard IPAddress(listening: configuration.bind) != nil else { throw .addressNotLocal(configuration.bind) }
    let exposesDevelopmentKey = Configuration.developmentKeys.contains { configuration.keys[$0.key] == $0.value }
    if exposesDevelopmentKey, !configuration.isLoopback { throw .keysRequired(bind: configuration.bind) }
    let certificate: DTLSCertificate
    do { certificate = try DTLSCertificate() } catch { throw .certificate("\(error)") }
    let host: ICELiteHost
    do { host = try ICELiteHost(bind: configuration.bind, port: configuration.udpPort) } catch {
      throw RoomServerError(error, bind: configuration.bind, port: "\(configuration.udpPort)/udp")
    }
    let http = HTTPServer()
    http.onRequest = { [weak self] request, body in
      self?.respond(to: request, body) ?? Self.text(503, "stopping")
    }
    http.onStream = { [weak self] request in
      self?.streams?.stream(for: request, path: Self.path(of: request))
    }
    http.onUpgrade = { [weak self] request in self?.upgrade(request) ?? .refuse(Self.text(503, "stopping")) }
    do { try http.listen(bind: configuration.bind, port: configuration.port) } catch {
      host.close()
      throw RoomServerError(error, bind: configuration.bind, port: "\(configuration.port)/tcp")
    }
    context = ServerContext(configuration: configuration, host: host, certificate: certificate, log: log)
    self.http = http
    streams = StreamEndpoints(server: self)
    timer = NetworkTimer { [weak self] in self?.advance() }
    log(.info, "listening on \(configuration.bind):\(http.port), media on UDP port \(host.port)")
  }

  /// Tells everybody and closes everything.
  public func stop() {
    timer?.cancel()
    timer = nil
    for room in rooms.values { room.close(reason: .serverShutdown) }
    rooms = [:]
    streams = nil
    http?.close()
    http = nil
    context?.host.close()
    context = nil
  }

  private func advance() {
    let now = NetworkActor.now
    for room in rooms.values { room.advance(to: now) }
    for (name, room) in rooms where room.isExpired(at: now) {
      log(.info, "closed the empty room \(room.sid)")
      rooms[name] = nil
    }
    isTicking = !rooms.isEmpty
    if isTicking { timer?.schedule(at: now + Self.tick) }
  }

  private func open(
    _ socket: WebSocketConnection, _ admission: Admission, _ options: Participant.Options, isResume: Bool
  ) {
    guard let context else { return socket.close(code: 1001, reason: "") }
    if isResume {
      // Sessions are not kept after their connection is gone: the client joins anew.
      let leave = LiveKit.LeaveRequest(canReconnect: true, reason: .stateMismatch, action: .reconnect)
      socket.send(LiveKit.SignalResponse.leave(leave).serialized())
      return socket.close(code: 1000, reason: "")
    }
    room(named: admission.grant.room, context).join(admission, options: options, socket: socket)
  }

  /// The room of this name, made if there is none.
  private func room(named name: String, _ context: ServerContext) -> Room {
    let room = rooms[name] ?? Room(name: name, context: context)
    rooms[name] = room
    if !isTicking {
      isTicking = true
      timer?.schedule(at: NetworkActor.now + Self.tick)
    }
    return room
  }

  // MARK: For streams

  func note(_ level: LogLevel, _ message: String) { log(level, message) }

  func existingRoom(named name: String) -> Room? { rooms[name] }

  func roomToEnter(named name: String) throws(ProblemDetails) -> Room {
    guard let context else { throw ProblemDetails(503, "The server is stopping.") }
    return room(named: name, context)
  }

  func admit(_ request: HTTPRequest, to room: String?) throws(Admission.Refusal) -> Admission {
    try Admission(
      authorization: request.headers["authorization"], queryToken: request.query["access_token"], room: room,
      keys: configuration.keys, now: admissionClock(),
      mac: { MessageAuthentication.hmacSHA256(key: $0, message: $1) })
  }
}

/// The endpoints.
extension RoomServer {
  private static func text(_ status: Int, _ body: String) -> HTTPResponse {
    // Browsers read no answer, not even a 404 that tells them to fall back, without this header.
    HTTPResponse(
      status: status,
      headers: ["Content-Type": "text/plain; charset=utf-8", "Access-Control-Allow-Origin": "*"],
      body: Array(body.utf8))
  }

  /// The path with doubled slashes made single: some clients join `ws://host/` and `/rtc`.
  private static func path(of request: HTTPRequest) -> String {
    "/" + request.path.split(separator: "/", omittingEmptySubsequences: true).joined(separator: "/")
  }

  private func respond(to request: HTTPRequest, _ body: [UInt8]) -> HTTPResponse {
    let path = Self.path(of: request)
    if let response = streams?.respond(to: request, path: path, body: body) { return response }
    switch (request.method, path) {
    case ("GET", "/"), ("HEAD", "/"): return Self.text(200, "OK")
    case ("GET", "/rtc/validate"):
      do {
        _ = try admit(request, to: request.query["room"])
        return Self.text(200, "success")
      } catch { return Self.text(error.status, error.message) }
    case ("OPTIONS", _):
      var response = Self.text(200, "")
      response.headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
      response.headers["Access-Control-Allow-Methods"] = "GET, HEAD, OPTIONS"
      return response
    default: return Self.text(404, "not found")
    }
  }

  private func upgrade(_ request: HTTPRequest) -> UpgradeDecision {
    // Protocol v1, one peer connection, is not spoken here; with a 404 clients fall back to v0.
    guard Self.path(of: request) == "/rtc", request.query["join_request"] == nil else {
      return .refuse(Self.text(404, "not found"))
    }
    let admission: Admission
    do { admission = try admit(request, to: request.query["room"]) } catch {
      log(.info, "refused somebody: \(error.message)")
      return .refuse(Self.text(error.status, error.message))
    }
    var options = Participant.Options()
    options.autoSubscribe = Self.flag(request.query["auto_subscribe"]) ?? true
    options.adaptiveStream = Self.flag(request.query["adaptive_stream"]) ?? false
    options.clientProtocol = Int32(request.query["client_protocol"] ?? "") ?? 0
    let isResume = Self.flag(request.query["reconnect"]) ?? false
    return .accept(onOpen: { [weak self] socket in self?.open(socket, admission, options, isResume: isResume) })
  }

  private static func flag(_ text: String?) -> Bool? {
    switch text {
    case "1", "true": true
    case "0", "false": false
    default: nil
    }
  }
}
