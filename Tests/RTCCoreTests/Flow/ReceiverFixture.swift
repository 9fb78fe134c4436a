import RTCCore

/// A receiver fed packet by packet, without delay.
struct ReceiverFixture {
  var receiver: VideoReceiver
  private(set) var now = MonotonicTime.zero
  private(set) var frames: [EncodedFrame] = []
  private(set) var requestTimes: [MonotonicTime] = []
  private(set) var asked: [SequenceNumber] = []
  private var sequence = SequenceNumber(65_530)
  private var timestamp = RTPTimestamp(0)
  private var pictureID = VP8PayloadDescriptor.PictureID(126, isLong: false)
  private var baseIndex: UInt8 = 254
  private var wake: MonotonicTime?

  var requests: Int { requestTimes.count }

  init(supportsNACK: Bool = true, maximumFrameBytes: Int = 1 << 20) {
    var configuration = VideoReceiver.Configuration(
      ssrc: VideoCall.mediaSSRC, rtxSSRC: VideoCall.rtxSSRC, payloadTypes: [96], rtxPayloadTypes: [97: 96],
      supportsNACK: supportsNACK, localSSRC: SSRC(1))
    configuration.maximumFrameBytes = maximumFrameBytes
    receiver = VideoReceiver(configuration, at: .zero)
    drain()
  }

  mutating func receive(_ packet: RTPPacket) {
    receiver.receive(packet, at: now)
    drain()
  }

  /// One frame of two packets.
  mutating func frame(key: Bool, layer: UInt8? = nil, sync: Bool = false, lost: Bool = false) {
    if layer == 0 { baseIndex &+= 1 }
    packet(start: true, key: key, marker: false, layer: layer, sync: sync, lost: lost)
    packet(start: false, key: key, marker: true, layer: layer, sync: sync, lost: lost)
    nextFrame()
  }

  mutating func packet(
    start: Bool, key: Bool, marker: Bool, layer: UInt8? = nil, sync: Bool = false, lost: Bool = false, size: Int = 4
  ) {
    let descriptor = VP8PayloadDescriptor(
      isPartitionStart: start, pictureID: pictureID, temporalBaseIndex: layer == nil ? nil : baseIndex,
      temporalLayer: layer.map { .init(id: $0, isSync: sync) })
    let payload = descriptor.serialized() + [key ? 0x10 : 0x11] + [UInt8](repeating: 7, count: size - 1)
    let packet = RTPPacket(
      payloadType: 96, marker: marker, sequenceNumber: sequence, timestamp: timestamp, ssrc: VideoCall.mediaSSRC,
      payload: payload)
    sequence = sequence.next
    if !lost { receive(packet) }
  }

  /// Some of the packets of a frame of `count`, in this order; numbers and picture id stay where they are.
  mutating func packets(key: Bool, order: [Int], count: Int) {
    let first = sequence
    for index in order {
      sequence = first.advanced(by: index)
      packet(start: index == 0, key: key, marker: index == count - 1)
    }
    sequence = first
  }

  mutating func nextFrame() {
    pictureID = pictureID.advanced(by: 1)
    timestamp = timestamp.advanced(by: 3_000)
  }

  mutating func skipNumbers(_ count: Int) { sequence = sequence.advanced(by: count) }

  mutating func advance(by duration: Duration) {
    let end = now + duration
    while let due = wake, due <= end {
      now = max(now, due)
      receiver.advance(to: now)
      drain()
    }
    now = end
  }

  mutating func drain() {
    while true {
      switch receiver.pollOutput() {
      case .frame(let frame): frames.append(frame)
      case .feedback(let packets):
        for packet in packets {
          if case .pictureLossIndication = packet { requestTimes.append(now) }
          if case .nack(let nack) = packet { asked += nack.lost }
        }
      case .wait(let time):
        wake = time
        return
      }
    }
  }
}
