import RTCCore
import Signalling

/// Somebody whose token lets them in.
struct Admission: Equatable, Sendable {
  var claims: LiveKit.Claims
  var grant: LiveKit.VideoGrant

  /// Why somebody is not let in, as the HTTP answer says it. Each kind has its own words, so that a client can tell a person
  /// what to do about it. None repeats the token.
  struct Refusal: Error, Equatable, Sendable {
    var status: Int
    var message: String
    /// The token is a good one and grants something else. HTTP has a status for that, 403; LiveKit's clients know 401.
    var isForbidden = false
  }

  /// The token of an `Authorization` header (RFC 6750 §2.1); nil when that is of another kind.
  static func bearer(_ authorization: String?) -> String? {
    guard let authorization, authorization.lowercased().hasPrefix("bearer ") else { return nil }
    return String(authorization.dropFirst("bearer ".count))
  }

  /// Judges a join request: the token from the `Authorization` header, which wins, or from the query.
  ///
  /// - Parameters:
  ///   - room: the room that the request names, if it does; the token must then be for that room.
  ///   - now: seconds since 1970.
  init(
    authorization: String?, queryToken: String?, room: String?, keys: [String: String], now: Int64,
    mac: LiveKit.AccessToken.MAC
  ) throws(Refusal) {
    var token = queryToken
    if let authorization {
      guard let bearer = Self.bearer(authorization) else {
        throw Refusal(
          status: 401, message: "token missing: the Authorization header is not of the form `Bearer <token>`")
      }
      token = bearer
    }
    guard let token, !token.isEmpty else {
      throw Refusal(status: 401, message: "token missing: give one as a Bearer header or as access_token")
    }
    do {
      claims = try LiveKit.AccessToken.verify(token, now: now, secret: { keys[$0].map { Array($0.utf8) } }, mac: mac)
      grant = try claims.joinGrant()
    } catch { throw Refusal(error) }
    if let room, !room.isEmpty, room != grant.room {
      throw Refusal(
        status: 401, message: "wrong room: the token is for another room than the one asked for", isForbidden: true)
    }
  }
}

extension Admission.Refusal {
  init(_ error: LiveKit.AccessTokenError) {
    switch error {
    case .empty: self.init(status: 401, message: "token missing: it is empty")
    case .notAJWT, .notBase64, .badJSON:
      self.init(status: 401, message: "token malformed: it is not a JSON web token")
    case .unsupportedAlgorithm: self.init(status: 401, message: "token malformed: it must be signed with HS256")
    case .unknownKey: self.init(status: 401, message: "unknown API key: this server does not know the token's issuer")
    case .badSignature:
      self.init(status: 401, message: "invalid token signature: it was not signed with this server's secret")
    case .missingExpiry: self.init(status: 401, message: "token malformed: it has no expiry")
    case .endlessExpiry: self.init(status: 401, message: "token malformed: its expiry is beyond the year 9999")
    case .expired(let seconds): self.init(status: 401, message: "token expired \(seconds) s ago")
    case .notYetValid(let seconds): self.init(status: 401, message: "token not valid yet: it will be in \(seconds) s")
    case .joinNotGranted:
      self.init(
        status: 401, message: "no permission to join: the token does not grant roomJoin", isForbidden: true)
    case .missingIdentity: self.init(status: 400, message: "identity missing: the token names nobody")
    case .missingRoom: self.init(status: 400, message: "room missing: the token names no room")
    case .nameTooLong: self.init(status: 400, message: "identity or room name too long: at most 256 bytes each")
    }
  }
}
