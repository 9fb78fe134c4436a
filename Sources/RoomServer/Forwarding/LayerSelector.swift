/// What a subscriber said it wants of one track (`UpdateTrackSettings`).
struct TrackSettings: Equatable, Sendable {
  /// Send nothing; the subscription stays.
  var isDisabled = false
  /// 0 low, 1 medium, 2 high; used while no size is given.
  var quality = 2
  /// Pixels at which the track is shown; 0 when the subscriber did not say.
  var width = 0
  var height = 0

  init() {}
}

/// One published layer as the publisher announced it.
struct LayerDescription: Equatable, Sendable {
  /// 0 low, 1 medium, 2 high.
  var quality: Int
  /// Pixels; 0 when unknown.
  var width: Int
  var height: Int
}

/// Chooses among a track's layers, lowest first.
enum LayerSelector {
  /// The index of the layer that the settings ask for, or nil when they ask for none.
  ///
  /// With a size: the lowest layer at least 0.9 times as high as asked that differs from the next one, else the highest.
  /// Heights that the publisher did not announce are taken as 180 and 360, the last as the source's. Without a size: the
  /// layer of that quality; a quality above the published ones means the highest, one below them the lowest.
  static func wanted(by settings: TrackSettings, of layers: [LayerDescription]) -> Int? {
    guard !settings.isDisabled else { return nil }
    guard layers.count > 1 else { return 0 }
    guard settings.width > 0, settings.height > 0 else {
      return layers.lastIndex { $0.quality <= settings.quality } ?? 0
    }
    let unannounced = layers.allSatisfy { $0.height == 0 }
    let portrait = !unannounced && layers.allSatisfy { $0.height > $0.width && $0.width > 0 }
    let sizes = layers.enumerated().map { index, layer in
      if unannounced { return index == layers.count - 1 ? Int.max : 180 << index }
      return portrait ? layer.width : layer.height
    }
    let wanted = Double(portrait ? settings.width : settings.height) * 0.9
    for (index, size) in sizes.enumerated() {
      let differs = index + 1 == sizes.count || sizes[index + 1] != size
      if Double(size) >= wanted && differs { return index }
    }
    return layers.count - 1
  }

  /// The layer to send while only some layers carry packets: the wanted one, else the best below it, else the least
  /// above it; with none active, the wanted one.
  static func available(_ wanted: Int, active: [Bool]) -> Int {
    guard active.indices.contains(wanted) else { return max(0, active.count - 1) }
    if active[wanted] { return wanted }
    if let below = active[..<wanted].lastIndex(of: true) { return below }
    return active[wanted...].firstIndex(of: true) ?? wanted
  }
}
