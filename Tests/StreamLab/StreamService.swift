import Media
import RTCCore
import Signalling
import Transport

/// A stream service on this machine that speaks Millicast's signalling, for tests: a director, a WebSocket server and an SFU
/// on real sockets, with real ICE, DTLS and SRTP. It forwards pictures and sound that it makes itself, without a word about
/// the sources of its packets, which only their mids tell apart.
@NetworkActor
public final class StreamService {
  /// The stream's address for a viewer.
  public nonisolated let address: String
  public private(set) var sources: [StreamSource] = []
  public private(set) var viewers: [StreamViewer] = []
  /// What the director was asked, and with which token.
  public private(set) var questions: [(body: JSONValue, authorization: String?)] = []

  /// With a token the stream is a secured one.
  public var token: String?
  /// What the director says instead of a direction.
  public var refusal: HTTPResponse?
  /// How long `view` waits for its answer.
  public var answerDelay: Duration?
  /// Of so many video packets to a viewer one is lost.
  public var lossInterval: Int?
  public var refusesProjection = false

  let host: ICELiteHost
  let certificate: DTLSCertificate
  private let server = HTTPServer()
  private var pictureTimer: NetworkTimer?
  private var soundTimer: NetworkTimer?
  private var nextPicture = NetworkActor.now
  private var nextSound = NetworkActor.now
  private var pictures = 0
  private var brightness: UInt8 = 60

  /// Twenty pictures a second are enough to see that they move.
  private static let pictureInterval = Duration.milliseconds(50)
  private static let soundInterval = Duration.milliseconds(20)

  public init() throws {
    host = try ICELiteHost(bind: "127.0.0.1", port: 0)
    certificate = try DTLSCertificate()
    try server.listen(bind: "127.0.0.1", port: 0)
    address = "millicast://acme/match1?director=http://127.0.0.1:\(server.port)"
    server.onRequest = { [weak self] request, body in
      self?.direct(request, body) ?? HTTPResponse(status: 404)
    }
    server.onUpgrade = { [weak self] request in self?.upgrade(request) ?? .refuse(HTTPResponse(status: 404)) }
    pictureTimer = NetworkTimer { [weak self] in self?.sendPictures() }
    pictureTimer?.schedule(at: nextPicture)
    soundTimer = NetworkTimer { [weak self] in self?.sendSound() }
    soundTimer?.schedule(at: nextSound)
  }

  public func close() {
    pictureTimer?.cancel()
    soundTimer?.cancel()
    for viewer in viewers { viewer.close() }
    server.close()
    host.close()
  }

  /// How many of them have their media connected.
  public var connectedViewers: Int { viewers.count { $0.isConnected } }

  // MARK: The script

  /// A source begins to publish, or does so again.
  public func publish(_ id: String?, kinds: [MediaKind] = [.video, .audio]) throws {
    brightness &+= 40
    let source = try StreamSource(id: id, luma: brightness, kinds: kinds)
    sources.append(source)
    for viewer in viewers { viewer.announce(source) }
  }

  public func unpublish(_ id: String?) {
    for source in sources where source.id == id {
      for viewer in viewers { viewer.withdraw(source) }
    }
    sources.removeAll { $0.id == id }
  }

  public func tell(_ event: String, _ data: JSONValue = [:]) {
    for viewer in viewers { viewer.tell(event, data) }
  }

  /// All connections are lost.
  public func drop() {
    for viewer in viewers { viewer.close() }
    viewers = []
  }

  // MARK: Director and server

  private static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJtaWxsaWNhc3QiOnsic3RyZWFtTmFtZSI6ImFjbWUvbWF0Y2gxIn19.c2ln"

  private func direct(_ request: HTTPRequest, _ body: [UInt8]) -> HTTPResponse {
    guard request.method == "POST", request.path == "/api/director/subscribe" else { return HTTPResponse(status: 404) }
    let authorization = request.headers["Authorization"]
    questions.append(((try? JSONValue(parsing: body)) ?? .null, authorization))
    if let refusal { return refusal }
    if let token, authorization != "Bearer \(token)" { return Self.refusal(401, "invalid token") }
    if sources.isEmpty { return Self.refusal(400, "stream not being published") }
    let data: JSONValue = [
      "urls": [.text("ws://127.0.0.1:\(server.port)/ws/v2/sub/abcd")], "jwt": .text(Self.jwt),
      "streamAccountId": "acme", "iceServers": [],
    ]
    return HTTPResponse(
      status: 200, headers: ["Content-Type": "application/json"],
      body: (["status": "success", "data": data] as JSONValue).serialized())
  }

  public static func refusal(_ status: Int, _ message: String) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: ["Content-Type": "application/json"],
      body: (["status": "fail", "data": ["message": .text(message)]] as JSONValue).serialized())
  }

  private func upgrade(_ request: HTTPRequest) -> UpgradeDecision {
    guard request.path == "/ws/v2/sub/abcd", request.query["token"] == Self.jwt else {
      return .refuse(HTTPResponse(status: 401))
    }
    return .accept { [weak self] socket in
      guard let self else { return }
      viewers.append(StreamViewer(socket, service: self))
    }
  }

  // MARK: Media

  private func sendPictures() {
    let now = NetworkActor.now
    nextPicture = max(nextPicture + Self.pictureInterval, now)
    pictureTimer?.schedule(at: nextPicture)
    viewers.removeAll { $0.isClosed }
    pictures += 1
    for source in sources {
      guard let outputs = try? source.nextPicture(at: now) else { continue }
      for viewer in viewers { viewer.deliver(outputs, of: source, at: now) }
    }
    if pictures % 20 == 0 {
      for viewer in viewers { viewer.tellLayers() }
    }
  }

  private func sendSound() {
    let now = NetworkActor.now
    nextSound = max(nextSound + Self.soundInterval, now)
    soundTimer?.schedule(at: nextSound)
    for source in sources {
      guard let sound = try? source.nextSound() else { continue }
      for viewer in viewers { viewer.deliver(sound, of: source, at: now) }
    }
  }
}
