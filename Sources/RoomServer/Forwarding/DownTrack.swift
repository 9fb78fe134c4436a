import RTCCore

/// One published track on its way to one subscriber: whichever layer it comes from, the subscriber sees a single
/// continuous stream.
///
/// A layer starts, and takes over from another, only at a key frame of its own; until then the old layer flows on.
struct DownTrack: Sendable {
  struct Configuration: Equatable, Sendable {
    var kind: MediaKind
    var ssrc: SSRC
    /// Set when RTX was negotiated, with ``rtxPayloadType``.
    var rtxSSRC: SSRC?
    var payloadType: UInt8
    var rtxPayloadType: UInt8?
    /// Ticks a second.
    var clockRate: Int
    /// RFC 3550 §6.5.1.
    var cname: String
    /// Header extensions negotiated with this subscriber; no others are sent.
    var audioLevelID: UInt8?
    /// The section's mid, where it is sent with every packet (RFC 9143 §15).
    var mid: RTPPacket.Extension?
  }

  /// Time between two sender reports.
  static let reportInterval: Duration = .seconds(3)
  /// A sender-report mapping that strays further than this from the time passed is not believed.
  private static let maximumClockError: Duration = .seconds(1)

  /// The layer that flows now and how it maps to the outgoing stream.
  private struct Source {
    var layer: Int
    var sequences: SequenceMap
    var timestampOffset: UInt32
    var pictures: VP8PictureMap?
  }

  /// The newest packet sent, which the next layer continues.
  private struct Newest {
    var sequence: Int64
    var timestamp: RTPTimestamp
    /// Timestamp as the source had it.
    var sourceTimestamp: RTPTimestamp
    var sourceClock: SenderClock?
    /// Nil once another track continues the stream.
    var layer: Int?
    var at: MonotonicTime
    var pictures: VP8PictureNumbers?
  }

  private(set) var configuration: Configuration
  private var source: Source?
  /// The layer that flowed before, for its late packets.
  private var previous: Source?
  private var newest: Newest?
  private var cache: ResendCache
  private var sent = DuplicateWindow()
  private var rtx: RTXStream?
  private var packetCount: UInt32 = 0
  private var octetCount: UInt32 = 0
  private var lastReport: MonotonicTime?
  private var keyFrameAsked = false

  /// The layer that shall flow; nil while the subscriber wants nothing.
  private(set) var target: Int?
  private(set) var drops = DropCounters()
  /// Packets sent again on request.
  private(set) var packetsResent = 0

  /// - Parameter rtxSequence: first sequence number of the retransmission stream; random in use (RFC 4588 §4).
  init(configuration: Configuration, target: Int?, rtxSequence: UInt16 = 0) {
    self.configuration = configuration
    self.target = target
    // Some seconds of video, four of audio.
    cache = ResendCache(capacity: configuration.kind == .video ? 512 : 256)
    if let ssrc = configuration.rtxSSRC, let payloadType = configuration.rtxPayloadType {
      rtx = RTXStream(ssrc: ssrc, payloadType: payloadType, firstSequence: SequenceNumber(rtxSequence))
    }
  }

  /// The layer that flows now; nil before the first key frame and while paused.
  var currentLayer: Int? { source?.layer }

  /// The layer of which a key frame is wanted, to start, to switch, or because the subscriber lost the picture.
  var layerAwaitingKeyFrame: Int? {
    guard configuration.kind == .video, let target else { return nil }
    if source?.layer != target { return target }
    return keyFrameAsked ? target : nil
  }

  /// Chooses the layer; nil stops the flow at once, and the next start waits for a key frame.
  mutating func setTarget(_ layer: Int?) {
    target = layer
    if layer == nil {
      source = nil
      previous = nil
      keyFrameAsked = false
    }
  }

  /// The packets to come are another track's. They continue the stream, and share neither layers nor a clock with those
  /// before. Drops are counted anew.
  mutating func changeTrack() {
    setTarget(nil)
    newest?.layer = nil
    newest?.sourceClock = nil
    drops = DropCounters()
  }

