/// Why an HTTP request failed, for programs and people (RFC 9457).
public struct ProblemDetails: Error, Equatable, Sendable {
  public static let contentType = "application/problem+json"

  /// HTTP's status, 400…599.
  public var status: Int
  /// The kind of problem in a few words; HTTP's own words for the status where there are none better.
  public var title: String
  /// What happened this time and what to do about it, a sentence.
  public var detail: String

  public init(_ status: Int, _ detail: String) {
    self.status = status
    self.detail = detail
    title = Self.reasons[status] ?? "HTTP status \(status)"
  }

  /// Reads a body; nil when it is not one. `status` counts only when the body names none of its own.
  public init?(json: [UInt8], status: Int) {
    guard let body = try? JSONValue(parsing: json) else { return nil }
    let (title, detail) = (body["title"].textValue, body["detail"].textValue)
    guard title != nil || detail != nil else { return nil }
    self.init(body["status"].integer(in: 100...599) ?? status, detail ?? "")
    if let title { self.title = title }
  }

  public var json: [UInt8] {
    JSONValue.object(["title": .text(title), "status": .integer(Int64(status)), "detail": .text(detail)]).serialized()
  }

  /// RFC 9110 §15, RFC 6585 §3.
  private static let reasons = [
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    406: "Not Acceptable", 409: "Conflict", 412: "Precondition Failed", 413: "Content Too Large",
    415: "Unsupported Media Type", 422: "Unprocessable Content", 428: "Precondition Required",
    500: "Internal Server Error", 503: "Service Unavailable",
  ]
}
