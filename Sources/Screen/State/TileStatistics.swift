import Conference
import RTCCore

/// What is known about one received track, in the words of the screen.
public struct TileStatistics: Equatable, Sendable {
  /// The layer that arrives; nil to find it by its size.
  public var layer: LayerID?
  /// Pixels of the last decoded picture; 0 before the first, and for sound.
  public var width: Int
  public var height: Int
  /// Pictures decoded in the last second.
  public var framesPerSecond: Double
  /// Pictures decoded since the track is received.
  public var framesDecoded = 0
  /// Bits received in the last second.
  public var bitrate: Int
  /// As the system calls it, such as `vp8`.
  public var codec = ""
  /// Since the track is received.
  public var packetsReceived = 0
  public var packetsLost = 0
  public var jitterMilliseconds = 0.0
  /// To the server and back; nil while unknown.
  public var roundTripMilliseconds: Double?
  /// Packets asked for again.
  public var nacks = 0
  /// Key frames asked for.
  public var keyFrameRequests = 0
  /// Pauses in the picture that a person notices, and the time spent in them.
  public var freezes = 0
  public var freezeMilliseconds = 0.0
  /// Everything that arrived and was not used, by reason.
  public var drops = DropCounters()
  /// How long decoding has been waiting for a key frame, and how many were asked for meanwhile; nil when it is not.
  public var waitingForKeyFrame: Duration?
  public var keyFrameRequestsWhileWaiting = 0
  /// Time without a packet or a picture although some are to be expected; nil when none are.
  public var sinceLastPacket: Duration?
  public var sinceLastPicture: Duration?

  public init(
    layer: LayerID? = nil, width: Int = 0, height: Int = 0, framesPerSecond: Double = 0, bitrate: Int = 0
  ) {
    self.layer = layer
    self.width = width
    self.height = height
    self.framesPerSecond = framesPerSecond
    self.bitrate = bitrate
  }
}

/// The last minute of a track.
struct TrackHistory: Equatable, Sendable {
  /// Samples kept, one a second.
  static let length = 60
  /// Seconds over which lost packets are told; shorter ones jump, longer ones hide that it is over.
  private static let lossSeconds = 10

  /// Bits of each second, oldest first.
  private(set) var bitrates: [Int] = []
  private var counts: [(received: Int, lost: Int)] = []
  private var newest: MonotonicTime?

  static func == (left: Self, right: Self) -> Bool {
    left.newest == right.newest && left.bitrates == right.bitrates
  }

  /// Takes a sample unless the last one is of the same second.
  mutating func add(_ statistics: TileStatistics, at now: MonotonicTime) {
    // Figures come twice a second, and a little early or late.
    if let newest, now - newest < .milliseconds(900) { return }
    newest = now
    bitrates.append(max(0, statistics.bitrate))
    if bitrates.count > Self.length { bitrates.removeFirst(bitrates.count - Self.length) }
    counts.append((statistics.packetsReceived, statistics.packetsLost))
    if counts.count > Self.lossSeconds + 1 { counts.removeFirst(counts.count - Self.lossSeconds - 1) }
  }

  /// Share of the packets of the last seconds that were lost, 0…1.
  var loss: Double {
    guard let first = counts.first, let last = counts.last else { return 0 }
    let lost = max(0, Double(last.lost) - Double(first.lost))
    let received = max(0, Double(last.received) - Double(first.received))
    return lost + received > 0 ? lost / (lost + received) : 0
  }
}

extension ScreenState {
  /// Takes over new figures; a layer that changed on the way is noted in the history.
  mutating func adopt(_ new: [TrackID: TileStatistics]) {
    let old = Dictionary(
      tiles.compactMap { tile -> (TrackID, LayerID)? in
        guard let track = track(of: tile), let layer = receivedLayer(of: track) else { return nil }
        return (track.id, layer)
      }, uniquingKeysWith: { first, _ in first })
    statistics = new
    histories = histories.filter { new[$0.key] != nil }
    for (track, figures) in new { histories[track, default: TrackHistory()].add(figures, at: now) }
    for tile in tiles {
      guard let track = track(of: tile), let before = old[track.id], let layer = receivedLayer(of: track),
        before != layer
      else { continue }
      note(
        name(of: tile.participant) + SanitizedText(": layer \(layer.rawValue) comes now"), .track,
        about: .layer(track.id), isQuiet: true)
    }
  }

  /// Share of a track's packets that were lost in the last seconds, 0…1.
  func loss(of track: TrackID) -> Double { histories[track]?.loss ?? 0 }
}
