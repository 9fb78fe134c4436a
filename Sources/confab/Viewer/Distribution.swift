/// Collects measurements and tells their middle and their tail.
struct Distribution {
  private var values: [Double] = []
  private var next = 0
  /// The newest are kept: ten minutes of nine pictures fifteen times a second would be enough for any statement.
  private static let capacity = 20_000

  mutating func add(_ value: Double) {
    if values.count < Self.capacity {
      values.append(value)
    } else {
      values[next] = value
      next = (next + 1) % Self.capacity
    }
  }

  var count: Int { values.count }

  /// The value below which `share` (0…1) of all lie; nil when there are none.
  func percentile(_ share: Double) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }
}
