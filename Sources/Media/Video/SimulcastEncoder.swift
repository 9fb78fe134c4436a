import RTCCore

/// Encodes one picture into several sizes at once, each a stream of its own. One owner, one thread at a time.
public final class SimulcastEncoder {
  public struct Layer: Equatable, Sendable {
    public var width: Int
    public var height: Int
    /// Bits a second.
    public var bitrate: Int

    public init(width: Int, height: Int, bitrate: Int) {
      self.width = width
      self.height = height
      self.bitrate = bitrate
    }

    /// 90p, 180p, 360p: small enough for a whole room of synthetic people on two cores.
    public static let small: [Layer] = [
      Layer(width: 160, height: 90, bitrate: 80_000), Layer(width: 320, height: 180, bitrate: 180_000),
      Layer(width: 640, height: 360, bitrate: 500_000),
    ]
  }

  /// A frame of one layer.
  public struct Output: Equatable, Sendable {
    /// 0 is the lowest layer.
    public var layer: Int
    public var frame: EncodedFrame
  }

  /// Lowest first.
  public let layers: [Layer]
  private let encoders: [VP8Encoder]
  private var isActive: [Bool]
  private let scaler = PictureScaler(pool: I420Pool(capacity: 6))

  /// - Parameters:
  ///   - layers: one to four, lowest first.
  ///   - framesPerSecond: of the source; the rate control counts with it.
  ///   - speed: libvpx's `cpu-used`, −16…16; further from 0 is faster and coarser.
  ///   - clock: says when a frame was finished.
  public init(
    layers: [Layer], framesPerSecond: Int = 30, speed: Int = -8, clock: @escaping @Sendable () -> MonotonicTime
  ) throws(MediaError) {
    guard (1...4).contains(layers.count), zip(layers, layers.dropFirst()).allSatisfy({ $0.width <= $1.width }) else {
      throw MediaError(.invalidConfiguration, "Simulcast takes one to four layers, the smallest picture first.")
    }
    var encoders: [VP8Encoder] = []
    for layer in layers {
      let configuration = VP8Encoder.Configuration(
        width: layer.width, height: layer.height, bitrate: layer.bitrate, framesPerSecond: framesPerSecond,
        speed: speed)
      encoders.append(try VP8Encoder(configuration, clock: clock))
    }
    self.layers = layers
    self.encoders = encoders
    isActive = Array(repeating: true, count: layers.count)
  }

  /// Switches a layer off or on; it comes back with a key frame. Unknown layers are ignored.
  public func setActive(_ active: Bool, layer: Int) {
    guard isActive.indices.contains(layer), isActive[layer] != active else { return }
    isActive[layer] = active
    if active { encoders[layer].forceKeyFrame() }
  }
  public func isActive(layer: Int) -> Bool { isActive.indices.contains(layer) && isActive[layer] }

  /// The layer's next frame becomes a key frame. Unknown layers are ignored.
  public func forceKeyFrame(layer: Int) {
    if encoders.indices.contains(layer) { encoders[layer].forceKeyFrame() }
  }

  /// Bits a second of one layer from its next frame on. Unknown layers are ignored.
  public func setBitrate(_ bitrate: Int, layer: Int) {
    if encoders.indices.contains(layer) { encoders[layer].setBitrate(bitrate) }
  }

  /// The picture in every active layer, lowest first. It may have any size; layers keep theirs.
  ///
  /// `timestamp` counts 90 kHz ticks and is the same in all layers.
  public func encode(
    _ picture: I420Buffer, timestamp: RTPTimestamp, capturedAt: MonotonicTime
  ) throws(MediaError) -> [Output] {
    // From the largest down, so that each size is made from the next larger one: halving is libyuv's fastest path.
    var sized: [I420Buffer] = []
    var larger = picture
    for index in layers.indices.reversed() where isActive[index] {
      larger = scaler.resized(larger, width: layers[index].width, height: layers[index].height)
      sized.append(larger)
    }
    var outputs: [Output] = []
    for index in layers.indices where isActive[index] {
      guard let picture = sized.popLast() else { break }
      let frame = try encoders[index].encode(picture, timestamp: timestamp, capturedAt: capturedAt)
      outputs.append(Output(layer: index, frame: frame))
    }
    return outputs
  }
}
