extension MediaSection {
  /// Payload types whose meaning RFC 3551 §6 fixes, so that no `rtpmap` need say it.
  private static let staticPayloads: [UInt8: (name: String, clockRate: Int)] = [
    0: ("PCMU", 8000), 8: ("PCMA", 8000), 9: ("G722", 8000),
  ]

  /// Reads the value of an `m=` line: `video 9 UDP/TLS/RTP/SAVPF 96 97`.
  init(line: Substring) throws(SDPError) {
    let words = line.words
    // A count of ports (`9/2`) has no meaning with ICE and is not taken.
    guard words.count >= 4, words.allSatisfy(\.isToken), let port: UInt16 = words[1].number() else {
      throw SDPError(.malformed, "m=")
    }
    guard words.count <= 3 + 256 else { throw SDPError(.tooMany, "formats") }
    self.init(kind: Kind(String(words[0])), port: port, transportProtocol: String(words[2]))
    guard isRTP else {
      formats = words[3...].map(String.init)
      return
    }
    for word in words[3...] {
      guard let type: UInt8 = word.number(), type < 128 else { throw SDPError(.malformed, "m=") }
      guard payload(type) == nil else { continue }
      let known = Self.staticPayloads[type]
      payloads.append(
        PayloadFormat(payloadType: type, encodingName: known?.name ?? "", clockRate: known?.clockRate ?? 0))
    }
  }

  /// Takes an attribute over; false when it has no place or its value is not understood.
  mutating func readAttribute(_ name: String, _ value: Substring?) throws(SDPError) -> Bool {
    if let direction = MediaDirection(rawValue: name), value == nil {
      writtenDirection = direction
      return true
    }
    switch name {
    case "mid":
      guard mid == nil else { throw SDPError(.duplicate, "mid") }
      guard let value = value?.trimmed, value.isToken else { throw SDPError(.malformed, "mid") }
      mid = String(value)
    case "fingerprint": fingerprints.append(try CertificateFingerprint(attribute: value))
    case "setup": setup = try SetupRole(attribute: value)
    case "bundle-only": isBundleOnly = true
    case "rtcp-mux": multiplexesRTCP = true
    case "rtcp-rsize": allowsReducedSizeRTCP = true
    case "extmap-allow-mixed": allowsMixedExtensions = true
    case "end-of-candidates": hasAllCandidates = true
    default:
      guard let value else { return false }
      return readValued(name, value)
    }
    return true
  }

  private mutating func readValued(_ name: String, _ value: Substring) -> Bool {
    switch name {
    case "rtpmap": return readEncoding(value)
    case "fmtp":
      guard let (type, text) = value.cut(at: " "), let index = payloadIndex(type) else { return false }
      payloads[index].parameters = String(text.trimmed)
    case "rtcp-fb":
      guard let (type, text) = value.cut(at: " ") else { return false }
      if type == "*" {
        commonFeedback.append(String(text.trimmed))
      } else {
        guard let index = payloadIndex(type) else { return false }
        payloads[index].feedback.append(String(text.trimmed))
      }
    case "ice-options": iceOptions += value.words.map(String.init)
    case "extmap":
      guard let map = ExtensionMap(value) else { return false }
      extensionMaps.append(map)
    case "msid":
      let words = value.words
      guard (1...2).contains(words.count) else { return false }
      streamIdentifiers.append(
        MediaStreamIdentifier(stream: String(words[0]), track: words.count > 1 ? String(words[1]) : nil))
    case "ssrc":
      guard let attribute = SourceAttribute(value) else { return false }
      sourceAttributes.append(attribute)
    case "ssrc-group":
      guard let group = SourceGroup(value) else { return false }
      sourceGroups.append(group)
    case "rid":
      guard let rid = RestrictionIdentifier(value) else { return false }
      restrictionIdentifiers.append(rid)
    case "simulcast":
      guard simulcast == nil, let description = SimulcastDescription(value) else { return false }
      simulcast = description
    case "candidate":
      guard let candidate = try? ICECandidate(parsing: String(value)) else { return false }
      candidates.append(candidate)
    case "sctp-port":
      guard let port: UInt16 = value.trimmed.number() else { return false }
      sctpPort = port
    case "max-message-size":
      guard let size: UInt64 = value.trimmed.number() else { return false }
      maximumMessageSize = size
    default: return false
    }
    return true
  }

