/// Where a packet stands in its VP8 frame (RFC 7741 §4.2).
struct VP8PacketPlace: Sendable {
  var descriptor: VP8PayloadDescriptor
  /// Offset of the compressed bytes in the RTP payload, which has at least one.
  var offset: Int
  var startsKeyFrame: Bool

  /// - Parameter start: where the original payload begins, 2 in a retransmission.
  init?(_ payload: [UInt8], from start: Int) {
    offset = start
    guard let descriptor = try? VP8PayloadDescriptor(parsing: payload, at: &offset), offset < payload.count else {
      return nil
    }
    self.descriptor = descriptor
    startsKeyFrame = descriptor.startsKeyFrame(payload, at: offset)
  }
}

/// One packet of a video stream as the frame assembly needs it.
struct VideoPacket: Sendable {
  enum Content: Sendable {
    case media(VP8PacketPlace)
    case padding
    case malformed
  }

  var content: Content
  /// Whole RTP payload; the compressed bytes begin at the place's offset.
  var payload: [UInt8]
  var timestamp: RTPTimestamp
  var marker: Bool
  var arrival: MonotonicTime

  var startsKeyFrame: Bool {
    if case .media(let place) = content { place.startsKeyFrame } else { false }
  }
}

/// The packets between the next one to be used and the newest, by unwrapped sequence number: a ring of fixed size.
struct PacketWindow: Sendable {
  enum Slot: Sendable {
    /// Never seen; `since` is when a later packet showed that it is missing.
    case missing(since: MonotonicTime)
    case waiting(VideoPacket)
    case used
  }

  enum Insertion: Equatable { case stored, duplicate, abandoned, tooFar }

  private var slots: [Slot]
  private let mask: Int64
  /// The next number to be used.
  private(set) var next: Int64
  /// One past the highest number seen.
  private(set) var end: Int64

  /// - Parameter capacity: a power of two.
  init(capacity: Int, startingAt next: Int64, at now: MonotonicTime) {
    slots = Array(repeating: .missing(since: now), count: capacity)
    mask = Int64(capacity - 1)
    self.next = next
    end = next
  }

  private var capacity: Int64 { mask + 1 }

  subscript(number: Int64) -> Slot {
    get { slots[Int(number & mask)] }
    set { slots[Int(number & mask)] = newValue }
  }

  /// - Parameter missingSince: the time to note for numbers that this packet shows to be missing.
  mutating func insert(_ packet: VideoPacket, at number: Int64, missingSince: MonotonicTime) -> Insertion {
    if number < next {
      guard number >= end - capacity, case .used = self[number] else { return .abandoned }
      return .duplicate
    }
    guard number < next + capacity else { return .tooFar }
    if number >= end {
      while end < number {
        self[end] = .missing(since: missingSince)
        end += 1
      }
      end = number + 1
    } else if case .waiting = self[number] {
      return .duplicate
    }
    self[number] = .waiting(packet)
    return .stored
  }

  /// Takes the next packet when it is there.
  mutating func takeNext() -> VideoPacket? {
    guard next < end, case .waiting(let packet) = self[next] else { return nil }
    self[next] = .used
    next += 1
    return packet
  }

  /// Since when the next packet has been missing; nil when nothing is missing before a packet that is there.
  var gapSince: MonotonicTime? {
    guard next < end, case .missing(let since) = self[next] else { return nil }
    return since
  }

  /// Moves to `number` and gives how many media packets waiting before it are thrown away.
  mutating func abandon(before number: Int64) -> Int {
    var thrownAway = 0
    while next < number, next < end {
      if case .waiting(let packet) = self[next] {
        if case .media = packet.content { thrownAway += 1 }
        self[next] = .used
      }
      next += 1
    }
    return thrownAway
  }

  /// Moves past the missing numbers to the first packet that is there.
  mutating func skipGap() {
    while next < end, case .missing = self[next] { next += 1 }
  }
}
