import RTCCore

/// A published track: one layer, or up to three of simulcast, each bound to an SSRC once its first packet has come.
struct UpTrack: Sendable {
  struct Configuration: Equatable, Sendable {
    var kind: MediaKind
    /// Ticks a second.
    var clockRate: Int
    /// Layers that the publisher announced, at least 1.
    var layerCount: Int
    /// Lost packets may be asked for (`a=rtcp-fb nack`).
    var supportsNACK: Bool
    /// Id of the audio-level header extension; nil where it was not negotiated.
    var audioLevelID: UInt8?
  }

  let configuration: Configuration
  /// By index, lowest first; nil before the first packet.
  private var layers: [UpLayer?]
  private var levels = AudioLevelWindow()
  private var lastTimestamp: RTPTimestamp?
  private(set) var drops = DropCounters()

  init(configuration: Configuration) {
    self.configuration = configuration
    layers = Array(repeating: nil, count: max(1, configuration.layerCount))
  }

  var layerCount: Int { layers.count }

  /// The SSRC that a layer was bound to.
  func ssrc(of layer: Int) -> SSRC? { layers.indices.contains(layer) ? layers[layer]?.ssrc : nil }
  /// The layer's last sender report.
  func clock(of layer: Int) -> SenderClock? { layers.indices.contains(layer) ? layers[layer]?.clock : nil }
  /// Which layers carry packets now.
  func activeLayers(at now: MonotonicTime) -> [Bool] { layers.map { $0?.isActive(at: now) ?? false } }

  /// Binds a layer to the SSRC that its packets carry. A new SSRC for a bound layer begins it anew.
  mutating func bind(layer: Int, to ssrc: SSRC) {
    guard layers.indices.contains(layer), layers[layer]?.ssrc != ssrc else { return }
    layers[layer] = UpLayer(index: layer, ssrc: ssrc, clockRate: configuration.clockRate)
  }

  /// Takes a media packet of a bound layer; nil when it is of no use, which is counted.
  mutating func receive(_ packet: RTPPacket, layer: Int, at now: MonotonicTime) -> UpPacket? {
    receive(packet, layer: layer, isRetransmission: false, at: now)
  }

  /// Takes a packet of a layer's RTX stream (RFC 4588 §4): its first two payload bytes are the original's number.
  mutating func receiveRetransmission(
    _ packet: RTPPacket, layer: Int, originalPayloadType: UInt8, at now: MonotonicTime
  ) -> UpPacket? {
    guard packet.payload.count > 2 else { return drop(.padding) }
    guard let ssrc = ssrc(of: layer) else { return drop(.unknownSSRC) }
    var original = packet
    original.sequenceNumber = SequenceNumber(UInt16(packet.payload[0]) << 8 | UInt16(packet.payload[1]))
    original.payload.removeFirst(2)
    original.ssrc = ssrc
    original.payloadType = originalPayloadType
    return receive(original, layer: layer, isRetransmission: true, at: now)
  }

  /// Takes a sender report about one of the layers.
  mutating func receive(_ report: SenderReport, at now: MonotonicTime) {
    guard let index = layers.firstIndex(where: { $0?.ssrc == report.ssrc }) else { return }
    layers[index]?.receive(report, at: now)
  }

  /// The SSRC to send a key-frame request for, or nil when the layer has none yet or was asked a moment ago.
  mutating func requestKeyFrame(of layer: Int, at now: MonotonicTime) -> SSRC? {
    guard layers.indices.contains(layer), let ssrc = layers[layer]?.ssrc,
      layers[layer]?.permitsKeyFrameRequest(at: now) == true
    else { return nil }
    return ssrc
  }

  /// Missing packets to ask for now, a request a layer.
  mutating func takeNACKs(sender: SSRC, at now: MonotonicTime) -> [GenericNACK] {
    guard configuration.supportsNACK else { return [] }
    var requests: [GenericNACK] = []
    for index in layers.indices {
      guard let ssrc = layers[index]?.ssrc, let lost = layers[index]?.takeLosses(at: now), !lost.isEmpty else {
        continue
      }
      requests.append(GenericNACK(sender: sender, media: ssrc, lost: lost))
    }
    return requests
  }

  /// A block a bound layer for the next receiver report.
  mutating func makeReportBlocks(at now: MonotonicTime) -> [ReportBlock] {
    var blocks: [ReportBlock] = []
    for index in layers.indices {
      if let block = layers[index]?.makeReportBlock(at: now) { blocks.append(block) }
    }
    return blocks
  }

  /// Smoothed loudness, 0 … 1; 0 for anything below speech.
  mutating func level(at now: MonotonicTime) -> Double { levels.level(at: now) }

  private mutating func receive(
    _ packet: RTPPacket, layer: Int, isRetransmission: Bool, at now: MonotonicTime
  ) -> UpPacket? {
    guard layers.indices.contains(layer),
      let received = layers[layer]?.receive(
        packet, isRetransmission: isRetransmission, asksForLosses: configuration.supportsNACK, at: now)
    else { return drop(.unknownSSRC) }
    if let refusal = received.refusal { return drop(refusal) }
    var result = UpPacket(
      layer: layer, packet: packet, sequence: received.sequence, isPaddingOnly: packet.payload.isEmpty,
      clock: layers[layer]?.clock)
    switch configuration.kind {
    case .audio: readAudio(packet, into: &result, at: now)
    case .video:
      guard readVideo(packet, into: &result) else {
        drops.count(.malformed)
        // Its number must not become a gap that subscribers ask for in vain.
        result.isPaddingOnly = true
        return result
      }
    }
    return result
  }

  private mutating func readAudio(_ packet: RTPPacket, into result: inout UpPacket, at now: MonotonicTime) {
    guard let id = configuration.audioLevelID, let level = packet.extensionData(id).flatMap(AudioLevel.init) else {
      return
    }
    result.audioLevel = level
    let ticks = lastTimestamp.map { packet.timestamp.distance(from: $0) } ?? 960
    if ticks > 0 { lastTimestamp = packet.timestamp }
    // 20 ms unless the timestamps say another frame length; longer steps are pauses.
    let isFrame = ticks > 0 && ticks <= configuration.clockRate * 120 / 1000
    let duration: Duration =
      isFrame ? .nanoseconds(Int64(ticks) * 1_000_000_000 / Int64(configuration.clockRate)) : .milliseconds(20)
    levels.observe(level: level.negativeDecibels, duration: duration, at: now)
  }

  /// False when the payload does not begin with a VP8 descriptor.
  private func readVideo(_ packet: RTPPacket, into result: inout UpPacket) -> Bool {
    guard !packet.payload.isEmpty else { return true }
    var length = 0
    guard let descriptor = try? VP8PayloadDescriptor(parsing: packet.payload, at: &length),
      length < packet.payload.count
    else { return false }
    result.vp8 = descriptor
    result.vp8Length = length
    result.startsKeyFrame = descriptor.startsKeyFrame(packet.payload, at: length)
    return true
  }

  private mutating func drop(_ reason: DropReason) -> UpPacket? {
    drops.count(reason)
    return nil
  }
}
