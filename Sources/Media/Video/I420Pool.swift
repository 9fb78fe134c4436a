import Synchronization

/// Keeps the memory of pictures that nobody holds any more, so that steady video allocates nothing.
public final class I420Pool: Sendable {
  /// Memory that has one owner at any moment: the pool, or the picture that took it.
  struct Block: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let byteCount: Int
  }

  /// Free blocks kept at most; the oldest go first, so that an old picture size does not stay for ever.
  private let capacity: Int
  private let free = Mutex<[Block]>([])

  /// A pool that keeps up to `capacity` free pictures of any size.
  public init(capacity: Int = 6) {
    self.capacity = max(0, capacity)
  }

  /// Shared by those who have no reason for their own.
  public static let shared = I420Pool(capacity: 24)

  deinit {
    for block in free.withLock({ $0 }) { block.base.deallocate() }
  }

  func take(byteCount: Int) -> Block {
    let reused = free.withLock { free -> Block? in
      guard let index = free.lastIndex(where: { $0.byteCount == byteCount }) else { return nil }
      return free.remove(at: index)
    }
    return reused ?? Block(base: .allocate(byteCount: byteCount, alignment: 64), byteCount: byteCount)
  }

  func give(_ block: Block) {
    let surplus = free.withLock { free -> Block? in
      guard capacity > 0 else { return block }
      let oldest = free.count >= capacity ? free.removeFirst() : nil
      free.append(block)
      return oldest
    }
    surplus?.base.deallocate()
  }
}
