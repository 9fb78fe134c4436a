import RTCCore
import TestKit

/// A sender and a receiver of one video track with a simulated network between them.
struct VideoCall {
  static let mediaSSRC = SSRC(0x1111)
  static let rtxSSRC = SSRC(0x2222)

  var forward: SimulatedLink<RTPPacket>
  var backward: SimulatedLink<[RTCPPacket]>
  var receiver: VideoReceiver
  /// Whether the sender makes a key frame when asked.
  var answersPLI = true
  var frameInterval: Duration = .nanoseconds(33_333_333)
  /// After each of these frames, so many padding packets are sent.
  var paddingAfter: [Int: Int] = [:]
  /// Frames that are key frames without being asked for.
  var plannedKeyFrames: Set<Int> = [0]

  private(set) var sentFrames: [[UInt8]] = []
  private(set) var sentKeyFrames: Set<Int> = []
  private(set) var delivered: [EncodedFrame] = []
  private(set) var deliveredAt: [MonotonicTime] = []
  private(set) var pliTimes: [MonotonicTime] = []
  private(set) var nackCount = 0
  private(set) var now = MonotonicTime.zero

  private var stream: SendStream
  private var packetizer = VP8Packetizer(maximumPayloadSize: 1_100, pictureID: 32_700, temporalBaseIndex: 250)
  private var generator: SeededGenerator
  private var keyFrameWanted = false
  private var wake: MonotonicTime?

  init(
    seed: UInt64, delay: Duration = .milliseconds(40), rtx: Bool = false, firstSequence: UInt16 = 100,
    adjust: (inout VideoReceiver.Configuration) -> Void = { _ in }
  ) {
    forward = SimulatedLink(seed: seed, delay: delay)
    backward = SimulatedLink(seed: seed &+ 1_000, delay: delay)
    generator = SeededGenerator(seed: seed &+ 2_000)
    var configuration = VideoReceiver.Configuration(
      ssrc: Self.mediaSSRC, rtxSSRC: rtx ? Self.rtxSSRC : nil, payloadTypes: [96],
      rtxPayloadTypes: rtx ? [97: 96] : [:], localSSRC: SSRC(1))
    adjust(&configuration)
    receiver = VideoReceiver(configuration, at: .zero)
    receiver.setRoundTrip(delay * 2)
    stream = SendStream(
      SendStream.Configuration(
        ssrc: Self.mediaSSRC, payloadType: 96, clockRate: ClockRate.video, rtxSSRC: rtx ? Self.rtxSSRC : nil,
        rtxPayloadType: rtx ? 97 : nil, firstSequence: SequenceNumber(firstSequence)))
    stream.setRoundTrip(delay)
  }

  /// Sends `count` frames, and goes on for `tail` after the last.
  mutating func run(frames count: Int, tail: Duration = .seconds(1)) {
    let first = sentFrames.count
    let start = now
    for index in 0..<count {
      advance(to: start + frameInterval * index)
      sendFrame(first + index)
    }
    advance(to: now + tail)
  }

  /// Lets time pass, event by event.
  mutating func advance(to end: MonotonicTime) {
    while true {
      let events = [forward.nextArrival, backward.nextArrival, wake].compactMap { $0 }
      guard let next = events.min(), next <= end else { break }
      now = max(now, next)
      for packet in forward.receive(at: now) {
        receiver.receive(packet, at: now)
        drain()
      }
      for packets in backward.receive(at: now) { answer(packets) }
      if let due = wake, due <= now {
        receiver.advance(to: now)
        drain()
      }
    }
    now = max(now, end)
  }

  /// Index of each delivered frame among those sent.
  var deliveredIndices: [Int] { delivered.map { Self.index(of: $0.payload) } }

  /// Whether each delivered frame is what was sent and has the frame that it refers to delivered just before it.
  var isDecodable: Bool {
    var previous: Int?
    for frame in delivered {
      let index = Self.index(of: frame.payload)
      guard sentFrames.indices.contains(index), sentFrames[index] == frame.payload else { return false }
      guard frame.isKeyFrame == sentKeyFrames.contains(index) else { return false }
      if !frame.isKeyFrame, previous != index - 1 { return false }
      previous = index
    }
    return true
  }

  private static func index(of payload: [UInt8]) -> Int {
    payload.count < 4 ? -1 : Int(payload[1]) << 16 | Int(payload[2]) << 8 | Int(payload[3])
  }

  private mutating func sendFrame(_ index: Int) {
    let isKey = plannedKeyFrames.contains(index) || keyFrameWanted
    keyFrameWanted = false
    let size = isKey ? 9_000 : Int.random(in: 200...3_000, using: &generator)
    var frame = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: size)
    // Marks by which each packet's piece differs from the others.
    for place in stride(from: 0, to: size, by: 100) { frame[place] = UInt8(truncatingIfNeeded: place / 100) }
    frame[0] = isKey ? 0x10 : 0x11
    frame[1] = UInt8(truncatingIfNeeded: index >> 16)
    frame[2] = UInt8(truncatingIfNeeded: index >> 8)
    frame[3] = UInt8(truncatingIfNeeded: index)
    sentFrames.append(frame)
    if isKey { sentKeyFrames.insert(index) }
    let timestamp = RTPTimestamp(UInt32.max - 9_000).advanced(by: index * 3_000)
    for packet in stream.send(
      payloads: packetizer.packetize(frame), timestamp: timestamp, markerOnLast: true, at: now)
    {
      forward.send(packet, at: now)
    }
    guard let padding = paddingAfter[index] else { return }
    let empty = [[UInt8]](repeating: [], count: padding)
    for packet in stream.send(payloads: empty, timestamp: timestamp, markerOnLast: false, at: now) {
      forward.send(packet, at: now)
    }
  }

  private mutating func answer(_ packets: [RTCPPacket]) {
    for packet in packets {
      switch packet {
      case .nack(let nack):
        for packet in stream.retransmit(nack, at: now) { forward.send(packet, at: now) }
      case .pictureLossIndication where answersPLI: keyFrameWanted = true
      default: break
      }
    }
  }

  mutating func drain() {
    while true {
      switch receiver.pollOutput() {
      case .frame(let frame):
        delivered.append(frame)
        deliveredAt.append(now)
      case .feedback(let packets):
        for packet in packets {
          if case .pictureLossIndication = packet { pliTimes.append(now) }
          if case .nack(let nack) = packet { nackCount += nack.lost.count }
        }
        backward.send(packets, at: now)
      case .wait(let time):
        wake = time
        return
      }
    }
  }
}
