import RTCCore
import Signalling
import Transport

/// Rooms over plain HTTP: publishing by WHIP (RFC 9725) at `/whip/ROOM`, watching by WHEP (draft-ietf-wish-whep) at
/// `/whep/ROOM`, and the sessions made there at `/sessions/ID`.
///
/// An offer whose media never connects ends with its transport: 15 s for a path and 10 s for DTLS at most.
@NetworkActor final class StreamEndpoints {
  /// Sessions at once. One costs about 100 KB; what a machine can forward is less.
  static let maximumSessions = 256
  /// Sessions of one identity in one room: a wall of players with one token.
  static let maximumSessionsOfOne = 64
  /// Bytes of an offer; a browser's with every codec and a wall of sections has half of it.
  static let maximumOffer = 1 << 17

  private unowned let server: RoomServer
  private(set) var sessions: [String: StreamSession] = [:]

  init(server: RoomServer) { self.server = server }

  /// The answer to a request; nil when its path is none of these.
  func respond(to request: HTTPRequest, path: String, body: [UInt8]) -> HTTPResponse? {
    let parts = path.split(separator: "/", maxSplits: 2).map(String.init)
    guard let first = parts.first, let target = Target(first) else { return nil }
    do throws(ProblemDetails) {
      // What follows is a room, in whose name slashes are like other characters, or a session.
      let rest = path.dropFirst(first.count + 2)
      guard !rest.isEmpty else { throw Self.nothing(at: target) }
      return Self.forScripts(try respond(to: request, target, String(rest), body))
    } catch {
      // Sessions end by their media too, just before their owners say so.
      let level = error.status == 404 ? RoomServer.LogLevel.debug : .info
      server.note(level, "refused a request to /\(target.rawValue) with \(error.status): \(error.detail)")
      var response = Self.response(error)
      if error.status == 405 { response.headers["Allow"] = target.methods }
      return Self.forScripts(response)
    }
  }

  enum Target: String {
    case whip, whep, sessions

    init?(_ name: String) { self.init(rawValue: name) }

    var methods: String {
      self == .sessions ? "GET, HEAD, OPTIONS, PATCH, DELETE" : "GET, HEAD, OPTIONS, POST"
    }
  }

  private func respond(
    to request: HTTPRequest, _ target: Target, _ name: String, _ body: [UInt8]
  ) throws(ProblemDetails) -> HTTPResponse {
    switch (request.method, target) {
    case ("OPTIONS", _): return Self.options(target)
    // The resources have no representation (RFC 9725 §4.1); players learn that there is one (draft-ietf-wish-whep §4.1).
    case ("HEAD", .whep): return HTTPResponse(status: 200, headers: ["Content-Type": SDP.contentType])
    case ("GET", .whip), ("GET", .whep), ("HEAD", .whip): return HTTPResponse(status: 204)
    case (_, .sessions) where name.contains("/"):
      let parts = name.split(separator: "/")
      let id = parts.first.map(String.init) ?? ""
      guard case .player(let player) = try session(id, request).media,
        let response = try respond(to: request, player, Array(parts.dropFirst()), body)
      else { throw ProblemDetails(404, "There is no such thing in a session.") }
      return response
    case ("GET", .sessions), ("HEAD", .sessions):
      _ = try session(name, request)
      return HTTPResponse(status: 204)
    case ("POST", .whip): return try publish(into: name, request, body)
    case ("POST", .whep): return try play(from: name, request, body)
    case ("PATCH", .sessions): return try change(try session(name, request), request, body)
    case ("DELETE", .sessions):
      try session(name, request).end()
      return HTTPResponse(status: 200)
    default: throw ProblemDetails(405, "This method does nothing here; there are \(target.methods).")
    }
  }

  // MARK: Beginning

  private func publish(
    into name: String, _ request: HTTPRequest, _ body: [UInt8]
  ) throws(ProblemDetails) -> HTTPResponse {
    let (admission, token) = try admit(request, to: name)
    guard admission.grant.canPublish else { throw ProblemDetails(403, "The token does not grant publishing.") }
    let offer = try readOffer(request, body, from: .publisher)
    try checkSources(of: offer, admission)
    try checkLimits(admission)
    let room = try server.roomToEnter(named: name)
    let participant: Participant
    let answer: String
    do { (participant, answer) = try room.publish(admission, offer: offer) } catch {
      throw ProblemDetails(422, "The offer cannot be answered: \(error).")
    }
    return begin(.publisher(participant), admission, token, offer, answer)
  }

  private func play(
    from name: String, _ request: HTTPRequest, _ body: [UInt8]
  ) throws(ProblemDetails) -> HTTPResponse {
    let (admission, token) = try admit(request, to: name)
    guard admission.grant.canSubscribe else { throw ProblemDetails(403, "The token does not grant watching.") }
    let offer = try readOffer(request, body, from: .player)
    try checkLimits(admission)
    let wanted = request.query["participant"].flatMap { $0.isEmpty ? nil : $0 }
    guard let room = server.existingRoom(named: name) else {
      throw ProblemDetails(409, "Nobody is in the room now. Try again when somebody publishes.")
    }
    let player: Player
    do { player = try Player(offer: offer, wanted: wanted, room: room, context: room.context) } catch {
      throw ProblemDetails(422, "The offer cannot be answered: \(error).")
    }
    guard !player.isIdle else {
      player.close()
      throw ProblemDetails(
        409,
        wanted == nil
          ? "Nobody in the room sends what was asked for. Try again when somebody publishes."
          : "The participant asked for does not send now. Try again later.")
    }
    room.add(player)
    return begin(.player(player), admission, token, offer, player.answer)
  }

