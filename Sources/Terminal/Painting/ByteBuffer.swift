/// Bytes on their way to the terminal: grows by doubling, is emptied and used again for each frame.
struct ByteBuffer: ~Copyable {
  private var storage: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 4096) {
    self.capacity = max(64, capacity)
    storage = .allocate(capacity: self.capacity)
  }

  deinit { storage.deallocate() }

  /// The bytes so far.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    body(UnsafeBufferPointer(start: storage, count: count))
  }

  mutating func removeAll() { count = 0 }

  mutating func append(_ byte: UInt8) {
    reserve(1)
    storage[count] = byte
    count += 1
  }

  mutating func append(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length)
    (storage + count).update(from: text.utf8Start, count: length)
    count += length
  }

  mutating func append(_ bytes: [UInt8]) {
    reserve(bytes.count)
    bytes.withUnsafeBufferPointer { source in
      if let start = source.baseAddress { (storage + count).update(from: start, count: source.count) }
    }
    count += bytes.count
  }

  /// Appends `count` bytes that `fill` writes, all of them.
  mutating func append(count extra: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
    reserve(extra)
    fill(storage + count)
    count += extra
  }

  /// Moves the cursor to a place, both counted from 0.
  mutating func appendMove(column: Int, row: Int) {
    append("\u{1B}[")
    append(decimal: row + 1)
    append(UInt8(ascii: ";"))
    append(decimal: column + 1)
    append(UInt8(ascii: "H"))
  }

  /// A number in decimal, as control sequences carry it; negative counts as 0.
  mutating func append(decimal number: Int) {
    reserve(20)
    var rest = UInt(max(0, number))
    let length = Self.digits(number)
    for place in stride(from: count + length - 1, through: count, by: -1) {
      storage[place] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    count += length
  }

  /// The lowest eight bits of a number, as ``append(decimal:)``; most of what a frame sends is that.
  mutating func append(channel number: UInt32) {
    reserve(4)
    let number = number & 255
    let place = storage + count
    if number >= 100 {
      place[0] = UInt8(truncatingIfNeeded: 48 + number / 100)
      place[1] = UInt8(truncatingIfNeeded: 48 + number / 10 % 10)
      place[2] = UInt8(truncatingIfNeeded: 48 + number % 10)
      count += 3
    } else if number >= 10 {
      place[0] = UInt8(truncatingIfNeeded: 48 + number / 10)
      place[1] = UInt8(truncatingIfNeeded: 48 + number % 10)
      count += 2
    } else {
      place[0] = UInt8(truncatingIfNeeded: 48 + number)
      count += 1
    }
  }

  mutating func append(_ glyph: CellGlyph) {
    reserve(4)
    UnsafeMutableRawPointer(storage + count).storeBytes(of: glyph.bytes.littleEndian, as: UInt32.self)
    count += glyph.length
  }

  /// Characters that ``append(decimal:)`` needs.
  static func digits(_ number: Int) -> Int {
    var length = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      length += 1
    }
    return length
  }

  @inline(__always)
  private mutating func reserve(_ extra: Int) {
    if count + extra > capacity { grow(by: extra) }
  }

  private mutating func grow(by extra: Int) {
    let larger = max(capacity * 2, count + extra)
    let new = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    new.update(from: storage, count: count)
    storage.deallocate()
    storage = new
    capacity = larger
  }
}
