import RTCCore
import Signalling
import Transport

/// Answers that do not depend on any session.
extension StreamEndpoints {
  /// Seconds after which what is not there yet, or has no room yet, is worth another try.
  private static let retryAfter = "5"
  /// What scripts in browsers need to see (RFC 9725 §4.2).
  private static let exposedHeaders = "Accept-Patch, ETag, Link, Location, Retry-After"

  static func nothing(at target: Target) -> ProblemDetails {
    switch target {
    case .whip, .whep: ProblemDetails(404, "Which room? Its name belongs at the end: /\(target.rawValue)/ROOM.")
    case .sessions: ProblemDetails(404, "Which session? The answer to the offer says, as Location.")
    }
  }

  static func options(_ target: Target) -> HTTPResponse {
    var response = HTTPResponse(status: 200)
    response.headers["Access-Control-Allow-Methods"] = target.methods
    response.headers["Access-Control-Allow-Headers"] = "Accept, Authorization, Content-Type, If-Match"
    response.headers["Access-Control-Max-Age"] = "600"
    if target == .sessions {
      response.headers["Accept-Patch"] = ICEFragment.contentType
    } else {
      response.headers["Accept-Post"] = SDP.contentType
    }
    return response
  }

  static func response(_ problem: ProblemDetails) -> HTTPResponse {
    var response = HTTPResponse(
      status: problem.status, headers: ["Content-Type": ProblemDetails.contentType], body: problem.json)
    switch problem.status {
    case 401: response.headers["WWW-Authenticate"] = "Bearer realm=\"confab\""
    case 409, 503: response.headers["Retry-After"] = retryAfter
    default: break
    }
    return response
  }

  /// Scripts of any page may read the answer: the token, not the page, is what lets in.
  static func forScripts(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Expose-Headers"] = exposedHeaders
    return response
  }

  /// Parameters such as a charset make no difference, and neither does case (RFC 9110 §8.3.1).
  static func check(_ request: HTTPRequest, has type: String) throws(ProblemDetails) {
    let given = request.headers["Content-Type"] ?? ""
    let essence = given.split(separator: ";", maxSplits: 1).first.map { $0.filter { $0 != " " }.lowercased() }
    guard essence == type else { throw ProblemDetails(415, "The content must be \(type).") }
  }
}
