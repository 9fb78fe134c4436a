/// A frame number and capture time that travel inside the picture, so that the far end can tell which frame it sees
/// and how old it is.
///
/// The lowest 1/22 of the picture holds one row of 48 black or white cells: two sync cells (white, black), 44 bits,
/// most significant first, two sync cells (black, white). The bits are 14 of frame number, 22 of milliseconds and
/// a CRC-8 (polynomial 0x07). Cells are sized relative to the picture, so every simulcast layer can be read.
public struct FrameStamp: Hashable, Sendable {
  /// Counts frames modulo ``frameModulus``.
  public let frame: Int
  /// Capture time modulo ``millisecondModulus``.
  public let milliseconds: Int

  public static let frameModulus = 1 << 14
  /// About 70 minutes.
  public static let millisecondModulus = 1 << 22
  /// Smallest picture that carries a stamp.
  public static let minimumWidth = 144
  public static let minimumHeight = 66

  static let cells = 48
  static let white: UInt8 = 184
  static let black: UInt8 = 36

  /// Both numbers may be of any size; they are kept modulo their range.
  public init(frame: Int, milliseconds: Int) {
    self.frame = frame & (Self.frameModulus - 1)
    self.milliseconds = milliseconds & (Self.millisecondModulus - 1)
  }

  /// Milliseconds from capture until `now`, read from the same clock; 0…``millisecondModulus`` - 1.
  public func age(atMilliseconds now: Int) -> Int { (now &- milliseconds) & (Self.millisecondModulus - 1) }

  /// Frames from `earlier` to this one; 0…``frameModulus`` - 1.
  public func frames(since earlier: FrameStamp) -> Int { (frame &- earlier.frame) & (Self.frameModulus - 1) }

  /// Rows that the strip takes in a picture of this height.
  public static func stripHeight(in height: Int) -> Int { max(3, (height + 11) / 22) }

  /// Paints the stamp over the lowest rows. Pictures below the minimum size are left alone.
  public func write(into picture: borrowing MutableI420) {
    let width = picture.layout.width
    let height = picture.layout.height
    guard width >= Self.minimumWidth, height >= Self.minimumHeight else { return }
    let top = height - Self.stripHeight(in: height)
    let luma = picture.pointer(to: .y)
    let first = luma + top * picture.stride(of: .y)
    for cell in 0..<Self.cells {
      let value = isWhite(cell: cell) ? Self.white : Self.black
      for x in (cell * width / Self.cells)..<((cell + 1) * width / Self.cells) { first[x] = value }
    }
    for row in (top + 1)..<height { (luma + row * picture.stride(of: .y)).update(from: first, count: width) }
    for plane in [I420Buffer.Plane.u, .v] {
      for row in (top / 2)..<picture.layout.chromaHeight {
        (picture.pointer(to: plane) + row * picture.stride(of: plane))
          .update(repeating: 128, count: picture.layout.chromaWidth)
      }
    }
  }

  /// The stamp in a picture, if there is one and its checksum holds.
  public static func read(from picture: I420Buffer) -> FrameStamp? {
    guard picture.width >= minimumWidth, picture.height >= minimumHeight else { return nil }
    var levels = [Int](repeating: 0, count: cells)
    let strip = Double(picture.height) / 22
    let rows = (Int(Double(picture.height) - strip * 0.7))...(picture.height - 1 - Int(strip * 0.3))
    let luma = picture.pointer(to: .y)
    let stride: Int = picture.stride(of: .y)
    let cellWidth = Double(picture.width) / Double(cells)
    for cell in 0..<cells {
      // The middle of the cell only: its edges are blurred by scaling and coding.
      let from = Int((Double(cell) + 0.3) * cellWidth)
      let to = max(from, Int((Double(cell) + 0.7) * cellWidth - 0.01))
      var sum = 0
      for row in rows {
        for x in from...to { sum += Int(luma[row * stride + x]) }
      }
      levels[cell] = sum / (rows.count * (to - from + 1))
    }
    withExtendedLifetime(picture) {}
    let white = (levels[0] + levels[cells - 1]) / 2
    let black = (levels[1] + levels[cells - 2]) / 2
    guard white - black > 60 else { return nil }
    let threshold = (white + black) / 2
    let bits = levels.reduce(UInt64(0)) { $0 << 1 | ($1 > threshold ? 1 : 0) }
    let stamp = FrameStamp(frame: Int(bits >> 32 & 0x3fff), milliseconds: Int(bits >> 10 & 0x3f_ffff))
    return stamp.pattern == bits ? stamp : nil
  }

  /// Whether the cell is white, counted from the left.
  func isWhite(cell: Int) -> Bool { pattern >> UInt64(Self.cells - 1 - cell) & 1 == 1 }

  /// All 48 cells, leftmost in bit 47.
  private var pattern: UInt64 {
    let value = UInt64(frame) << 22 | UInt64(milliseconds)
    let bits = value << 8 | UInt64(Self.checksum(value))
    return 0b10 << 46 | bits << 2 | 0b01
  }

  /// CRC-8, polynomial x^8 + x^2 + x + 1, begun with 0xff, over the low 36 bits.
  private static func checksum(_ value: UInt64) -> UInt8 {
    var crc: UInt8 = 0xff
    for position in (0..<36).reversed() {
      let bit = UInt8(truncatingIfNeeded: value >> UInt64(position)) & 1
      crc = (crc << 1) ^ ((crc >> 7) ^ bit == 1 ? 0x07 : 0)
    }
    return crc
  }
}
