/// What one side has to say about ICE after offer and answer: more candidates, or new credentials for a restart. The body
/// of type `application/trickle-ice-sdpfrag` (RFC 8840 §9).
///
/// All media is bundled, so a fragment speaks of one section: the first that is named.
public struct ICEFragment: Equatable, Sendable {
  public static let contentType = "application/trickle-ice-sdpfrag"
  /// The longest fragment read, in bytes: some hundred candidates.
  public static let maximumLength = 1 << 15

  /// The credentials that the candidates belong to; new ones begin a restart (RFC 8839 §4.4.1.1.1).
  public var credentials: ICECredentials?
  public var options: [String] = []
  public var isICELite = false
  /// The mids of the BUNDLE group; may be left out.
  public var bundleGroup: [String] = []
  public var kind: MediaSection.Kind = .audio
  public var mid: String?
  public var candidates: [ICECandidate] = []
  public var hasAllCandidates = false

  public init(credentials: ICECredentials?) { self.credentials = credentials }

  /// Reads a fragment. Credentials may stand before the first `m=` line or below it; candidates of any section are taken;
  /// a candidate that cannot be read is left out, as it must be (RFC 9725 §4.3.1).
  public init(parsing text: String) throws(SDPError) {
    guard text.utf8.count <= Self.maximumLength else { throw SDPError(.tooLarge, "fragment") }
    var usernameFragment: String?
    var password: String?
    var sections = 0
    let lines = text[...].utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      let line = Substring(bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes)
      if line.isEmpty { continue }
      guard line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), let (type, value) = line.cut(at: "=") else {
        throw SDPError(.malformed, "line", line: index + 1)
      }
      if type == "m" {
        sections += 1
        let words = value.words
        guard words.count >= 3 else { throw SDPError(.malformed, "m=", line: index + 1) }
        if sections == 1 { kind = MediaSection.Kind(String(words[0])) }
        continue
      }
      // Whole descriptions are sent by some, whose other lines say nothing new.
      guard type == "a" else { continue }
      let (name, text) = value.cut(at: ":").map { (String($0.before), $0.after.trimmed) } ?? (String(value), "")
      switch name {
      case "ice-ufrag", "ice-pwd":
        guard text.isToken else { throw SDPError(.malformed, name, line: index + 1) }
        if name == "ice-ufrag" {
          usernameFragment = usernameFragment ?? String(text)
        } else {
          password = password ?? String(text)
        }
      case "ice-options": options = text.words.map(String.init)
      case "ice-lite": isICELite = true
      case "group":
        let words = text.words
        if words.first == "BUNDLE" { bundleGroup = words.dropFirst().map(String.init) }
      case "mid": if mid == nil, text.isToken { mid = String(text) }
      case "candidate":
        if let candidate = try? ICECandidate(parsing: String(text)) { candidates.append(candidate) }
      case "end-of-candidates": hasAllCandidates = true
      default: break
      }
    }
    switch (usernameFragment, password) {
    case (nil, nil): break
    case (let usernameFragment?, let password?):
      credentials = ICECredentials(usernameFragment: usernameFragment, password: password)
    case (nil, _): throw SDPError(.missing, "ice-ufrag")
    case (_, nil): throw SDPError(.missing, "ice-pwd")
    }
  }

  /// The fragment's text with CRLF line ends.
  public func serialized() -> String {
    var lines: [String] = []
    if isICELite { lines.append("a=ice-lite") }
    if !options.isEmpty { lines.append("a=ice-options:\(options.joined(separator: " "))") }
    if !bundleGroup.isEmpty { lines.append("a=group:BUNDLE \(bundleGroup.joined(separator: " "))") }
    lines.append(
      kind == .application
        ? "m=application 9 \(MediaSection.dataProtocol) webrtc-datachannel"
        : "m=\(kind.name) 9 \(MediaSection.mediaProtocol) 0")
    if let mid { lines.append("a=mid:\(mid)") }
    if let credentials {
      lines.append("a=ice-ufrag:\(credentials.usernameFragment)")
      lines.append("a=ice-pwd:\(credentials.password)")
    }
    for candidate in candidates { lines.append("a=\(candidate.attribute)") }
    if hasAllCandidates { lines.append("a=end-of-candidates") }
    return lines.map { $0 + "\r\n" }.joined()
  }
}
