import FoundationEssentials

extension LiveKit {
  /// Why an access token is refused. The first five are seen without asking anybody.
  public enum AccessTokenError: Error, Equatable, Sendable {
    /// No characters, or only white space.
    case empty
    /// Not three non-empty parts with dots between, or longer than ``AccessToken/maximumLength``.
    case notAJWT
    /// A part is not base64url.
    case notBase64
    /// The header or the claims are not the JSON object that they must be.
    case badJSON
    /// Signed with something else than HS256, or with extensions that must be understood.
    case unsupportedAlgorithm(String)
    /// Nobody here has the secret of this API key.
    case unknownKey(String)
    case badSignature
    /// Without an expiry a token would be good for ever.
    case missingExpiry
    /// Nor is one that is good until after the year 9999 anything else.
    case endlessExpiry
    case expired(secondsAgo: Int64)
    case notYetValid(inSeconds: Int64)
    /// No `video` grant, or one without `roomJoin`.
    case joinNotGranted
    case missingIdentity
    case missingRoom
    /// Identity or room name above 256 bytes.
    case nameTooLong
  }

  /// A LiveKit access token: a JWT signed with HMAC-SHA256 (protocol sheet §1).
  public struct AccessToken: Equatable, Sendable {
    /// HMAC-SHA256 of a message. It comes from outside because pure code has no cryptography.
    public typealias MAC = (_ key: [UInt8], _ message: [UInt8]) -> [UInt8]

    /// Bytes; real tokens have a few hundred.
    public static let maximumLength = 64 << 10
    /// How far two clocks may disagree, in seconds.
    public static let leeway: Int64 = 60

    /// What the token says. Nothing of it is proved before ``verify(_:now:secret:mac:)``.
    public let claims: Claims
    private let signedText: [UInt8]
    private let signature: [UInt8]
    private let algorithm: String

    /// Reads a token without verifying it.
    public init(parsing text: String) throws(AccessTokenError) {
      guard text.contains(where: { !$0.isWhitespace }) else { throw .empty }
      let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard text.utf8.count <= Self.maximumLength, parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else {
        throw .notAJWT
      }
      guard let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
        let signature = Base64URL.decode(parts[2])
      else { throw .notBase64 }
      let headerFields: Header
      do {
        headerFields = try JSONDecoder().decode(Header.self, from: Data(header))
        claims = Claims(try JSONDecoder().decode(ClaimsJSON.self, from: Data(payload)))
      } catch { throw .badJSON }
      algorithm = headerFields.crit == nil ? headerFields.alg : "crit"
      signedText = parts[0] + [UInt8(ascii: ".")] + parts[1]
      self.signature = signature
    }

    /// The claims of a token whose signature and times are right. Grants are judged by ``Claims/joinGrant()``.
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - secret: The secret of an API key as raw bytes; nil for an unknown key.
    public static func verify(
      _ text: String, now: Int64, secret: (_ apiKey: String) -> [UInt8]?, mac: MAC
    ) throws(AccessTokenError) -> Claims {
      let token = try AccessToken(parsing: text)
      guard token.algorithm == "HS256" else { throw .unsupportedAlgorithm(token.algorithm) }
      let claims = token.claims
      guard let key = secret(claims.apiKey) else { throw .unknownKey(claims.apiKey) }
      guard isEqualInConstantTime(mac(key, token.signedText), token.signature) else { throw .badSignature }
      guard let expiry = claims.expiresAt else { throw .missingExpiry }
      guard expiry < Claims.latestTime else { throw .endlessExpiry }
      guard now < expiry &+ leeway else { throw .expired(secondsAgo: now &- expiry) }
      if let start = claims.notBefore, now < start &- leeway { throw .notYetValid(inSeconds: start &- now) }
      return claims
    }

    /// Signs claims and returns the token's text.
    public static func mint(_ claims: Claims, secret: [UInt8], mac: MAC) throws(AccessTokenError) -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let payload: Data
      do { payload = try encoder.encode(ClaimsJSON(claims)) } catch { throw .badJSON }
      let text = Base64URL.encode(#"{"alg":"HS256","typ":"JWT"}"#.utf8) + "." + Base64URL.encode(payload)
      return text + "." + Base64URL.encode(mac(secret, Array(text.utf8)))
    }
  }
}

/// Compares without telling by its duration where two equally long byte strings differ.
func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  guard left.count == right.count else { return false }
  return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}

private struct Header: Decodable {
  var alg: String
  /// Header fields that a verifier must understand (RFC 7515 §4.1.11); none are understood here.
  var crit: [String]?
}
