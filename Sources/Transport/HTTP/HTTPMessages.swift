/// Header fields, looked up without regard to case (RFC 9110 §5.1), in the order given.
public struct HTTPHeaders: Equatable, Sendable, ExpressibleByDictionaryLiteral, Sequence {
  private var fields: [Field] = []

  private struct Field: Equatable, Sendable {
    var name: String
    var value: String
  }

  public init(_ fields: [(String, String)] = []) {
    self.fields = fields.map { Field(name: $0.0, value: $0.1) }
  }
  public init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }

  /// The first field of this name; setting replaces all of them, nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { Self.isSame($0.name, name) }?.value }
    set {
      fields.removeAll { Self.isSame($0.name, name) }
      if let newValue { fields.append(Field(name: name, value: newValue)) }
    }
  }

  public mutating func append(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

  public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
    fields.lazy.map { (name: $0.name, value: $0.value) }.makeIterator()
  }

  private static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && left.lowercased() == right.lowercased()
  }
}

/// What a client asked an ``HTTPServer`` for.
public struct HTTPRequest: Equatable, Sendable {
  /// In upper case.
  public var method: String
  /// Percent-decoded; a doubled slash at the beginning is made single.
  public var path: String
  /// Percent-decoded; of a name that comes twice, the first.
  public var query: [String: String]
  public var headers: HTTPHeaders

  public init(method: String, path: String, query: [String: String] = [:], headers: HTTPHeaders = [:]) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
  }
}

public struct HTTPResponse: Equatable, Sendable {
  /// 100…599.
  public var status: Int
  public var headers: HTTPHeaders
  public var body: [UInt8]

  public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// What a server does with a request to become a WebSocket.
public enum UpgradeDecision {
  /// `onOpen` is called on the network thread once the handshake is written; callbacks set in it miss nothing.
  case accept(onOpen: @NetworkActor (WebSocketConnection) -> Void)
  /// The client gets this status and body.
  case refuse(HTTPResponse)
}

/// What a server does with a request whose answer would have no end.
public enum StreamDecision {
  /// Status and header fields are sent at once; `onOpen` gets what sends the rest, and must keep it.
  case accept(HTTPResponse, onOpen: @NetworkActor (HTTPResponseStream) -> Void)
  /// The client gets this status and body.
  case refuse(HTTPResponse)
}

/// The query of a URL as forms write it (WHATWG URL §5.1).
enum FormQuery {
  static func parse(_ text: String) -> [String: String] {
    var values: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let first = parts.first else { continue }
      let name = decode(first)
      if values[name] == nil { values[name] = parts.count == 2 ? decode(parts[1]) : "" }
    }
    return values
  }

  /// Bytes that are no percent-encoding stand for themselves, and bytes that are no UTF-8 are replaced.
  private static func decode(_ text: Substring) -> String {
    let bytes = Array(text.utf8)
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        if index + 2 < bytes.count, let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2]) {
          decoded.append(high << 4 | low)
          index += 2
        } else {
          decoded.append(bytes[index])
        }
      default: decoded.append(bytes[index])
      }
      index += 1
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
