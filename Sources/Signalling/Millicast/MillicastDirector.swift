import Conference
import RTCCore

extension Millicast {
  /// What the director says about a stream: where to connect, and with what (protocol sheet §1).
  struct Direction: Equatable, Sendable {
    /// Of the WebSocket, with the short-lived token in its query.
    var url: String
    /// What `view` asks for.
    var streamID: String
    var iceServers: [ICEServerInfo]
  }

  /// Why the director gave no direction.
  enum Refusal: Error, Equatable, Sendable {
    /// 401 or 403: the token is not accepted, or there is none and one is needed. Asking again is of no use.
    case unauthorized(String)
    /// 400: nobody publishes the stream now, or there is none of that name.
    case notLive(String)
    /// 429 and 5xx: the service cannot answer now.
    case unavailable(status: Int, String)
    /// Nothing that a director says.
    case notADirector(status: Int)
  }

  /// What the director is asked before a link is made; the answer comes back under the link's number.
  static func question(_ id: LinkID, to address: Address, token: String?, timeout: Duration) -> HTTPExchangeRequest {
    let body: JSONValue = .object([
      "streamAccountId": .text(address.account), "streamName": .text(address.stream),
    ])
    var headers = [HTTPExchangeField("Content-Type", "application/json")]
    if let token { headers.append(HTTPExchangeField("Authorization", "Bearer \(token)")) }
    return HTTPExchangeRequest(
      id: id.raw, method: "POST", url: address.directorURL, headers: headers,
      body: String(decoding: body.serialized(), as: UTF8.self), timeout: timeout, followsRedirects: true)
  }

  /// Bytes of an answer that are read: a direction has two or three thousand.
  private static let maximumAnswer = 1 << 16

  static func direction(status: Int, body: String, for address: Address) throws(Refusal) -> Direction {
    let answer = (body.utf8.count <= maximumAnswer ? try? JSONValue(parsing: Array(body.utf8)) : nil) ?? .null
    // `fail` has its text inside of `data`, `error` beside it.
    let words = answer["data"]["message"].textValue ?? answer["message"].textValue ?? ""
    switch status {
    case 200..<300: break
    case 400: throw .notLive(words)
    case 401, 403: throw .unauthorized(words)
    case 429, 500...: throw .unavailable(status: status, words)
    default: throw .notADirector(status: status)
    }
    let data = answer["data"]
    guard let token = data["jwt"].textValue, isToken(token),
      let url = data["urls"].elements.first?.textValue ?? data["wsUrl"].textValue, isUsable(url, for: address)
    else { throw .notADirector(status: status) }
    let separator = url.contains("?") ? "&" : "?"
    return Direction(
      url: url + separator + "token=" + token,
      streamID: streamID(of: token) ?? "\(address.account)/\(address.stream)",
      iceServers: data["iceServers"].elements.prefix(maximumServers).compactMap(iceServer))
  }

  /// More than any service names.
  private static let maximumServers = 16

  /// Only what can stand in a URL as it is.
  private static func isToken(_ text: String) -> Bool {
    (1...16_384).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  private static func isUsable(_ url: String, for address: Address) -> Bool {
    guard url.utf8.count <= 2048, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
    return url.hasPrefix("wss://") || address.allowsPlain && url.hasPrefix("ws://")
  }

  /// `millicast.streamName` of the token's claims, which are not verified: the server that gets the token does that.
  private static func streamID(of token: String) -> String? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Base64URL.decode(parts[1].utf8), let claims = try? JSONValue(parsing: payload)
    else { return nil }
    return claims["millicast"]["streamName"].textValue
  }

  private static func iceServer(_ json: JSONValue) -> ICEServerInfo? {
    let urls = json["urls"].textValue.map { [$0] } ?? json["urls"].elements.compactMap(\.textValue)
    guard !urls.isEmpty else { return nil }
    return ICEServerInfo(
      urls: urls, username: json["username"].textValue ?? "", credential: json["credential"].textValue ?? "")
  }
}
