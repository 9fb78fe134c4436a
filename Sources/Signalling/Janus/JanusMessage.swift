/// A message of a Janus server: the envelope, and what of it matters by kind (fact sheet §1).
struct JanusMessage: Equatable, Sendable {
  /// A session description.
  struct JSEP: Equatable, Sendable {
    var type: String
    var sdp: String
  }

  /// What `janus` says: `ack`, `success`, `event`, `error`, `trickle`, …
  var kind: String
  var transaction: String?
  /// The handle that this is about.
  var sender: Int64?
  var jsep: JSEP?
  /// The plugin's data where there are some, else the envelope's.
  var data: JSONValue
  /// The envelope's error, or the plugin's.
  var failure: JanusFailure?
  /// Everything.
  var whole: JSONValue

  /// Nil for JSON that is no message of Janus.
  init?(_ value: JSONValue) {
    guard let kind = value["janus"].textValue else { return nil }
    self.kind = kind
    whole = value
    transaction = value["transaction"].textValue
    sender = value["sender"].integerValue
    let plugin = value["plugindata"]["data"]
    data = plugin.isNull ? value["data"] : plugin
    if let type = value["jsep"]["type"].textValue, let sdp = value["jsep"]["sdp"].textValue {
      jsep = JSEP(type: type, sdp: sdp)
    }
    if kind == "error" {
      failure = JanusFailure(
        code: value["error"]["code"].integer(in: 0...9_999) ?? 0, reason: value["error"]["reason"].textValue ?? "")
    } else if let code = plugin["error_code"].integer(in: 0...9_999) {
      failure = JanusFailure(code: code, reason: plugin["error"].textValue ?? "")
    }
  }
}

/// What went wrong with a request, in the server's numbers and words.
struct JanusFailure: Error, Equatable, Sendable {
  var code: Int
  var reason: String

  /// Janus core (fact sheet §1).
  static let unauthorized = 403
  static let noSuchSession = 458
  static let noSuchHandle = 459
  static let noSuchPlugin = 460
  static let notAcceptingSessions = 472
  /// VideoRoom (fact sheet §3).
  static let noSuchRoom = 426
  static let noSuchFeed = 428
  static let missingElement = 429
  static let invalidElement = 430
  static let nothingToOffer = 437
}
