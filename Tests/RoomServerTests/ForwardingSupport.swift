import RTCCore

@testable import RoomServer

/// A publisher's layer, which makes VP8 packets with running numbers that start anywhere.
final class SourceLayer {
  var index: Int
  var ssrc: SSRC
  var sequence: UInt16
  var timestamp: UInt32
  var pictureID: UInt16
  var baseIndex: UInt8
  var keyIndex: UInt8 = 0
  var unwrapper = SequenceUnwrapper()
  var clock: SenderClock?

  init(index: Int, sequence: UInt16, timestamp: UInt32, pictureID: UInt16, baseIndex: UInt8) {
    self.index = index
    ssrc = SSRC(UInt32(1000 + index))
    self.sequence = sequence
    self.timestamp = timestamp
    self.pictureID = pictureID
    self.baseIndex = baseIndex
  }

  /// The packets of the next frame, 3000 ticks after the one before.
  func frame(isKey: Bool, packets: Int = 3) -> [UpPacket] {
    timestamp &+= 3000
    pictureID = (pictureID + 1) & 0x7FFF
    baseIndex &+= 1
    if isKey { keyIndex = (keyIndex + 1) & 31 }
    return (0..<packets).map { index in
      let descriptor = VP8PayloadDescriptor(
        isPartitionStart: index == 0, pictureID: .init(pictureID), temporalBaseIndex: baseIndex,
        temporalLayer: .init(id: 0), keyIndex: keyIndex)
      let head = descriptor.serialized()
      return next(
        payload: head + [isKey ? 0x10 : 0x11, UInt8(self.index), UInt8(index)], marker: index == packets - 1,
        vp8: descriptor, vp8Length: head.count, startsKeyFrame: isKey && index == 0)
    }
  }

  func padding() -> UpPacket { next(payload: [], marker: false) }

  private func next(
    payload: [UInt8], marker: Bool, vp8: VP8PayloadDescriptor? = nil, vp8Length: Int = 0, startsKeyFrame: Bool = false
  ) -> UpPacket {
    sequence &+= 1
    let packet = RTPPacket(
      payloadType: 96, marker: marker, sequenceNumber: SequenceNumber(sequence), timestamp: RTPTimestamp(timestamp),
      ssrc: ssrc, extensions: [.init(id: 3, data: [9])], payload: payload, paddingLength: payload.isEmpty ? 50 : 0)
    return UpPacket(
      layer: index, packet: packet, sequence: unwrapper.unwrap(packet.sequenceNumber), isPaddingOnly: payload.isEmpty,
      vp8: vp8, vp8Length: vp8Length, startsKeyFrame: startsKeyFrame, clock: clock)
  }
}

extension MonotonicTime {
  static func ms(_ value: Int) -> MonotonicTime { .zero + .milliseconds(value) }
}

extension RTPPacket {
  /// The VP8 descriptor that a subscriber would read.
  var descriptor: VP8PayloadDescriptor? {
    var offset = 0
    return try? VP8PayloadDescriptor(parsing: payload, at: &offset)
  }
}

func videoDownTrack(target: Int?, rtx: Bool = true) -> Held<DownTrack> {
  Held(
    DownTrack(
      configuration: .init(
        kind: .video, ssrc: SSRC(7), rtxSSRC: rtx ? SSRC(8) : nil, payloadType: 100, rtxPayloadType: rtx ? 101 : nil,
        clockRate: 90_000, cname: "PA_a|TR_b"), target: target, rtxSequence: 65_535))
}

/// Holds a value so that its functions can be called inside an expectation.
final class Held<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}

extension Held where Value == DownTrack {
  var layerAwaitingKeyFrame: Int? { value.layerAwaitingKeyFrame }
  var currentLayer: Int? { value.currentLayer }
  var drops: DropCounters { value.drops }
  func setTarget(_ layer: Int?) { value.setTarget(layer) }
  func forward(_ packet: UpPacket, at now: MonotonicTime) -> RTPPacket? { value.forward(packet, at: now) }
  func resend(_ lost: [SequenceNumber], at now: MonotonicTime) -> [RTPPacket] { value.resend(lost, at: now) }
  func report(clock: SenderClock?, at now: MonotonicTime) -> [RTCPPacket]? { value.report(clock: clock, at: now) }
}

extension Held where Value == UpTrack {
  var drops: DropCounters { value.drops }
  func bind(layer: Int, to ssrc: SSRC) { value.bind(layer: layer, to: ssrc) }
  func clock(of layer: Int) -> SenderClock? { value.clock(of: layer) }
  func activeLayers(at now: MonotonicTime) -> [Bool] { value.activeLayers(at: now) }
  func receive(_ packet: RTPPacket, layer: Int, at now: MonotonicTime) -> UpPacket? {
    value.receive(packet, layer: layer, at: now)
  }
  func receiveRetransmission(_ packet: RTPPacket, layer: Int, originalPayloadType: UInt8, at now: MonotonicTime)
    -> UpPacket?
  {
    value.receiveRetransmission(packet, layer: layer, originalPayloadType: originalPayloadType, at: now)
  }
  func receive(_ report: SenderReport, at now: MonotonicTime) { value.receive(report, at: now) }
  func requestKeyFrame(of layer: Int, at now: MonotonicTime) -> SSRC? { value.requestKeyFrame(of: layer, at: now) }
  func takeNACKs(sender: SSRC, at now: MonotonicTime) -> [GenericNACK] { value.takeNACKs(sender: sender, at: now) }
  func makeReportBlocks(at now: MonotonicTime) -> [ReportBlock] { value.makeReportBlocks(at: now) }
  func level(at now: MonotonicTime) -> Double { value.level(at: now) }
}

extension Held where Value == SpeakerDetector {
  func update(_ levels: [String: Double]) -> [SpeakerDetector.Change] { value.update(levels) }
}

extension Held where Value == AudioLevelWindow {
  func level(at now: MonotonicTime) -> Double { value.level(at: now) }
}

extension Held where Value == StreamBinder {
  func resolve(_ packet: RTPPacket) -> Result<StreamBinder.Binding, DropFailure> { value.resolve(packet) }
}
