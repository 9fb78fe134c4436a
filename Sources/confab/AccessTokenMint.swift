import Conference
import Foundation
import Signalling
import Transport

/// Makes access tokens with the real clock and OpenSSL's HMAC.
enum AccessTokenMint {
  static func make(
    room: String, identity: String, name: String?, validFor: Duration = .seconds(6 * 3_600), canPublish: Bool = true,
    canSubscribe: Bool = true, credentials: Credentials
  ) throws(ConferenceError) -> String {
    var grant = LiveKit.VideoGrant(joining: room)
    grant.canPublish = canPublish
    grant.canSubscribe = canSubscribe
    let now = Int64(Date().timeIntervalSince1970)
    var claims = LiveKit.Claims(
      apiKey: credentials.key, identity: identity, expiresAt: now + validFor.components.seconds, grant: grant)
    claims.name = name ?? identity
    do throws(LiveKit.AccessTokenError) {
      return try LiveKit.AccessToken.mint(
        claims, secret: Array(credentials.secret.utf8), mac: MessageAuthentication.hmacSHA256)
    } catch {
      throw ConferenceError(.internalError, "The token could not be made.", cause: error)
    }
  }
}