  /// `96 VP8/90000`, `111 opus/48000/2`.
  private mutating func readEncoding(_ value: Substring) -> Bool {
    guard let (type, text) = value.cut(at: " "), let index = payloadIndex(type) else { return false }
    let parts = text.trimmed.parts(between: "/")
    guard (2...3).contains(parts.count), parts[0].isToken, let clockRate: UInt32 = parts[1].number() else {
      return false
    }
    var channels: Int?
    if parts.count == 3 {
      guard let count: UInt8 = parts[2].number() else { return false }
      channels = Int(count)
    }
    payloads[index].encodingName = String(parts[0])
    payloads[index].clockRate = Int(clockRate)
    payloads[index].channels = channels
    return true
  }

  private func payloadIndex(_ text: Substring) -> Int? {
    guard let type: UInt8 = text.number() else { return nil }
    return payloads.firstIndex { $0.payloadType == type }
  }
}

extension ExtensionMap {
  /// `3/sendonly urn:… attributes`.
  init?(_ value: Substring) {
    guard let (number, rest) = value.cut(at: " ") else { return nil }
    let parts = number.parts(between: "/")
    guard (1...2).contains(parts.count), let id: UInt8 = parts[0].number(), id > 0 else { return nil }
    var direction: MediaDirection?
    if parts.count == 2 {
      guard let known = MediaDirection(rawValue: String(parts[1])) else { return nil }
      direction = known
    }
    let (uri, attributes) = rest.trimmed.cut(at: " ").map { ($0.before, String($0.after)) } ?? (rest.trimmed, nil)
    guard !uri.isEmpty else { return nil }
    self.init(id: id, direction: direction, uri: String(uri), attributes: attributes)
  }
}

extension SourceAttribute {
  /// `1001 cname:name`.
  init?(_ value: Substring) {
    guard let (number, rest) = value.cut(at: " "), let ssrc: UInt32 = number.number(), !rest.isEmpty else { return nil }
    let pair = rest.cut(at: ":")
    self.init(ssrc: SSRC(ssrc), name: String(pair?.before ?? rest), value: pair.map { String($0.after) })
  }
}

extension SourceGroup {
  /// `FID 1001 1002`.
  init?(_ value: Substring) {
    let words = value.words
    guard words.count >= 2 else { return nil }
    var sources: [SSRC] = []
    for word in words.dropFirst() {
      guard let ssrc: UInt32 = word.number() else { return nil }
      sources.append(SSRC(ssrc))
    }
    self.init(semantics: String(words[0]), sources: sources)
  }
}

extension RestrictionIdentifier {
  /// `h send pt=96,97;max-width=1280`.
  init?(_ value: Substring) {
    let words = value.words
    guard (2...3).contains(words.count), words[0].isToken, let direction = Direction(rawValue: String(words[1]))
    else { return nil }
    self.init(id: String(words[0]), direction: direction)
    guard words.count == 3 else { return }
    for item in words[2].parts(between: ";") {
      let pair = item.cut(at: "=")
      if let pair, pair.before == "pt" {
        for text in pair.after.parts(between: ",") {
          guard let type: UInt8 = text.number() else { return nil }
          payloadTypes.append(type)
        }
      } else {
        restrictions.append(
          Restriction(name: String(pair?.before ?? item), value: pair.map { String($0.after) }))
      }
    }
  }
}

extension SimulcastDescription {
  /// `send h;m;~l recv a,b`.
  init?(_ value: Substring) {
    let words = value.words
    guard words.count == 2 || words.count == 4 else { return nil }
    self.init()
    for index in stride(from: 0, to: words.count, by: 2) {
      let layers = words[index + 1].parts(between: ";").map { layer in
        layer.parts(between: ",").map { String($0.hasPrefix("~") ? $0.dropFirst() : $0) }
      }
      // The layout of early drafts (`rid=h;m;l`) is left as text.
      guard !layers.isEmpty, layers.allSatisfy({ $0.allSatisfy { !$0.isEmpty && !$0.contains("=") } }) else {
        return nil
      }
      switch words[index] {
      case "send" where send.isEmpty: send = layers
      case "recv" where receive.isEmpty: receive = layers
      default: return nil
      }
    }
  }
}
