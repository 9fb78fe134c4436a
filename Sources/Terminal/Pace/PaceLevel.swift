/// How much of the picture a link is asked to carry.
public struct PaceLevel: Hashable, Sendable {
  /// Difference of a colour channel that a moving cell may keep, 0…255.
  public var tolerance: Int
  /// 256 colours, whatever the terminal can show.
  public var usesPalette = false
  /// Least time between two pictures of the tile that matters most, the active speaker; zero shows them as they come.
  public var mainInterval: Duration = .zero
  /// The same for every other tile.
  public var otherInterval: Duration = .zero
  /// Bytes of a second of moving pictures, as a share of those of exact colours.
  var cost = 1.0

  /// All levels of a terminal, the best first: coarser colours, then 256 of them, then fewer pictures, those of the
  /// speaker last.
  ///
  /// - Parameters:
  ///   - tolerance: of the first level; levels that would be finer are left out.
  ///   - hasTrueColor: the terminal has more than a palette. Palettes know no tolerance.
  ///   - hasCells: pictures are drawn with cells. In the terminal's own pixels they have the colours that they have.
  static func ladder(from tolerance: Int, hasTrueColor: Bool, hasCells: Bool = true) -> [PaceLevel] {
    var levels: [PaceLevel] = []
    if hasTrueColor, hasCells {
      let coarser = [8, 12].filter { $0 > tolerance }
      levels = ([tolerance] + coarser).map { PaceLevel(tolerance: $0, cost: cost(ofTolerance: $0)) }
    }
    levels.append(
      hasCells
        ? PaceLevel(tolerance: tolerance, usesPalette: hasTrueColor, cost: paletteCost)
        : PaceLevel(tolerance: tolerance))
    guard let full = levels.last else { return levels }
    for (step, intervals) in fewerPictures.enumerated() {
      var level = full
      level.mainInterval = .milliseconds(intervals.main)
      level.otherInterval = .milliseconds(intervals.other)
      // How many of the tiles are others is not known here.
      level.cost = full.cost / Double(step + 2) * 1.4
      levels.append(level)
    }
    return levels
  }

  /// Milliseconds between pictures, of the speaker and of the others.
  private static let fewerPictures: [(main: Int, other: Int)] = [
    (0, 60), (0, 120), (0, 240), (60, 480), (100, 1_000), (190, 2_000),
  ]

  /// Measured with a picture of a call at 80x24, decoded from VP8: 29.4 kB a frame exact, 15.2 with tolerance 4, 11.1
  /// with 8, about 8.8 with 12, and 3.4 in 256 colours.
  private static let paletteCost = 0.116
  private static func cost(ofTolerance tolerance: Int) -> Double {
    switch tolerance {
    case ..<1: 1
    case ..<6: 0.52
    case ..<10: 0.38
    default: 0.30
    }
  }

  /// Pictures are only shown less often than they come.
  public var dropsPictures: Bool { otherInterval > .zero }
}
