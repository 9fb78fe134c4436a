extension SessionDescription {
  /// The description's text with CRLF line ends. Control characters within values are left out, so that no value, from
  /// whomever it came, can begin a line of its own.
  public func serialized() -> String {
    var lines = LineWriter()
    lines.write("v", "0")
    lines.write("o", "\(origin.username) \(origin.sessionID) \(origin.sessionVersion) \(origin.connection)")
    lines.write("s", name)
    if let connection { lines.write("c", connection) }
    for bandwidth in bandwidths { lines.write("b", bandwidth) }
    lines.write("t", timing)
    for group in bundleGroups { lines.attribute("group", (["BUNDLE"] + group).joined(separator: " ")) }
    lines.flag("ice-lite", if: isICELite)
    lines.flag("extmap-allow-mixed", if: allowsMixedExtensions)
    if let msidSemantic { lines.attribute("msid-semantic", " \(msidSemantic)") }
    lines.transport(iceCredentials, iceOptions, fingerprints, setup)
    for map in extensionMaps { lines.attribute("extmap", map.text) }
    for attribute in attributes { lines.attribute(attribute.name, attribute.value) }
    for section in media { section.write(to: &lines) }
    return lines.text
  }
}

/// Collects lines of a description.
private struct LineWriter {
  private(set) var text = ""

  mutating func write(_ type: String, _ value: String) {
    text += type
    text += "="
    text.unicodeScalars.append(contentsOf: value.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
    text += "\r\n"
  }
  mutating func attribute(_ name: String, _ value: String?) { write("a", value.map { "\(name):\($0)" } ?? name) }
  mutating func flag(_ name: String, if isSet: Bool) {
    if isSet { write("a", name) }
  }
  mutating func transport(
    _ credentials: ICECredentials?, _ options: [String], _ fingerprints: [CertificateFingerprint], _ setup: SetupRole?
  ) {
    if let credentials {
      attribute("ice-ufrag", credentials.usernameFragment)
      attribute("ice-pwd", credentials.password)
    }
    if !options.isEmpty { attribute("ice-options", options.joined(separator: " ")) }
    for fingerprint in fingerprints { attribute("fingerprint", fingerprint.text) }
    if let setup { attribute("setup", setup.rawValue) }
  }
}

extension MediaSection {
  fileprivate func write(to lines: inout LineWriter) {
    let listed = (payloads.map { String($0.payloadType) } + formats).joined(separator: " ")
    lines.write("m", "\(kind.name) \(port) \(transportProtocol) \(listed)")
    if let connection { lines.write("c", connection) }
    for bandwidth in bandwidths { lines.write("b", bandwidth) }
    for candidate in candidates { lines.write("a", candidate.attribute) }
    lines.flag("end-of-candidates", if: hasAllCandidates)
    lines.transport(iceCredentials, iceOptions, fingerprints, setup)
    if let mid { lines.attribute("mid", mid) }
    lines.flag("bundle-only", if: isBundleOnly)
    for map in extensionMaps { lines.attribute("extmap", map.text) }
    lines.flag("extmap-allow-mixed", if: allowsMixedExtensions)
    if let writtenDirection { lines.attribute(writtenDirection.rawValue, nil) }
    for identifier in streamIdentifiers {
      lines.attribute("msid", identifier.stream + (identifier.track.map { " \($0)" } ?? ""))
    }
    lines.flag("rtcp-mux", if: multiplexesRTCP)
    lines.flag("rtcp-rsize", if: allowsReducedSizeRTCP)
    for payload in payloads { payload.write(to: &lines) }
    for feedback in commonFeedback { lines.attribute("rtcp-fb", "* \(feedback)") }
    for rid in restrictionIdentifiers { lines.attribute("rid", rid.text) }
    if let simulcast { lines.attribute("simulcast", simulcast.text) }
    for group in sourceGroups {
      lines.attribute("ssrc-group", ([group.semantics] + group.sources.map(\.description)).joined(separator: " "))
    }
    for source in sourceAttributes {
      lines.attribute("ssrc", "\(source.ssrc) \(source.name)" + (source.value.map { ":\($0)" } ?? ""))
    }
    if let sctpPort { lines.attribute("sctp-port", String(sctpPort)) }
    if let maximumMessageSize { lines.attribute("max-message-size", String(maximumMessageSize)) }
    for attribute in attributes { lines.attribute(attribute.name, attribute.value) }
  }
}

extension PayloadFormat {
  fileprivate func write(to lines: inout LineWriter) {
    if !encodingName.isEmpty {
      let channels = channels.map { "/\($0)" } ?? ""
      lines.attribute("rtpmap", "\(payloadType) \(encodingName)/\(clockRate)\(channels)")
    }
    for item in feedback { lines.attribute("rtcp-fb", "\(payloadType) \(item)") }
    if let parameters { lines.attribute("fmtp", "\(payloadType) \(parameters)") }
  }
}

extension ExtensionMap {
  fileprivate var text: String {
    "\(id)\(direction.map { "/\($0.rawValue)" } ?? "") \(uri)\(attributes.map { " \($0)" } ?? "")"
  }
}

extension RestrictionIdentifier {
  fileprivate var text: String {
    var items = restrictions.map { $0.name + ($0.value.map { "=\($0)" } ?? "") }
    if !payloadTypes.isEmpty { items.insert("pt=" + payloadTypes.map(String.init).joined(separator: ","), at: 0) }
    return "\(id) \(direction.rawValue)" + (items.isEmpty ? "" : " " + items.joined(separator: ";"))
  }
}

extension SimulcastDescription {
  fileprivate var text: String {
    func list(_ layers: [[String]]) -> String { layers.map { $0.joined(separator: ",") }.joined(separator: ";") }
    var parts: [String] = []
    if !send.isEmpty { parts.append("send \(list(send))") }
    if !receive.isEmpty { parts.append("recv \(list(receive))") }
    return parts.joined(separator: " ")
  }
}
