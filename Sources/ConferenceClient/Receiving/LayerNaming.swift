import Conference

/// Tells which announced layer a decoded picture belongs to; receivers are not told.
enum LayerNaming {
  /// The layer whose announced height is nearest to the decoded one; nil before anything was decoded.
  static func layer(of track: Track, height: Int) -> LayerID? {
    guard height > 0 else { return nil }
    let known = track.layers.filter { $0.height > 0 }
    guard let nearest = known.min(by: { abs($0.height - height) < abs($1.height - height) }) else {
      return track.layers.count == 1 ? track.layers[0].id : nil
    }
    return nearest.id
  }
}
