import Media
import RTCCore
import Transport

/// One publisher inside the stream: a picture of its own colour in three sizes, and a tone.
@NetworkActor
public final class StreamSource {
  /// Lowest first, and what the service calls them.
  public static let layers = [
    SimulcastEncoder.Layer(width: 80, height: 48, bitrate: 60_000),
    SimulcastEncoder.Layer(width: 160, height: 96, bitrate: 120_000),
    SimulcastEncoder.Layer(width: 320, height: 192, bitrate: 250_000),
  ]
  static let encodingIDs = ["l", "m", "h"]

  /// nil is the main source.
  public let id: String?
  let kinds: [MediaKind]
  private let encoder: SimulcastEncoder
  private let luma: UInt8
  private var opus: OpusEncoder
  private var tone: ToneSource
  private var pictures = 0

  init(id: String?, luma: UInt8, kinds: [MediaKind]) throws {
    self.id = id
    self.kinds = kinds
    self.luma = luma
    encoder = try SimulcastEncoder(layers: Self.layers, framesPerSecond: 20, clock: { NetworkActor.now })
    opus = try OpusEncoder()
    tone = ToneSource(frequency: Double(luma) * 4)
  }

  func forceKeyFrame(layer: Int) { encoder.forceKeyFrame(layer: layer) }

  /// The next picture in all layers. A little moves, so that frames are not empty.
  func nextPicture(at now: MonotonicTime) throws -> [SimulcastEncoder.Output] {
    guard kinds.contains(.video) else { return [] }
    pictures += 1
    let picture = I420Buffer.filled(
      width: 320, height: 192, y: luma, u: UInt8(110 + pictures % 30), v: UInt8(140 - pictures % 30))
    let timestamp = RTPTimestamp(UInt32(truncatingIfNeeded: now.nanoseconds / 100_000 * 9))
    return try encoder.encode(picture, timestamp: timestamp, capturedAt: now)
  }

  /// The next 20 ms of sound as one Opus packet.
  func nextSound() throws -> [UInt8]? {
    guard kinds.contains(.audio), case .samples(let samples) = tone.next() else { return nil }
    return try opus.encode(samples)
  }
}