  /// The subscriber lost the picture (PLI or FIR).
  mutating func keyFrameRequested() { if target != nil { keyFrameAsked = true } }

  /// The packet as the subscriber gets it, or nil when this packet is not for it. Layers that the subscriber does not get
  /// are no drops: somebody else gets them, or nobody asked for them.
  mutating func forward(_ packet: UpPacket, at now: MonotonicTime) -> RTPPacket? {
    guard let target else { return nil }
    if packet.layer == source?.layer { return forwardCurrent(packet, at: now) }
    if packet.layer == target, canStart(packet) {
      start(packet, at: now)
      return forwardCurrent(packet, at: now)
    }
    if packet.layer == previous?.layer { return forwardLate(packet, at: now) }
    return packet.layer == target ? drop(.awaitingKeyFrame) : nil
  }

  /// Packets asked for again, ready to be sent: on the RTX stream where there is one (RFC 4588 §4), else as they were.
  mutating func resend(_ lost: [SequenceNumber], at now: MonotonicTime) -> [RTPPacket] {
    var packets: [RTPPacket] = []
    // A request names some dozens at most; a flood is cut here.
    for number in lost.prefix(512) {
      guard let packet = cache.take(number, at: now) else { continue }
      packets.append(rtx?.wrap(packet) ?? packet)
    }
    packetsResent += packets.count
    return packets
  }

  /// The compound to send, every 3 s once media flows and its publisher has told its clock: a sender report in the
  /// outgoing timeline on the publisher's NTP clock, so that its tracks stay in step, and the CNAME.
  mutating func report(clock: SenderClock?, at now: MonotonicTime) -> [RTCPPacket]? {
    guard let source, let clock, packetCount > 0 else { return nil }
    if let lastReport, now - lastReport < Self.reportInterval { return nil }
    lastReport = now
    let elapsed = now - clock.at
    let ticks = Int(elapsed.inSeconds * Double(configuration.clockRate))
    let timestamp = clock.timestamp.advanced(by: ticks).raw &+ source.timestampOffset
    let report = SenderReport(
      ssrc: configuration.ssrc, ntpTime: clock.ntpTime.advanced(by: elapsed), rtpTimestamp: RTPTimestamp(timestamp),
      packetCount: packetCount, octetCount: octetCount)
    let chunk = SourceDescription.Chunk(ssrc: configuration.ssrc, items: [(type: 1, text: configuration.cname)])
    return [.senderReport(report), .sourceDescription(SourceDescription(chunks: [chunk]))]
  }

  /// Whether a subscriber can begin with this packet.
  private func canStart(_ packet: UpPacket) -> Bool {
    guard !packet.isPaddingOnly else { return false }
    return configuration.kind == .audio || packet.startsKeyFrame
  }

  private mutating func drop(_ reason: DropReason) -> RTPPacket? {
    drops.count(reason)
    return nil
  }

  /// Makes the packet's layer the source and continues the outgoing stream with it.
  private mutating func start(_ packet: UpPacket, at now: MonotonicTime) {
    let sequence = newest.map { $0.sequence &+ 1 } ?? packet.sequence
    let timestamp = newest.map { continuation(of: $0, with: packet, at: now) } ?? packet.packet.timestamp
    if let source, source.layer != packet.layer { previous = source }
    source = Source(
      layer: packet.layer, sequences: SequenceMap(from: packet.sequence, to: sequence),
      timestampOffset: timestamp.raw &- packet.packet.timestamp.raw,
      pictures: packet.vp8.map { VP8PictureMap(first: $0, after: newest?.pictures) })
  }