  private func begin(
    _ media: StreamSession.Media, _ admission: Admission, _ token: String, _ offer: SessionDescription,
    _ answer: String
  ) -> HTTPResponse {
    let session = StreamSession(media, admission: admission, token: token, offer: offer)
    sessions[session.id] = session
    session.onEnd { [weak self, id = session.id] in self?.sessions[id] = nil }
    var response = HTTPResponse(
      status: 201,
      headers: [
        "Content-Type": SDP.contentType, "Location": "/sessions/\(session.id)", "ETag": session.entityTag,
        "Accept-Patch": ICEFragment.contentType,
      ], body: Array(answer.utf8))
    if case .player = media { for link in Self.links(session) { response.headers.append("Link", link) } }
    return response
  }

  private func readOffer(
    _ request: HTTPRequest, _ body: [UInt8], from role: StreamOffer.Role
  ) throws(ProblemDetails) -> SessionDescription {
    try Self.check(request, has: SDP.contentType)
    guard body.count <= Self.maximumOffer else {
      throw ProblemDetails(413, "The offer has \(body.count) bytes; at most \(Self.maximumOffer) are read.")
    }
    do { return try StreamOffer.read(String(decoding: body, as: UTF8.self), from: role) } catch { throw error.problem }
  }

  /// A token may grant some sources only.
  private func checkSources(of offer: SessionDescription, _ admission: Admission) throws(ProblemDetails) {
    let granted = admission.grant.canPublishSources
    guard !granted.isEmpty else { return }
    var seen: Set<MediaKind> = []
    for section in offer.media where !section.isRejected {
      guard let kind = section.kind.mediaKind else { continue }
      let source = Participant.source(of: kind, isFirst: seen.insert(kind).inserted)
      guard granted.contains(source) else {
        throw ProblemDetails(
          403, "The token does not grant publishing a \(source.tokenName), which the offer's \(kind.rawValue) is.")
      }
    }
  }

  private func checkLimits(_ admission: Admission) throws(ProblemDetails) {
    guard sessions.count < Self.maximumSessions else {
      throw ProblemDetails(503, "The server has as many sessions as it takes. Try again later.")
    }
    let own = sessions.values.filter {
      $0.admission.claims.identity == admission.claims.identity && $0.admission.grant.room == admission.grant.room
    }
    guard own.count < Self.maximumSessionsOfOne else {
      throw ProblemDetails(503, "This identity has \(own.count) sessions in the room already. End some of them.")
    }
  }

  // MARK: Changing

  private func change(
    _ session: StreamSession, _ request: HTTPRequest, _ body: [UInt8]
  ) throws(ProblemDetails) -> HTTPResponse {
    try Self.check(request, has: ICEFragment.contentType)
    // RFC 9725 §4.3.1. Any session is meant by a star, which some write in quotes.
    guard let tag = request.headers["If-Match"] else {
      throw ProblemDetails(428, "A change of ICE names its session: send If-Match with the last ETag, or * to restart.")
    }
    guard tag == "*" || tag == "\"*\"" || tag == session.entityTag else {
      throw ProblemDetails(412, "The ICE session that was meant has been restarted since. Use the newest ETag.")
    }
    let fragment: ICEFragment
    do { fragment = try ICEFragment(parsing: String(decoding: body, as: UTF8.self)) } catch {
      throw ProblemDetails(400, "The fragment of a session description cannot be read: \(error).")
    }
    switch session.receive(fragment) {
    case .noted: return HTTPResponse(status: 204)
    case .restarted(let answer):
      return HTTPResponse(
        status: 200, headers: ["Content-Type": ICEFragment.contentType, "ETag": session.entityTag],
        body: Array(answer.serialized().utf8))
    case .impossible: throw ProblemDetails(422, "ICE cannot be restarted now. Begin a new session.")
    }
  }

  // MARK: Who may

  /// The session that a request names, if its sender may have to do with it: with the token that it was begun with, or with
  /// another for the same person and room.
  func session(_ id: String, _ request: HTTPRequest) throws(ProblemDetails) -> StreamSession {
    let session = sessions[id]
    if let session, let token = Self.token(of: request), session.accepts(token: token) { return session }
    let admission: Admission
    do { admission = try server.admit(request, to: nil) } catch { throw Self.problem(error) }
    // Strangers do not learn which sessions there are.
    guard let session, session.admission.grant.room == admission.grant.room,
      session.admission.claims.identity == admission.claims.identity
    else { throw ProblemDetails(404, "There is no such session, or no longer.") }
    return session
  }

  private func admit(_ request: HTTPRequest, to room: String) throws(ProblemDetails) -> (Admission, token: String) {
    do { return (try server.admit(request, to: room), Self.token(of: request) ?? "") } catch {
      throw Self.problem(error)
    }
  }

  private static func token(of request: HTTPRequest) -> String? {
    Admission.bearer(request.headers["Authorization"]) ?? request.query["access_token"]
  }

  private static func problem(_ refusal: Admission.Refusal) -> ProblemDetails {
    ProblemDetails(refusal.isForbidden ? 403 : refusal.status, refusal.message)
  }
}

enum SDP {
  static let contentType = "application/sdp"
}
