/// The RTP header extensions that WebRTC peers negotiate. The raw value is the URI in SDP's `extmap`.
public enum HeaderExtension: String, Hashable, Sendable, CaseIterable {
  /// RFC 9143 §15: the media section a packet belongs to, as text.
  case mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
  /// RFC 8852: the simulcast layer, as text.
  case rid = "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
  /// RFC 8852: the layer that a retransmission repairs, as text.
  case repairedRID = "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
  /// RFC 6464.
  case audioLevel = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
  /// draft-holmer-rmcat-transport-wide-cc-extensions-01 §2.
  case transportSequence = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
  case absoluteSendTime = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
  case absoluteCaptureTime = "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"
  case playoutDelay = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
  case dependencyDescriptor =
    "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension"
  case frameMarking = "urn:ietf:params:rtp-hdrext:framemarking"

  public var uri: String { rawValue }

  /// Reads the text of `mid`, `rid` or `repairedRID`: visible ASCII, at most 255 characters. Trailing zero bytes, which
  /// fixed-size writers leave, are cut off. Nil when nothing is left or a character is not allowed.
  public static func text(from data: [UInt8]) -> String? {
    let end = (data.lastIndex { $0 != 0 }).map { $0 + 1 } ?? 0
    guard (1...255).contains(end), data[..<end].allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    return String(decoding: data[..<end], as: UTF8.self)
  }

  /// The bytes of `mid`, `rid` or `repairedRID`.
  public static func data(text: String) -> [UInt8] { Array(text.utf8) }

  /// Reads a transport-wide sequence number. Bytes after the first two (version 2's feedback request) are skipped.
  public static func transportSequence(from data: [UInt8]) -> UInt16? {
    var offset = 0
    return try? data.span.bytes.read(at: &offset)
  }

  /// The bytes of a transport-wide sequence number.
  public static func data(transportSequence: UInt16) -> [UInt8] {
    [UInt8(transportSequence >> 8), UInt8(truncatingIfNeeded: transportSequence)]
  }
}

/// Loudness of the audio in one packet (RFC 6464 §3).
public struct AudioLevel: Hashable, Sendable {
  /// The sender believes that the packet holds speech.
  public var isVoice: Bool
  /// Level as −dBov: 0 is the loudest, 127 is silence.
  public var negativeDecibels: UInt8

  public init(isVoice: Bool, negativeDecibels: UInt8) {
    self.isVoice = isVoice
    self.negativeDecibels = min(negativeDecibels, 127)
  }
  /// Reads the extension's bytes; nil when there are none. The two-byte form may carry more bytes, which mean nothing.
  public init?(data: [UInt8]) {
    guard let byte = data.first else { return nil }
    self.init(isVoice: byte & 0x80 != 0, negativeDecibels: byte & 0x7F)
  }
  public var data: [UInt8] { [(isVoice ? 0x80 : 0) | negativeDecibels] }
}

/// When a packet left its sender: seconds in 6.18 fixed point, which wraps every 64 s
/// (http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time).
public struct AbsoluteSendTime: Hashable, Sendable {
  /// 24 bits.
  public let raw: UInt32

  public init(raw: UInt32) { self.raw = raw & 0xFF_FFFF }
  public init(_ time: MonotonicTime) {
    let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.init(raw: UInt32(truncatingIfNeeded: (seconds << 18) &+ (rest << 18) / 1_000_000_000))
  }
  /// Reads the extension's bytes; nil unless there are three.
  public init?(data: [UInt8]) {
    guard data.count == 3 else { return nil }
    self.init(raw: data.reduce(0) { $0 << 8 | UInt32($1) })
  }
  public var data: [UInt8] {
    [UInt8(truncatingIfNeeded: raw >> 16), UInt8(truncatingIfNeeded: raw >> 8), UInt8(truncatingIfNeeded: raw)]
  }

  /// Time from `earlier` to `self` when they lie less than 32 s apart.
  public func elapsed(since earlier: Self) -> Duration {
    let steps = Int32(bitPattern: (raw &- earlier.raw) << 8) >> 8
    return .nanoseconds((Int64(steps) * 1_000_000_000) >> 18)
  }
}
