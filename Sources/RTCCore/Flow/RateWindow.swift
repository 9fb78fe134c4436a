/// Bits a second over the last second, kept in 20 slots of 50 ms.
public struct RateWindow: Sendable {
  private static let slotNanoseconds: Int64 = 50_000_000
  private static let slotCount = 20

  private var bytes = [Int](repeating: 0, count: RateWindow.slotCount)
  private var total = 0
  private var newestSlot: Int64?

  public init() {}

  public mutating func add(bytes count: Int, at now: MonotonicTime) {
    let slot = moveOn(to: now)
    bytes[Self.index(slot)] += count
    total += count
  }

  /// Bits received in the second that ends at `now`.
  public mutating func bitsPerSecond(at now: MonotonicTime) -> Int {
    _ = moveOn(to: now)
    return total * 8
  }

  private static func index(_ slot: Int64) -> Int {
    let rest = Int(slot % Int64(slotCount))
    return rest < 0 ? rest + slotCount : rest
  }

  private mutating func moveOn(to now: MonotonicTime) -> Int64 {
    let slot = now.nanoseconds / Self.slotNanoseconds
    guard let newest = newestSlot else {
      newestSlot = slot
      return slot
    }
    guard slot > newest else { return newest }
    for stale in (max(newest + 1, slot - Int64(Self.slotCount) + 1))...slot {
      total -= bytes[Self.index(stale)]
      bytes[Self.index(stale)] = 0
    }
    newestSlot = slot
    return slot
  }
}
