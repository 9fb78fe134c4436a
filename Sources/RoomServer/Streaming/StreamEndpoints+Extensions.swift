import RTCCore
import Signalling
import Transport

/// Extensions of WHEP (draft-ietf-wish-whep-events): server-sent events and the choice of layers, each a resource below
/// the session.
extension StreamEndpoints {
  private static let core = "urn:ietf:params:whep:ext:core"

  /// What the answer to a player's offer says of them.
  static func links(_ session: StreamSession) -> [String] {
    [
      "</sessions/\(session.id)/events>; rel=\"\(core):server-sent-events\"; "
        + "events=\"\(PlayerEvents.names.joined(separator: ","))\"",
      "</sessions/\(session.id)/layer>; rel=\"\(core):layer\"",
    ]
  }

  /// A request to something below a session; nil when there is no such thing.
  func respond(
    to request: HTTPRequest, _ player: Player, _ parts: [Substring], _ body: [UInt8]
  ) throws(ProblemDetails) -> HTTPResponse? {
    switch (request.method, parts.first, parts.count) {
    case ("POST", "events", 1): return try subscribe(player, parts, request, body)
    case ("DELETE", "events", 2):
      guard let id = Int(parts[1]), player.events.has(id) else { return nil }
      player.events.end(id)
      return HTTPResponse(status: 200)
    case ("POST", "layer", 1):
      try Self.check(request, has: "application/json")
      try player.choose(LayerWish(body))
      return HTTPResponse(status: 200)
    // How the choice was taken back before autumn 2024.
    case ("DELETE", "layer", 1):
      player.chooseFreely()
      return HTTPResponse(status: 200)
    default: return nil
    }
  }

  private func subscribe(
    _ player: Player, _ parts: [Substring], _ request: HTTPRequest, _ body: [UInt8]
  ) throws(ProblemDetails) -> HTTPResponse {
    try Self.check(request, has: "application/json")
    guard body.count <= 1 << 12, let value = try? JSONValue(parsing: body), case .list(let list) = value,
      !list.isEmpty
    else { throw ProblemDetails(400, "Which events? A list of their names is expected, as JSON.") }
    let events = list.compactMap(\.textValue)
    guard events.count == list.count, events.allSatisfy(PlayerEvents.names.contains) else {
      throw ProblemDetails(400, "The events are \(PlayerEvents.names.joined(separator: ", ")); others there are not.")
    }
    guard let id = player.events.subscribe(to: events) else {
      throw ProblemDetails(
        503, "The session has \(PlayerEvents.maximumStreams) streams of events already. End one of them.")
    }
    let path = request.path.hasSuffix("/") ? request.path : request.path + "/"
    return HTTPResponse(status: 201, headers: ["Location": "\(path)\(id)"])
  }

  /// Whether a request is for a stream of events, and then what becomes of it.
  func stream(for request: HTTPRequest, path: String) -> StreamDecision? {
    let parts = path.split(separator: "/")
    guard request.method == "GET", parts.count == 4, parts[0] == "sessions", parts[2] == "events" else { return nil }
    do throws(ProblemDetails) {
      guard case .player(let player) = try session(String(parts[1]), request).media, let id = Int(parts[3]),
        player.events.has(id)
      else { throw ProblemDetails(404, "There is no such stream of events, or no longer.") }
      let answer = HTTPResponse(
        status: 200, headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-store"])
      return .accept(Self.forScripts(answer), onOpen: { [weak player] stream in player?.events.open(id, stream) })
    } catch { return .refuse(Self.forScripts(Self.response(error))) }
  }
}

/// What a player says about the layer that it wants (draft-ietf-wish-whep-events §3.2).
struct LayerWish: Equatable {
  /// Place of the section among those of the descriptions; the first picture when nothing is said.
  var section: Int?
  /// `rid`, or `encodingId` in the older spelling: low, medium or high.
  var name: String?
  var spatialLayer: Int?
  var maximumSpatialLayer: Int?
  var maximumWidth: Int?
  var maximumHeight: Int?

  init(_ body: [UInt8]) throws(ProblemDetails) {
    guard body.count <= 1 << 12, let value = try? JSONValue(parsing: body), case .object = value else {
      throw ProblemDetails(400, "Which layer? An object is expected, as JSON.")
    }
    func number(_ name: String) -> Int? { value[name].integer(in: 0...65_535) }
    section = value["mediaId"].textValue.flatMap { Int($0) } ?? number("mediaId")
    name = value["rid"].textValue ?? value["encodingId"].textValue
    spatialLayer = number("spatialLayerId")
    maximumSpatialLayer = number("maxSpatialLayerId")
    maximumWidth = number("maxWidth")
    maximumHeight = number("maxHeight")
  }

  /// What that means for a track with these layers, lowest first; nil when it has no such layer.
  func settings(of layers: [LayerDescription]) -> TrackSettings? {
    var settings = TrackSettings()
    guard !layers.isEmpty else { return settings }
    if let name {
      guard let quality = LayerDescription.names.firstIndex(of: name) else { return nil }
      settings.quality = quality
    } else if let spatialLayer {
      guard layers.indices.contains(spatialLayer) else { return nil }
      settings.quality = layers[spatialLayer].quality
    } else {
      let fitting = layers.enumerated().filter { index, layer in
        index <= maximumSpatialLayer ?? index && layer.width <= maximumWidth ?? layer.width
          && layer.height <= maximumHeight ?? layer.height
      }
      settings.quality = (fitting.last?.element ?? layers[0]).quality
    }
    return settings
  }
}

extension LayerDescription {
  /// What players call the qualities, from 0.
  static let names = ["low", "medium", "high"]

  var name: String { Self.names.indices.contains(quality) ? Self.names[quality] : "high" }
}
