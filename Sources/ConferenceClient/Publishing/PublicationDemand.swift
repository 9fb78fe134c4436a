import Conference
import RTCCore
import Synchronization

/// What the room wants of a track that we publish, read by the thread that captures and encodes it.
public final class PublicationDemand: Sendable {
  private struct State {
    var layers: Set<LayerID> = []
    var keyFrames: Set<LayerID> = []
    var isEnded = false
  }

  private let state = Mutex(State())

  /// Nothing is wanted until the track is negotiated.
  public init() {}

  /// The layers that are negotiated and may be sent now; empty before that and while muted.
  public var layers: Set<LayerID> { state.withLock { $0.layers } }
  /// No more media is taken: the track was unpublished or the room left.
  public var isEnded: Bool { state.withLock { $0.isEnded } }

  /// The layers that somebody needs a key frame of; asking clears the list.
  public func takeKeyFrameRequests() -> Set<LayerID> {
    state.withLock { state in
      defer { state.keyFrames = [] }
      return state.keyFrames
    }
  }

  func setLayers(_ layers: Set<LayerID>) {
    state.withLock { state in
      // A layer that begins must begin with a key frame.
      state.keyFrames.formUnion(layers.subtracting(state.layers))
      state.layers = layers
    }
  }
  func requestKeyFrame(_ layer: LayerID) { state.withLock { _ = $0.keyFrames.insert(layer) } }
  func end() {
    state.withLock { state in
      state.isEnded = true
      state.layers = []
    }
  }
}

/// One block of sound to send.
public struct EncodedAudio: Sendable {
  /// One Opus packet.
  public var packet: [UInt8]
  /// Samples at 48 kHz that it lasts.
  public var samples: Int
  /// Loudness in −dBov, 0 loudest … 127 silent (RFC 6464 §3).
  public var level: UInt8

  public init(packet: [UInt8], samples: Int, level: UInt8) {
    self.packet = packet
    self.samples = samples
    self.level = level
  }
}
