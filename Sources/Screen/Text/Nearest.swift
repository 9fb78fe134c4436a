/// Finds what somebody meant to type.
public enum Nearest {
  /// The candidate with the fewest edits, if they are few for its length.
  public static func match(_ word: String, among candidates: [String]) -> String? {
    // Longer ones are nobody's slip of the finger, and the work grows with the square.
    guard word.count <= 64 else { return nil }
    func limit(_ candidate: String) -> Int { max(1, min(candidate.count, word.count) / 3) }
    return
      candidates.filter { abs(min(64, $0.count) - word.count) <= limit($0) }
      .map { (candidate: $0, edits: distance(Array(word), Array($0.lowercased().prefix(64)))) }
      .filter { $0.edits <= limit($0.candidate) }
      .min { $0.edits < $1.edits }?.candidate
  }

  /// Levenshtein distance, with two neighbours in the wrong order as one edit.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var before: [Int] = []
    var previous = Array(0...right.count)
    for (row, character) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var best = min(previous[column] + (character == other ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
          best = min(best, before[column - 1] + 1)
        }
        current.append(best)
      }
      before = previous
      previous = current
    }
    return previous[right.count]
  }
}
