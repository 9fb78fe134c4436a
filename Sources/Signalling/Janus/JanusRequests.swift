import RTCCore

/// Shared secrets of a server, sent with each request; nil where the server wants none.
public struct JanusCredentials: Equatable, Sendable {
  public var apiSecret: String?
  public var token: String?

  public init(apiSecret: String? = nil, token: String? = nil) {
    self.apiSecret = apiSecret
    self.token = token
  }
}

/// The requests of one session: numbered, and remembered until they are answered (fact sheet §1).
struct JanusRequests<Purpose: Sendable>: Sendable {
  struct Waiting: Sendable {
    var purpose: Purpose
    /// The handle that was asked; nil for the session itself.
    var handle: Int64?
    var sentAt: MonotonicTime
    var deadline: MonotonicTime
    /// Nothing but an acknowledgement will come.
    var endsWithAck: Bool
  }

  private let credentials: JanusCredentials
  private let timeout: Duration
  private var counter = 0
  private var waiting: [String: Waiting] = [:]
  /// The session that all requests are about, once there is one.
  var session: Int64?

  init(credentials: JanusCredentials, timeout: Duration) {
    self.credentials = credentials
    self.timeout = timeout
  }

  /// The message of a request.
  ///
  /// - Parameters:
  ///   - purpose: comes back with the answer; nil for a request whose outcome changes nothing.
  ///   - handle: nil for one about the session itself.
  mutating func make(
    _ verb: String, _ fields: [String: JSONValue] = [:], handle: Int64? = nil, for purpose: Purpose?,
    at now: MonotonicTime
  ) -> [UInt8] {
    counter += 1
    let transaction = String(counter)
    var message = fields
    message["janus"] = .text(verb)
    message["transaction"] = .text(transaction)
    if let session { message["session_id"] = .integer(session) }
    if let handle { message["handle_id"] = .integer(handle) }
    if let secret = credentials.apiSecret { message["apisecret"] = .text(secret) }
    if let token = credentials.token { message["token"] = .text(token) }
    if let purpose {
      waiting[transaction] = Waiting(
        purpose: purpose, handle: handle, sentAt: now, deadline: now + timeout, endsWithAck: verb == "keepalive")
    }
    return JSONValue.object(message).serialized()
  }

  /// What a message answers; nil for one that answers nothing. The acknowledgement of a request whose answer is still to
  /// come may arrive after that answer, and ends nothing.
  mutating func take(_ message: JanusMessage) -> Waiting? {
    guard let transaction = message.transaction, let request = waiting[transaction],
      message.kind != "ack" || request.endsWithAck
    else { return nil }
    waiting[transaction] = nil
    return request
  }

  func isWaiting(for isMeant: (Purpose) -> Bool) -> Bool { waiting.values.contains { isMeant($0.purpose) } }

  /// When the first answer is overdue.
  var deadline: MonotonicTime? { waiting.values.map(\.deadline).min() }

  /// Takes the requests whose answers are overdue, the oldest first.
  mutating func takeOverdue(at now: MonotonicTime) -> [Waiting] {
    let overdue = waiting.filter { $0.value.deadline <= now }
    for transaction in overdue.keys { waiting[transaction] = nil }
    return overdue.values.sorted { $0.sentAt < $1.sentAt }
  }

  /// Nobody will answer these any more.
  mutating func forget(handle: Int64) { waiting = waiting.filter { $0.value.handle != handle } }
  mutating func forgetAll() { waiting = [:] }
}
