extension SessionDescription {
  /// The longest description read, in bytes. A room of a hundred tracks takes a quarter of it.
  public static let maximumLength = 1 << 20
  /// The most sections read.
  public static let maximumSections = 1024
  /// The most candidates, sources or other repeated lines read in one section.
  static let maximumLinesPerSection = 2048

  /// Reads a description. Line ends may be CRLF or LF and attributes may come in any order; an attribute whose value is
  /// not understood is kept as text. What decides about security or identity must be right: fingerprint, setup role,
  /// ICE credentials, unique mids, every size and count, and no control characters anywhere.
  public init(parsing text: String) throws(SDPError) {
    guard text.utf8.count <= Self.maximumLength else { throw SDPError(.tooLarge, "session description") }
    self.init(origin: Origin(sessionID: "0"))
    var reader = Reader(description: self)
    // Empty lines are kept for the count, so that errors name the line that a person sees.
    let lines = text[...].utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      let line = Substring(bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes)
      if line.isEmpty { continue }
      // Also because the writer drops them, which must not turn an unknown attribute into a known one.
      guard line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw SDPError(.malformed, "line", line: index + 1)
      }
      do { try reader.read(line) } catch {
        throw SDPError(error.reason, error.subject, line: error.line ?? index + 1)
      }
    }
    self = try reader.finish()
  }
}

/// The state between two lines of a description.
private struct Reader {
  var description: SessionDescription
  private var section: MediaSection?
  private var linesInSection = 0
  private var seen: Set<UInt8> = []
  private var credentials = PartialCredentials()

  init(description: SessionDescription) { self.description = description }

  mutating func read(_ line: Substring) throws(SDPError) {
    guard let (type, value) = line.cut(at: "="), type.utf8.count == 1, let letter = type.utf8.first else {
      throw SDPError(.malformed, "line")
    }
    if seen.isEmpty, letter != UInt8(ascii: "v") { throw SDPError(.missing, "v=") }
    seen.insert(letter)
    linesInSection += 1
    guard linesInSection <= SessionDescription.maximumLinesPerSection else { throw SDPError(.tooMany, "lines") }

    switch letter {
    case UInt8(ascii: "v"):
      guard value == "0" else { throw SDPError(.malformed, "v=") }
    case UInt8(ascii: "o"):
      let words = value.words
      guard words.count == 6, let version: UInt64 = words[2].number() else { throw SDPError(.malformed, "o=") }
      description.origin = SessionDescription.Origin(
        username: String(words[0]), sessionID: String(words[1]), sessionVersion: version,
        connection: words[3...].joined(separator: " "))
    case UInt8(ascii: "s"): description.name = String(value)
    case UInt8(ascii: "t"): description.timing = String(value)
    case UInt8(ascii: "c"):
      if section == nil { description.connection = String(value) } else { section?.connection = String(value) }
    case UInt8(ascii: "b"):
      if section == nil {
        description.bandwidths.append(String(value))
      } else {
        section?.bandwidths.append(String(value))
      }
    case UInt8(ascii: "m"):
      try endSection()
      guard description.media.count < SessionDescription.maximumSections else { throw SDPError(.tooMany, "m=") }
      section = try MediaSection(line: value)
    case UInt8(ascii: "a"):
      let (name, text) = value.cut(at: ":").map { (String($0.before), $0.after) } ?? (String(value), nil)
      try readAttribute(name, text)
    case UInt8(ascii: "a")...UInt8(ascii: "z"): break
    default: throw SDPError(.malformed, "line")
    }
  }

  mutating func finish() throws(SDPError) -> SessionDescription {
    guard seen.contains(UInt8(ascii: "v")) else { throw SDPError(.missing, "v=") }
    guard seen.contains(UInt8(ascii: "o")) else { throw SDPError(.missing, "o=") }
    try endSection()
    var mids: Set<String> = []
    for mid in description.media.compactMap(\.mid) {
      guard mids.insert(mid).inserted else { throw SDPError(.duplicate, "mid") }
    }
    return description
  }

  private mutating func endSection() throws(SDPError) {
    let complete = try credentials.complete()
    credentials = PartialCredentials()
    linesInSection = 0
    if var section {
      section.iceCredentials = complete
      description.media.append(section)
      self.section = nil
    } else {
      description.iceCredentials = complete
    }
  }

  private mutating func readAttribute(_ name: String, _ value: Substring?) throws(SDPError) {
    if try credentials.read(name, value) { return }
    if section != nil {
      if try section?.readAttribute(name, value) == false {
        section?.attributes.append(SDPAttribute(name: name, value: value.map(String.init)))
      }
    } else if try !description.readAttribute(name, value) {
      description.attributes.append(SDPAttribute(name: name, value: value.map(String.init)))
    }
  }
}

/// ICE user name fragment and password come in two lines and make sense together only.
private struct PartialCredentials {
  private var usernameFragment: String?
  private var password: String?

  mutating func read(_ name: String, _ value: Substring?) throws(SDPError) -> Bool {
    guard name == "ice-ufrag" || name == "ice-pwd" else { return false }
    guard let value = value?.trimmed, value.isToken else { throw SDPError(.malformed, name) }
    if name == "ice-ufrag" { usernameFragment = String(value) } else { password = String(value) }
    return true
  }

  func complete() throws(SDPError) -> ICECredentials? {
    switch (usernameFragment, password) {
    case (nil, nil): return nil
    case (let usernameFragment?, let password?):
      return ICECredentials(usernameFragment: usernameFragment, password: password)
    case (nil, _): throw SDPError(.missing, "ice-ufrag")
    case (_, nil): throw SDPError(.missing, "ice-pwd")
    }
  }
}

extension SessionDescription {
  /// Takes a session attribute over; false when it has no place or its value is not understood.
  fileprivate mutating func readAttribute(_ name: String, _ value: Substring?) throws(SDPError) -> Bool {
    switch (name, value) {
    case ("group", let value?):
      let words = value.words
      guard words.first == "BUNDLE" else { return false }
      guard words.count <= Self.maximumSections + 1 else { throw SDPError(.tooMany, "mids") }
      bundleGroups.append(words.dropFirst().map(String.init))
    case ("ice-lite", _): isICELite = true
    case ("ice-options", let value?): iceOptions += value.words.map(String.init)
    case ("extmap-allow-mixed", _): allowsMixedExtensions = true
    case ("msid-semantic", let value?): msidSemantic = String(value.trimmed)
    case ("fingerprint", let value): fingerprints.append(try CertificateFingerprint(attribute: value))
    case ("setup", let value): setup = try SetupRole(attribute: value)
    case ("extmap", let value?):
      guard let map = ExtensionMap(value) else { return false }
      extensionMaps.append(map)
    default: return false
    }
    return true
  }
}

extension CertificateFingerprint {
  init(attribute: Substring?) throws(SDPError) {
    guard let value = attribute, let fingerprint = Self(value) else { throw SDPError(.malformed, "fingerprint") }
    self = fingerprint
  }
}

extension SetupRole {
  init(attribute: Substring?) throws(SDPError) {
    guard let value = attribute, let role = Self(rawValue: String(value.trimmed)) else {
      throw SDPError(.malformed, "setup")
    }
    self = role
  }
}
