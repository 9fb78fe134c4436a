import RTCCore

/// Finds the track and layer that a publisher's packet belongs to: by its SSRC, which the session description announced
/// or an earlier packet taught, else by its mid and rid header extensions (RFC 8843 §9.2, RFC 8852).
struct StreamBinder: Sendable {
  /// One media section that the publisher sends on.
  struct Section: Equatable, Sendable {
    var mid: String
    var kind: MediaKind
    /// Restriction ids, lowest layer first; empty without simulcast.
    var rids: [String]
    var mediaSSRC: SSRC?
    var rtxSSRC: SSRC?
    /// The payload type that is forwarded.
    var payloadType: UInt8
    var rtxPayloadType: UInt8?
  }

  struct ExtensionIDs: Equatable, Sendable {
    var mid: UInt8?
    var rid: UInt8?
    var repairedRid: UInt8?
  }

  struct Binding: Equatable, Sendable {
    var mid: String
    var layer: Int
    var isRetransmission: Bool
    /// The payload type that a retransmission restores.
    var payloadType: UInt8
  }

  /// SSRCs that may be learnt: more are an attack or a fault.
  private static let maximumStreams = 64

  private var sections: [Section] = []
  private var extensions = ExtensionIDs()
  private var bindings: [SSRC: Binding] = [:]

  init() {}

  /// Takes the result of an offer and answer; what was learnt of sections that go on is kept.
  mutating func update(sections: [Section], extensions: ExtensionIDs) {
    let kept = Set(sections.map(\.mid))
    bindings = bindings.filter { kept.contains($0.value.mid) }
    self.sections = sections
    self.extensions = extensions
    for section in sections where section.rids.isEmpty {
      if let ssrc = section.mediaSSRC { bindings[ssrc] = binding(section, layer: 0, isRetransmission: false) }
      if let ssrc = section.rtxSSRC { bindings[ssrc] = binding(section, layer: 0, isRetransmission: true) }
    }
  }

  /// The binding of a packet, or why it has none.
  mutating func resolve(_ packet: RTPPacket) -> Result<Binding, DropFailure> {
    if let known = bindings[packet.ssrc] { return check(known, packet) }
    guard bindings.count < Self.maximumStreams else { return .failure(DropFailure(reason: .unknownSSRC)) }
    guard let section = section(of: packet) else { return .failure(DropFailure(reason: .unknownSSRC)) }
    let isRetransmission = packet.payloadType == section.rtxPayloadType
    let rid = text(isRetransmission ? extensions.repairedRid : extensions.rid, in: packet)
    var layer = 0
    if !section.rids.isEmpty {
      guard let rid, let index = section.rids.firstIndex(of: rid) else {
        return .failure(DropFailure(reason: .unknownSSRC))
      }
      layer = index
    }
    let found = binding(section, layer: layer, isRetransmission: isRetransmission)
    if case .failure(let failure) = check(found, packet) { return .failure(failure) }
    bindings[packet.ssrc] = found
    return .success(found)
  }

  private func check(_ binding: Binding, _ packet: RTPPacket) -> Result<Binding, DropFailure> {
    guard let section = sections.first(where: { $0.mid == binding.mid }),
      packet.payloadType == (binding.isRetransmission ? section.rtxPayloadType : section.payloadType)
    else { return .failure(DropFailure(reason: .unknownPayloadType)) }
    return .success(binding)
  }

  private func binding(_ section: Section, layer: Int, isRetransmission: Bool) -> Binding {
    Binding(mid: section.mid, layer: layer, isRetransmission: isRetransmission, payloadType: section.payloadType)
  }

  /// By mid; without one, by payload type where only one section uses it.
  private func section(of packet: RTPPacket) -> Section? {
    if let mid = text(extensions.mid, in: packet) { return sections.first { $0.mid == mid } }
    let fitting = sections.filter {
      $0.payloadType == packet.payloadType || $0.rtxPayloadType == packet.payloadType
    }
    return fitting.count == 1 ? fitting[0] : nil
  }

  private func text(_ id: UInt8?, in packet: RTPPacket) -> String? {
    id.flatMap { packet.extensionData($0) }.flatMap { HeaderExtension.text(from: $0) }
  }
}

/// A packet that is not used, as an error value.
struct DropFailure: Error, Equatable { var reason: DropReason }
