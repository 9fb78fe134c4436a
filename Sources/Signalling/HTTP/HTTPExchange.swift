import Conference

/// A request over HTTP that an adapter wants made. Headers may carry a token, so they are never logged.
public struct HTTPExchangeRequest: Equatable, Sendable {
  /// Comes back in every ``HTTPExchangeResponse``.
  public var id: Int
  public var method: String
  public var url: String
  public var headers: [HTTPExchangeField]
  public var body: String
  /// Longest wait for the whole answer; of a stream, for its beginning.
  public var timeout: Duration
  /// Whether an answer that sends us elsewhere is obeyed, as browsers do, or told.
  public var followsRedirects: Bool
  /// The answer has no end: its pieces are told as they come.
  public var isStream: Bool
  /// It shall arrive though the conference is over and nobody waits for the answer.
  public var isFarewell: Bool

  public init(
    id: Int, method: String, url: String, headers: [HTTPExchangeField] = [], body: String = "", timeout: Duration,
    followsRedirects: Bool = false, isStream: Bool = false, isFarewell: Bool = false
  ) {
    self.id = id
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.followsRedirects = followsRedirects
    self.isStream = isStream
    self.isFarewell = isFarewell
  }
}

public struct HTTPExchangeField: Equatable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// What came of a request. A stream is answered, then has pieces, then ends; everything else is answered or has failed.
public struct HTTPExchangeResponse: Equatable, Sendable {
  public enum Outcome: Equatable, Sendable {
    case answered(status: Int, headers: [HTTPExchangeField], body: String)
    case piece(String)
    case ended
    case failed(LinkFailure)
  }

  /// Of the request.
  public var id: Int
  public var outcome: Outcome

  public init(id: Int, _ outcome: Outcome) {
    self.id = id
    self.outcome = outcome
  }
}

/// An answer, with its headers found by name.
struct HTTPAnswer {
  var status: Int
  var headers: [HTTPExchangeField]
  var body: String

  /// The first of this name.
  subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
  var links: [WebLink] { headers.filter { $0.name.lowercased() == "link" }.flatMap { WebLink.list($0.value) } }
  var isSuccess: Bool { (200..<300).contains(status) }

  /// Without parameters, in lower case.
  var contentType: String {
    let value = self["Content-Type"] ?? ""
    return value.split(separator: ";", maxSplits: 1).first.map { $0.filter { $0 != " " }.lowercased() } ?? ""
  }
  var isSessionDescription: Bool { contentType == "application/sdp" && body.hasPrefix("v=") }

  /// Seconds that the server asks us to wait (RFC 9110 §10.2.3); dates are not read.
  var retryAfter: Duration? {
    self["Retry-After"].flatMap { Int($0.filter { $0 != " " }) }.flatMap {
      (0...3_600).contains($0) ? .seconds(Int64($0)) : nil
    }
  }

  /// What the server says about a failure: the detail of a problem (RFC 9457), the `error` of other JSON, or plain text.
  var explanation: String {
    if contentType.hasSuffix("json") {
      if let problem = ProblemDetails(json: Array(body.utf8), status: status) {
        return problem.detail.isEmpty ? problem.title : problem.detail
      }
      let value = try? JSONValue(parsing: Array(body.utf8))
      for name in ["error", "message", "reason", "description"] {
        if let text = value?[name].textValue, !text.isEmpty { return text }
      }
      return ""
    }
    return (contentType.isEmpty || contentType == "text/plain") && !body.isPage ? body : ""
  }
}
