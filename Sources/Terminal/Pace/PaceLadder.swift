internal import RTCCore

/// Chooses how much a link is asked to carry, from how busy it was and how many pictures it made us leave out.
///
/// Steps down as soon as a window of time shows that too much was asked, as many steps as that needs. Steps up one at a
/// time, where the link had room for what the better level is expected to cost; a step that failed is tried again only
/// after twice the time that the try before waited.
struct PaceLadder {
  /// What happened in a window of time.
  struct Window {
    /// Share of the time in which the link was at work, 0…1.
    var busy = 0.0
    var frames = 0
    /// Frames' worth of rows for which there was no room.
    var leftOut = 0.0
    /// Pictures that were brought to the screen.
    var shown = 0
    /// Pictures that a newer one replaced before the link was ready for them.
    var missed = 0

    /// Frames that brought less of the picture tell no more: a few rows can be much dearer than the others.
    private static let leastPart = 0.1

    /// The part of the frames for which there was no room, 0…1.
    var leftOutPart: Double { frames > 0 ? leftOut / Double(frames) : 0 }

    /// How many times what was shown there was to show.
    var excess: Double {
      let pictures = shown > 0 ? Double(shown + missed) / Double(shown) : 1
      return pictures / max(Self.leastPart, 1 - leftOutPart)
    }
  }

  let levels: [PaceLevel]
  private(set) var step = 0
  private var changedAt: MonotonicTime
  /// How long each step waits before it is tried.
  private var wait: [Duration]

  static let firstWait = Duration.seconds(2)
  static let longestWait = Duration.seconds(64)
  /// A level that held for so long is good, whatever happened before.
  private static let proof = Duration.seconds(30)
  /// A link that works more than this has no room.
  private static let full = 0.9
  /// A link that had no room for so much of the frames is full, too, as long as it works at all: how busy it was is reckoned
  /// with a rate that may still be thought better than it is.
  private static let tooMuch = 0.4
  private static let atWork = 0.5
  /// What a better level may be expected to need of the link's time.
  private static let room = 0.85
  /// Pictures for each shown that are too many; where only the number of pictures can still give, the link itself thins
  /// them out first, evenly.
  private static let tooMany = 1.08
  private static let tooManyToDrop = 1.5

  init(levels: [PaceLevel], at now: MonotonicTime) {
    self.levels = levels.isEmpty ? [PaceLevel(tolerance: 4)] : levels
    changedAt = now
    wait = Array(repeating: Self.firstWait, count: self.levels.count)
  }

  var level: PaceLevel { levels[step] }

  /// Judges a window that ends now; true when the level changed.
  mutating func judge(_ window: Window, at now: MonotonicTime) -> Bool {
    if now - changedAt >= Self.proof { wait[step] = Self.firstWait }
    let isFull = window.busy >= Self.full || window.busy >= Self.atWork && window.leftOutPart >= Self.tooMuch
    if step < levels.count - 1, isFull,
      window.excess >= (levels[step + 1].dropsPictures ? Self.tooManyToDrop : Self.tooMany)
    {
      descend(by: window.excess, at: now)
      return true
    }
    guard step > 0, now - changedAt >= wait[step - 1] else { return false }
    let expected = window.busy * window.excess * levels[step - 1].cost / level.cost
    guard expected <= Self.room else { return false }
    step -= 1
    changedAt = now
    return true
  }

  private mutating func descend(by excess: Double, at now: MonotonicTime) {
    // It was tried and did not hold.
    wait[step] = min(Self.longestWait, now - changedAt < Self.proof ? wait[step] * 2 : Self.firstWait)
    let affordable = level.cost / excess
    let next = levels.indices.dropFirst(step + 1).first { index in
      levels[index].cost <= affordable || index == levels.count - 1 || levels[index + 1].dropsPictures
    }
    step = next ?? levels.count - 1
    changedAt = now
  }
}
