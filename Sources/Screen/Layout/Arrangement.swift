/// How tiles share the screen.
public enum Arrangement: String, Hashable, Sendable, CaseIterable {
  /// All on one page as long as they are large enough to be of use.
  case grid
  /// Four at a time, each the largest 16:9 rectangle in its quarter of the screen; rows scroll.
  case collection
  /// One large tile that follows who speaks, and a strip of the others.
  case spotlight

  var next: Arrangement {
    switch self {
    case .grid: .collection
    case .collection: .spotlight
    case .spotlight: .grid
    }
  }
}

/// What becomes of the tiles of people who send no video.
public enum WithoutVideo: String, Hashable, Sendable, CaseIterable {
  /// They stand where they arrived, so that nothing moves when a camera goes off.
  case inPlace = "in-place"
  /// They stand behind all others.
  case last
  /// They are not shown; they are heard all the same.
  case hidden

  var next: WithoutVideo {
    switch self {
    case .inPlace: .last
    case .last: .hidden
    case .hidden: .inPlace
    }
  }
}

/// What a person may want of the view from the start.
public struct ViewOptions: Hashable, Sendable {
  public var arrangement = Arrangement.grid
  /// Cells left free on each side of a tile of the collection, at least 0; as much of it as leaves the tile of use.
  public var inset = 1
  /// Leaves out the tile of the local participant.
  public var hidesSelf = false
  public var withoutVideo = WithoutVideo.inPlace
  /// Names or identities of people who are pinned when they come, the first of them first.
  public var pins: [String] = []
  /// Tiles move to their new places instead of jumping there. Then the state needs a tick at every frame; without
  /// ticks it would stay at the first frame of a move.
  public var hasMotion = false

  public init() {}
}
