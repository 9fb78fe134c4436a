import FoundationEssentials

extension LiveKit {
  /// The JSON inside a ``TrickleRequest``: W3C's RTCIceCandidateInit.
  public struct CandidateInit: Equatable, Sendable {
    /// `candidate:…`; empty marks the end of candidates.
    public var candidate: String
    public var sdpMid: String
    public var sdpMLineIndex: Int
    public var usernameFragment: String?

    public init(candidate: String, sdpMid: String = "0", sdpMLineIndex: Int = 0, usernameFragment: String? = nil) {
      self.candidate = candidate
      self.sdpMid = sdpMid
      self.sdpMLineIndex = sdpMLineIndex
      self.usernameFragment = usernameFragment
    }

    /// Reads what browsers and SDKs send, absent fields included. Nil when it is not a JSON object, a field has another
    /// type, or the candidate is longer than any that exists.
    public init?(parsing text: String) {
      guard text.utf8.count <= 4096, let json = try? JSONDecoder().decode(JSON.self, from: Data(text.utf8)),
        json.candidate?.contains(where: \.isNewline) != true
      else { return nil }
      self.init(
        candidate: json.candidate ?? "", sdpMid: json.sdpMid ?? "", sdpMLineIndex: json.sdpMLineIndex ?? 0,
        usernameFragment: json.usernameFragment)
    }

    /// All of the first three fields are written, with the types that strict readers insist on.
    public var text: String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let json = JSON(
        candidate: candidate, sdpMid: sdpMid, sdpMLineIndex: sdpMLineIndex, usernameFragment: usernameFragment)
      // Strings and integers always encode; an empty object would be read as the end of candidates.
      return (try? encoder.encode(json)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
  }
}

private struct JSON: Codable {
  var candidate: String?
  var sdpMid: String?
  var sdpMLineIndex: Int?
  var usernameFragment: String?
}
