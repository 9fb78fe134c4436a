/// Joins the packets of a VP8 stream, given in sequence order, into frames, and lets through only those that a decoder can
/// use: key frames, and frames whose references were all let through.
struct VP8FrameAssembler: Sendable {
  /// What is known about the references of the next frame.
  enum Chain: Equatable, Sendable {
    case awaitingKeyFrame
    case intact
    /// Packets were lost, perhaps only padding or frames that nothing refers to; the next frame's descriptor tells.
    case uncertain
  }

  private struct Partial {
    var descriptor: VP8PayloadDescriptor
    var isKeyFrame: Bool
    var timestamp: RTPTimestamp
    var bytes: [UInt8]
    var packets: Int
    var startedAt: MonotonicTime
    var completedAt: MonotonicTime
  }

  private enum Current {
    case none
    case building(Partial)
    case discarding(RTPTimestamp, DropReason)
  }

  /// Larger frames are refused as malformed, so that a sender that never ends a frame cannot fill memory.
  private let maximumFrameBytes: Int
  private(set) var chain = Chain.awaitingKeyFrame
  private var current = Current.none
  private var lastPictureID: VP8PayloadDescriptor.PictureID?
  private var lastBaseIndex: UInt8?
  /// Highest temporal layer whose frames still have all their references.
  private var intactLayer = UInt8.max

  init(maximumFrameBytes: Int) { self.maximumFrameBytes = maximumFrameBytes }

  /// Takes the packet that follows the last one, and gives the frame that it completes.
  mutating func push(_ packet: VideoPacket, drops: inout DropCounters) -> EncodedFrame? {
    guard case .media(let place) = packet.content else {
      if case .malformed = packet.content { lose(drops: &drops) }
      return nil
    }
    let descriptor = place.descriptor
    if case .building(var partial) = current, !descriptor.startsFrame, partial.timestamp == packet.timestamp {
      current = .none  // leaves the partial frame's bytes with one owner, so that appending does not copy
      append(packet, at: place.offset, to: &partial)
      return settle(partial, isLast: packet.marker, drops: &drops)
    }
    if case .discarding(packet.timestamp, let reason) = current, !descriptor.startsFrame {
      drops.count(reason)
      return nil
    }
    // The frame before this one has ended without its marker (RFC 7741 §4.1), so its last packets were never sent.
    dropPartial(drops: &drops)
    guard descriptor.startsFrame else {
      drops.count(chain == .awaitingKeyFrame ? .awaitingKeyFrame : .incompleteFrame)
      frameLost(descriptor)
      return nil
    }
    if !place.startsKeyFrame, let reason = reasonToDiscard(descriptor) {
      drops.count(reason)
      current = .discarding(packet.timestamp, reason)
      return nil
    }
    var partial = Partial(
      descriptor: descriptor, isKeyFrame: place.startsKeyFrame, timestamp: packet.timestamp, bytes: [], packets: 0,
      startedAt: packet.arrival, completedAt: packet.arrival)
    append(packet, at: place.offset, to: &partial)
    return settle(partial, isLast: packet.marker, drops: &drops)
  }

  /// Packets that should come next will not come.
  mutating func lose(drops: inout DropCounters) {
    dropPartial(drops: &drops)
    current = .none
    if chain == .intact { chain = .uncertain }
  }

  /// Forgets everything; only a key frame can begin again.
  mutating func restart(drops: inout DropCounters) {
    dropPartial(drops: &drops)
    current = .none
    chain = .awaitingKeyFrame
  }

  private func append(_ packet: VideoPacket, at offset: Int, to partial: inout Partial) {
    partial.bytes.append(contentsOf: packet.payload[offset...])
    partial.packets += 1
    partial.startedAt = min(partial.startedAt, packet.arrival)
    partial.completedAt = max(partial.completedAt, packet.arrival)
  }

  private mutating func settle(_ partial: Partial, isLast: Bool, drops: inout DropCounters) -> EncodedFrame? {
    if partial.bytes.count > maximumFrameBytes {
      drops.count(.malformed, by: partial.packets)
      current = .discarding(partial.timestamp, .malformed)
      chain = .awaitingKeyFrame
      return nil
    }
    guard isLast else {
      current = .building(partial)
      return nil
    }
    current = .none
    return finish(partial)
  }

  private mutating func finish(_ partial: Partial) -> EncodedFrame {
    let descriptor = partial.descriptor
    if partial.isKeyFrame {
      intactLayer = .max
    } else if let layer = descriptor.temporalLayer, layer.isSync, intactLayer < layer.id, layer.id == intactLayer + 1 {
      intactLayer = layer.id
    }
    chain = .intact
    lastPictureID = descriptor.pictureID
    lastBaseIndex = descriptor.temporalBaseIndex
    return EncodedFrame(
      isKeyFrame: partial.isKeyFrame, timestamp: partial.timestamp, payload: partial.bytes,
      startedAt: partial.startedAt, completedAt: partial.completedAt)
  }

  private mutating func dropPartial(drops: inout DropCounters) {
    guard case .building(let partial) = current else { return }
    drops.count(.incompleteFrame, by: partial.packets)
    current = .none
    frameLost(partial.descriptor)
  }

  /// A frame with this descriptor was lost for certain.
  private mutating func frameLost(_ descriptor: VP8PayloadDescriptor) {
    guard chain != .awaitingKeyFrame else { return }
    if let layer = descriptor.temporalLayer?.id, layer > 0, descriptor.temporalBaseIndex != nil {
      chain = .uncertain
      intactLayer = min(intactLayer, layer - 1)
    } else {
      chain = .awaitingKeyFrame
    }
  }

  /// Why the frame that begins with `descriptor`, no key frame, cannot be decoded; nil when it can.
  private mutating func reasonToDiscard(_ descriptor: VP8PayloadDescriptor) -> DropReason? {
    if chain == .uncertain { resolve(descriptor) }
    if chain == .awaitingKeyFrame { return .awaitingKeyFrame }
    guard let layer = descriptor.temporalLayer, layer.id > intactLayer, !layer.isSync else { return nil }
    return .missingReference
  }

  /// Decides after a loss whether the base layer is whole.
  private mutating func resolve(_ descriptor: VP8PayloadDescriptor) {
    if let lastPictureID, descriptor.pictureID == lastPictureID.advanced(by: 1) {
      // No frame is missing: the lost packets carried nothing.
      chain = .intact
      return
    }
    guard let index = descriptor.temporalBaseIndex, let layer = descriptor.temporalLayer, let lastBaseIndex else {
      chain = .awaitingKeyFrame
      return
    }
    intactLayer = 0
    // TL0PICIDX grows by one with each base-layer frame; frames above carry the index of the one that they build upon.
    if index != (layer.id == 0 ? lastBaseIndex &+ 1 : lastBaseIndex) { chain = .awaitingKeyFrame }
  }
}