  /// The outgoing timestamp of a layer's first packet: mapped through both layers' sender reports where they are known and
  /// plausible, else the time that has passed; always after the newest one.
  private func continuation(of newest: Newest, with packet: UpPacket, at now: MonotonicTime) -> RTPTimestamp {
    let rate = Double(configuration.clockRate)
    let passed = now - newest.at
    var ticks = Int(passed.inSeconds * rate)
    if packet.layer == newest.layer {
      let step = packet.packet.timestamp.distance(from: newest.sourceTimestamp)
      if abs(Double(step) / rate - passed.inSeconds) < Self.maximumClockError.inSeconds { ticks = step }
    } else if let old = newest.sourceClock, let new = packet.clock {
      let step = new.ntpTime(of: packet.packet.timestamp, clockRate: configuration.clockRate)
        .interval(since: old.ntpTime(of: newest.sourceTimestamp, clockRate: configuration.clockRate))
      if abs((step - passed).inSeconds) < Self.maximumClockError.inSeconds { ticks = Int(step.inSeconds * rate) }
    }
    return newest.timestamp.advanced(by: max(1, ticks))
  }

  private mutating func forwardCurrent(_ packet: UpPacket, at now: MonotonicTime) -> RTPPacket? {
    if packet.isPaddingOnly {
      source?.sequences.skip(packet.sequence)
      return drop(.padding)
    }
    guard let sequence = source?.sequences.map(packet.sequence), let offset = source?.timestampOffset else {
      return drop(.tooLate)
    }
    let vp8 = packet.vp8.flatMap { source?.pictures?.map($0) }
    guard let outgoing = finish(packet, sequence: sequence, timestampOffset: offset, vp8: vp8, at: now) else {
      return nil
    }
    if packet.startsKeyFrame { keyFrameAsked = false }
    if sequence >= newest?.sequence ?? Int64.min {
      newest = Newest(
        sequence: sequence, timestamp: outgoing.timestamp, sourceTimestamp: packet.packet.timestamp,
        sourceClock: packet.clock, layer: packet.layer, at: now, pictures: source?.pictures?.newest)
    } else if let pictures = source?.pictures?.newest {
      newest?.pictures = pictures
    }
    return outgoing
  }

  /// A packet of the layer before, which fills a gap from before the switch.
  private mutating func forwardLate(_ packet: UpPacket, at now: MonotonicTime) -> RTPPacket? {
    guard var old = previous, packet.sequence < old.sequences.highest, !packet.isPaddingOnly else { return nil }
    guard let sequence = old.sequences.map(packet.sequence) else { return drop(.tooLate) }
    let vp8 = packet.vp8.flatMap { old.pictures?.map($0) }
    return finish(packet, sequence: sequence, timestampOffset: old.timestampOffset, vp8: vp8, at: now)
  }

  private mutating func finish(
    _ packet: UpPacket, sequence: Int64, timestampOffset: UInt32, vp8: VP8PayloadDescriptor?, at now: MonotonicTime
  ) -> RTPPacket? {
    var outgoing = RTPPacket(
      payloadType: configuration.payloadType, marker: packet.packet.marker,
      sequenceNumber: SequenceNumber(unwrapped: sequence),
      timestamp: RTPTimestamp(packet.packet.timestamp.raw &+ timestampOffset), ssrc: configuration.ssrc)
    if let vp8 {
      outgoing.payload = vp8.serialized()
      outgoing.payload.append(contentsOf: packet.packet.payload[packet.vp8Length...])
    } else {
      outgoing.payload = packet.packet.payload
    }
    if let id = configuration.audioLevelID, let level = packet.audioLevel {
      outgoing.extensions.append(RTPPacket.Extension(id: id, data: level.data))
    }
    if let mid = configuration.mid { outgoing.extensions.append(mid) }
    switch sent.insert(sequence) {
    case .new: cache.insert(outgoing, at: now)
    case .duplicate: return drop(.duplicate)
    case .tooOld: return drop(.tooLate)
    }
    packetCount &+= 1
    octetCount &+= UInt32(truncatingIfNeeded: outgoing.payload.count)
    return outgoing
  }
}
