import Conference

extension ScreenState {
  /// Source pixels wanted for each pixel shown: with four to average the codec's noise and block edges go away, and
  /// more than that cannot be seen.
  private static let oversampling = 2

  /// What a tile asks for; `place` is nil for a hidden one.
  func request(for track: Track, of tile: TileID, at place: TilePlacement?) -> LayerRequest {
    guard let place else { return .off }
    switch layerChoice(of: tile) {
    case .fixed(let layer): return .layer(layer)
    case .auto:
      let size = PixelSize.fitting(aspect(of: track), in: place.video, cellAspect: cellAspect, density: pixelDensity)
      return Self.request(
        for: PixelSize(width: size.width * Self.oversampling, height: size.height * Self.oversampling),
        among: track.layers)
    }
  }

  /// The smallest layer that covers a size, or nearly. Where layers and their sizes are known the answer is a layer, so
  /// that a resize which ends at the same layer asks for nothing new.
  static func request(for size: PixelSize, among layers: [VideoLayer]) -> LayerRequest {
    let known = layers.filter { $0.width > 0 && $0.height > 0 }
    guard !known.isEmpty, known.count == layers.count else { return .size(width: size.width, height: size.height) }
    let active = known.filter(\.isActive)
    let usable = (active.isEmpty ? known : active).sorted { ($0.height, $0.width) < ($1.height, $1.width) }
    // A tenth less is not seen, and saves the next layer's several times the bits.
    let covering = usable.first {
      Double($0.width) * 1.1 >= Double(size.width) && Double($0.height) * 1.1 >= Double(size.height)
    }
    guard let layer = covering ?? usable.last else { return .size(width: size.width, height: size.height) }
    return .layer(layer.id)
  }
}
